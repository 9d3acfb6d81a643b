// SPDX-License-Identifier: MIT
// A probability: typed as the command reads it (.98, 2/8, 25%), or moved by a slider.
import type { JSX } from "preact";
import { fieldNumber } from "./bayes-problem";

interface Props {
    label: string;
    value: string;
    change(text: string): void;
}

export function Probability({ label, value, change }: Props): JSX.Element {
    const number = fieldNumber(value);
    return (
        <div class="probability">
            <label>
                <span>{label}</span>
                <input
                    type="text"
                    inputMode="decimal"
                    size={7}
                    value={value}
                    onInput={(event) => change(event.currentTarget.value)}
                />
            </label>
            <input
                type="range"
                min="0"
                max="1"
                step="0.001"
                aria-label={`${label}, slider`}
                value={Number.isFinite(number) ? number : 0}
                onInput={(event) => change(event.currentTarget.value)}
            />
        </div>
    );
}
