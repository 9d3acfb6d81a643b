// SPDX-License-Identifier: MIT
// Presenting: P hides everything but the content and enlarges it. Page Up and Page Down, which clickers send, go through the steps.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { packText, unpackText } from "./packed-text";
import { playSteps, redo, routeAddress, stepsHere, undo } from "./route";

export function setPresenting(isPresenting: boolean): void {
    if (isPresenting) document.documentElement.dataset.present = "";
    else delete document.documentElement.dataset.present;
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.share")) menu.open = false;
}

/** A link that presents the steps that led to the present view. */
export async function stepsLink(): Promise<string> {
    const address = routeAddress("play", { steps: await packText(JSON.stringify(stepsHere())) });
    return location.href.replace(/#.*/, "") + address;
}

/** Presents the steps of such a link. */
export async function presentSteps(packed: string): Promise<void> {
    const steps = JSON.parse(await unpackText(packed)) as unknown;
    if (!Array.isArray(steps)) return;
    playSteps(steps.filter((step) => typeof step === "string"));
    setPresenting(true);
}

function isTyping(target: EventTarget | null): boolean {
    return target instanceof HTMLElement && target.matches("input, textarea, select");
}

export function Present(): JSX.Element {
    useEffect(() => {
        const key = (event: KeyboardEvent): void => {
            const isPresenting = document.documentElement.dataset.present !== undefined;
            if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
            if (event.key.toLowerCase() === "p") setPresenting(!isPresenting);
            else if (!isPresenting) return;
            else if (event.key === "Escape") setPresenting(false);
            else if (event.key === "PageUp") undo();
            else if (event.key === "PageDown") redo();
            else return;
            event.preventDefault();
        };
        addEventListener("keydown", key);
        return () => removeEventListener("keydown", key);
    }, []);
    return (
        <aside class="present-tools" aria-label="Presentation">
            <button type="button" onClick={undo} aria-label="Step back" title="Step back (Page Up)">
                ◀
            </button>
            <button type="button" onClick={redo} aria-label="Step forward" title="Step forward (Page Down)">
                ▶
            </button>
            <button type="button" onClick={() => setPresenting(false)} title="Escape">
                End
            </button>
        </aside>
    );
}
