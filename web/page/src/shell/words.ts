// SPDX-License-Identifier: MIT
// Options of the command as one text, for a permalink: words separated by spaces, with shell quoting.

export function joinWords(words: string[]): string {
    return words.map((word) => (/^[^\s'"\\]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

export function splitWords(text: string): string[] {
    const words: string[] = [];
    let word: string | undefined;
    for (let i = 0; i < text.length; i++) {
        const character = text.charAt(i);
        if (character === "'") {
            const end = text.indexOf("'", i + 1);
            word = (word ?? "") + text.slice(i + 1, end < 0 ? undefined : end);
            i = end < 0 ? text.length : end;
        } else if (character === "\\") word = (word ?? "") + text.charAt(++i);
        else if (/\s/.test(character)) {
            if (word !== undefined) words.push(word);
            word = undefined;
        } else word = (word ?? "") + character;
    }
    if (word !== undefined) words.push(word);
    return words;
}
