// SPDX-License-Identifier: MIT
// A row as the value of --given: COL=VALUE,... An item with commas or quotes is in double quotes.
import { findings } from "credence";

export type Row = Map<string, string>;

export function givenText(row: Row): string {
    return [...row].map(([column, value]) => findings({ [column]: value })).join(",");
}

function splitItems(text: string): string[] {
    const items: string[] = [];
    const item = /\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|$)/y;
    while (item.lastIndex < text.length) {
        const match = item.exec(text);
        if (match === null) break;
        items.push(match[1]?.replaceAll('""', '"') ?? match[2]?.trim() ?? "");
    }
    return items;
}

/** A name can contain an equals sign: the longest matching column is used. */
function columnOf(item: string, columns: string[]): string | undefined {
    return columns.filter((column) => item.startsWith(`${column}=`)).sort((a, b) => b.length - a.length)[0];
}

/** Parses a row. Items that do not name a column are ignored. */
export function parseGiven(text: string, columns: string[]): Row {
    const row: Row = new Map();
    for (const item of splitItems(text)) {
        const column = columnOf(item, columns);
        if (column !== undefined) row.set(column, item.slice(column.length + 1));
    }
    return row;
}

/** Returns the items that parseGiven ignores. */
export function ignoredItems(text: string, columns: string[]): string[] {
    return splitItems(text).filter((item) => columnOf(item, columns) === undefined);
}
