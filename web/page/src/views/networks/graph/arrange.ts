// SPDX-License-Identifier: MIT
// A layout: places of nodes and paths of arcs. It needs no library, unlike finding one.
import type { Box } from "./shapes";

export interface Place extends Box {
    /** The middle of the box. */
    x: number;
    y: number;
    layer: number;
}

export interface Layout {
    places: Place[];
    /** SVG paths of the arcs, in the order of `arcs`. */
    paths: string[];
    arcs: [parent: number, child: number][];
    /** The box around all nodes, with a margin. */
    left: number;
    top: number;
    width: number;
    height: number;
}

export const MARGIN = 24;

export function round(value: number): number {
    return Math.round(value * 10) / 10;
}

/** The same layout with the box around its nodes. */
export function withBounds(layout: Layout): Layout {
    const { places } = layout;
    if (places.length === 0) return layout;
    const left = Math.min(...places.map(({ x, width }) => x - width / 2)) - MARGIN;
    const top = Math.min(...places.map(({ y, height }) => y - height / 2)) - MARGIN;
    const right = Math.max(...places.map(({ x, width }) => x + width / 2)) + MARGIN;
    const bottom = Math.max(...places.map(({ y, height }) => y + height / 2)) + MARGIN;
    return { ...layout, left, top, width: right - left, height: bottom - top };
}

/** An arc from the lower side of a box to the upper side of one below it, otherwise between the nearest sides. */
function curve(from: Place, to: Place): string {
    const isBelow = to.y - to.height / 2 >= from.y + from.height / 2;
    const isBeside = Math.abs(to.x - from.x) > (from.width + to.width) / 2;
    if (!isBelow && isBeside) {
        const way = Math.sign(to.x - from.x);
        const start = from.x + (way * from.width) / 2;
        const end = to.x - (way * to.width) / 2;
        const bend = way * Math.max(20, Math.abs(end - start) / 2);
        return `M${round(start)},${round(from.y)}C${round(start + bend)},${round(from.y)} ${round(end - bend)},${round(to.y)} ${round(end)},${round(to.y)}`;
    }
    const way = isBelow || to.y > from.y ? 1 : -1;
    const start = from.y + (way * from.height) / 2;
    const end = to.y - (way * to.height) / 2;
    const bend = way * Math.max(20, Math.abs(end - start) / 2);
    return `M${round(from.x)},${round(start)}C${round(from.x)},${round(start + bend)} ${round(to.x)},${round(end - bend)} ${round(to.x)},${round(end)}`;
}

/** The path of an arc between two places. */
export function between(places: Place[], a: number, b: number): string {
    const from = places[a];
    const to = places[b];
    return from === undefined || to === undefined ? "" : curve(from, to);
}
