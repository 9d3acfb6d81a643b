// SPDX-License-Identifier: MIT
// The files of an example; only the beginning of long files.
import type { JSX } from "preact";
import type { FileContent } from "credence";
import { useAnswer } from "../../shell/use-answer";
import type { Example } from "./data/types";
import { exampleFiles } from "./run-example";

const MOST = 6000;

interface Props {
    example: Example;
    own: (name: string) => FileContent | undefined;
}

export function FileTexts({ example, own }: Props): JSX.Element | null {
    const { value } = useAnswer((core) => exampleFiles(core, example, own), [example.id]);
    if (example.files.length === 0 || value === undefined) return null;
    return (
        <>
            {Object.entries(value).map(([name, content]) =>
                typeof content !== "string" ? null : (
                    <details key={name} class="printed">
                        <summary>{name}</summary>
                        <pre tabIndex={0} aria-label={name}>
                            {content.length > MOST ? `${content.slice(0, MOST)}\n…` : content}
                        </pre>
                    </details>
                ),
            )}
        </>
    );
}
