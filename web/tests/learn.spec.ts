// SPDX-License-Identifier: MIT
// Learn: training on a table creates a model file for the command, with the numbers of the native command.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { command, expect, expectAccessible, keepScreenshots, native, nativeJson, test } from "./support";
import { execFileSync } from "node:child_process";
import type { Page } from "@playwright/test";

const folder = mkdtempSync(join(tmpdir(), "credence-learn-"));
const iris = native(["example", "iris"]);
writeFileSync(join(folder, "iris.csv"), iris);

async function openFile(page: Page, name: string, content: string | Buffer): Promise<void> {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Open file…" }).click();
    await (await chooser).setFiles({ name, mimeType: "", buffer: Buffer.from(content) });
}

const value = (page: Page, name: string): Promise<string | null> =>
    page.locator(`data[data-name="${name}"]`).first().getAttribute("data-value");

test("the model of an example is byte-identical to the command's", async ({ page }) => {
    await page.goto("/");
    await page.getByRole("link", { name: /^iris/ }).click();
    await expect(page.getByText("150 rows and 5 columns")).toBeVisible();
    await page.getByRole("button", { name: "Train", exact: true }).click();
    await expect(page.getByRole("heading", { name: "iris.model" })).toBeVisible();
    expect(Number(await value(page, "prior Iris-setosa"))).toBe(1 / 3);
    await expect(page.locator(".command code")).toHaveText(
        "credence example iris -o iris.csv && credence train iris.csv --target species -o iris.model",
    );
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save model" }).click();
    const saved = join(folder, "page.model");
    await (await download).saveAs(saved);
    execFileSync(command, ["train", "iris.csv", "--target", "species", "-o", "own.model", "-q"], { cwd: folder });
    expect(readFileSync(saved).equals(readFileSync(join(folder, "own.model")))).toBe(true);
    await expectAccessible(page);
    await keepScreenshots(page, "learn");
});

test("the first line of a table can be a row", async ({ page }) => {
    await page.goto("/");
    await openFile(page, "plain.csv", "one,two,three\na,b,yes\nb,a,no\na,c,yes\nc,a,no\n");
    await expect(page.getByText("4 rows and 3 columns")).toBeVisible();
    await page.getByLabel("First line").selectOption("a row");
    await expect(page.getByText("5 rows and 3 columns")).toBeVisible();
    await page.getByRole("button", { name: "Train", exact: true }).click();
    await expect(page.getByText("Learned 5 rows")).toBeVisible();
    await expect(page.locator(".command code")).toContainText("train plain.csv --target c3 --header no -o plain.model");
});

test("types, settings and the class are in the link, which restores them", async ({ page }) => {
    await page.goto("/#/learn?example=iris");
    await page.getByLabel("Type of sepal_width").selectOption("ignore");
    await page.getByLabel("Type of petal_width").selectOption("categorical");
    await page.getByLabel("attribute-weights", { exact: true }).selectOption("fitted");
    await page.getByLabel("attribute-weights", { exact: true }).selectOption("none");
    await page.getByLabel("method", { exact: true }).selectOption("tan");
    await page.getByLabel("smoothing", { exact: true }).selectOption("laplace:L");
    await page.getByLabel("L of smoothing").fill("2");
    await page.getByLabel("L of smoothing").press("Enter");
    const words =
        "train iris.csv --target species --categorical petal_width --ignore sepal_width --method tan --smoothing laplace:2 -o";
    await expect(page.locator(".command code")).toContainText(words);
    await page.getByRole("button", { name: "Train", exact: true }).click();
    await expect(page.getByRole("heading", { name: "iris.model" })).toBeVisible();
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await expect(page.getByRole("heading", { name: "iris.model" })).toBeVisible();
    await expect(page.locator(".command code")).toContainText(words);
    await expect(page.getByLabel("Type of sepal_width")).toHaveValue("ignore");
    await expect(page.getByLabel("Type of petal_width")).toHaveValue("categorical");
    await expect(page.getByLabel("Type of petal_length").locator("option").first()).toHaveText("numeric");
});

test("methods are compared with the command's numbers", async ({ page }) => {
    await page.goto("/#/learn?example=tennis&target=Play&compare=yes");
    const { candidates } = nativeJson<{ candidates: { name: string; log_loss: number }[] }>(
        ["evaluate", join(folder, "tennis.csv"), "--target", "Play", "--compare"].map((word, index) => {
            if (index === 1) writeFileSync(word, native(["example", "tennis"]));
            return word;
        }),
    );
    for (const { name, log_loss } of candidates) {
        await expect(page.locator(`data[data-name="log loss ${name}"]`)).toBeVisible({ timeout: 30_000 });
        expect(Number(await value(page, `log loss ${name}`))).toBe(log_loss);
    }
    await expectAccessible(page);
});

test("files of the user, also compressed ones, open by keyboard, and a link asks for them by name", async ({
    page,
    browser,
}) => {
    await page.goto("/");
    await expect(page.getByRole("heading", { name: "Example tables" })).toBeVisible();
    const chooser = page.waitForEvent("filechooser");
    await page.keyboard.press("Control+o");
    await (await chooser).setFiles({ name: "flowers.csv.gz", mimeType: "", buffer: gzipSync(iris) });
    await expect(page.getByText("150 rows and 5 columns")).toBeVisible();
    const address = page.url();
    expect(address).toContain("file=flowers.csv.gz");
    // Another browser does not have the file.
    const other = await browser.newPage();
    await other.goto(address);
    const again = other.waitForEvent("filechooser");
    await other.getByRole("button", { name: "Choose flowers.csv.gz…" }).click();
    await (await again).setFiles({ name: "flowers.csv.gz", mimeType: "", buffer: gzipSync(iris) });
    await expect(other.getByText("150 rows and 5 columns")).toBeVisible();
    await other.close();
});

test("a broken file is rejected with the command's message", async ({ page }) => {
    await page.goto("/");
    await openFile(page, "broken.csv", 'a,b\n1,2\n"3,4\n5,6,7\n');
    writeFileSync(join(folder, "broken.csv"), 'a,b\n1,2\n"3,4\n5,6,7\n');
    let words = "";
    try {
        execFileSync(command, ["schema", "broken.csv"], { cwd: folder, stdio: "pipe" });
    } catch (error) {
        words = (error as { stderr: Buffer }).stderr.toString();
    }
    const first = words.split("\n")[0]?.replace("credence: ", "") ?? "";
    expect(first).not.toBe("");
    await expect(page.getByRole("alert")).toContainText(first);
    await expectAccessible(page);
});

test("a table without rows is rejected with the command's message", async ({ page }) => {
    await page.goto("/");
    await openFile(page, "header.csv", "a,b,class\n");
    await page.getByRole("button", { name: "Train", exact: true }).click();
    await expect(page.getByRole("alert")).toContainText("header.csv");
});

test("markup in names is text", async ({ page }) => {
    const bad = `<img src=x onerror="alert(1)">`;
    const quoted = `"${bad.replaceAll('"', '""')}"`;
    const rows = Array.from({ length: 20 }, (_, i) => `${i * 1.5},${i % 3},${i % 2 === 0 ? quoted : "</script>"}`);
    await page.goto("/");
    await openFile(page, "<b>bold.csv", `${quoted},n,class\n${rows.join("\n")}\n`);
    await expect(page.getByText("20 rows and 3 columns")).toBeVisible();
    await page.getByRole("button", { name: "Train", exact: true }).click();
    await expect(page.getByRole("heading", { name: "<b>bold.model" })).toBeVisible();
    await expect(page.locator("canvas.scatter")).toBeVisible();
    await page.getByRole("link", { name: "Evaluate the model" }).click();
    await expect(page.getByRole("heading", { name: "Scores" })).toBeVisible();
    await expect(page.locator("main img, main script, main b")).toHaveCount(0);
});
