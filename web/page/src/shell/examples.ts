// SPDX-License-Identifier: MIT
// The tables and networks that are built into the command.
import { core } from "./core";
import { kindOf } from "./file-kind";
import { addDocument, openDocuments, type DocumentKind, type OpenDocument } from "./store";

export interface Example {
    name: string;
    about: string;
    kind: DocumentKind;
}

let list: Promise<Example[]> | undefined;

/** `kind` is what the command's own description says. */
async function readList(): Promise<Example[]> {
    const { stdout } = await (await core).run(["example"]);
    return stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
            const [name = "", about = ""] = line.split(/ {2,}/, 2);
            const kind = /^a network/.test(about) ? "network" : /\bsequences?\b/.test(about) ? "sequences" : "table";
            return { name, about: about.replace(/^a network: /, ""), kind };
        });
}

export function examples(): Promise<Example[]> {
    return (list ??= readList());
}

/** The document of an example; it is opened where it is not yet. */
export async function openExample(name: string): Promise<OpenDocument> {
    const open = openDocuments().find(({ example }) => example === name);
    if (open !== undefined) return open;
    const { status, stdout, stderr } = await (await core).run(["example", name]);
    if (status !== 0) throw new Error(stderr.trim().replace(/^credence: /, ""));
    const isNetwork = (await kindOf(name, new Blob([stdout]))) === "network";
    const described = isNetwork ? "network" : (await examples()).find((example) => example.name === name)?.kind;
    const document: OpenDocument = {
        name: `${name}.${isNetwork ? "bif" : "csv"}`,
        kind: described ?? "table",
        content: stdout,
        example: name,
    };
    addDocument(document);
    return document;
}
