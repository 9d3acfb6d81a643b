// SPDX-License-Identifier: MIT
// The published package, and the examples in its README.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../", import.meta.url));
const npm = (cwd, ...args) => execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const node = (cwd, file) => execFileSync(process.execPath, [file], { cwd, encoding: "utf8", timeout: 120_000 });

let folder, packed;
before(() => {
    folder = mkdtempSync(join(tmpdir(), "credence-package-"));
    [packed] = JSON.parse(npm(source, "pack", "--json", "--pack-destination", folder));
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
    npm(folder, "install", "--offline", "--no-audit", "--no-fund", join(folder, packed.filename));
});
after(() => rmSync(folder, { recursive: true }));

test("the package contains only the built files", () => {
    const paths = packed.files.map(({ path }) => path);
    for (const path of [
        "README.md",
        "LICENSE",
        "package.json",
        "dist/credence.wasm",
        "dist/index.d.ts",
        "dist/node.js",
    ])
        assert.ok(paths.includes(path), path);
    const others = paths.filter(
        (path) => !/^(README\.md|LICENSE|package\.json|dist\/([\w-]+\.(js|mjs|d\.ts|wasm)|licenses\/\w+))$/.test(path),
    );
    assert.deepEqual(others, []);
    // Compressed as npm does; the page's first load is bounded by this, too.
    assert.ok(packed.size < 2.5e6, `${packed.size} bytes`);
});

const examples = [...readFileSync(join(source, "README.md"), "utf8").matchAll(/^```js\n(.*?)^```$/gms)];
for (const [index, [, code]] of examples.entries())
    test(`example ${index + 1} of the README runs with the installed package`, () => {
        writeFileSync(join(folder, `example-${index}.js`), code);
        const output = node(folder, `example-${index}.js`);
        assert.match(output, [/Iris-versicolor/, /Outlook: categorical/, /learned 3 rows/][index] ?? /./);
    });
