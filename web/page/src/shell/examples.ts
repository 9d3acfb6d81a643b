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

/** The examples that are most like the tables and networks of users come first. */
const FIRST = ["iris", "tennis", "messages", "temperature", "asia", "sprinkler", "burglary", "umbrella", "wildcatter"];

/** The description without options of the command and references to lectures. */
function aboutOf({ about }: Example): string {
    return about
        .replace(/^a network: /, "")
        .replace(/, for --.*$/, "")
        .replace(/ \(lecture on [^;)]*\)/, "")
        .replace(/\(lecture on [^;)]*; /, "(");
}

let list: Promise<Example[]> | undefined;

async function readList(): Promise<Example[]> {
    const { examples } = await (await core).json<{ examples: Example[] }>(["example"]);
    const place = ({ name }: Example): number => (FIRST.indexOf(name) + FIRST.length + 1) % (FIRST.length + 1);
    return examples.map((example) => ({ ...example, about: aboutOf(example) })).sort((a, b) => place(a) - place(b));
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
