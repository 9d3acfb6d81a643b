// SPDX-License-Identifier: MIT
// Shared by tests: the native command named by CREDENCE, and the data sets next to the checkout.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../../", import.meta.url));
export const command = process.env.CREDENCE;
/** Why tests that compare with the native command are skipped. */
export const withoutCommand = command === undefined ? "CREDENCE names no native command" : false;

const data = join(root, "../shared/data");

/** Returns a data set; undefined if it does not exist. */
export function dataSet(path) {
    const file = join(data, path);
    return existsSync(file) ? readFileSync(file) : undefined;
}

/** Runs the native command in a folder of its own. */
export function native(args, { files = {}, stdin, keep = [] } = {}) {
    const folder = mkdtempSync(join(tmpdir(), "credence-module-"));
    try {
        for (const [path, content] of Object.entries(files)) {
            mkdirSync(dirname(join(folder, path)), { recursive: true });
            writeFileSync(join(folder, path), content);
        }
        const { status, stdout, stderr } = spawnSync(command, args, {
            cwd: folder,
            input: stdin ?? "",
            encoding: "utf8",
            maxBuffer: 1 << 30,
        });
        const written = keep.filter((path) => status === 0 && existsSync(join(folder, path)));
        return {
            status,
            stdout,
            stderr,
            files: Object.fromEntries(written.map((path) => [path, new Uint8Array(readFileSync(join(folder, path)))])),
        };
    } finally {
        rmSync(folder, { recursive: true });
    }
}
