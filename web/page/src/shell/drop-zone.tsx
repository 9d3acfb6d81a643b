// SPDX-License-Identifier: MIT
// For a view without a document: a place to drop a file, and a button. You can drop files anywhere on the page.
import type { ComponentChildren, JSX } from "preact";
import { chooseFile, openFiles } from "./open-file";

export function DropZone({ children }: { children: ComponentChildren }): JSX.Element {
    return (
        <div class="drop-zone">
            <p>{children}</p>
            <button type="button" class="primary" onClick={() => void chooseFile().then((files) => openFiles(files))}>
                Choose a file…
            </button>
            <p class="quiet">Nothing leaves this page: files are read and models are trained in your browser.</p>
        </div>
    );
}
