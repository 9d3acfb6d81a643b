// SPDX-License-Identifier: MIT
// Evaluate: scores, thresholds and costs have the numbers of the native command.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, expectAccessible, keepScreenshots, native, nativeJson, test } from "./support";
import type { Page } from "@playwright/test";

const folder = mkdtempSync(join(tmpdir(), "credence-evaluate-"));
writeFileSync(join(folder, "iris.csv"), native(["example", "iris"]));
writeFileSync(
    join(folder, "costs.csv"),
    "class,Iris-setosa,Iris-versicolor,Iris-virginica\nIris-setosa,0,1,1\nIris-versicolor,1,0,7\nIris-virginica,1,1,0\n",
);

interface Evaluation {
    accuracy: number;
    log_loss: number;
    brier: number;
    auc: number;
    intervals: Record<string, [number, number]>;
    threshold_curves: {
        points: { threshold: number | null; recall: number; precision: number | null; true_positives: number }[];
    };
    decisions: { cost: number; coverage: number };
}

const folds = ["evaluate", "iris.csv", "--target", "species", "--cross-validate", "10"];

async function expectValue(page: Page, name: string, expected: number | undefined): Promise<void> {
    await expect(page.locator(`data[data-name="${name}"]`).first()).toHaveAttribute("data-value", String(expected));
}

test("scores and intervals are the command's; the view is accessible", async ({ page }) => {
    await page.goto("/#/evaluate?example=iris");
    const own = nativeJson<Evaluation>(folds, folder);
    for (const key of ["accuracy", "log_loss", "brier", "auc"] as const) await expectValue(page, key, own[key]);
    await expectValue(page, "accuracy_low", own.intervals.accuracy?.[0]);
    await expectValue(page, "log_loss_high", own.intervals.log_loss?.[1]);
    await expect(page.locator(".slider input").first()).toBeVisible();
    await expectAccessible(page);
    await keepScreenshots(page, "evaluate");
});

test("the threshold moves by keys and by dragging; confusion and link follow", async ({ page }) => {
    await page.goto("/#/evaluate?example=iris&target=species&positive=Iris-virginica");
    const { points } = nativeJson<Evaluation>(
        [...folds, "--threshold-curves", "--positive", "Iris-virginica"],
        folder,
    ).threshold_curves;
    const slider = page.locator(".slider input").first();
    await slider.focus();
    await page.keyboard.press("Home");
    await expectValue(page, "recall", points[0]?.recall);
    for (const key of ["ArrowRight", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
    await expectValue(page, "threshold", points[3]?.threshold ?? undefined);
    await expectValue(page, "recall", points[3]?.recall);
    const cell = page.locator(".confusion").nth(1).locator("td").first();
    await expect(cell).toHaveAttribute("data-value", String(points[3]?.true_positives));
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await expectValue(page, "threshold", points[3]?.threshold ?? undefined);
    const roc = page.getByRole("img", { name: "ROC curve" });
    await roc.scrollIntoViewIfNeeded();
    const box = await roc.boundingBox();
    if (box === null) throw new Error("missing ROC curve");
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 8, box.y + 10, { steps: 4 });
    await page.mouse.up();
    await expectValue(page, "recall", 1);
});

test("costs and the reject option decide as the command does", async ({ page }) => {
    await page.goto("/#/evaluate?example=iris&target=species");
    await page.getByLabel("the smallest expected cost").check();
    await page.getByLabel("Cost of Iris-virginica if Iris-versicolor is true").fill("7");
    const costs = nativeJson<Evaluation>([...folds, "--cost", "costs.csv"], folder).decisions;
    await expectValue(page, "mean_cost", costs.cost);
    await expect(page.locator(".command code")).toContainText("> costs.csv && credence evaluate");
    await page.getByLabel("no decision if unsure").check();
    const rejecting = nativeJson<Evaluation>([...folds, "--reject", "0.8"], folder).decisions;
    await expectValue(page, "coverage", rejecting.coverage);
    await expectAccessible(page);
});
