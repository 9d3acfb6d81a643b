// SPDX-License-Identifier: MIT
// The open documents: each leads to its view. Opening, closing, undo, and sessions.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { linkParams } from "./context";
import { chooseFile, homeView, openFiles } from "./open-file";
import { canUndo, goTo, redo, routeAddress, undo } from "./route";
import { saveSession } from "./session";
import {
    addDocument,
    changeKind,
    closeDocument,
    documentParams,
    useDocuments,
    type DocumentKind,
    type OpenDocument,
} from "./store";

function isShown(document: OpenDocument, params: URLSearchParams): boolean {
    if (params.get("name") === document.name && params.has("net")) return true;
    const own = Object.entries(documentParams(document));
    return own.length > 0 && own.every(([key, value]) => params.get(key) === value);
}

function isTyping(target: EventTarget | null): boolean {
    return target instanceof HTMLElement && target.matches("textarea, input:not([type=radio], [type=range])");
}

/** Ctrl+Z and Ctrl+Y, except where they undo typing. */
function useUndoKeys(): void {
    useEffect(() => {
        const key = (event: KeyboardEvent): void => {
            if (!(event.ctrlKey || event.metaKey) || isTyping(event.target)) return;
            const letter = event.key.toLowerCase();
            if (letter === "z" && !event.shiftKey) undo();
            else if (letter === "y" || letter === "z") redo();
            else return;
            event.preventDefault();
        };
        addEventListener("keydown", key);
        return () => removeEventListener("keydown", key);
    }, []);
}

export function DocumentBar({ view, params }: { view: string; params: URLSearchParams }): JSX.Element {
    const documents = useDocuments();
    const [closed, setClosed] = useState<OpenDocument>();
    useUndoKeys();
    const close = (document: OpenDocument): void => {
        closeDocument(document.name);
        setClosed(document);
        if (isShown(document, params)) goTo(view, Object.fromEntries(linkParams(view)));
    };
    const reopen = (document: OpenDocument): void => {
        addDocument(document);
        setClosed(undefined);
        goTo(document.view ?? homeView[document.kind], documentParams(document));
    };
    return (
        <aside class="documents" aria-label="Documents">
            <button type="button" onClick={() => void chooseFile().then((files) => openFiles(files))} title="Ctrl+O">
                Open file…
            </button>
            {documents.length > 0 && (
                <ul aria-label="Open documents">
                    {documents.map((document) => (
                        <li key={document.name}>
                            <a
                                href={routeAddress(document.view ?? homeView[document.kind], documentParams(document))}
                                aria-current={isShown(document, params) ? "true" : undefined}
                            >
                                <bdi>{document.name}</bdi> <small>{document.kind}</small>
                            </a>
                            <button
                                type="button"
                                class="plain"
                                aria-label={`Close ${document.name}`}
                                onClick={() => close(document)}
                            >
                                ×
                            </button>
                        </li>
                    ))}
                </ul>
            )}
            {closed !== undefined && (
                <button type="button" onClick={() => reopen(closed)}>
                    Reopen {closed.name}
                </button>
            )}
            <span class="history">
                <button type="button" disabled={!canUndo()} onClick={undo} aria-label="Undo" title="Undo (Ctrl+Z)">
                    ↶
                </button>
                <button type="button" onClick={redo} aria-label="Redo" title="Redo (Ctrl+Y)">
                    ↷
                </button>
                {documents.length > 0 && (
                    <button type="button" onClick={() => void saveSession()}>
                        Save session
                    </button>
                )}
            </span>
        </aside>
    );
}

const OTHERS: { kind: DocumentKind; title: string }[] = [
    { kind: "table", title: "a table" },
    { kind: "sequences", title: "sequences" },
    { kind: "texts", title: "texts" },
];

/** For a file whose kind was guessed: what it was opened as, and what else it can be. */
export function OpenedAs({ params }: { params: URLSearchParams }): JSX.Element | null {
    const document = useDocuments().find((one) => one.isGuessed === true && isShown(one, params));
    if (document === undefined) return null;
    const open = (kind: DocumentKind): void => {
        changeKind(document.name, kind);
        goTo(homeView[kind], documentParams(document));
    };
    return (
        <p class="opened-as">
            <bdi>{document.name}</bdi> was opened as {OTHERS.find(({ kind }) => kind === document.kind)?.title}. Open it
            as{" "}
            {OTHERS.filter(({ kind }) => kind !== document.kind).map(({ kind, title }, index) => (
                <span key={kind}>
                    {index > 0 ? " or " : ""}
                    <button type="button" class="link" onClick={() => open(kind)}>
                        {title}
                    </button>
                </span>
            ))}{" "}
            instead.
        </p>
    );
}
