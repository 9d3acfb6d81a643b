// SPDX-License-Identifier: MIT
// Ask and Understand: the numbers are bit-identical to the numbers of the native command.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, expectAccessible, keepScreenshots, native, nativeJson, test } from "./support";

interface Explained {
    classes: { class: string; posterior: number }[];
    prediction: string;
    weights: { terms: { attribute: string; weight: number }[]; total: number };
    changes: { attribute: string; value: number | string }[];
    missing: { attribute: string; bits: number }[];
}

/** A folder with the table of an example, and a model of it. */
function trained(example: string, target: string, ...options: string[]): string {
    const folder = mkdtempSync(join(tmpdir(), "ask-"));
    writeFileSync(join(folder, `${example}.csv`), native(["example", example]));
    native(["train", `${example}.csv`, "--target", target, ...options, "-o", `${example}.model`], folder);
    return folder;
}

/** Returns the value with this name in full precision. */
async function valueAt(page: Page, name: string): Promise<number> {
    const text = await page
        .locator(`[data-name=${JSON.stringify(name)}]`)
        .first()
        .getAttribute("data-value");
    return Number(text);
}

/** Compares the prediction in the page with the command's. */
async function expectAnswer(page: Page, folder: string, model: string, given: string): Promise<void> {
    const expected = nativeJson<Explained>(["explain", model, "--given", given], folder);
    await expect(page.locator("[data-name=prediction]")).toHaveText(expected.prediction);
    for (const { class: name, posterior } of expected.classes)
        await expect.poll(() => valueAt(page, `posterior ${name}`)).toBe(posterior);
    for (const { attribute, weight } of expected.weights.terms)
        expect(await valueAt(page, `weight ${attribute}`)).toBe(weight);
    expect(await valueAt(page, "total")).toBe(expected.weights.total);
    for (const { attribute, value } of expected.changes)
        if (typeof value === "number") expect(await valueAt(page, `change ${attribute}`)).toBe(value);
    for (const { attribute, bits } of expected.missing) expect(await valueAt(page, `bits ${attribute}`)).toBe(bits);
}

test("a numeric row is set by permalink, keyboard and row number", async ({ page }) => {
    const folder = trained("iris", "species");
    await page.goto("/#/ask?example=iris&target=species&given=petal_length=4.5,sepal_width=3");
    await expectAnswer(page, folder, "iris.model", "petal_length=4.5,sepal_width=3");
    await expect(page.locator("code")).toHaveText(
        "credence example iris -o iris.csv && credence train iris.csv --target species -o iris.model && " +
            "credence explain iris.model --given petal_length=4.5,sepal_width=3",
    );
    const slider = page.getByLabel("petal_length, slider");
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    const moved = await slider.inputValue();
    expect(Number(moved)).toBeGreaterThan(4.5);
    await expectAnswer(page, folder, "iris.model", `petal_length=${moved},sepal_width=3`);
    await expect.poll(() => decodeURIComponent(page.url())).toContain(`petal_length=${moved}`);
    await page.getByLabel("sepal_width: unknown").click();
    await expectAnswer(page, folder, "iris.model", `petal_length=${moved}`);
    await page.getByText("Worksheet").click();
    await expect(page.locator(".worksheet pre")).toContainText("Evidence, the sum of the products");
    expect((await page.locator(".worksheet pre").textContent())?.trim()).toBe(
        native(["explain", "iris.model", "--given", `petal_length=${moved}`], folder).trim(),
    );
    await expectAccessible(page);
    await keepScreenshots(page, "ask-iris");
    await page.getByRole("spinbutton", { name: "Row" }).fill("51");
    await expectAnswer(page, folder, "iris.model", "sepal_length=7,sepal_width=3.2,petal_length=4.7,petal_width=1.4");
    await page.getByLabel("petal_width", { exact: true }).fill("wide");
    await expect(page.getByRole("alert")).toContainText("'wide'");
    await page.getByLabel("petal_width", { exact: true }).fill("90");
    await expect(page.getByText("Unlike the training rows")).toBeVisible();
});

test("categorical columns are choices; changes that flip the prediction can be tried", async ({ page }) => {
    const folder = trained("tennis", "Play");
    await page.goto("/#/ask?example=tennis&target=Play");
    await page.getByRole("radiogroup", { name: "Outlook" }).getByText("Sunny").click();
    await page.getByRole("radiogroup", { name: "Humidity" }).getByText("High").click();
    await expectAnswer(page, folder, "tennis.model", "Outlook=Sunny,Humidity=High");
    await page.getByRole("button", { name: "Try Outlook = Overcast" }).click();
    await expectAnswer(page, folder, "tennis.model", "Outlook=Overcast,Humidity=High");
    await page.getByLabel("Decide by").selectOption("reject");
    await expect(page.locator("[data-name=decision]")).toHaveText("unsure");
    await page.getByLabel("Decide by").selectOption("cost");
    await expect(page.locator("[data-name=decision]")).toHaveText("Yes");
    await expectAccessible(page);
    await keepScreenshots(page, "ask-tennis");
});

test("networks and ensembles predict, too", async ({ page }) => {
    for (const method of ["tan", "bagging:3", "aode"]) {
        const folder = trained("tennis", "Play", "--method", method);
        const rows = nativeJson<{ posterior?: Record<string, number>; classes?: Explained["classes"] }>(
            ["explain", "tennis.model", "--given", "Outlook=Sunny"],
            folder,
        );
        const no = rows.posterior?.["No"] ?? rows.classes?.[0]?.posterior;
        await page.goto(`/#/ask?example=tennis&target=Play&options=--method+${method}&given=Outlook=Sunny`);
        await expect.poll(() => valueAt(page, "posterior No")).toBe(no);
    }
});

test("a model is understood: densities, cut points, nomogram, dependence", async ({ page }) => {
    const folder = trained("iris", "species");
    const shown = nativeJson<{ attributes: { attribute: string; curves: { cut_points: number[] } }[] }>(
        ["show", "iris.model", "--curves"],
        folder,
    );
    await page.goto("/#/understand?example=iris&target=species&column=petal_length");
    const cuts = shown.attributes.find(({ attribute }) => attribute === "petal_length")?.curves.cut_points ?? [];
    for (const [index, cut] of cuts.entries()) await expect.poll(() => valueAt(page, `cut ${index}`)).toBe(cut);
    const gains = nativeJson<Explained>(["explain", "iris.model", "--given", ""], folder).missing;
    for (const { attribute, bits } of gains) await expect.poll(() => valueAt(page, `bits ${attribute}`)).toBe(bits);
    await page.getByRole("button", { name: "Measure dependence" }).click();
    const { pairs } = nativeJson<{ pairs: { attributes: [string, string]; bits: number }[] }>(
        ["explain", "iris.model", "--data", "iris.csv"],
        folder,
    );
    await expect(page.locator("rect[data-name*=' with ']")).toHaveCount(pairs.length);
    const strongest = await page
        .locator("rect[data-name*=' with ']")
        .evaluateAll((all) => Math.max(...all.map((one) => Number(one.getAttribute("data-value")))));
    expect(strongest).toBe(Math.max(...pairs.map(({ bits }) => bits)));
    await page.getByRole("button", { name: /^sepal_width/ }).click();
    await expect(page.getByRole("heading", { name: "sepal_width" })).toBeVisible();
    await expectAccessible(page);
    await keepScreenshots(page, "understand-iris");
});

test("names with markup are text", async ({ page }) => {
    const bad = `<img src=x onerror=alert(1)>`;
    const table = `"${bad}","a=b,""c""",y\n${bad},1,<b>1</b>\nv,2,<b>1</b>\n${bad},3,</script>\nw,4,</script>\n`;
    await page.goto("/#/ask");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: /Open file/ }).click();
    await (await chooser).setFiles({ name: "<i>evil.csv", mimeType: "text/csv", buffer: Buffer.from(table) });
    await expect(page.getByText("<i>evil.csv").first()).toBeVisible();
    for (const view of ["ask", "understand"]) {
        await page.goto(`/#/${view}?file=${encodeURIComponent("<i>evil.csv")}&target=y`);
        await expect(page.getByText(bad).first()).toBeVisible();
        expect(await page.locator("main img, main i, main b:text-is('1')").count()).toBe(0);
    }
    await page.goto(`/#/ask?file=${encodeURIComponent("<i>evil.csv")}&target=y`);
    await page.getByLabel(`a=b,"c"`, { exact: true }).fill("2");
    await expect(page.locator("[data-name=prediction]")).toHaveText(/<b>1<\/b>|<\/script>/);
    await expect.poll(() => new URLSearchParams(page.url().split("?")[1]).get("given")).toBe(`"a=b,""c""=2"`);
});
