// SPDX-License-Identifier: MIT
import { expect, expectAccessible, keepScreenshots, test } from "./support";

test("every view opens from the navigation, with its heading, and is accessible", async ({ page }) => {
    await page.goto("/");
    for (const link of await page.getByRole("navigation").getByRole("link").all()) {
        const name = (await link.textContent()) ?? "";
        await link.click();
        await expect(page.getByRole("heading", { level: 1 })).toContainText(name);
        for (const colorScheme of ["light", "dark"] as const) {
            await page.emulateMedia({ colorScheme });
            await expectAccessible(page);
        }
        await keepScreenshots(page, `empty-${name.toLowerCase()}`);
    }
});
