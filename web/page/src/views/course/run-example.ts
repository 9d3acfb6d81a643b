// SPDX-License-Identifier: MIT
// Runs the commands of an example of the lectures.
import { CredenceError, type FileContent } from "credence";
import type { Core } from "../../shell/core";
import type { Example, SourceFile } from "./data/types";

const builtIn = new Map<string, Promise<string>>();

async function printExample(core: Core, name: string): Promise<string> {
    const { status, stdout, stderr } = await core.run(["example", name]);
    if (status !== 0) throw new CredenceError(stderr.trim().replace(/^credence: /, ""), status);
    return stdout;
}

function contentOf(core: Core, file: SourceFile, own: (name: string) => FileContent | undefined) {
    if ("text" in file) return file.text();
    if ("own" in file) return own(file.name);
    let content = builtIn.get(file.example);
    if (content === undefined) {
        content = printExample(core, file.example);
        builtIn.set(file.example, content);
        content.catch(() => builtIn.delete(file.example));
    }
    return content;
}

/** Returns the files of an example by name; undefined if the reader has not opened one of them yet. */
export async function exampleFiles(
    core: Core,
    example: Example,
    own: (name: string) => FileContent | undefined,
): Promise<Record<string, FileContent> | undefined> {
    const files: Record<string, FileContent> = {};
    for (const file of example.files) {
        const content = await contentOf(core, file, own);
        if (content === undefined) return undefined;
        files[file.name] = content;
    }
    return files;
}

/** The reports of the steps of an example, in their order. */
export async function runExample(
    core: Core,
    example: Example,
    own: (name: string) => FileContent | undefined,
): Promise<unknown[] | undefined> {
    const files = await exampleFiles(core, example, own);
    if (files === undefined) return undefined;
    const reports: unknown[] = [];
    for (const { command } of example.steps) reports.push(await core.json<unknown>(command, { files }));
    return reports;
}
