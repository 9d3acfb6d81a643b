// SPDX-License-Identifier: MIT
// The choices of the form and the options of train, which a permalink holds as one text: each can be made of the other.
import { listItem } from "credence";
import { joinWords, splitWords } from "../../shell/words";

export type ChosenKind = "number" | "category" | "text" | "ignore";

export interface Choices {
    /** Of columns whose kind is not the one that the command finds. */
    kinds: Map<string, ChosenKind>;
    /** Of settings that are not at their defaults. */
    settings: Map<string, string>;
}

const KINDS: ChosenKind[] = ["number", "category", "text", "ignore"];

/** The items of a list with commas, and double quotes around those that have some themselves. */
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
    const choices: Choices = { kinds: new Map(), settings: new Map() };
    const words = splitWords(options);
    for (let i = 0; i + 1 < words.length; i += 2) {
        const name = (words[i] ?? "").replace(/^--/, "");
        const value = words[i + 1] ?? "";
        if (KINDS.includes(name as ChosenKind))
            for (const column of splitList(value)) choices.kinds.set(column, name as ChosenKind);
        else choices.settings.set(name, value);
    }
    return choices;
}

/** The options that are about how columns are read. */
function kindOptions({ kinds }: Choices, which: ChosenKind[] = KINDS): string[] {
    return which.flatMap((kind) => {
        const columns = [...kinds].filter(([, chosen]) => chosen === kind).map(([column]) => listItem(column));
        return columns.length === 0 ? [] : [`--${kind}`, columns.join(",")];
    });
}

/** How the table is read: the kinds of its columns, and whether its first line has their names. */
export function readingOptions(choices: Choices, which: ChosenKind[] = KINDS): string[] {
    const header = choices.settings.get("header");
    return [...kindOptions(choices, which), ...(header === undefined ? [] : ["--header", header])];
}

export function choiceOptions(choices: Choices): string {
    const settings = [...choices.settings].flatMap(([name, value]) => [`--${name}`, value]);
    return joinWords([...kindOptions(choices), ...settings]);
}

/** The column that is most likely the class: one that is called so, else the last. */
export function guessTarget(columns: string[]): string | undefined {
    return columns.filter((name) => /^(class|target|label|outcome|y)$/i.test(name)).at(-1) ?? columns.at(-1);
}
