// SPDX-License-Identifier: MIT
// A text with its words marked by their weight of evidence: color and underline for the class, depth for the weight, and the number
// for a word under the pointer or with the focus.
import type { JSX } from "preact";
import { classColor } from "../../charts/colors";
import { rounded } from "../../shell/numbers";
import { pieces } from "./marked";
import type { TextExplanation } from "./reports";

interface Props {
    text: string;
    explanation: TextExplanation;
    classes: string[];
}

export function MarkedText({ text, explanation, classes }: Props): JSX.Element {
    const most = Math.max(1e-9, ...explanation.words.map(({ weight }) => Math.abs(weight)));
    return (
        <p class="marked-text">
            {pieces(text, explanation).map(({ text: part, word, weight }, index) => {
                if (word === undefined || weight === undefined || weight === 0) return <span key={index}>{part}</span>;
                const side = weight > 0 ? explanation.for : explanation.against;
                const color = classColor(Math.max(0, classes.indexOf(side)));
                const depth = Math.round(8 + (37 * Math.abs(weight)) / most);
                const nats = `${weight > 0 ? "+" : ""}${rounded(weight)}`;
                return (
                    <mark
                        key={index}
                        tabIndex={0}
                        role="note"
                        class={weight > 0 ? "word for" : "word against"}
                        data-value={weight}
                        data-word={word}
                        data-nats={`${nats} ${side}`}
                        aria-label={`${part}: ${rounded(Math.abs(weight))} nats for ${side}`}
                        style={{
                            background: `color-mix(in srgb, ${color} ${depth}%, var(--ground))`,
                            textDecorationColor: color,
                        }}
                    >
                        {part}
                    </mark>
                );
            })}
        </p>
    );
}
