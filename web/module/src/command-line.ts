// SPDX-License-Identifier: MIT
// Command lines: options from names and values, and quoting for a POSIX shell.

/** A value of a row: a number, a category or a text. null and undefined are missing values. */
export type Value = string | number | boolean | null | undefined;
/** A row, by column; or evidence, by node. */
export type Row = Readonly<Record<string, Value>>;

/** true: a flag; an array: a list; an object: NAME=VALUE for each property. false, null, undefined: the option is omitted. */
export type OptionValue = Value | readonly (string | number)[] | Row;
/** Options of the command in camel case: `crossValidate` is --cross-validate. */
export type Options = Readonly<Record<string, OptionValue>>;

/** Quotes a word for a POSIX shell, if necessary. */
export function shellWord(word: string): string {
    return /^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns the equivalent command line for a POSIX shell. */
export function commandLine(args: readonly string[]): string {
    return ["credence", ...args].map(shellWord).join(" ");
}

/** Quotes an item of a list for the command, if necessary. */
export function listItem(item: string): string {
    const isPlain = item !== "" && !/[,"\n\r]/.test(item) && item.trim() === item;
    return isPlain ? item : `"${item.replaceAll('"', '""')}"`;
}

/** Returns NAME=VALUE, quoted if necessary. Spaces next to the equals sign are kept only within quotes. */
function finding(name: string, value: Value): string {
    if (typeof value === "object") throw new TypeError(`${name}: a value is a text, a number or a boolean`);
    const item = `${name}=${value}`;
    return /\s=|=\s/.test(item) && listItem(item) === item ? `"${item}"` : listItem(item);
}

/** Returns NAME=VALUE,... for all values that are not missing. */
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
    // An attached value can begin with a dash.
    return text.startsWith("-") ? [`${option}=${text}`] : [option, text];
}

export function optionArguments(options: Options): string[] {
    return Object.entries(options).flatMap(([name, value]) => optionWords(name, value));
}

/** Returns a path as an operand that the command does not read as an option. */
export function operand(path: string): string {
    return path.startsWith("-") ? `./${path}` : path;
}
