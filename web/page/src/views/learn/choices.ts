// SPDX-License-Identifier: MIT
// Converts the choices of the form to the options of train, which a permalink contains as one text, and back.
import { listItem } from "credence";
import type { ProfileColumn } from "./reports";
import { joinWords, splitWords } from "../../shell/words";

/** The options of train that set the type of columns, or ignore them. */
export type ChosenType = "numeric" | "categorical" | "text" | "ignore";

export interface Choices {
    /** The columns whose type was changed. */
    types: Map<string, ChosenType>;
    /** The settings that differ from their defaults. */
    settings: Map<string, string>;
}

export const COLUMN_TYPES = ["numeric", "categorical", "text"] as const;
const CHOICES: ChosenType[] = [...COLUMN_TYPES, "ignore"];

/** Splits a comma-separated list. Items with commas are in double quotes. */
export function splitList(text: string): string[] {
    const items: string[] = [];
    const item = /\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/y;
    while (item.lastIndex < text.length) {
        const match = item.exec(text);
        if (match === null) break;
        items.push(match[1]?.replaceAll('""', '"') ?? match[2]?.trim() ?? "");
    }
    return items;
}

export function parseChoices(options: string): Choices {
    const choices: Choices = { types: new Map(), settings: new Map() };
    const words = splitWords(options);
    for (let i = 0; i + 1 < words.length; i += 2) {
        const name = (words[i] ?? "").replace(/^--/, "");
        const value = words[i + 1] ?? "";
        if (CHOICES.includes(name as ChosenType))
            for (const column of splitList(value)) choices.types.set(column, name as ChosenType);
        else choices.settings.set(name, value);
    }
    return choices;
}

/** The options that are about how columns are read. */
function typeOptions({ types }: Choices, which: readonly ChosenType[] = CHOICES): string[] {
    return which.flatMap((type) => {
        const columns = [...types].filter(([, chosen]) => chosen === type).map(([column]) => listItem(column));
        return columns.length === 0 ? [] : [`--${type}`, columns.join(",")];
    });
}

/** How the table is read: the types of its columns, and whether its first line contains their names. */
export function readingOptions(choices: Choices, which: readonly ChosenType[] = CHOICES): string[] {
    const header = choices.settings.get("header");
    return [...typeOptions(choices, which), ...(header === undefined ? [] : ["--header", header])];
}

export function choiceOptions(choices: Choices): string {
    const settings = [...choices.settings].flatMap(([name, value]) => [`--${name}`, value]);
    return joinWords([...typeOptions(choices), ...settings]);
}

const TARGET_NAMES = /^(class|target|label|outcome|y|species|diagnosis|result|survived|churn|default|play)$/i;

/** Returns the column that is probably the class: by its name, otherwise the last categorical one with few values, otherwise the last one. */
export function guessTarget(columns: ProfileColumn[]): string | undefined {
    const named = columns.filter(({ column }) => TARGET_NAMES.test(column));
    const few = columns.filter(
        ({ type, distinct, looks_like: seems }) =>
            type === "categorical" && distinct > 1 && distinct <= 20 && seems === undefined,
    );
    return (named.at(-1) ?? few.at(-1) ?? columns.at(-1))?.column;
}
