// SPDX-License-Identifier: MIT
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

export function CopyButton({ text, children }: { text: () => string; children: ComponentChildren }): JSX.Element {
    const [isCopied, setCopied] = useState(false);
    const copy = async (): Promise<void> => {
        await navigator.clipboard.writeText(text());
        setCopied(true);
        setTimeout(() => setCopied(false), 1500);
    };
    return (
        <button type="button" onClick={() => void copy()} aria-live="polite">
            {isCopied ? "Copied" : children}
        </button>
    );
}
