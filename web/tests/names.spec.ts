// SPDX-License-Identifier: MIT
// Unusual names, and links to missing things.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, native, test } from "./support";

const column = "n".repeat(3000);
const longClass = "c".repeat(600);

/** Writes a model with long names and values that begin with spaces, and a table that cannot be read. */
function files(): string[] {
    const folder = mkdtempSync(join(tmpdir(), "names-"));
    const rows = Array.from({ length: 12 }, (_, i) => (i % 3 === 0 ? `" lead",1,${longClass}` : `k,${i},B`));
    writeFileSync(join(folder, "names.csv"), `x,${column},y\n${rows.join("\n")}\n`);
    native(["train", "names.csv", "--target", "y", "-o", "names.model"], folder);
    writeFileSync(join(folder, "broken.csv"), "a,b\n\0\0\n");
    return ["broken.csv", "names.csv", "names.model"].map((name) => join(folder, name));
}

test("long names stay within the window, and a link from the navigation names its file", async ({ page }) => {
    const [broken = "", table = "", model = ""] = files();
    const open = async (path: string): Promise<void> => {
        const chooser = page.waitForEvent("filechooser");
        await page.getByRole("button", { name: "Open file" }).first().click();
        await (await chooser).setFiles(path);
    };
    const expectWithin = async (): Promise<void> => {
        for (const width of [1280, 320]) {
            await page.setViewportSize({ width, height: 800 });
            const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            expect(over, `${page.url()} at ${width}`).toBeLessThanOrEqual(0);
        }
        await page.setViewportSize({ width: 1280, height: 800 });
    };
    await page.goto("/");
    await open(table);
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Learn");
    await expect(page.getByText("12 rows")).toBeVisible();
    await expectWithin();
    await open(broken);
    await expect(page.getByRole("alert")).toBeVisible();
    await open(model);
    await expect(page.locator(".attribute-list button").first()).toBeVisible();
    await expectWithin();
    await page.getByRole("navigation").getByRole("link", { name: "Ask" }).click();
    await expect(page.getByRole("heading", { name: "The row" })).toBeVisible();
    await expect.poll(() => page.url()).toContain("file=names.model");
    await expect(page.locator(".load-row")).not.toContainText("broken.csv");
    await page.getByText("lead", { exact: true }).first().click();
    await expect(page.locator("[data-name=prediction]")).toHaveText(longClass);
    await expect(page.getByText(/not seen/i)).toHaveCount(0);
    await expectWithin();
});

test("a link to something missing shows an error", async ({ page }) => {
    for (const [link, words] of [
        ["#/nope", "nope"],
        ["#/ask?example=tennis&target=Play&given=zz%3D1", "zz"],
        ["#/evaluate?example=tennis&target=Play&folds=-5", "-5"],
        ["#/sequences?case=__proto__", "__proto__"],
    ] as const) {
        await page.goto(`/${link}`);
        await expect(page.getByRole("alert").first()).toContainText(words);
    }
});
