// SPDX-License-Identifier: MIT
// Warnings and hints of the command.
import type { JSX } from "preact";

export function Notes({ text }: { text: string }): JSX.Element | null {
    const lines = text
        .split("\n")
        // How many rows were learned is shown with the model.
        .filter((line) => line.startsWith("credence: ") && !line.startsWith("credence: learned "))
        .map((line) => line.replace(/^credence: (warning: )?/, ""));
    if (lines.length === 0) return null;
    return (
        <ul class="notes">
            {lines.map((line) => (
                <li key={line}>{line}</li>
            ))}
        </ul>
    );
}
