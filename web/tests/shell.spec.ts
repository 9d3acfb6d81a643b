// SPDX-License-Identifier: MIT
import { expect, test } from "@playwright/test";

test("every view opens from the navigation, with its heading", async ({ page }) => {
    await page.goto("/");
    for (const link of await page.getByRole("navigation").getByRole("link").all()) {
        const name = (await link.textContent()) ?? "";
        await link.click();
        await expect(page.getByRole("heading", { level: 1 })).toContainText(name);
    }
});
