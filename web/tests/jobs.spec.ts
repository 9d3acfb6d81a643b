// SPDX-License-Identifier: MIT
// Long jobs: they block nothing, every view shows them, and they can be canceled.
import { expect, test } from "./support";

/** A table whose report takes long. */
function largeTable(): string {
    const lines = [[..."abcdefghijklmnopqrst", "class"].join(",")];
    for (let i = 0; i < 20_000; i++)
        lines.push(
            [...Array.from({ length: 20 }, (_, j) => ((i * (2 * j + 7919)) % 10_007) / 100), `c${i % 3}`].join(","),
        );
    return `${lines.join("\n")}\n`;
}

test("a report runs while another view answers; the job line cancels it", async ({ page }) => {
    await page.goto("/");
    const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: "Open file…" }).click(),
    ]);
    await chooser.setFiles({ name: "large.csv", mimeType: "text/csv", buffer: Buffer.from(largeTable()) });
    await page.getByRole("button", { name: "Train", exact: true }).click();
    await page.getByRole("button", { name: "Save report" }).click();
    const jobs = page.getByRole("complementary", { name: "Running jobs" });
    await expect(jobs).toContainText("Writing the report: large.csv");
    await page.getByRole("link", { name: "Predict a row" }).click();
    await expect(page.locator('[data-name="prediction"]')).toBeVisible();
    await expect(jobs).toContainText("Writing the report: large.csv");
    await jobs.getByRole("button", { name: "Cancel" }).click();
    await expect(jobs).toHaveCount(0);
});

test("a canceled evaluation says so, and runs again", async ({ page }) => {
    await page.goto("/");
    const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: "Open file…" }).click(),
    ]);
    await chooser.setFiles({ name: "large.csv", mimeType: "text/csv", buffer: Buffer.from(largeTable()) });
    await page.getByRole("button", { name: "Compare methods" }).click();
    const cancel = page.getByRole("button", { name: "Cancel: Comparing methods: large.csv" });
    await cancel.click();
    await expect(page.getByText("Comparing methods: canceled.")).toBeVisible();
    await page.getByRole("button", { name: "Run again" }).click();
    await cancel.click();
    await expect(page.getByText("Comparing methods: canceled.")).toBeVisible();
});
