// SPDX-License-Identifier: MIT
// Parses CSV that the command writes: commas, and double quotes if necessary. The command parses the files of the user.

export function parseCsv(text: string): string[][] {
    const rows: string[][] = [];
    let row: string[] = [];
    for (let at = 0; at < text.length;) {
        let end: number;
        if (text[at] === '"') {
            end = at + 1;
            while (end < text.length && (text[end] !== '"' || text[end + 1] === '"')) end += text[end] === '"' ? 2 : 1;
            row.push(text.slice(at + 1, end).replaceAll('""', '"'));
            end++;
        } else {
            end = at;
            while (end < text.length && text[end] !== "," && text[end] !== "\n") end++;
            row.push(text.slice(at, end));
        }
        if (text[end] === ",") {
            at = end + 1;
            if (at === text.length || text[at] === "\n") row.push("");
            if (text[at] !== "\n") continue;
            end = at;
        }
        rows.push(row);
        row = [];
        at = end + 1;
    }
    if (row.length > 0) rows.push(row);
    return rows;
}
