// SPDX-License-Identifier: MIT
// The module in a browser, without the page: files read in place, progress, canceling, and a worker without a file.
import { createServer, type Server } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AddressInfo } from "node:net";
import { expect, test } from "@playwright/test";
import type * as Module from "credence";

const dist = fileURLToPath(new URL("../module/dist", import.meta.url));
const types: Record<string, string> = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
};

let server: Server;
let address: string;
test.beforeAll(async () => {
    server = createServer((request, response) => {
        const path = new URL(request.url ?? "/", "http://localhost").pathname;
        response.setHeader("content-type", types[extname(path)] ?? "text/html");
        if (path === "/") response.end("<!doctype html><title>The module</title>");
        else
            readFile(join(dist, path)).then(
                (bytes) => response.end(bytes),
                () => response.writeHead(404).end(),
            );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
test.afterAll(() => void server.close());

test("a file of 50 MB is read in place, with progress, and can be cancelled", async ({ page }) => {
    await page.goto(address);
    const found = await page.evaluate(async () => {
        const { open } = (await import("/index.js" as string)) as typeof Module;
        const credence = await open();
        const rows = Array.from({ length: 10_000 }, (_, i) => `${i % 7},${Math.sin(i)},${i % 13},${i % 3}\n`).join("");
        const file = new File(["a,b,c,y\n", ...Array.from({ length: 200 }, () => rows)], "large.csv");
        const args = ["train", "folder/large.csv", "--target", "y", "-o", "m"];
        const files = { "folder/large.csv": file };
        const controller = new AbortController();
        const cancelled = credence.run(args, { files, signal: controller.signal }).catch((error: Error) => error.name);
        setTimeout(() => controller.abort(), 100);
        const name = await cancelled;
        let isOrdered = true;
        const {
            status,
            stderr,
            files: written,
        } = await credence.run(args, {
            files,
            keep: ["m"],
            onProgress: ({ step, done, total }) => (isOrdered &&= step === "read" && done <= total),
        });
        const piped = await credence.run(["train", "-", "--target", "y", "-o", "m"], { stdin: file, keep: ["m"] });
        const isSame = String(piped.files["m"]) === String(written["m"]);
        return { size: file.size, name, isOrdered, status, stderr, isSame };
    });
    expect(found.size).toBeGreaterThan(5e7);
    expect(found).toMatchObject({ name: "AbortError", isOrdered: true, status: 0, isSame: true });
    expect(found.stderr).toContain("learned 2000000 rows");
});

test("a query takes milliseconds", async ({ page }) => {
    await page.goto(address);
    const found = await page.evaluate(async () => {
        const { open, example, Model, Network } = (await import("/index.js" as string)) as typeof Module;
        const credence = await open();
        const model = await Model.train(credence, await example(credence, "iris"), { target: "species" });
        const { prediction } = await model.posterior({ petal_length: 4.8 });
        const asia = Network.open(credence, await example(credence, "asia"), "asia.bif");
        const times: number[] = [];
        for (let i = 0; i < 50; i++) {
            const begun = performance.now();
            await model.posterior({ petal_length: 4 + i / 50 });
            times.push(performance.now() - begun);
        }
        const { posterior } = await asia.beliefs({ visit: "yes" });
        return {
            prediction,
            tuberculosis: posterior["tuberculosis"]?.["yes"],
            median: times.sort((a, b) => a - b)[25],
        };
    });
    expect(found).toMatchObject({ prediction: "Iris-versicolor", tuberculosis: 0.05000000000000001 });
    // An instance for each: a few milliseconds, more on a busy machine.
    expect(found.median).toBeLessThan(100);
});

test("a page that is one file has its worker inside", async ({ page }) => {
    await page.goto(address);
    const version = await page.evaluate(async () => {
        const text = async (path: string): Promise<string> => (await fetch(path)).text();
        // Bundles the module, as a bundler does.
        const blob = (code: string): string => URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
        const made = new Map<string, string>();
        const bundle = async (path: string): Promise<string> => {
            let code = await text(path);
            for (const [all, name] of code.matchAll(/from "\.\/([\w.-]+)"/g)) {
                if (!made.has(name as string)) made.set(name as string, await bundle(`/${name}`));
                code = code.replace(all, `from "${made.get(name as string)}"`);
            }
            return blob(code);
        };
        const { open, version } = (await import("/index.js" as string)) as typeof Module;
        const worker = await bundle("/worker.js");
        const wasm = new Uint8Array(await (await fetch("/credence.wasm")).arrayBuffer());
        const credence = await open({ wasm, worker: () => new Worker(worker, { type: "module" }) });
        return version(credence);
    });
    expect(version).toMatch(/^\d+\.\d+/);
});
