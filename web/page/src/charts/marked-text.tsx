// SPDX-License-Identifier: MIT
// A text with its informative words marked: the color and the line below a word show the class that it favors, its title the weight.
import type { JSX } from "preact";
import { rounded } from "../shell/numbers";

interface Props {
    text: string;
    words: { word: string; weight: number | null }[];
    /** In bytes of UTF-8. */
    places: { word: string; from: number; to: number }[];
    /** The class that positive weights favor, and the other class. */
    pair: [string, string];
    colors: [string, string];
}

interface Piece {
    text: string;
    weight: number | null | undefined;
}

/** If words overlap, such as word pairs, the first one is marked. */
function pieces(text: string, words: Props["words"], places: Props["places"]): Piece[] {
    const bytes = new TextEncoder().encode(text);
    const decode = (from: number, to: number): string => new TextDecoder().decode(bytes.subarray(from, to));
    const weights = new Map(words.map(({ word, weight }) => [word, weight]));
    const found: Piece[] = [];
    let at = 0;
    for (const { word, from, to } of [...places].sort((a, b) => a.from - b.from)) {
        if (from < at || to > bytes.length) continue;
        if (from > at) found.push({ text: decode(at, from), weight: undefined });
        found.push({ text: decode(from, to), weight: weights.get(word) });
        at = to;
    }
    if (at < bytes.length) found.push({ text: decode(at, bytes.length), weight: undefined });
    return found;
}

export function MarkedText({ text, words, places, pair, colors }: Props): JSX.Element {
    const most = Math.max(1e-9, ...words.map(({ weight }) => Math.abs(weight ?? 0)));
    return (
        <p class="marked-text">
            {pieces(text, words, places).map(({ text: piece, weight }, index) => {
                if (weight === undefined || weight === null || weight === 0) return piece;
                const isFor = weight > 0;
                const color = isFor ? colors[0] : colors[1];
                const share = Math.round(8 + 32 * (Math.abs(weight) / most));
                const title = `${rounded(Math.abs(weight))} nats for ${isFor ? pair[0] : pair[1]}`;
                return (
                    <mark
                        key={index}
                        title={title}
                        style={{
                            background: `color-mix(in srgb, ${color} ${share}%, transparent)`,
                            textDecoration: `underline ${isFor ? "solid" : "wavy"} ${color} 2px`,
                        }}
                    >
                        {piece}
                        <span class="unseen"> ({title})</span>
                    </mark>
                );
            })}
        </p>
    );
}
