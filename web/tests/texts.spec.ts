// SPDX-License-Identifier: MIT
// Texts: trained on the built-in example or a file, classified while typing, with the native command's numbers.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pieces } from "../page/src/views/texts/marked";
import { expect, expectAccessible, keepScreenshots, native, nativeJson, test } from "./support";

interface Explained {
    classes: { class: string; posterior: number }[];
    texts: { words: { word: string; weight: number }[] }[];
}

function messages(...train: string[]): string {
    const folder = mkdtempSync(join(tmpdir(), "texts-"));
    writeFileSync(join(folder, "messages.tsv"), native(["example", "messages"]));
    native(
        ["train", "messages.tsv", "--target", "label", "--text", "message", ...train, "-q", "-o", "messages.model"],
        folder,
    );
    return folder;
}

test("places in bytes become places in the text, and terms that overlap are marked once", () => {
    const explanation = {
        attribute: "t",
        for: "a",
        against: "b",
        total: 0,
        unknown_words: [],
        words: [
            { word: "größe", times: 1, weight: 1 },
            { word: "größe 日本", times: 1, weight: 2 },
            { word: "日本", times: 1, weight: -1 },
        ],
        places: [
            { word: "größe", from: 0, to: 7 },
            { word: "größe 日本", from: 0, to: 14 },
            { word: "日本", from: 8, to: 14 },
        ],
    };
    expect(pieces("Größe 日本!", explanation)).toEqual([
        { text: "Größe 日本", word: "größe 日本", weight: 2 },
        { text: "!" },
    ]);
});

test("a text is classified while typing, with the native command's posterior and weights", async ({ page }) => {
    const folder = messages();
    await page.goto("/#/texts");
    for (const text of ["free prize, call now", "see you at lunch, café"]) {
        await page.getByLabel("Text", { exact: true }).fill(text);
        const report = nativeJson<Explained>(["explain", "messages.model", "--given", `message=${text}`], folder);
        for (const one of report.classes)
            await expect(page.locator(`[data-name="${one.class}"]`)).toHaveAttribute(
                "data-value",
                String(one.posterior),
                { timeout: 15_000 },
            );
        for (const { word, weight } of report.texts[0]?.words ?? [])
            await expect(page.locator(`mark[data-word="${word}"]`)).toHaveAttribute("data-value", String(weight));
    }
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await expect(page.getByLabel("Text", { exact: true })).toHaveValue("see you at lunch, café");
});

test("the family can be chosen, and the most informative words are the native command's", async ({ page }) => {
    const folder = messages("--family", "bernoulli");
    await page.goto("/#/texts?example=messages&family=bernoulli");
    const report = nativeJson<{
        attributes: { informative_words: { class: string; word: string; weight: number }[] }[];
    }>(["show", "messages.model", "--top-terms", "12"], folder);
    const words = report.attributes[0]?.informative_words ?? [];
    expect(words.length).toBeGreaterThan(10);
    for (const one of words)
        await expect(page.locator(`[data-name="informative ${one.class} ${one.word}"]`)).toHaveAttribute(
            "data-value",
            String(one.weight),
            { timeout: 15_000 },
        );
});

test("markup in classes, names and texts stays text", async ({ page }) => {
    const evil = "<img src=x onerror=alert(1)>";
    await page.goto("/#/texts");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Open file…" }).first().click();
    const rows = Array.from(
        { length: 12 },
        (_, i) => `${i % 2 === 0 ? evil : "b"}\t${i % 2 === 0 ? "one two" : "three four"} ${i}`,
    );
    await (
        await chooser
    ).setFiles({ name: "own.tsv", mimeType: "text/plain", buffer: Buffer.from(`label\ttext\n${rows.join("\n")}\n`) });
    await expect(page).toHaveURL(/file=own\.tsv/);
    await page.goto(`/#/texts?file=own.tsv&q=${encodeURIComponent(`${evil}\none = "two"`)}`);
    await expect(page.locator('mark[data-word="one"]')).toBeVisible({ timeout: 20_000 });
    await expect(page.locator(`[data-name="${evil}"]`)).toBeVisible();
    expect(await page.locator("main img").count()).toBe(0);
});

test("texts are accessible, and fit every screen", async ({ page }) => {
    await page.goto("/#/texts");
    await expect(page.locator("mark").first()).toBeVisible({ timeout: 20_000 });
    await expectAccessible(page);
    await keepScreenshots(page, "texts");
});
