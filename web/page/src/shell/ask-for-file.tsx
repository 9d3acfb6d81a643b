// SPDX-License-Identifier: MIT
// A link that needs a file of the user: asks the user to open it.
import type { JSX } from "preact";
import { addDocument } from "./store";
import { chooseFile, openFile } from "./open-file";

export function AskForFile({ name }: { name: string }): JSX.Element {
    const choose = async (): Promise<void> => {
        const [file] = await chooseFile();
        if (file === undefined) return;
        const document = await openFile(file);
        // The link contains the original name of the file.
        if (document.name !== name) addDocument({ ...document, name });
    };
    return (
        <div class="card ask-file">
            <p>
                This link needs the file <strong>{name}</strong> from the computer where the link was made. Drop the
                file here, or choose it. It stays in your browser.
            </p>
            <button type="button" class="primary" onClick={() => void choose()}>
                Choose {name}…
            </button>
        </div>
    );
}
