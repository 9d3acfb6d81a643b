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
    /** How it was made, where the page made it: the arguments of the command. */
    command?: string[];
    /** Of a model that the page trained: the parameters of a route that train it again. */
    trained?: Record<string, string>;
    /** The view that it is first looked at in, where that is not the usual one of its kind. */
    view?: string;
    /** The content that it was trained from, and what the command noted. */
    source?: FileContent;
    notes?: string;
    /** The command could not read it. */
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

/** Views that need any table do not offer one that the command has refused. */
export function markUnreadable(name: string, isUnreadable: boolean): void {
    if ((findDocument(name)?.isUnreadable ?? false) === isUnreadable) return;
    documents = documents.map((document) => (document.name === name ? { ...document, isUnreadable } : document));
    for (const listener of listeners) listener();
}

/** What a permalink names the document by. The content of a file of the user is in no link. */
export function documentParams(document: OpenDocument): Record<string, string> {
    if (document.kind === "model" && document.trained !== undefined) return document.trained;
    return document.example !== undefined ? { example: document.example } : { file: document.name };
}

/** The commands that make the files of documents that are examples, or that the page trained. */
export function makingOf(...of: (OpenDocument | undefined)[]): string[][] {
    const commands = of.flatMap((document) => {
        if (document === undefined) return [];
        if (document.example !== undefined) return [["example", document.example, "-o", document.name]];
        if (document.command === undefined) return [];
        return [...makingOf(documents.find(({ content }) => content === document.source)), document.command];
    });
    // The table that a model was trained from may be asked for as well.
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
