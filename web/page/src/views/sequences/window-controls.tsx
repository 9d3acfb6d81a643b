// SPDX-License-Identifier: MIT
// Controls for the visible steps of a long sequence: the first step, their number, and the selected step.
import type { JSX } from "preact";
import { changeParams } from "../../shell/route";
import type { Step } from "./reports";

/** Steps that are drawn at most. */
export const MOST_STEPS = 2000;

export interface Window {
    from: number;
    count: number;
}

export function windowOf(params: URLSearchParams, length: number): Window {
    const asked = Number(params.get("count") ?? "0") || Math.min(length, 120);
    const count = Math.max(1, Math.min(Math.round(asked), length, MOST_STEPS));
    const from = Math.round(Number(params.get("from") ?? "1") || 1) - 1;
    return { from: Math.max(0, Math.min(from, length - count)), count };
}

interface Props {
    steps: Step[];
    shown: Window;
    selected: Step | undefined;
}

export function WindowControls({ steps, shown, selected }: Props): JSX.Element {
    const { from, count } = shown;
    const move = (to: number): void =>
        changeParams({ from: String(Math.max(1, Math.min(to, steps.length - count) + 1)) });
    const zoom = (to: number): void => {
        const next = Math.max(5, Math.min(to, steps.length, MOST_STEPS));
        const center = from + count / 2;
        changeParams({ count: String(next), from: String(Math.max(1, Math.round(center - next / 2) + 1)) });
    };
    const isLong = steps.length > 10;
    return (
        <div class="window-controls">
            {isLong && (
                <>
                    <button type="button" disabled={from === 0} onClick={() => move(from - Math.ceil(count / 2))}>
                        Earlier
                    </button>
                    <button
                        type="button"
                        disabled={from + count >= steps.length}
                        onClick={() => move(from + Math.ceil(count / 2))}
                    >
                        Later
                    </button>
                    <button type="button" disabled={count <= 5} onClick={() => zoom(Math.floor(count / 2))}>
                        Zoom in
                    </button>
                    <button
                        type="button"
                        disabled={count >= Math.min(steps.length, MOST_STEPS)}
                        onClick={() => zoom(count * 2)}
                    >
                        Zoom out
                    </button>
                    <span>
                        Steps {from + 1} to {from + count} of {steps.length.toLocaleString("en")}
                    </span>
                </>
            )}
            <label>
                Step
                <input
                    type="range"
                    min="1"
                    max={steps.length}
                    value={selected?.step ?? 1}
                    onInput={(event) => {
                        const step = Number(event.currentTarget.value);
                        const isOutside = step - 1 < from || step - 1 >= from + count;
                        changeParams({
                            step: String(step),
                            ...(isOutside ? { from: String(Math.max(1, step - Math.floor(count / 2))) } : {}),
                        });
                    }}
                />
            </label>
        </div>
    );
}
