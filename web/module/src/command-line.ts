// SPDX-License-Identifier: MIT
// Command lines: options from names and values, and words as a POSIX shell takes them.

/** A cell: a number, a category or a text; missing where it is null or undefined. */
export type Value = string | number | boolean | null | undefined;
/** A row, by column; or findings, by node. */
export type Row = Readonly<Record<string, Value>>;

/** true: the option alone; an array: its items; an object: NAME=VALUE of each of its properties. false, null, undefined: not given. */
export type OptionValue = Value | readonly (string | number)[] | Row;
/** Options of the command by their names, as `crossValidate` for --cross-validate. */
export type Options = Readonly<Record<string, OptionValue>>;

/** A word as a POSIX shell takes it, in quotes where it needs them. */
export function shellWord(word: string): string {
    return /^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command line for a POSIX shell that does the same. */
export function commandLine(args: readonly string[]): string {
    return ["credence", ...args].map(shellWord).join(" ");
}

/** An item of a list of the command, in double quotes where it needs them. */
export function listItem(item: string): string {
    const isPlain = item !== "" && !/[,"\n\r]/.test(item) && item.trim() === item;
    return isPlain ? item : `"${item.replaceAll('"', '""')}"`;
}

/** NAME=VALUE, in double quotes where it needs them: blanks beside the sign belong to the name or the value only there. */
function finding(name: string, value: Value): string {
    if (typeof value === "object") throw new TypeError(`${name}: a value is a text, a number or a boolean`);
    const item = `${name}=${value}`;
    return /\s=|=\s/.test(item) && listItem(item) === item ? `"${item}"` : listItem(item);
}

/** NAME=VALUE,... of what is not missing. */
export function findings(row: Row): string {
    return Object.entries(row)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => finding(name, value))
        .join(",");
}

function optionWords(name: string, value: OptionValue): string[] {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || value === null || value === false) return [];
    if (value === true) return [option];
    const text = Array.isArray(value)
        ? value.map((item) => listItem(String(item))).join(",")
        : typeof value === "object"
          ? findings(value as Row)
          : String(value);
    // A value that begins with a dash is no option where it is attached.
    return text.startsWith("-") ? [`${option}=${text}`] : [option, text];
}

export function optionArguments(options: Options): string[] {
    return Object.entries(options).flatMap(([name, value]) => optionWords(name, value));
}

/** A path as an operand: one that begins with a dash is no option. */
export function operand(path: string): string {
    return path.startsWith("-") ? `./${path}` : path;
}
