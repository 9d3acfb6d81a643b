// SPDX-License-Identifier: MIT
// The course: every worked number of the lectures, computed in the page, is compared with the lecture and the native command.
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { agrees, lectureNumber, valueAt } from "../page/src/views/course/agreement";
import { examples } from "../page/src/views/course/data/decks";
import { expect, expectAccessible, keepScreenshots, native, nativeJson, test } from "./support";

/** The files of the assignment, which are not part of the project. */
const assignment = join(
    process.env.CREDENCE_DATA ?? fileURLToPath(new URL("../../../shared/data", import.meta.url)),
    "uta",
);

test("lecture numbers are read and compared to their digits", () => {
    expect(lectureNumber("2/3")).toEqual({ value: 2 / 3, half: 0 });
    expect(lectureNumber(".008")).toEqual({ value: 0.008, half: 0.0005 });
    expect(lectureNumber("no cancer")).toBeUndefined();
    const number = { what: "", lecture: "0.0206", at: [] };
    expect(agrees(number, 0.020571428571428574)).toBe(true);
    expect(agrees(number, 0.0207)).toBe(false);
    expect(agrees(number, undefined)).toBe(false);
    expect(valueAt({ a: [{ b: "x", c: 1 }] }, ["a", { b: "x" }, "c"])).toBe(1);
    expect(valueAt({}, ["constructor", "name"])).toBeUndefined();
});

test("every worked number agrees with the lecture and the native command", async ({ page }) => {
    await page.goto("/#/course?item=numbers");
    const summary = page.locator("[data-differ]");
    await expect(summary).toBeVisible({ timeout: 45_000 });
    await expect(summary).toHaveAttribute("data-differ", "0");
    await expect(summary).toHaveAttribute("data-slips", "4");
    const shown = await page.locator("table.worked data").evaluateAll((all) => all.map((one) => one.dataset["value"]));
    const folder = mkdtempSync(join(tmpdir(), "course-"));
    const expected: string[] = [];
    for (const { files, steps } of examples) {
        const isOwn = files.some((file) => "own" in file);
        for (const file of files)
            if ("example" in file) writeFileSync(join(folder, file.name), native(["example", file.example]));
            else if ("text" in file) writeFileSync(join(folder, file.name), file.text());
        for (const { command, numbers } of steps) {
            const report = isOwn ? undefined : nativeJson<unknown>(command, folder);
            for (const number of numbers) expected.push(isOwn ? "" : String(valueAt(report, number.at)));
        }
    }
    expect(shown).toEqual(expected);
    expect(expected).not.toContain("undefined");
});

test("an example opens by one click, with its numbers, commands and output", async ({ page }) => {
    await page.goto("/#/course");
    await page.getByRole("link", { name: "A test for cancer" }).click();
    await expect(page).toHaveURL(/item=cancer/);
    await expect(page.getByRole("heading", { name: "A test for cancer" })).toBeVisible();
    await expect(page.locator('tr[data-verdict="agrees"]')).toHaveCount(7);
    await page.getByText("Command output").click();
    await expect(page.getByLabel("Output of the commands")).toContainText("maximum a posteriori (MAP)  no cancer");
});

test("Bayes' rule follows its fields, and a link restores it", async ({ page }) => {
    await page.goto("/#/course?item=bayes");
    await page.getByLabel("P(cancer)", { exact: true }).fill(".1");
    await page.getByRole("button", { name: "Observe +" }).click();
    const command = [
        "bayes",
        "--prior",
        "cancer=.1",
        "--likelihood",
        "+:cancer=.98,+:no cancer=.03",
        "--observed",
        "+,+",
    ];
    const { posterior } = nativeJson<{ posterior: Record<string, number> }>(command);
    const value = page.locator('[data-name="posterior cancer"]');
    await expect(value).toHaveAttribute("data-value", String(posterior["cancer"]));
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await expect(value).toHaveAttribute("data-value", String(posterior["cancer"]));
    await page.getByLabel("P(cancer)", { exact: true }).fill("1.5");
    await expect(page.getByRole("alert")).toContainText("1.5");
});

test("the area under a curve follows its ends", async ({ page }) => {
    await page.goto("/#/course?item=distribution");
    await page.locator(".figure select").selectOption("binomial");
    await page.getByLabel("from").fill("3");
    await page.getByLabel("to", { exact: true }).fill("6");
    const report = nativeJson<{ results: Record<string, number> }>([
        "distribution",
        "binomial",
        "n=10",
        "p=0.5",
        "--between",
        "3,6",
    ]);
    await expect(page.locator('[data-name="between"]')).toHaveAttribute(
        "data-value",
        String(Object.values(report.results)[0]),
    );
});

test("the assignment is computed from the files that are chosen", async ({ page }) => {
    test.skip(!existsSync(assignment), "the files of the assignment are missing: ../shared/data/uta");
    await page.goto("/#/course?item=assignment-yeast");
    for (const name of ["yeast_training.txt", "yeast_test.txt"]) {
        const chooser = page.waitForEvent("filechooser");
        await page.getByRole("button", { name: `Choose ${name}` }).click();
        await (await chooser).setFiles(join(assignment, name));
    }
    await expect(page.locator('tr[data-verdict="agrees"]')).toHaveCount(1);
});

test("markup in a link stays text", async ({ page }) => {
    const evil = '<img src=x onerror="document.title=1">';
    const problem = JSON.stringify([
        [
            [evil, ".5"],
            ["b", ".5"],
        ],
        [["+", [".9", ".1"]]],
        ["+"],
    ]);
    await page.goto(`/#/course?item=bayes&bayes=${encodeURIComponent(problem)}`);
    await expect(page.getByRole("rowheader", { name: evil })).toBeVisible();
    expect(await page.locator("main img").count()).toBe(0);
});

test("the course is accessible, and fits every screen", async ({ page }) => {
    for (const item of ["tennis", "cancer", "distribution"]) {
        await page.goto(`/#/course?item=${item}`);
        await expect(page.locator("main data").first()).toBeVisible();
        await expectAccessible(page);
        await keepScreenshots(page, `course-${item}`);
    }
});
