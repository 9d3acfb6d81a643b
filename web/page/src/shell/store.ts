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
