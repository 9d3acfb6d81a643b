// SPDX-License-Identifier: MIT
// The native command, whose answers the page's are compared with. CREDENCE names it.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const NATIVE = process.env.CREDENCE ?? fileURLToPath(new URL("../../build/dev/credence", import.meta.url));
/** Data sets that are not part of the project. */
export const DATA = process.env.CREDENCE_DATA ?? fileURLToPath(new URL("../../../shared/data", import.meta.url));

export function hasNative(): boolean {
    return existsSync(NATIVE);
}

/** What it prints; `folder` is where its files are. */
export function native(args: string[], folder?: string): string {
    return execFileSync(NATIVE, args, {
        cwd: folder,
        encoding: "utf8",
        maxBuffer: 1 << 28,
        stdio: ["ignore", "pipe", "ignore"],
    });
}

export function nativeJson(args: string[], folder?: string): unknown {
    return JSON.parse(native([...args, "--format", "json"], folder));
}

/** Reports that have an object a line. */
export function nativeLines(args: string[], folder?: string): unknown[] {
    return native([...args, "--format", "json"], folder)
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as unknown);
}
