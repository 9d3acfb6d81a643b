// SPDX-License-Identifier: MIT
// From a table of one's own to scored rows of a new file.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, expectAccessible, keepScreenshots, native, nativeJson, test } from "./support";

const folder = mkdtempSync(join(tmpdir(), "credence-analyst-"));
const lines = Array.from(
    { length: 300 },
    (_, i) =>
        `${i + 1},${20 + ((i * 37) % 60)},${i % 3 === 0 ? "m" : "f"},${[101, 102, 205][i % 3]},${i % 10 === 0 ? "yes" : "no"},${2019 + (i % 3)}`,
);
const table = `id,age,sex,code,visit,year\n${lines.join("\n")}\n`;
writeFileSync(join(folder, "visits.csv"), table);

async function openFile(page: Page, name: string, content: string): Promise<void> {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Open file…" }).click();
    await (await chooser).setFiles({ name, mimeType: "", buffer: Buffer.from(content) });
}

test("hints are buttons, the class is guessed, and a useless model is called so", async ({ page }) => {
    await page.goto("/");
    await expect(page.getByRole("heading", { name: "My table" })).toBeVisible();
    await openFile(page, "visits.csv", table);
    await expect(page.getByRole("radio", { name: "visit is the class" })).toBeChecked();
    await page.getByRole("button", { name: "Ignore id" }).click();
    await expect(page.getByLabel("Type of id", { exact: true })).toHaveValue("ignore");
    await page.getByText("Rows", { exact: true }).click();
    await page.getByRole("searchbox", { name: "Rows that contain" }).fill("2020");
    await expect(page.getByText("100 of 300 rows")).toBeVisible();
    await page.getByRole("button", { name: "Train", exact: true }).click();
    await expect(page.getByRole("heading", { name: "visits.model" })).toBeVisible();
    await expect(page.locator(".result")).not.toContainText("--");
    await page.getByRole("link", { name: "Evaluate the model" }).click();
    await expect(page.locator("[data-name=verdict]")).toContainText("better than always predicting “no”");
    await page.getByRole("button", { name: /rows of yes predicted as no/ }).click();
    const rows = page.getByRole("region", { name: "Rows of yes predicted as no" });
    await expect(rows.locator("tbody tr")).toHaveCount(30);
    await expect(rows.locator("tbody tr").first()).toContainText("yes");
    await expectAccessible(page);
    await keepScreenshots(page, "evaluate-verdict");
});

test("a file is predicted and saved as the command predicts it", async ({ page }) => {
    await page.goto("/");
    await openFile(page, "visits.csv", table);
    await page.getByRole("button", { name: "Train", exact: true }).click();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Predict a file…" }).click();
    const fresh = `id,age,sex,code,year\n${lines
        .slice(0, 40)
        .map((line) => line.split(",").filter((_, i) => i !== 4))
        .join("\n")}\n`;
    await (await chooser).setFiles({ name: "new.csv", mimeType: "", buffer: Buffer.from(fresh) });
    await expect(page.getByText("40 rows")).toBeVisible();
    await expectAccessible(page);
    await keepScreenshots(page, "predict-file");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save new-predicted.csv" }).click();
    writeFileSync(join(folder, "new.csv"), fresh);
    native(["train", "visits.csv", "--target", "visit", "-o", "visits.model", "--quiet"], folder);
    native(["predict", "visits.model", "new.csv", "--with-input", "-o", "out.csv"], folder);
    expect(readFileSync(await (await download).path(), "utf8")).toBe(readFileSync(join(folder, "out.csv"), "utf8"));
    expect(nativeJson<{ rows: number }>(["schema", "new.csv"], folder).rows).toBe(40);
});
