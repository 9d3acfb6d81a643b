// SPDX-License-Identifier: MIT
// A conditional table as bars: of each value a bar for each class.
import { classColor } from "./colors";
import { drawing, label, svg } from "./draw";
import { rounded } from "../shell/numbers";

export interface TableRow {
    value: string;
    probability: Record<string, number>;
}

const BAR = 16;

export function tableBars(width: number, title: string, rows: TableRow[], classes: string[]): SVGElement {
    const names = Math.min(220, Math.round(width * 0.3));
    const room = width - names - 80;
    const group = classes.length * BAR + 14;
    const parts = rows.map(({ value, probability }, at) =>
        svg(
            "g",
            {},
            label(value, names, { x: 0, y: at * group + (classes.length * BAR) / 2, "dominant-baseline": "central" }),
            ...classes.flatMap((name, index) => {
                const p = probability[name] ?? 0;
                const y = at * group + index * BAR;
                const number = {
                    "data-name": `${value} | ${name}`,
                    "data-value": p,
                    "font-size": 12.5,
                    class: "quiet",
                };
                return [
                    svg(
                        "rect",
                        {
                            x: names + 8,
                            y,
                            width: Math.max(0.5, p * room),
                            height: BAR - 3,
                            rx: 2,
                            fill: classColor(index),
                        },
                        svg("title", {}, `P(${value} | ${name}) = ${rounded(p)}`),
                    ),
                    svg(
                        "text",
                        { x: names + 14 + p * room, y: y + BAR / 2, "dominant-baseline": "central", ...number },
                        rounded(p),
                    ),
                ];
            }),
        ),
    );
    return drawing(width, Math.max(1, rows.length * group), title, ...parts);
}
