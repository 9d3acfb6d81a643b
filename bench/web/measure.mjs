// SPDX-License-Identifier: MIT
// measure.mjs CREDENCE [NETWORK.bif] - sizes and times of the page in Chromium, beside the native command: what the first load takes, iris trained and asked,
// a table of 50 MB, and a click in a network. The page is the one that `scripts/web build` has built.
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { chromium } = createRequire(`${root}web/tests/`)("@playwright/test");
const [command = `${root}build/release/credence`, network] =
    process.argv.slice(2);
const types = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".wasm": "application/wasm",
};

const loaded = new Map();
const server = createServer((request, response) => {
    const path = new URL(request.url, "http://127.0.0.1").pathname;
    const name = path === "/" ? "/index.html" : path;
    try {
        const bytes = readFileSync(`${root}build/web/page${name}`);
        loaded.set(name, bytes);
        response.setHeader(
            "content-type",
            types[extname(name)] ?? "application/octet-stream",
        );
        response.end(bytes);
    } catch {
        response.statusCode = 404;
        response.end();
    }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const base = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
});
const median = (values) =>
    values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

// Each time in a context of its own, so that nothing is cached.
async function opened(address, ready) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const begin = performance.now();
    await page.goto(base + address);
    await ready(page);
    const time = performance.now() - begin;
    return { page, context, time };
}

{
    const { context } = await opened("", (page) =>
        page.getByText("iris", { exact: true }).first().waitFor(),
    );
    await context.close();
    const sum = (size) =>
        [...loaded.values()].reduce((total, bytes) => total + size(bytes), 0);
    const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
    console.log(
        `first load: ${loaded.size} files, ${megabytes(sum((b) => b.length))}; gzip ${megabytes(sum((b) => gzipSync(b, { level: 9 }).length))}, ` +
            `brotli ${megabytes(sum((b) => brotliCompressSync(b).length))}`,
    );
}
{
    const times = [];
    for (let i = 0; i < 5; i++) {
        const { context, time } = await opened(
            "#/ask?example=iris&target=species",
            (page) =>
                page
                    .locator("data[data-value], [data-value]")
                    .first()
                    .waitFor(),
        );
        times.push(time);
        await context.close();
    }
    console.log(
        `iris trained and asked after opening: ${median(times).toFixed(0)} ms (median of 5)`,
    );
}
{
    const folder = mkdtempSync(join(tmpdir(), "credence-web-"));
    const lines = ["a,b,c,d,colour,class"];
    let seed = 1;
    const draw = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    for (let bytes = 0; bytes < 50e6;) {
        const shift = lines.length % 2;
        const numbers = [0, 1, 2, 3]
            .map((i) => (draw() + shift * i * 0.1).toFixed(6))
            .join(",");
        const line = `${numbers},${["red", "green", "blue"][Math.floor(draw() * 3)]},${shift === 0 ? "no" : "yes"}`;
        bytes += line.length + 1;
        lines.push(line);
    }
    const file = join(folder, "large.csv");
    writeFileSync(file, lines.join("\n") + "\n");
    const args = [
        "train",
        "large.csv",
        "--target",
        "class",
        "--threads",
        "1",
        "-o",
        "large.model",
        "--quiet",
    ];
    const native = [];
    const inside = [];
    for (let i = 0; i < 3; i++) {
        const begin = performance.now();
        execFileSync(command, args, { cwd: folder, stdio: "ignore" });
        native.push(performance.now() - begin);
        const { page, context } = await opened("", (page) =>
            page.getByRole("button", { name: "Open file…" }).waitFor(),
        );
        const chooser = page.waitForEvent("filechooser");
        await page.getByRole("button", { name: "Open file…" }).click();
        await (await chooser).setFiles(file);
        const train = page.getByRole("button", {
            name: "Train",
            exact: true,
            disabled: false,
        });
        await train.waitFor();
        inside.push(
            await page.evaluate(async () => {
                const button = [...document.querySelectorAll("button")].find(
                    (one) => one.textContent === "Train",
                );
                const isDone = () =>
                    [...document.querySelectorAll("h2, h3")].some(
                        (one) => one.textContent === "large.model",
                    );
                const begin = performance.now();
                button.click();
                while (!isDone())
                    await new Promise((next) => requestAnimationFrame(next));
                return performance.now() - begin;
            }),
        );
        await context.close();
    }
    const [ours, theirs] = [median(inside), median(native)];
    console.log(
        `50 MB: ${ours.toFixed(0)} ms in the page, ${theirs.toFixed(0)} ms by one native thread: ${(ours / theirs).toFixed(2)} times (medians of 3)`,
    );
}
if (network !== undefined) {
    const { page, context } = await opened("#/networks", (page) =>
        page.getByRole("button", { name: "Open file…" }).waitFor(),
    );
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Open file…" }).click();
    await (await chooser).setFiles(network);
    // A graph of many nodes is drawn without names of states: these are in the panel of the node that is chosen. Each time it is another node,
    // since answers are kept.
    const nodes = page.locator("[data-node]");
    await nodes.first().waitFor();
    const times = [];
    for (let i = 0; times.length < 9 && i < (await nodes.count()); i++) {
        await nodes.nth(i).dispatchEvent("click");
        await page
            .locator(".node-panel h3", {
                hasText: await nodes.nth(i).getAttribute("data-node"),
            })
            .waitFor();
        const time = await page.evaluate(async () => {
            const evidence = () =>
                document
                    .querySelector("[data-name=log-evidence]")
                    ?.getAttribute("data-value");
            const rows = [...document.querySelectorAll(".states tbody tr")];
            const row = rows.find((one) => {
                const probability = Number(one.querySelector("data")?.value);
                return probability > 0 && probability < 1;
            });
            if (row === undefined) return undefined;
            const before = evidence();
            const begin = performance.now();
            row.querySelector(".state-choice").click();
            while (evidence() === before && performance.now() - begin < 5000)
                await new Promise((next) => requestAnimationFrame(next));
            return performance.now() - begin;
        });
        if (time !== undefined) times.push(time);
        await page.waitForTimeout(200);
    }
    await context.close();
    console.log(
        `a click in ${network}: ${median(times).toFixed(0)} ms until the beliefs are drawn (median of ${times.length})`,
    );
}
await browser.close();
server.close();
