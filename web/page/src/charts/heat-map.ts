// SPDX-License-Identifier: MIT
// Dependence of pairs of columns: darker squares are more dependent.
import { drawing, label, svg } from "./draw";
import { rounded } from "../shell/numbers";

export function heatMap(
    width: number,
    title: string,
    names: string[],
    valueOf: (a: string, b: string) => number | undefined,
): SVGElement {
    const left = Math.min(200, Math.round(width * 0.3));
    const cell = Math.max(8, Math.min(56, (width - left - 4) / Math.max(1, names.length)));
    const top = 8;
    const values = names.flatMap((a, i) => names.slice(0, i).map((b) => valueOf(a, b) ?? 0));
    const most = Math.max(1e-12, ...values);
    const parts: Element[] = [];
    names.forEach((a, i) => {
        const y = top + i * cell;
        parts.push(
            label(a, left, {
                x: left - 8,
                y: y + cell / 2,
                "text-anchor": "end",
                "dominant-baseline": "central",
                "font-size": Math.min(14, cell),
            }),
        );
        names.slice(0, i).forEach((b, j) => {
            const bits = valueOf(a, b);
            const share = (bits ?? 0) / most;
            parts.push(
                svg(
                    "rect",
                    {
                        x: left + j * cell,
                        y,
                        width: cell - 1.5,
                        height: cell - 1.5,
                        fill: "var(--accent)",
                        "fill-opacity": (0.05 + 0.95 * Math.max(0, share)).toFixed(3),
                        "data-name": `${b} with ${a}`,
                        "data-value": bits ?? "",
                    },
                    svg(
                        "title",
                        {},
                        `${b} with ${a}: ${bits === undefined ? "not measured" : `${rounded(bits)} bits`}`,
                    ),
                ),
            );
            if (cell >= 40 && bits !== undefined)
                parts.push(
                    svg(
                        "text",
                        {
                            x: left + (j + 0.5) * cell - 1,
                            y: y + cell / 2,
                            "text-anchor": "middle",
                            "dominant-baseline": "central",
                            "font-size": 12,
                            style: share > 0.45 ? "fill: var(--accent-ink)" : undefined,
                        },
                        rounded(Number(bits.toPrecision(2))),
                    ),
                );
        });
        const x = left + (i + 0.5) * cell;
        parts.push(
            label(
                a,
                90,
                {
                    x: 0,
                    y: 0,
                    transform: `translate(${x},${top + names.length * cell + 6}) rotate(35)`,
                    "font-size": Math.min(13, cell),
                    "dominant-baseline": "hanging",
                },
                13,
            ),
        );
    });
    return drawing(width, top + names.length * cell + 76, title, ...parts);
}
