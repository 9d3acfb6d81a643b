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
}

export function ViewHead({ title, children, command }: Props): JSX.Element {
    return (
        <div class="view-head">
            <h1>{title}</h1>
            <p class="lead">{children}</p>
            <div class="actions">
                <CopyButton text={() => location.href}>Copy link</CopyButton>
                {command !== undefined && (
                    <div class="command">
                        <code>{commandLine(command)}</code>
                        <CopyButton text={() => commandLine(command)}>Copy command</CopyButton>
                    </div>
                )}
            </div>
        </div>
    );
}
