// SPDX-License-Identifier: MIT
// The lessons that were completed in this browser.
import { useState } from "preact/hooks";

const KEY = "credence-lessons";

function stored(): string[] {
    try {
        return (localStorage.getItem(KEY) ?? "").split(" ").filter((id) => id !== "");
    } catch {
        return [];
    }
}

export function useProgress(): { completed: string[]; complete(id: string): void } {
    const [completed, setCompleted] = useState(stored);
    const complete = (id: string): void => {
        const next = [...new Set([...stored(), id])];
        setCompleted(next);
        try {
            localStorage.setItem(KEY, next.join(" "));
        } catch {
            // Without storage, the progress lasts as long as the page.
        }
    };
    return { completed, complete };
}
