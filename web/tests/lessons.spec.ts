// SPDX-License-Identifier: MIT
// The lessons of the course: each computes its answer with the command, and the progress is kept.
import { lessons } from "../page/src/views/course/lessons/list";
import { expect, expectAccessible, keepScreenshots, nativeJson, test } from "./support";

/** The answers of lessons, computed independently of the page. */
const EXPECTED: Record<string, number> = {
    disease: 0.009 / 0.0585,
    monty: 2 / 3,
    total: 0.7 * 0.02 + 0.3 * 0.1,
    map: (0.1 * 0.9 ** 3) / (0.1 * 0.9 ** 3 + 0.9 * 0.5 ** 3),
    vote: 0.6,
    spam: 0.5,
    zero: ((5 / 14) * (1 / 3 / 6)) / ((5 / 14) * (1 / 3 / 6) + (9 / 14) * ((4 + 1 / 3) / 10)),
    "explaining-away": (0.01 * 0.95) / (0.01 * 0.95 + 0.99 * 0.3),
    simpson: 0.5,
    umbrella: 0.8833570412517782,
};

test("each of the sixteen lessons shows its answer after a guess", async ({ page }) => {
    test.setTimeout(120_000);
    expect(lessons.length).toBe(16);
    for (const { id, title, guess } of lessons) {
        await page.goto(`/#/course?lesson=${id}`);
        await expect(page.getByRole("heading", { name: title, exact: true })).toBeVisible();
        await expect(page.locator(".reveal")).toHaveCount(0);
        await page.getByRole("button", { name: "Show the answer" }).click();
        const shown = page.locator(`.reveal data[data-name="${guess}"]`);
        await expect(shown).toBeVisible();
        const value = Number(await shown.getAttribute("data-value"));
        expect(value, id).toBeGreaterThanOrEqual(0);
        expect(value, id).toBeLessThanOrEqual(1);
        const expected = EXPECTED[id];
        if (expected !== undefined) expect(value, id).toBeCloseTo(expected, 9);
    }
});

test("a student completes three lessons, and finds them completed after a reload", async ({ page }) => {
    await page.goto("/");
    await page.getByRole("link", { name: "Start the course" }).click();
    for (const lesson of lessons.slice(0, 3)) {
        await expect(page.getByRole("heading", { name: lesson.title, exact: true })).toBeVisible();
        await page.getByRole("slider", { name: /Your guess/ }).fill("30");
        await page.getByRole("button", { name: "Show the answer" }).click();
        await expect(page.getByText("Your guess was 30 %.")).toBeVisible();
        const wrong = lesson.check.right === 0 ? 1 : 0;
        await page.getByRole("radio", { name: lesson.check.answers[wrong] ?? "", exact: true }).click();
        await expect(page.getByText("Not quite.")).toBeVisible();
        await page.getByRole("radio", { name: lesson.check.answers[lesson.check.right] ?? "", exact: true }).click();
        await expect(page.getByText("Right.")).toBeVisible();
        if (lesson.id === "disease") {
            await expectAccessible(page);
            await keepScreenshots(page, "lesson-disease");
        }
        await page
            .getByRole("navigation", { name: "Lessons before and after" })
            .getByRole("link", { name: /→$/ })
            .click();
    }
    await page.goto("/#/course");
    await page.reload();
    await expect(page.getByText("3 completed.")).toBeVisible();
    await expect(page.getByRole("heading", { name: lessons[3]?.title ?? "", exact: true })).toBeVisible();
});

test("a teacher changes the numbers, and the link has them", async ({ page }) => {
    await page.goto("/#/course?lesson=disease&n-prior=0.1");
    await expect(page.getByText("10 % of the people have a disease.")).toBeVisible();
    await page.getByRole("button", { name: "Show the answer" }).click();
    const report = nativeJson<{ posterior: Record<string, number> }>([
        ...["bayes", "--prior", "ill=0.1,healthy=0.9"],
        ...["--likelihood", "positive:ill=0.9,positive:healthy=0.05", "--observed", "positive"],
    ]);
    await expect(page.locator('.reveal data[data-name="P(ill | positive)"]')).toHaveAttribute(
        "data-value",
        String(report.posterior["ill"]),
    );
    await page.getByText("Change the numbers").click();
    await page.getByLabel(/^Ill people/).fill("0.2");
    await expect(page).toHaveURL(/n-prior=0\.2/);
    await expect(page.locator(".reveal")).toHaveCount(0);
});
