// SPDX-License-Identifier: MIT
// The printed output of the command, computed when it is opened.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { commandLine, type FileContent } from "credence";
import { Problem } from "../../shell/problem";
import { useAnswer } from "../../shell/use-answer";
import type { Example } from "./data/types";
import { exampleFiles } from "./run-example";

interface Props {
    example: Example;
    own: (name: string) => FileContent | undefined;
}

export function Printed({ example, own }: Props): JSX.Element {
    const [isOpen, setOpen] = useState(false);
    const { value, error } = useAnswer(
        async (core) => {
            if (!isOpen) return undefined;
            const files = await exampleFiles(core, example, own);
            if (files === undefined) return undefined;
            const texts: string[] = [];
            for (const { command } of example.steps) {
                const { stdout, stderr } = await core.run(command, { files });
                texts.push(`$ ${commandLine(command)}\n${stderr}${stdout}`);
            }
            return texts.join("\n");
        },
        [isOpen, example.id],
    );
    return (
        <details class="printed" onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>Command output</summary>
            {error !== undefined && <Problem error={error} />}
            {value !== undefined && (
                <pre tabIndex={0} aria-label="Output of the commands">
                    {value}
                </pre>
            )}
        </details>
    );
}
