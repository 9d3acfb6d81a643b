// SPDX-License-Identifier: MIT
// Bar charts: probabilities from 0 to 1, and weights of evidence on both sides of a line.
import { drawing, label, svg } from "./draw";

const ROW = 34;

export interface Bar {
    name: string;
    value: number;
    /** The value for people. */
    text: string;
    color: string;
    /** By which a program finds the value. */
    data?: string;
    isStrong?: boolean;
}

/** Lengths by `most`, the value of a bar over the whole width. */
export function bars(width: number, title: string, items: Bar[], most: number): SVGElement {
    const names = Math.min(220, Math.round(width * 0.34));
    const room = width - names - 104;
    const rows = items.map(({ name, value, text, color, data, isStrong }, index) => {
        const middle = index * ROW + ROW / 2;
        const weight = isStrong === true ? 700 : 400;
        const length = most > 0 && Number.isFinite(value) ? Math.max(0, (value / most) * room) : 0;
        return svg(
            "g",
            {},
            label(name, names, {
                x: 0,
                y: middle,
                "dominant-baseline": "central",
                "font-weight": weight,
                class: "name",
            }),
            svg("rect", { x: names + 8, y: middle - 9, width: room, height: 18, rx: 4, class: "track" }),
            svg("rect", { x: names + 8, y: middle - 9, width: length, height: 18, rx: 4, fill: color }),
            svg(
                "text",
                {
                    x: width,
                    y: middle,
                    "text-anchor": "end",
                    "dominant-baseline": "central",
                    "font-weight": weight,
                    "data-value": value,
                    "data-name": data,
                },
                svg("title", {}, String(value)),
                text,
            ),
        );
    });
    return drawing(width, Math.max(1, items.length) * ROW, title, ...rows);
}

export interface Weight {
    name: string;
    /** In nats; null if it is infinite or unknown. */
    weight: number | null;
    /** The sign of an infinite weight. */
    sign?: number;
    text: string;
    data?: string;
}

/** Weights to the right favor one class, in its color, weights to the left the other class. */
export function evidence(width: number, title: string, items: Weight[], colors: [string, string]): SVGElement {
    const names = Math.min(260, Math.round(width * 0.36));
    const numbers = 96;
    const room = width - names - numbers - 16;
    const center = names + 8 + room / 2;
    const most = Math.max(1e-12, ...items.map(({ weight }) => Math.abs(weight ?? 0)));
    const rows = items.map(({ name, weight, sign = 0, text, data }, index) => {
        const middle = index * ROW + ROW / 2;
        const share = weight === null ? Math.sign(sign) : weight / most;
        const length = Math.abs(share) * (room / 2);
        const bar = svg("rect", {
            x: share < 0 ? center - length : center,
            y: middle - 9,
            width: length,
            height: 18,
            rx: 2,
            fill: share < 0 ? colors[1] : colors[0],
            // The other direction differs without color, too.
            "fill-opacity": share < 0 ? 0.55 : 1,
            stroke: share < 0 ? colors[1] : colors[0],
        });
        const value = { "data-value": weight ?? "", "data-name": data };
        return svg(
            "g",
            {},
            label(name, names, { x: 0, y: middle, "dominant-baseline": "central", class: "name" }),
            bar,
            svg("text", { x: width, y: middle, "text-anchor": "end", "dominant-baseline": "central", ...value }, text),
        );
    });
    const height = Math.max(1, items.length) * ROW;
    const line = svg("line", { x1: center, x2: center, y1: 0, y2: height, class: "zero" });
    return drawing(width, height, title, ...rows, line);
}
