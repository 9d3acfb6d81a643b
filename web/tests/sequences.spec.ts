// SPDX-License-Identifier: MIT
// Sequences: states over time, trained and specified models, edits and forecasts, with the native command's numbers.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cases } from "../page/src/views/sequences/cases";
import { expect, expectAccessible, keepScreenshots, native, nativeJson, test } from "./support";

interface Line {
    prediction: string;
    posterior: Record<string, number>;
}

function folderOf(id: string): { folder: string; model: string; data: string } {
    const folder = mkdtempSync(join(tmpdir(), "sequences-"));
    const found = cases.find((one) => one.id === id);
    if (found === undefined) throw new Error(`no case ${id}`);
    const { data, model, train } = found;
    writeFileSync(join(folder, data.name), "text" in data ? data.text : native(["example", data.example]));
    if (model !== undefined) writeFileSync(join(folder, model.name), model.text);
    else native(["train", data.name, "--method", "sequence", ...train, "-q", "-o", "trained.model"], folder);
    return { folder, model: model?.name ?? "trained.model", data: data.name };
}

const linesOf = <T>(args: string[], folder: string): T[] =>
    native([...args, "--format", "json"], folder)
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as T);

for (const { id } of cases)
    test(`the posteriors of ${id} are the native command's`, async ({ page }) => {
        const { folder, model, data } = folderOf(id);
        const lines = linesOf<Line>(["predict", model, data], folder);
        await page.goto(`/#/sequences?case=${id}`);
        const state = Object.keys(lines[0]?.posterior ?? {})[0] ?? "";
        await expect(page.locator(`[data-name="row 1 ${state}"]`)).toHaveAttribute(
            "data-value",
            String(lines[0]?.posterior[state]),
            { timeout: 30_000 },
        );
        const shown = await page
            .locator(`[data-name^="row "][data-name$=" ${state}"]`)
            .evaluateAll((all) => all.map((one) => [one.dataset["name"]?.split(" ")[1], one.dataset["value"]]));
        expect(shown.length).toBeGreaterThan(4);
        for (const [row, value] of shown) expect(value).toBe(String(lines[Number(row) - 1]?.posterior[state]));
    });

test("a changed observation changes the states, and a link restores it", async ({ page }) => {
    const { folder, model } = folderOf("umbrella");
    await page.goto("/#/sequences?case=umbrella&step=3");
    await page.locator(".step-panel select").selectOption("yes");
    writeFileSync(join(folder, "edited.csv"), "umbrella\nyes\nyes\nyes\nyes\nyes\n");
    const [, , third] = linesOf<Line>(["predict", model, "edited.csv"], folder);
    const value = page.locator('[data-name="row 3 rain"]');
    await expect(value).toHaveAttribute("data-value", String(third?.posterior["rain"]));
    const report = nativeJson<{ states: { state: string; posterior: number }[] }>(
        ["explain", model, "edited.csv", "--row", "3"],
        folder,
    );
    const rain = report.states.find(({ state }) => state === "rain");
    await expect(page.locator('[data-name="step rain"]')).toHaveAttribute("data-value", String(rain?.posterior));
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await expect(value).toHaveAttribute("data-value", String(third?.posterior["rain"]));
    await page.getByRole("button", { name: "Undo all changes" }).click();
    await expect(value).not.toHaveAttribute("data-value", String(third?.posterior["rain"]));
});

test("a file of the user is trained on, by keyboard, and its markup stays text", async ({ page }) => {
    const evil = "<img src=x onerror=alert(1)>";
    await page.goto("/#/sequences");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Open file…" }).first().click();
    const rows = Array.from({ length: 60 }, (_, i) =>
        i % 20 < 10 ? `${evil},low` : `b,${i % 3 === 0 ? "low" : "high"}`,
    );
    await (
        await chooser
    ).setFiles({ name: "own.csv", mimeType: "text/csv", buffer: Buffer.from(`seen,level\n${rows.join("\n")}\n`) });
    await expect(page).toHaveURL(/file=own\.csv/);
    await page.goto("/#/sequences?file=own.csv&options=own&states=2");
    await expect(page.getByRole("heading", { name: "Training by EM" })).toBeVisible({ timeout: 20_000 });
    await page.getByLabel("Step", { exact: true }).focus();
    await page.keyboard.press("ArrowRight");
    await expect(page).toHaveURL(/step=2/);
    await expect(page.getByRole("heading", { name: "Step 2" })).toBeVisible();
    expect(await page.locator("main img").count()).toBe(0);
});

test("empty lines or a column separate sequences, and edits keep the empty lines", async ({ page }) => {
    const { folder, model, data } = folderOf("sentences");
    const separator = page.getByLabel("Sequences by");
    const command = page.locator(".command code");
    await page.goto("/#/sequences?case=sentences");
    await expect(separator).toHaveValue("empty-line");
    await expect(command).toContainText("--target c2 --sequence-break empty-line -o");
    await separator.selectOption("whole file");
    await expect(command).not.toContainText("--sequence-break");
    await separator.selectOption("empty lines");
    await expect(page).toHaveURL(/sequence-break=empty-line/);
    await expect(command).toContainText("--sequence-break empty-line");
    await page.goto("/#/sequences?case=weather");
    await expect(separator).toHaveValue("=place");
    await separator.selectOption("wind");
    await expect(page).toHaveURL(/case=weather.*target=sky.*sequence=wind.*time=day/);
    const edits = JSON.stringify([[2, "c1", "He"]]);
    await page.goto(`/#/sequences?case=sentences&edits=${encodeURIComponent(edits)}`);
    const lines = readFileSync(join(folder, data), "utf8").split("\n");
    lines[1] = lines[1]?.replace(/^[^\t ]+/, "He") ?? "";
    writeFileSync(join(folder, "edited.tsv"), lines.join("\n"));
    const [, second] = linesOf<Line>(["predict", model, "edited.tsv"], folder);
    for (const [state, probability] of Object.entries(second?.posterior ?? {}))
        await expect(page.locator(`[data-name="row 2 ${state}"]`)).toHaveAttribute("data-value", String(probability));
});

test("errors are the command's own", async ({ page }) => {
    await page.goto("/#/sequences?case=weather&options=own&target=none-such");
    await expect(page.getByRole("alert")).toContainText("none-such");
});

test("sequences are accessible, and fit every screen", async ({ page }) => {
    for (const id of ["casino", "hidden-weather"]) {
        await page.goto("about:blank");
        await page.goto(`/#/sequences?case=${id}`);
        await expect(page.locator('[data-name="log_probability"]')).toBeVisible({ timeout: 20_000 });
        await expectAccessible(page);
        await keepScreenshots(page, `sequences-${id}`);
    }
});

test("a model from a file is opened, and decodes a sequence drawn from it", async ({ page }) => {
    const folder = mkdtempSync(join(tmpdir(), "sequences-"));
    writeFileSync(join(folder, "weather.csv"), native(["example", "weather"]));
    const train = ["--method", "sequence", "--target", "sky", "--sequence", "place", "--time", "day"];
    native(["train", "weather.csv", ...train, "-o", "weather.model"], folder);
    await page.goto("/#/learn");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Open file…" }).first().click();
    await (await chooser).setFiles(join(folder, "weather.model"));
    await expect(page).toHaveURL(/#\/sequences\?file=weather.model/);
    await expect(page.getByText("A random sequence, sampled from weather.model")).toBeVisible();
    await expect(page.getByRole("heading", { name: "Step 1" })).toBeVisible();
});
