// SPDX-License-Identifier: MIT
// The head of every view: its title, one sentence, and what shares it: a link to exactly this view, and the equivalent command.
import type { ComponentChildren, JSX } from "preact";
import { commandLine, shellWord } from "credence";
import { CopyButton } from "./copy-button";
import { setPresenting, stepsLink } from "./present";

interface Props {
    title: string;
    children?: ComponentChildren;
    /** Controls of the view in the line of its title, instead of a sentence. */
    tools?: ComponentChildren;
    /** The arguments of the equivalent command. */
    command?: string[] | undefined;
    /** Commands that make its files, to be run before it: see makingOf. */
    before?: string[][] | undefined;
    /** Small files that the command reads and the view makes, by their names. */
    files?: Record<string, string>;
}

/** Writes a small text file in a shell. */
function writing([name, text]: [string, string]): string {
    const lines = text.replace(/\n$/, "").split("\n");
    return `printf '%s\\n' ${lines.map((line) => shellWord(line)).join(" ")} > ${shellWord(name)}`;
}

export function ViewHead({ title, children, tools, command, before = [], files = {} }: Props): JSX.Element {
    const commands = command === undefined ? [] : [...before, command].map((words) => commandLine(words));
    const line = [...commands.slice(0, -1), ...Object.entries(files).map(writing), ...commands.slice(-1)].join(" && ");
    return (
        <div class="view-head">
            <h1>{title}</h1>
            {tools === undefined ? <p class="lead">{children}</p> : tools}
            <details class="share">
                <summary>Share</summary>
                <div class="share-menu">
                    <div class="actions">
                        <CopyButton text={() => location.href}>Copy link</CopyButton>
                        <CopyButton text={stepsLink}>Copy link to all steps</CopyButton>
                        <button type="button" onClick={() => setPresenting(true)} title="P">
                            Present
                        </button>
                        <button type="button" onClick={() => print()}>
                            Print
                        </button>
                    </div>
                    {command !== undefined && (
                        <div class="command">
                            <p>Equivalent command:</p>
                            <code tabIndex={0}>{line}</code>
                            <CopyButton text={() => line}>Copy command</CopyButton>
                        </div>
                    )}
                </div>
            </details>
        </div>
    );
}
