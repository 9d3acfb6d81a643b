// SPDX-License-Identifier: MIT
// Shared by all tests: a page that can request only its own files, the native command, accessibility, screenshots.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { expect, test as base, type Page } from "@playwright/test";

export const root = fileURLToPath(new URL("../../", import.meta.url));
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The native command, which the page's numbers are compared with. */
export const command = process.env.CREDENCE ?? `${root}build/release/credence`;

/** Runs the native command in a folder and returns its standard output. */
export function native(args: string[], folder = root): string {
    return execFileSync(command, args, {
        cwd: folder,
        encoding: "utf8",
        maxBuffer: 1 << 28,
        stdio: ["ignore", "pipe", "ignore"],
    });
}

export function nativeJson<T>(args: string[], folder = root): T {
    return JSON.parse(native([...args, "--format", "json"], folder)) as T;
}

/** A test fails if its page sends a request to another site, runs code from a file, or reports an error to the console. */
export const test = base.extend<{ watched: void }>({
    watched: [
        async ({ page, baseURL }, use) => {
            const faults: string[] = [];
            await page.context().route(/.*/, (route) => {
                const address = route.request().url();
                if (address.startsWith(baseURL ?? "") || /^(blob|data|file):/.test(address)) return route.continue();
                faults.push(`request to ${address}`);
                return route.abort();
            });
            page.on("websocket", (socket) => faults.push(`connection to ${socket.url()}`));
            page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
            page.on("dialog", (dialog) => (faults.push(`dialog: ${dialog.message()}`), void dialog.dismiss()));
            page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
            await use();
            expect(faults).toEqual([]);
        },
        { auto: true },
    ],
});

export { expect };

/** Nothing that WCAG 2.1 AA forbids and axe-core can find. */
export async function expectAccessible(page: Page): Promise<void> {
    const violations = await page.evaluate(async (source) => {
        // The page's policy forbids scripts of others: this one is evaluated by the debugger's protocol.
        const axe = new Function(`${source}; return axe;`)() as {
            run(
                options: unknown,
            ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
        };
        const found = await axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] });
        return found.violations.flatMap(({ id, nodes }) =>
            nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
        );
    }, axeSource);
    expect(violations).toEqual([]);
}

const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

/** Keeps pictures of the page for looking at, light and dark, on a desktop and a phone: build/web/screenshots. Nothing may stick out to the side. */
export async function keepScreenshots(page: Page, name: string): Promise<void> {
    const folder = `${root}build/web/screenshots`;
    mkdirSync(folder, { recursive: true });
    const before = page.viewportSize();
    for (const [device, size] of Object.entries(sizes))
        for (const colorScheme of ["light", "dark"] as const) {
            await page.setViewportSize(size);
            await page.emulateMedia({ colorScheme });
            await page.screenshot({ path: `${folder}/${name}-${device}-${colorScheme}.png`, fullPage: true });
            expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
        }
    await page.emulateMedia({ colorScheme: null });
    if (before !== null) await page.setViewportSize(before);
}
