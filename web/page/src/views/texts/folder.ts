// SPDX-License-Identifier: MIT
// Folders of documents, one for each class, as a table: a line of JSON for each file.
import { addDocument, type OpenDocument } from "../../shell/store";

/** The class of a file is the folder it lies in. */
export async function openFolder(files: Iterable<File>): Promise<OpenDocument | undefined> {
    const lines: string[] = [];
    let name = "documents";
    for (const file of files) {
        const path = file.webkitRelativePath.split("/");
        if (path.some((part) => part.startsWith("."))) continue;
        name = path[0] ?? name;
        lines.push(JSON.stringify({ class: path.at(-2) ?? name, text: await file.text() }));
    }
    if (lines.length === 0) return undefined;
    const document: OpenDocument = { name: `${name}.jsonl`, kind: "texts", content: `${lines.join("\n")}\n` };
    addDocument(document);
    return document;
}

/** Lets the user choose a folder; must be called from a click or a key. */
export function chooseFolder(): Promise<File[]> {
    return new Promise((resolve) => {
        const input = document.createElement("input");
        input.type = "file";
        input.webkitdirectory = true;
        input.addEventListener("change", () => resolve([...(input.files ?? [])]));
        input.addEventListener("cancel", () => resolve([]));
        input.click();
    });
}
