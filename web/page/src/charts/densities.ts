// SPDX-License-Identifier: MIT
// Densities of a numeric column by class, above the decision regions of this column.
import { classColor, classDash } from "./colors";
import { drawing, label, svg } from "./draw";
import { rounded } from "../shell/numbers";

export interface Curves {
    discrete: boolean;
    x: number[];
    densities: Record<string, number[]>;
    regions: { from: number; to: number; class: string }[];
    cut_points: number[];
}

/** A path through points, of whole numbers by steps. */
function path(xs: number[], ys: number[], toX: (x: number) => number, toY: (y: number) => number): string {
    return xs.map((x, i) => `${i === 0 ? "M" : "L"}${toX(x).toFixed(2)},${toY(ys[i] ?? 0).toFixed(2)}`).join("");
}

export function ticks(from: number, to: number, about: number): number[] {
    if (!(to > from)) return [from];
    const rough = (to - from) / about;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough;
    const found: number[] = [];
    for (let k = Math.ceil(from / step); k * step <= to + step * 1e-9; k++)
        found.push(Number((k * step).toPrecision(12)));
    return found;
}

/** The highest density of any class, without what single narrow peaks would flatten the rest by. */
export function highest(curves: Curves): number {
    const tops = Object.values(curves.densities).map((ys) => Math.max(0, ...ys.filter(Number.isFinite)));
    return Math.max(1e-300, ...tops);
}

export function densities(width: number, title: string, curves: Curves, classes: string[], height = 320): SVGElement {
    const left = 8;
    const bottom = 64;
    const { x, regions, cut_points: cuts } = curves;
    const from = x[0] ?? 0;
    const to = x.at(-1) ?? 1;
    const top = highest(curves);
    const toX = (value: number): number => left + ((value - from) / (to - from || 1)) * (width - 2 * left);
    const toY = (value: number): number => 12 + (1 - value / top) * (height - bottom - 12);
    const base = height - bottom;
    const parts: Element[] = [];
    for (const region of regions) {
        const index = classes.indexOf(region.class);
        const at = toX(region.from);
        const size = Math.max(0, toX(region.to) - at);
        parts.push(
            svg("rect", { x: at, y: 8, width: size, height: base - 8, fill: classColor(index), "fill-opacity": 0.08 }),
            svg("rect", { x: at, y: base + 4, width: size, height: 10, fill: classColor(index) }),
        );
        if (size > 60)
            parts.push(
                label(
                    region.class,
                    size - 6,
                    { x: at + size / 2, y: base + 28, "text-anchor": "middle", class: "quiet" },
                    13,
                ),
            );
    }
    let end = -Infinity;
    let line = 0;
    for (const cut of cuts) {
        const text = rounded(cut);
        // A label that would overlap the last one is placed below it.
        line = toX(cut) < end ? line + 1 : 0;
        end = toX(cut) + 8 + text.length * 7;
        const place = { x: toX(cut) + 3, y: 20 + 15 * (line % 4), class: "quiet", "font-size": 12 };
        parts.push(
            svg("line", { x1: toX(cut), x2: toX(cut), y1: 8, y2: base + 14, class: "cut", "data-value": cut }),
            svg("text", { ...place, "data-name": "cut", "data-value": cut }, text),
        );
    }
    classes.forEach((name, index) => {
        const ys = curves.densities[name];
        if (ys === undefined) return;
        if (curves.discrete)
            x.forEach((value, i) => {
                const shift = (index - (classes.length - 1) / 2) * 4;
                parts.push(
                    svg("line", {
                        x1: toX(value) + shift,
                        x2: toX(value) + shift,
                        y1: base,
                        y2: toY(ys[i] ?? 0),
                        stroke: classColor(index),
                        "stroke-width": 3,
                        "stroke-dasharray": classDash(index),
                    }),
                );
            });
        else
            parts.push(
                svg("path", {
                    d: path(x, ys, toX, toY),
                    fill: "none",
                    stroke: classColor(index),
                    "stroke-width": 2.5,
                    "stroke-dasharray": classDash(index),
                    "data-class": name,
                }),
            );
    });
    parts.push(svg("line", { x1: left, x2: width - left, y1: base, y2: base, class: "axis" }));
    for (const tick of ticks(from, to, Math.max(3, width / 90)))
        parts.push(
            svg("line", { x1: toX(tick), x2: toX(tick), y1: base, y2: base + 4, class: "axis" }),
            svg(
                "text",
                { x: toX(tick), y: height - 12, "text-anchor": "middle", class: "quiet", "font-size": 14 },
                rounded(tick),
            ),
        );
    return drawing(width, height, title, ...parts);
}
