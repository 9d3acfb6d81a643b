// SPDX-License-Identifier: MIT
// A lecture on explaining away: prepared as steps, shared as a link, and presented with the keys of a clicker.
import { expect, keepScreenshots, test } from "./support";

test("the steps of a lecture are shared by a link and presented one by one", async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/#/networks?example=burglary");
    const burglary = page.locator('[data-node="Burglary"] [data-state="True"]');
    await expect(burglary).toHaveAttribute("data-value", /^0\.001/);
    await page.locator('[data-node="Alarm"] [data-state="True"]').click();
    await expect(page).toHaveURL(/Alarm/);
    await page.locator('[data-node="Earthquake"] [data-state="True"]').click();
    await expect(page).toHaveURL(/Earthquake/);
    await page.getByText("Share", { exact: true }).click();
    await page.getByRole("button", { name: "Copy link to all steps" }).click();
    await expect(page.getByText("Copied")).toBeVisible();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link.length).toBeLessThan(500);
    await page.goto("about:blank");
    await page.goto(link);
    await expect(burglary).toHaveAttribute("data-value", /^0\.001/);
    await expect(page.getByRole("navigation", { name: "Views" })).toBeHidden();
    await page.keyboard.press("PageDown");
    await expect(burglary).toHaveAttribute("data-value", /^0\.37/);
    await page.keyboard.press("PageDown");
    await expect(burglary).toHaveAttribute("data-value", /^0\.003/);
    await keepScreenshots(page, "present");
    await page.keyboard.press("PageUp");
    await expect(burglary).toHaveAttribute("data-value", /^0\.37/);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("navigation", { name: "Views" })).toBeVisible();
});
