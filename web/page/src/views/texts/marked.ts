// SPDX-License-Identifier: MIT
// A text in pieces: counted words with their weights, and the text between them.
import type { TextExplanation } from "./reports";

export interface Piece {
    text: string;
    /** The term and its weight of evidence; absent between terms. */
    word?: string;
    weight?: number;
}

/** Terms can overlap, such as n-grams: the longest term at a place is marked, and no term inside another. */
export function pieces(text: string, explanation: TextExplanation): Piece[] {
    const bytes = new TextEncoder().encode(text);
    const decoder = new TextDecoder();
    const weights = new Map(explanation.words.map(({ word, weight }) => [word, weight]));
    const places = [...explanation.places].sort((a, b) => a.from - b.from || b.to - a.to);
    const made: Piece[] = [];
    let at = 0;
    for (const { word, from, to } of places) {
        if (from < at || to > bytes.length) continue;
        if (from > at) made.push({ text: decoder.decode(bytes.subarray(at, from)) });
        const weight = weights.get(word);
        made.push({
            text: decoder.decode(bytes.subarray(from, to)),
            ...(weight === undefined ? {} : { word, weight }),
        });
        at = to;
    }
    if (at < bytes.length) made.push({ text: decoder.decode(bytes.subarray(at)) });
    return made;
}
