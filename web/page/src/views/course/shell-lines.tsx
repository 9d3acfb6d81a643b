// SPDX-License-Identifier: MIT
// The lines for a shell that make the files of an example and run its commands.
import type { JSX } from "preact";
import { commandLine } from "credence";
import { CopyButton } from "../../shell/copy-button";
import type { Example } from "./data/types";

export function shellLines(example: Example): string[] {
    const files = example.files.flatMap((file) => {
        if ("example" in file) return [`${commandLine(["example", file.example])} > ${file.name}`];
        return "shell" in file ? [file.shell] : [];
    });
    return [...files, ...example.steps.map(({ command }) => commandLine(command))];
}

export function ShellLines({ lines }: { lines: string[] }): JSX.Element {
    return (
        <div class="shell-lines">
            <pre tabIndex={0} aria-label="Shell commands">
                <code>{lines.join("\n")}</code>
            </pre>
            <CopyButton text={() => lines.join("\n")}>
                {lines.length === 1 ? "Copy command" : "Copy commands"}
            </CopyButton>
        </div>
    );
}
