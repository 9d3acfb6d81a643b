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
    /** Whether it was edited in the page: the next edit replaces it. */
    isEdited?: boolean;
    /** Whether its kind was guessed from its content, where another kind is possible. */
    isGuessed?: boolean;
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

function change(next: OpenDocument[]): void {
    documents = next;
    for (const listener of listeners) listener();
}

/** Adds a document; a document of the same name is replaced. */
export function addDocument(document: OpenDocument): void {
    change([...documents.filter(({ name }) => name !== document.name), document]);
}

/** Returns the name, or "name (2).csv" if a document that must not be replaced has the name. */
export function freeName(name: string, mayReplace: (open: OpenDocument) => boolean): string {
    const [, base = name, ending = ""] = /^(.*?)((?:\.[A-Za-z0-9]{1,8}){0,2})$/.exec(name) ?? [];
    for (let number = 1; ; number++) {
        const free = number === 1 ? name : `${base} (${number})${ending}`;
        const open = findDocument(free);
        if (open === undefined || mayReplace(open)) return free;
    }
}

/** Opens a document as another kind. */
export function changeKind(name: string, kind: DocumentKind): void {
    change(
        documents.map((document) => {
            if (document.name !== name) return document;
            const { view: _, ...rest } = document;
            return { ...rest, kind, isGuessed: false };
        }),
    );
}

/** Calls the listener after each change of the open documents. */
export function onDocuments(listener: () => void): void {
    listeners.add(listener);
}

/** Marks a table that the command cannot read. Views do not offer such tables. */
export function markUnreadable(name: string, isUnreadable: boolean): void {
    if ((findDocument(name)?.isUnreadable ?? false) === isUnreadable) return;
    change(documents.map((document) => (document.name === name ? { ...document, isUnreadable } : document)));
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
    change(documents.filter((document) => document.name !== name));
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
