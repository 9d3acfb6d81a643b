// SPDX-License-Identifier: MIT
// The layout of a view does not depend on the views that were visited before.
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Page } from "@playwright/test";
import { expect, root, test } from "./support";

const VIEWS: Record<string, string> = {
    learn: "#/learn?example=iris&target=species&train=yes",
    understand: "#/understand?example=iris&target=species",
    ask: "#/ask?example=iris&target=species",
    evaluate: "#/evaluate?example=iris&target=species",
    networks: "#/networks?example=asia&node=lung",
    sequences: "#/sequences",
    texts: "#/texts",
    course: "#/course",
};

/** Returns the boxes of all elements of the view, when they no longer change. No other document is open. */
async function boxes(page: Page, address: string): Promise<string[]> {
    const close = page.getByRole("button", { name: /^Close / });
    while ((await close.count()) > 0) await close.first().click();
    await page.goto(address);
    const measure = (): Promise<string[]> =>
        page.evaluate(() => {
            const top = document.querySelector("main")?.getBoundingClientRect().top ?? 0;
            return Array.from(document.querySelectorAll("main *"), (element) => {
                const { x, y, width, height } = element.getBoundingClientRect();
                const box = [x, y - top, width, height].map(Math.round).join(" ");
                return width + height > 0 ? `${element.tagName}.${element.getAttribute("class")} ${box}` : "";
            }).filter((line) => line !== "");
        });
    let last: string[] = [];
    for (let same = 0; same < 4;) {
        await page.waitForTimeout(100);
        const now = await measure();
        const isSettled =
            (await page.locator("main h1").count()) === 1 && (await page.locator('main [role="status"]').count()) === 0;
        same = isSettled && now.join() === last.join() ? same + 1 : 0;
        last = now;
    }
    return last;
}

for (const place of ["the page", "the single file"])
    test(`views look the same in any order, in ${place}`, async ({ page, baseURL }) => {
        test.setTimeout(180_000);
        const start = place === "the page" ? (baseURL ?? "") : pathToFileURL(`${root}build/web/credence.html`).href;
        const alone = new Map<string, string[]>();
        for (const [view, address] of Object.entries(VIEWS)) {
            // A fresh page has loaded the style sheet of no other view.
            await page.goto("about:blank");
            alone.set(view, await boxes(page, start + address));
        }
        await page.goto("about:blank");
        for (const order of [Object.entries(VIEWS), Object.entries(VIEWS).reverse()])
            for (const [view, address] of order)
                expect(await boxes(page, start + address), view).toEqual(alone.get(view));
    });

test("the drawing of a network starts in the top 120 pixels", async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto("/#/networks?example=asia");
    const box = await page.locator(".graph-drawing").boundingBox();
    expect(box?.y ?? Infinity).toBeLessThanOrEqual(120);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
});

test("the style sheet of a view contains only rules for that view", () => {
    const folder = `${root}web/page/src/style`;
    for (const file of readdirSync(folder).filter((name) => !["page.css", "tokens.css"].includes(name))) {
        const text = readFileSync(`${folder}/${file}`, "utf8").replace(/\/\*[^]*?\*\//g, "");
        let depth = 0;
        const outer = [...text].reduce((rest, letter) => {
            if (letter === "}") depth--;
            const kept = depth === 0 ? rest + letter : rest;
            if (letter === "{") depth++;
            return kept;
        }, "");
        expect(outer.replace(/\s/g, ""), file).toBe(`.view-${file.replace(".css", "")}{}`);
    }
});
