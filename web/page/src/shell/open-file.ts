// SPDX-License-Identifier: MIT
// Opens files of the user as documents. Each kind of document has a usual view.
import { kindOf } from "./file-kind";
import { isSession, openSession } from "./session";
import { modelView } from "./model-view";
import { goTo, parseRoute } from "./route";
import { addDocument, freeName, documentParams, type DocumentKind, type OpenDocument } from "./store";

export const homeView: Record<DocumentKind, string> = {
    table: "learn",
    model: "understand",
    network: "networks",
    sequences: "sequences",
    texts: "texts",
};

/** File types that the command reads. */
export const ACCEPTED =
    ".csv,.tsv,.tab,.txt,.data,.dat,.arff,.json,.jsonl,.ndjson,.gz,.zst,.model,.bif,.xmlbif,.xml,.net,.uai,.xdsl,.dne,.hmm,.credence,text/*";

/** Adds the file to the open documents. It is read by the first query. */
export async function openFile(file: File): Promise<OpenDocument> {
    // A name that begins with a hyphen would be an option of the command.
    const plain = file.name.replace(/^-+/, "") || "file";
    // The same file again replaces itself, for example after a change on the disk. Others keep their names.
    const name = freeName(plain, ({ content }) => content instanceof File && content.size === file.size);
    const { kind, isGuessed } = await kindOf(plain, file);
    const document: OpenDocument = { name, kind, content: file, isGuessed };
    const view = document.kind === "model" ? await modelView(document) : undefined;
    if (view !== undefined) document.view = view;
    addDocument(document);
    return document;
}

/** Views that show more kinds of documents than their own. */
const ALSO: Record<string, DocumentKind[]> = {
    texts: ["table", "texts"],
    sequences: ["table", "sequences"],
    evaluate: ["table"],
    ask: ["model"],
};

/** Opens files, and shows the last one: in the current view if that supports its kind, otherwise in its usual view. */
export async function openFiles(files: Iterable<File>): Promise<void> {
    let last: OpenDocument | undefined;
    for (const file of files) last = isSession(file.name) ? await openSession(file) : await openFile(file);
    if (last === undefined) return;
    const { view } = parseRoute(location.hash);
    const isOurs = ALSO[view]?.includes(last.kind) === true && last.isGuessed !== true;
    goTo(last.view ?? (isOurs ? view : homeView[last.kind]), documentParams(last));
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
