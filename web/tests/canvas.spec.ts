// SPDX-License-Identifier: MIT
// The canvas of networks: nodes are dragged, arcs are drawn, tables are pasted.
import type { Locator, Page } from "@playwright/test";
import { expect, expectAccessible, keepScreenshots, test } from "./support";

const nodeOf = (page: Page, name: string): Locator => page.locator(`[data-node="${name}"]`);
const stateOf = (page: Page, name: string, state: string): Locator =>
    nodeOf(page, name).locator(`[data-state="${state}"]`);

async function center(place: Locator): Promise<{ x: number; y: number }> {
    const box = await place.boundingBox();
    if (box === null) throw new Error("not visible");
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function drag(page: Page, from: Locator, to: { x: number; y: number }): Promise<void> {
    const { x, y } = await center(from);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move((x + to.x) / 2, (y + to.y) / 2, { steps: 3 });
    await page.mouse.move(to.x, to.y, { steps: 3 });
    await page.mouse.up();
}

test("Monty Hall is built and queried with at most 25 clicks and entries", async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto("/");
    let steps = 0;
    const step = async (action: Promise<unknown>): Promise<void> => {
        steps++;
        await action;
    };
    const enter = async (label: string, text: string): Promise<void> => {
        await step(page.getByLabel(label, { exact: true }).fill(text));
        await page.keyboard.press("Enter");
    };
    await step(page.getByRole("button", { name: "Draw a network" }).click());
    await enter("Name", "Car");
    await expect(nodeOf(page, "Car")).toBeVisible();
    await enter("States", "1, 2, 3");
    await expect(stateOf(page, "Car", "3")).toBeVisible();
    await step(nodeOf(page, "B").locator(".node-name").click());
    await enter("Name", "Choice");
    await expect(nodeOf(page, "Choice")).toBeVisible();
    await enter("States", "1, 2, 3");
    await expect(stateOf(page, "Choice", "3")).toBeVisible();
    await step(page.getByRole("button", { name: "Remove the arc from Car to Choice" }).click());
    await expect(page.locator(".arcs .arc")).toHaveCount(0);
    await enter("New node", "Host");
    await expect(nodeOf(page, "Host")).toBeVisible();
    await enter("States", "1, 2, 3");
    await expect(stateOf(page, "Host", "3")).toBeVisible();
    await step(drag(page, nodeOf(page, "Car").locator(".handle"), await center(nodeOf(page, "Host"))));
    await expect(page.locator(".arcs .arc")).toHaveCount(1);
    await step(drag(page, nodeOf(page, "Choice").locator(".handle"), await center(nodeOf(page, "Host"))));
    await expect(page.locator(".arcs .arc")).toHaveCount(2);
    const rows = [1, 2, 3].flatMap((car) =>
        [1, 2, 3].map((choice) =>
            [1, 2, 3].map((host) => (host === car || host === choice ? "0" : car === choice ? "1/2" : "1")).join("\t"),
        ),
    );
    await step(
        page.locator('input[data-cell="0,0"]').evaluate((cell, text) => {
            const data = new DataTransfer();
            data.setData("text", text);
            cell.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }, rows.join("\n")),
    );
    await step(page.getByRole("button", { name: "Set table" }).click());
    await expect(page.locator('input[data-cell="0,1"]')).toHaveValue("1/2");
    await expectAccessible(page);
    await step(page.getByRole("button", { name: "Evidence", exact: true }).click());
    await step(stateOf(page, "Choice", "1").click());
    await step(stateOf(page, "Host", "3").click());
    for (const [state, probability] of [
        ["1", 1 / 3],
        ["2", 2 / 3],
        ["3", 0],
    ] as const)
        await expect
            .poll(async () => Number(await stateOf(page, "Car", state).getAttribute("data-value")))
            .toBeCloseTo(probability, 12);
    expect(steps).toBeLessThanOrEqual(25);
    await keepScreenshots(page, "networks-monty-hall");
});

test("a dragged node stays where it is, in the link and after a change, until the drag is undone", async ({ page }) => {
    await page.goto("/#/networks?example=asia");
    // The place in the drawing. After a reload, the drawing is fitted to the window again.
    const place = (): Promise<string | null> => nodeOf(page, "visit").getAttribute("transform");
    const before = await center(nodeOf(page, "visit"));
    const original = await place();
    await drag(page, nodeOf(page, "visit").locator(".node-name"), { x: before.x + 60, y: before.y + 40 });
    await expect(page).toHaveURL(/places=visit/);
    expect((await center(nodeOf(page, "visit"))).x).toBeGreaterThan(before.x + 40);
    const moved = await place();
    expect(moved).not.toBe(original);
    await page.reload();
    await expect.poll(place).toBe(moved);
    await page.keyboard.press("Control+z");
    await expect.poll(place).toBe(original);
});

test("in Edit, a click selects, Delete removes a node or an arc, and a double click adds a node", async ({ page }) => {
    await page.goto("/#/networks?example=asia&mode=edit");
    await stateOf(page, "xray", "yes").click();
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("xray");
    expect(page.url()).not.toContain("given");
    await nodeOf(page, "xray").focus();
    await page.keyboard.press("Delete");
    await expect(nodeOf(page, "xray")).toHaveCount(0);
    const drawing = await page.locator(".graph-drawing").boundingBox();
    await page.mouse.dblclick((drawing?.x ?? 0) + 20, (drawing?.y ?? 0) + 300);
    await expect(nodeOf(page, "A")).toBeVisible();
    await page.keyboard.press("Control+z");
    await expect(nodeOf(page, "A")).toHaveCount(0);
    await page.keyboard.press("Control+z");
    await expect(nodeOf(page, "xray")).toBeVisible();
});

test("a large network shows names and beliefs, and every node is inside the frame", async ({ page }) => {
    const count = 120;
    const nodes = Array.from({ length: count }, (_, i) => `variable node_${i} { type discrete [ 2 ] { yes, no }; }`);
    const tables = Array.from({ length: count }, (_, i) =>
        i === 0
            ? "probability ( node_0 ) { table 0.3, 0.7; }"
            : `probability ( node_${i} | node_${Math.floor((i - 1) / 3)} ) { (yes) 0.9, 0.1; (no) 0.2, 0.8; }`,
    );
    await page.goto("/");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Open file…" }).click();
    const text = `network large {}\n${[...nodes, ...tables].join("\n")}\n`;
    await (await chooser).setFiles({ name: "large.bif", mimeType: "", buffer: Buffer.from(text) });
    await expect(page.locator("[data-node]")).toHaveCount(count, { timeout: 20_000 });
    await expect(page.locator('[data-node="node_60"] .share')).toHaveCount(2);
    const outside = await page.evaluate(() => {
        const frame = document.querySelector(".graph-drawing")?.getBoundingClientRect();
        return Array.from(document.querySelectorAll("[data-node]")).filter((node) => {
            const box = node.getBoundingClientRect();
            return frame === undefined || box.left < frame.left || box.right > frame.right || box.bottom > frame.bottom;
        }).length;
    });
    expect(outside).toBe(0);
    await nodeOf(page, "node_60").hover();
    await expect(page.locator(".node-card")).toContainText("node_60");
    await keepScreenshots(page, "networks-large");
});
