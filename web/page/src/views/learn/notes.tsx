// SPDX-License-Identifier: MIT
// Warnings and hints of the command. A hint to use options is a button that uses them.
import type { JSX } from "preact";

export interface Hints {
    /** Uses options of train. */
    onOptions(words: string): void;
    onCompare(): void;
}

interface Note {
    text: string;
    action?: { title: string; options?: string };
}

/** Rewrites the hints that name options for people without a shell. */
function noteOf(line: string): Note {
    const better =
        /^hint: (.+) would be better: (--.+) has (log loss [\d.e+-]+) compared with ([\d.e+-]+) on (\d+) rows/.exec(
            line,
        );
    if (better !== null) {
        const [, name = "", options = "", loss = "", now = "", rows = ""] = better;
        return {
            text: `“${name}” would be better: ${loss} instead of ${now} on ${rows} held-out rows.`,
            action: { title: "Train it", options },
        };
    }
    const type =
        /^(.*?)[:,]? ?(?:use )?(--(ignore|categorical|text) ((?:"[^"]*"|[^ ,"]+)(?:,(?:"[^"]*"|[^ ,"]+))*)).*$/.exec(
            line,
        );
    if (type !== null) {
        const [, text = "", options = "", kind = "", columns = ""] = type;
        const title = kind === "ignore" ? `Ignore ${columns}` : `Treat ${columns.replaceAll(",", ", ")} as ${kind}`;
        return { text: `${text}.`, action: { title, options } };
    }
    if (/--method auto/.test(line))
        return { text: "Another method may be better.", action: { title: "Compare methods" } };
    return { text: line };
}

export function Notes({ text, onOptions, onCompare }: Hints & { text: string }): JSX.Element | null {
    const notes = text
        .split("\n")
        // How many rows were learned is shown with the model.
        .filter((line) => line.startsWith("credence: ") && !line.startsWith("credence: learned "))
        .map((line) => noteOf(line.replace(/^credence: (warning: )?/, "")));
    if (notes.length === 0) return null;
    return (
        <ul class="notes">
            {notes.map(({ text: line, action }) => (
                <li key={line}>
                    {line}{" "}
                    {action !== undefined && (
                        <button
                            type="button"
                            onClick={() => (action.options === undefined ? onCompare() : onOptions(action.options))}
                        >
                            {action.title}
                        </button>
                    )}
                </li>
            ))}
        </ul>
    );
}
