// SPDX-License-Identifier: MIT
// Opens files of the user as documents. Each kind of document has a usual view.
import { kindOf } from "./file-kind";
import { modelView } from "./model-view";
import { goTo } from "./route";
import { addDocument, documentParams, type DocumentKind, type OpenDocument } from "./store";

export const homeView: Record<DocumentKind, string> = {
    table: "learn",
    model: "understand",
    network: "networks",
    sequences: "sequences",
    texts: "texts",
};

/** File types that the command reads. */
export const ACCEPTED =
    ".csv,.tsv,.tab,.txt,.data,.dat,.arff,.json,.jsonl,.ndjson,.gz,.zst,.model,.bif,.xmlbif,.xml,.net,.uai,.xdsl,.dne,.hmm,text/*";

/** Adds the file to the open documents. It is read by the first query. */
export async function openFile(file: File): Promise<OpenDocument> {
    // A name that begins with a hyphen would be an option of the command.
    const name = file.name.replace(/^-+/, "") || "file";
    const document: OpenDocument = { name, kind: await kindOf(name, file), content: file };
    const view = document.kind === "model" ? await modelView(document) : undefined;
    if (view !== undefined) document.view = view;
    addDocument(document);
    return document;
}

/** Opens files, and shows the last one: in the current view if that supports its kind, otherwise in its usual view. */
export async function openFiles(files: Iterable<File>, stay: DocumentKind[] = []): Promise<void> {
    let last: OpenDocument | undefined;
    for (const file of files) last = await openFile(file);
    if (last === undefined || stay.includes(last.kind)) return;
    goTo(last.view ?? homeView[last.kind], documentParams(last));
}

/** Returns the dropped files. */
export function droppedFiles(event: DragEvent): File[] {
    return [...(event.dataTransfer?.files ?? [])];
}

/** Lets the user choose a file; must be called from a click or a key. */
export function chooseFile(accept = ACCEPTED): Promise<File[]> {
    return new Promise((resolve) => {
        const input = document.createElement("input");
        input.type = "file";
        input.multiple = true;
        input.accept = accept;
        const end = (files: File[]): void => {
            input.remove();
            resolve(files);
        };
        input.addEventListener("change", () => end([...(input.files ?? [])]));
        input.addEventListener("cancel", () => end([]));
        // One outside the document may be collected before a file is chosen.
        input.hidden = true;
        document.body.append(input);
        input.click();
    });
}
