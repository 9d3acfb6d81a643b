// SPDX-License-Identifier: MIT
// Work that is kept: the shared table and model, documents after a reload, undo, sessions, names, and the view of a file.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, native, test } from "./support";

const iris = native(["example", "iris"]);
const heading = (page: Page) => page.getByRole("heading", { level: 1 });
const view = (page: Page, name: string) => page.getByRole("navigation").getByRole("link", { name }).click();

async function openFile(page: Page, name: string, content: string | Buffer): Promise<void> {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Open file…" }).click();
    await (await chooser).setFiles({ name, mimeType: "", buffer: Buffer.from(content) });
}

test("the bar leads to views of the table and model you work on", async ({ page }) => {
    await page.goto("/");
    await openFile(page, "flowers.csv", iris);
    await page.getByRole("button", { name: "Train", exact: true }).click();
    await expect(page.getByRole("heading", { name: "flowers.model" })).toBeVisible();
    await view(page, "Evaluate");
    await expect(page.getByRole("heading", { name: "Scores" })).toBeVisible();
    await expect(page.getByText("each predicted by a model that was trained without it")).toBeVisible();
    await view(page, "Ask");
    await expect(page.locator("[data-name=prediction]")).toBeVisible();
    await view(page, "Learn");
    await expect(page.getByRole("heading", { name: "flowers.model" })).toBeVisible();
});

test("documents survive a reload, closing can be taken back, and a session file holds them", async ({
    page,
    browser,
}) => {
    await page.goto("/");
    await openFile(page, "flowers.csv", iris);
    await expect(page.getByText("150 rows and 5 columns")).toBeVisible();
    await page.waitForTimeout(600);
    await page.reload();
    await expect(page.getByText("150 rows and 5 columns")).toBeVisible();
    await page.getByRole("button", { name: "Close flowers.csv" }).click();
    await page.getByRole("button", { name: "Reopen flowers.csv" }).click();
    await expect(page.getByText("150 rows and 5 columns")).toBeVisible();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save session" }).click();
    const session = readFileSync(await (await download).path());
    const other = await browser.newPage();
    await other.goto("/");
    await openFile(other, "session.credence", session);
    await expect(other.getByText("150 rows and 5 columns")).toBeVisible();
    await other.close();
});

test("choices are undone and redone, by key and by the browser's Back", async ({ page }) => {
    await page.goto("/#/networks?example=asia");
    const state = (name: string) => page.locator(`[data-node="${name}"] [data-state="yes"]`);
    await state("dyspnoea").click();
    await state("xray").click();
    await expect(state("xray")).toHaveAttribute("aria-pressed", "true");
    await page.keyboard.press("Control+z");
    await expect(state("xray")).toHaveAttribute("aria-pressed", "false");
    await expect(state("dyspnoea")).toHaveAttribute("aria-pressed", "true");
    await page.keyboard.press("Control+y");
    await expect(state("xray")).toHaveAttribute("aria-pressed", "true");
    await page.goBack();
    await expect(state("xray")).toHaveAttribute("aria-pressed", "false");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(state("dyspnoea")).toHaveAttribute("aria-pressed", "false");
    await expect(page.getByRole("button", { name: "Undo" })).toBeDisabled();
});

test("another file of the same name does not replace an open one", async ({ page }) => {
    await page.goto("/");
    await openFile(page, "data.csv", "a,class\n1,x\n2,y\n");
    await expect(page.getByText("2 rows and 2 columns")).toBeVisible();
    await openFile(page, "data.csv", "a,b,class\n1,3,x\n2,4,y\n1,4,x\n");
    await expect(page.getByText("3 rows and 3 columns")).toBeVisible();
    await page.getByRole("link", { name: "data.csv table" }).click();
    await expect(page.getByText("2 rows and 2 columns")).toBeVisible();
});

test("a file opens in the view of its content, and in another one by a click", async ({ page }) => {
    await page.goto("/");
    await openFile(page, "gap.csv", "a,b,class\n1,2,x\n\n3,4,y\n5,6,x\n");
    await expect(heading(page)).toHaveText("Learn");
    await openFile(page, "excel.txt", "age\theight\tclass\n30\t170\tx\n40\t180\ty\n50\t160\tx\n");
    await expect(heading(page)).toHaveText("Learn");
    await openFile(page, "tagged.tsv", "the\tD\ndog\tN\n\na\tD\ncat\tN\n\nthe\tD\ncat\tN\n");
    await expect(heading(page)).toHaveText("Sequences");
    await page.getByRole("button", { name: "a table", exact: true }).click();
    await expect(heading(page)).toHaveText("Learn");
    await view(page, "Texts");
    await openFile(
        page,
        "mails.tsv",
        "label\ttext\nspam\twin money now\nham\tlunch today\nspam\tmoney money\nham\tsee you\n",
    );
    await expect(heading(page)).toHaveText("Texts");
    await expect(page.getByText("4 texts")).toBeVisible();
});

test("a new network can be drawn while another one is open", async ({ page }) => {
    await page.goto("/#/networks?example=asia");
    await page.getByRole("button", { name: "New network" }).click();
    await expect(page.locator('[data-node="A"]')).toBeVisible();
    await view(page, "Learn");
    await view(page, "Networks");
    await expect(page.locator('[data-node="A"]')).toBeVisible();
});

test("typed cells of a table are kept when another node is selected", async ({ page }) => {
    await page.goto("/#/networks");
    await page.getByRole("button", { name: "Draw a new network" }).click();
    const cell = (column: number) => page.locator(`input[data-cell="0,${column}"]`);
    await cell(0).fill("0.9");
    await cell(1).fill("0.1");
    const choose = page.locator(".node-choice select");
    await choose.selectOption("B");
    await expect(page.locator('input[data-cell="1,0"]')).toBeVisible();
    await choose.selectOption("A");
    await expect(cell(0)).toHaveValue("0.9");
});
