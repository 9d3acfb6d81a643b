// SPDX-License-Identifier: MIT
// A nomogram: scales of points for each attribute; the sum of points is a probability.
import type { Nomogram, NomogramScale } from "../views/ask/reports";
import { drawing, label, svg } from "./draw";
import { ticks } from "./densities";
import { rounded } from "../shell/numbers";

const ROW = 58;
const ROOM = 46;

interface Mark {
    at: number;
    text: string;
}

/** A number whose points first rise and then fall, or the other way round, has a scale for each direction: on one they would lie on each other. */
function directions(scale: NomogramScale): NomogramScale[] {
    const { x = [], points = [] } = scale;
    if (scale.values !== undefined) return [scale];
    const found: NomogramScale[] = [];
    let from = 0;
    let last = 0;
    for (let i = 1; i <= points.length; i++) {
        const step = Math.sign((points[i] ?? NaN) - (points[i - 1] ?? NaN));
        if (i < points.length && !(step * last < 0)) {
            last = step || last;
            continue;
        }
        found.push({ ...scale, x: x.slice(from, i), points: points.slice(from, i) });
        from = i - 1;
        last = step;
    }
    return found;
}

/** Marks of a numeric scale: round numbers, with points interpolated between the computed ones. */
function numberMarks({ x = [], points = [] }: NomogramScale): Mark[] {
    const from = x[0] ?? 0;
    const to = x.at(-1) ?? 0;
    const marks: Mark[] = [];
    for (const tick of ticks(from, to, 8)) {
        const above = x.findIndex((value) => value >= tick);
        const a = points[Math.max(0, above - 1)];
        const b = points[above];
        if (a === undefined || b === undefined || a === null || b === null) continue;
        const x0 = x[Math.max(0, above - 1)] ?? tick;
        const x1 = x[above] ?? tick;
        marks.push({ at: x1 > x0 ? a + ((b - a) * (tick - x0)) / (x1 - x0) : b, text: rounded(tick) });
    }
    return marks;
}

function marksOf(scale: NomogramScale, most: number): Mark[] {
    if (scale.values === undefined) return numberMarks(scale);
    return scale.values.map(({ value, points, rules_out: out }) => ({
        at: points ?? (out === undefined ? 0 : most),
        text: out === undefined ? value : `${value} (rules out ${out})`,
    }));
}

/** Adjacent labels alternate between both sides of the line. A label that would overlap is only a title. */
function scaleOf(y: number, marks: Mark[], extent: number[], toX: (points: number) => number): Element[] {
    const ends = [-Infinity, -Infinity];
    const sorted = [...marks].sort((a, b) => a.at - b.at);
    const reached = [...extent, ...sorted.map(({ at }) => at)];
    const first = Math.min(...reached);
    const last = Math.max(...reached);
    const parts: Element[] = [svg("line", { x1: toX(first), x2: toX(last), y1: y, y2: y, class: "axis" })];
    for (const { at, text } of sorted) {
        const x = toX(at);
        const half = Math.min(60, text.length * 3.6);
        const side = x - half > (ends[0] ?? 0) + 6 ? 0 : x - half > (ends[1] ?? 0) + 6 ? 1 : -1;
        parts.push(
            svg(
                "line",
                { x1: x, x2: x, y1: y - 5, y2: y + 5, class: "axis", "data-value": at },
                svg("title", {}, text),
            ),
        );
        if (side < 0) continue;
        ends[side] = x + half;
        parts.push(
            label(text, 120, { x, y: side === 0 ? y - 10 : y + 18, "text-anchor": "middle", "font-size": 13 }, 13),
        );
    }
    return parts;
}

export function nomogram(width: number, title: string, of: Nomogram, scales: NomogramScale[]): SVGElement {
    const names = Math.min(180, Math.round(width * 0.26));
    const most = 100;
    const toX = (points: number): number => names + 12 + (points / most) * (width - names - ROOM);
    const parts: Element[] = [];
    const row = (
        index: number,
        name: string,
        marks: Mark[],
        place: (points: number) => number,
        extent: number[] = [],
    ): void => {
        const y = index * ROW + 30;
        parts.push(label(name, names, { x: 0, y, "dominant-baseline": "central", "font-weight": 600 }));
        if (marks.length > 0) parts.push(...scaleOf(y, marks, extent, place));
    };
    row(
        0,
        "Points",
        ticks(0, most, 10).map((at) => ({ at, text: rounded(at) })),
        toX,
    );
    const rows = scales.flatMap((scale) =>
        directions(scale).map((one, index) => ({ scale: one, name: index === 0 ? scale.attribute : "" })),
    );
    const finite = ({ points = [] }: NomogramScale): number[] => points.filter((one) => one !== null);
    rows.forEach(({ scale, name }, index) => row(index + 1, name, marksOf(scale, most), toX, finite(scale)));
    const total = Math.max(1, of.most_points);
    const toTotal = (points: number): number => names + 12 + (points / total) * (width - names - ROOM);
    row(
        rows.length + 1,
        "Total points",
        ticks(0, total, 10).map((at) => ({ at, text: rounded(at) })),
        toTotal,
    );
    const reachable = of.probabilities.filter(({ points }) => points >= 0 && points <= total);
    row(
        rows.length + 2,
        `P(${of.class})`,
        reachable.map(({ points, probability }) => ({ at: points, text: String(probability) })),
        toTotal,
    );
    return drawing(width, (rows.length + 3) * ROW, title, ...parts);
}
