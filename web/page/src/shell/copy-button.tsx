// SPDX-License-Identifier: MIT
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

/** Copies without the clipboard API, which browsers offer only on https and on this computer: from a selected field. */
function copyFromField(text: string): boolean {
    const field = document.createElement("textarea");
    field.value = text;
    field.readOnly = true;
    field.className = "unseen";
    document.body.append(field);
    const focused = document.activeElement;
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return isCopied;
}

export async function copyText(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return copyFromField(text);
    }
}

interface Props {
    text(): string | Promise<string>;
    children: ComponentChildren;
}

export function CopyButton({ text, children }: Props): JSX.Element {
    const [outcome, setOutcome] = useState<string>();
    const copy = async (): Promise<void> => {
        setOutcome((await copyText(await text())) ? "Copied" : "Cannot copy: select the text");
        setTimeout(() => setOutcome(undefined), 1500);
    };
    return (
        <button type="button" onClick={() => void copy()} aria-live="polite">
            {outcome ?? children}
        </button>
    );
}
