// SPDX-License-Identifier: MIT
// The density of a continuous node: of the mixture of normal distributions that its posterior is, over the range of both curves.
import type { JSX } from "preact";
import { rounded } from "../../../shell/numbers";
import type { NumberPosterior } from "../reports";

interface Props {
    now: NumberPosterior;
    before: NumberPosterior | undefined;
    x: number;
    y: number;
    width: number;
    height: number;
}

const STEPS = 60;

/** Heights of the curve, only for drawing: the numbers next to it are computed by the command. */
function heights(mixture: NumberPosterior, from: number, to: number): number[] {
    const least = (to - from) / STEPS;
    return Array.from({ length: STEPS + 1 }, (_, index) => {
        const at = from + ((to - from) * index) / STEPS;
        return mixture.components.reduce((sum, { weight, mean, variance }) => {
            const deviation = Math.max(Math.sqrt(variance), least);
            return sum + (weight / deviation) * Math.exp(-0.5 * ((at - mean) / deviation) ** 2);
        }, 0);
    });
}

export function DensityCurve({ now, before, x, y, width, height }: Props): JSX.Element {
    const ends = [now, before ?? now].flatMap((mixture) => {
        const wide = Math.max(mixture.sd, Math.abs(mixture.mean) * 1e-6, 1e-12);
        return [mixture.mean - 3 * wide, mixture.mean + 3 * wide];
    });
    const from = Math.min(...ends);
    const to = Math.max(...ends);
    const room = height - 16;
    const line = (values: number[], top: number): string =>
        values
            .map(
                (value, i) =>
                    `${i === 0 ? "M" : "L"}${(x + (width * i) / STEPS).toFixed(1)},${(y + room * (1 - value / top)).toFixed(1)}`,
            )
            .join("");
    const current = heights(now, from, to);
    const top = Math.max(...current);
    const last = before === undefined ? undefined : heights(before, from, to);
    return (
        <g class="density">
            <path class="bar" d={`${line(current, top)}L${x + width},${y + room}L${x},${y + room}Z`} />
            {last !== undefined && <path class="bar-before" fill="none" d={line(last, Math.max(top, ...last))} />}
            <text class="state-value" x={x + width / 2} y={y + height - 2} text-anchor="middle" data-value={now.mean}>
                {now.sd === 0 ? rounded(now.mean) : `${rounded(now.mean)} ± ${rounded(now.sd)}`}
            </text>
        </g>
    );
}
