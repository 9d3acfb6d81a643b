// SPDX-License-Identifier: MIT
// The tables and networks that are built into the command.
import { CredenceError } from "credence";
import { core } from "./core";
import { addDocument, openDocuments, type DocumentKind, type OpenDocument } from "./store";

export interface Example {
    name: string;
    /** The name of its file. */
    file: string;
    about: string;
    kind: DocumentKind;
}

let list: Promise<Example[]> | undefined;

async function readList(): Promise<Example[]> {
    const { examples } = await (await core).json<{ examples: Example[] }>(["example"]);
    return examples.map((example) => ({ ...example, about: example.about.replace(/^a network: /, "") }));
}

export function examples(): Promise<Example[]> {
    return (list ??= readList());
}

/** The document of an example; it is opened where it is not yet. */
export async function openExample(name: string): Promise<OpenDocument> {
    const open = openDocuments().find(({ example }) => example === name);
    if (open !== undefined) return open;
    const { status, stdout, stderr } = await (await core).run(["example", name]);
    if (status !== 0) throw CredenceError.of(status, stderr);
    const described = (await examples()).find((example) => example.name === name);
    const document: OpenDocument = {
        name: described?.file ?? name,
        kind: described?.kind ?? "table",
        content: stdout,
        example: name,
    };
    addDocument(document);
    return document;
}
