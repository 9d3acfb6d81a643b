// SPDX-License-Identifier: MIT
// The documents that are open: each leads to its view; opening another; closing.
import type { JSX } from "preact";
import { chooseFile, homeView, openFiles } from "./open-file";
import { routeAddress } from "./route";
import { closeDocument, documentParams, useDocuments, type OpenDocument } from "./store";

function isShown(document: OpenDocument, params: URLSearchParams): boolean {
    const own = Object.entries(documentParams(document));
    return own.length > 0 && own.every(([key, value]) => params.get(key) === value);
}

export function DocumentBar({ params }: { params: URLSearchParams }): JSX.Element {
    const documents = useDocuments();
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
                                onClick={() => closeDocument(document.name)}
                            >
                                ×
                            </button>
                        </li>
                    ))}
                </ul>
            )}
        </aside>
    );
}
