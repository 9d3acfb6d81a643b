// SPDX-License-Identifier: MIT
// The head of every view: its title, one sentence, a link to exactly this view, and the command that does the same.
import type { ComponentChildren, JSX } from "preact";
import { commandLine } from "credence";
import { CopyButton } from "./copy-button";

interface Props {
    title: string;
    children: ComponentChildren;
    /** The arguments of the command that does what the view shows. */
    command?: string[] | undefined;
    /** Commands that make its files, to be run before it: see makingOf. */
    before?: string[][] | undefined;
}

export function ViewHead({ title, children, command, before = [] }: Props): JSX.Element {
    const line = command === undefined ? "" : [...before, command].map((words) => commandLine(words)).join(" && ");
    return (
        <div class="view-head">
            <h1>{title}</h1>
            <p class="lead">{children}</p>
            <div class="actions">
                <CopyButton text={() => location.href}>Copy link</CopyButton>
                {command !== undefined && (
                    <div class="command">
                        <code>{line}</code>
                        <CopyButton text={() => line}>Copy command</CopyButton>
                    </div>
                )}
            </div>
        </div>
    );
}
