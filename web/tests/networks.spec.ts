// SPDX-License-Identifier: MIT
// Networks: evidence by clicks and keys, queries, editing. Every number is the native command's.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { expect, expectAccessible, keepScreenshots, native, nativeJson, test } from "./support";

type Posteriors = { posterior: Record<string, Record<string, number>>; log_evidence: number };

function example(name: string): { folder: string; file: string } {
    const folder = mkdtempSync(join(tmpdir(), "networks-"));
    const file = `${name}.bif`;
    writeFileSync(join(folder, file), native(["example", name]));
    return { folder, file };
}

function nodeOf(page: Page, name: string): Locator {
    return page.locator(`[data-node=${JSON.stringify(name)}]`);
}

function stateOf(page: Page, name: string, state: string): Locator {
    return nodeOf(page, name).locator(`[data-state=${JSON.stringify(state)}]`);
}

/** Every bar of the graph has the native command's probability, to the last bit. */
async function expectPosteriors(page: Page, { posterior }: Posteriors): Promise<void> {
    for (const [name, states] of Object.entries(posterior))
        for (const [state, probability] of Object.entries(states))
            await expect(stateOf(page, name, state)).toHaveAttribute("data-value", String(probability));
}

test("evidence is set and removed by clicks, and every posterior follows", async ({ page }) => {
    const { folder, file } = example("asia");
    await page.goto("/#/networks?example=asia");
    await expectPosteriors(page, nativeJson(["query", file, "--of", "all"], folder));
    await stateOf(page, "dyspnoea", "yes").click();
    await stateOf(page, "visit", "yes").click();
    const both = nativeJson<Posteriors>(["query", file, "--of", "all", "--given", "dyspnoea=yes,visit=yes"], folder);
    await expectPosteriors(page, both);
    await expect(page.locator("[data-name=log-evidence]")).toHaveAttribute("data-value", String(both.log_evidence));
    await expect(page.locator(".command code")).toHaveText(
        "credence example asia -o asia.bif && credence query asia.bif --of all --given dyspnoea=yes,visit=yes",
    );
    await keepScreenshots(page, "networks-evidence");
    await expectAccessible(page);
    await page.reload();
    await expectPosteriors(page, both);
    await stateOf(page, "visit", "yes").click();
    await expectPosteriors(page, nativeJson(["query", file, "--of", "all", "--given", "dyspnoea=yes"], folder));
});

test("the keyboard sets evidence, and virtual evidence is accepted", async ({ page }) => {
    const { folder, file } = example("asia");
    await page.goto("/#/networks?example=asia");
    await expectPosteriors(page, nativeJson(["query", file, "--of", "all"], folder));
    await nodeOf(page, "smoking").focus();
    await page.keyboard.press("ArrowDown");
    const below = await page.evaluate(() => document.activeElement?.getAttribute("data-node"));
    expect(["cancer", "bronchitis"]).toContain(below);
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expectPosteriors(page, nativeJson(["query", file, "--of", "all", "--given", `${below}=no`], folder));
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowUp");
    await expect(nodeOf(page, "smoking")).toBeFocused();
    await page.goto("/#/networks?example=asia&node=xray");
    await page.getByText("Virtual evidence").click();
    await page.getByRole("spinbutton", { name: "yes" }).fill("0.8");
    await page.getByRole("spinbutton", { name: "no", exact: true }).fill("0.2");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await expectPosteriors(
        page,
        nativeJson(["query", file, "--of", "all", "--likelihood", "xray=yes:0.8,xray=no:0.2"], folder),
    );
});

test("independence, explanations, the most probable explanation and decisions are the command's", async ({ page }) => {
    const { folder, file } = example("asia");
    await page.goto("/#/networks?example=asia&mode=independence&x=visit&y=smoking");
    await expect(page.locator(".verdict")).toContainText("Independent");
    await stateOf(page, "dyspnoea", "yes").click();
    await expect(page.locator(".verdict")).toContainText("Not d-separated");
    await expect(page.locator(".path-line").first()).toHaveText("visit → tuberculosis → either ← cancer ← smoking");
    await expect(nodeOf(page, "either")).toHaveClass(/mark-open/);
    await keepScreenshots(page, "networks-independence");
    await expectAccessible(page);
    await page.goto("/#/networks?example=asia&mode=why&given=dyspnoea=yes,xray=yes&node=cancer");
    const why = nativeJson<{ findings: { node: string; weight: number }[] }>(
        ["explain", file, "--of", "cancer", "--given", "dyspnoea=yes,xray=yes"],
        folder,
    );
    for (const { node, weight } of why.findings)
        await expect(page.locator(`[data-name="weight ${node}"]`)).toHaveAttribute("data-value", String(weight));
    await page.goto("/#/networks?example=asia&mode=explanation&given=dyspnoea=yes");
    const most = nativeJson<{ most_probable: { states: Record<string, string>; log_probability: number } }>(
        ["query", file, "--mpe", "--given", "dyspnoea=yes"],
        folder,
    ).most_probable;
    await expect(page.locator("[data-name=log-probability]")).toHaveAttribute(
        "data-value",
        String(most.log_probability),
    );
    for (const [name, state] of Object.entries(most.states))
        await expect(page.locator(`td[data-name="${name}"]`)).toContainText(state);
    await page.goto("/#/networks?example=wildcatter&mode=decisions");
    await expect(page.locator("[data-name=expected-utility]")).toHaveAttribute("data-value", "22.5");
    await expectAccessible(page);
});

test("a network is drawn by hand, saved, and the command reads the same network", async ({ page }) => {
    await page.goto("/#/networks");
    await page.getByRole("button", { name: "Draw a new network" }).click();
    await page.getByRole("textbox", { name: "New node" }).fill("C <b>");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await expect(nodeOf(page, "C <b>")).toBeVisible();
    await page.getByLabel("Other node of the new arc").selectOption("B");
    await page.getByRole("button", { name: "Add arc" }).click();
    const cell = (row: number, column: number): Locator => page.locator(`input[data-cell="${row},${column}"]`);
    // The second row comes with the arc.
    await expect(cell(1, 0)).toBeVisible();
    await cell(0, 0).fill("0.9");
    await expect(page.getByText("Row 1: probabilities")).toBeVisible();
    await cell(0, 1).fill("0.1");
    await cell(1, 0).fill("1");
    await cell(1, 1).fill("3");
    await page.getByRole("button", { name: "Normalize row 2" }).click();
    await page.getByRole("button", { name: "Set table" }).click();
    await expect(page.getByRole("button", { name: "Set table" })).toBeDisabled();
    await expectAccessible(page);
    // An arc back would make a cycle: it is rejected with the command's message, and nothing changes.
    await page.getByLabel("Direction of the new arc").selectOption("to");
    await page.getByLabel("Other node of the new arc").selectOption("A");
    await page.getByRole("button", { name: "Add arc" }).click();
    await expect(page.getByRole("alert")).toContainText("cycle");
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: /^Save new/ }).click();
    const file = await (await saving).path();
    const shown = nativeJson<{ nodes: { name: string; parents: string[]; table: number[][] }[] }>(["show", file]);
    expect(shown.nodes.map(({ name }) => name)).toEqual(["A", "B", "C <b>"]);
    expect(shown.nodes[2]).toMatchObject({
        parents: ["B"],
        table: [
            [0.9, 0.1],
            [0.25, 0.75],
        ],
    });
    expect(readFileSync(file, "utf8")).toContain("network");
    // The link holds the network; undo takes back the table, redo makes it again.
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(cell(0, 0)).toHaveValue("0.5");
    await page.getByRole("button", { name: "Redo" }).click();
    await expect(cell(0, 0)).toHaveValue("0.9");
    await page.reload();
    await expect(cell(1, 0)).toHaveValue("0.25");
});

test("names of a file are text, and its errors are the command's", async ({ page }) => {
    await page.goto("/#/networks");
    const open = async (name: string, text: string): Promise<void> => {
        const choosing = page.waitForEvent("filechooser");
        await page.getByRole("button", { name: "Open file…" }).click();
        await (await choosing).setFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    };
    const hostile = `<?xml version="1.0"?><BIF VERSION="0.3"><NETWORK><NAME>h</NAME>
        <VARIABLE TYPE="nature"><NAME>&lt;img src=x onerror=alert(1)&gt;</NAME><OUTCOME>a,"b=c</OUTCOME><OUTCOME>__proto__</OUTCOME></VARIABLE>
        <DEFINITION><FOR>&lt;img src=x onerror=alert(1)&gt;</FOR><TABLE>0.25 0.75</TABLE></DEFINITION></NETWORK></BIF>`;
    await open("<i>h.xml", hostile);
    const node = page.locator("[data-node]");
    await expect(node).toHaveAttribute("data-node", "<img src=x onerror=alert(1)>");
    await node.locator("[data-state]").first().click();
    await expect(node.locator("[data-state]").nth(1)).toHaveAttribute("data-value", "0");
    await expect(page.locator("main img, main i")).toHaveCount(0);
    await open("broken.bif", "network x {\n}\nvariable A {\n  type discrete [ 2 ] { yes, no }\n");
    await expect(page.getByRole("alert")).toContainText("broken.bif");
});
