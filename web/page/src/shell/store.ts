// SPDX-License-Identifier: MIT
// The documents that are open: tables, models, networks, sequences. They stay in the memory of the page.
import { useEffect, useState } from "preact/hooks";
import type { FileContent } from "credence";

export type DocumentKind = "table" | "model" | "network" | "sequences" | "texts";

export interface OpenDocument {
    /** The name of its file, unique among the open ones; the command gets it by this name. */
    name: string;
    kind: DocumentKind;
    content: FileContent;
    /** The name of the example that it is: a permalink opens it again. */
    example?: string;
    /** The arguments of the command that created it, if it was created in the page. */
    command?: string[];
    /** For a model that was trained in the page: the route parameters that train it again. */
    trained?: Record<string, string>;
    /** The first view of the document, if that is not the usual view of its kind. */
    view?: string;
    /** The training data, and the messages of the command. */
    source?: FileContent;
    notes?: string;
    /** Whether the command failed to read it. */
    isUnreadable?: boolean;
}

let documents: OpenDocument[] = [];
const listeners = new Set<() => void>();

export function openDocuments(): OpenDocument[] {
    return documents;
}

export function findDocument(name: string | null): OpenDocument | undefined {
    return documents.find((document) => document.name === name);
}

/** Adds a document; one of the same name is replaced. */
export function addDocument(document: OpenDocument): void {
    documents = [...documents.filter(({ name }) => name !== document.name), document];
    for (const listener of listeners) listener();
}

/** Marks a table that the command cannot read. Views do not offer such tables. */
export function markUnreadable(name: string, isUnreadable: boolean): void {
    if ((findDocument(name)?.isUnreadable ?? false) === isUnreadable) return;
    documents = documents.map((document) => (document.name === name ? { ...document, isUnreadable } : document));
    for (const listener of listeners) listener();
}

/** Returns the parameters that name the document in a permalink. Links never contain the content of user files. */
export function documentParams(document: OpenDocument): Record<string, string> {
    if (document.kind === "model" && document.trained !== undefined) return document.trained;
    return document.example !== undefined ? { example: document.example } : { file: document.name };
}

/** Returns the commands that create the files of examples and of models that were trained in the page. */
export function makingOf(...of: (OpenDocument | undefined)[]): string[][] {
    const commands = of.flatMap((document) => {
        if (document === undefined) return [];
        if (document.example !== undefined) return [["example", document.example, "-o", document.name]];
        if (document.command === undefined) return [];
        return [...makingOf(documents.find(({ content }) => content === document.source)), document.command];
    });
    // The training table of a model can occur twice.
    return [...new Map(commands.map((words) => [words.join("\0"), words])).values()];
}

export function closeDocument(name: string): void {
    documents = documents.filter((document) => document.name !== name);
    for (const listener of listeners) listener();
}

export function useDocuments(): OpenDocument[] {
    const [current, setCurrent] = useState(documents);
    useEffect(() => {
        const changed = (): void => setCurrent(documents);
        listeners.add(changed);
        changed();
        return () => void listeners.delete(changed);
    }, []);
    return current;
}
