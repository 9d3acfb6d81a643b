// SPDX-License-Identifier: MIT
// Where a view has no document yet: a place to drop a file on, and a button. Files may be dropped anywhere on the page.
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
