// SPDX-License-Identifier: MIT
// The layout of a network: layers, with parents above their children. Layers that would be very wide are folded into rows.
import { Graph, layout as arrange } from "@dagrejs/dagre";
import { between, MARGIN, round, withBounds, type Layout, type Place } from "./arrange";
import type { Box } from "./shapes";

const GAP = 26;
const LAYER_GAP = 52;

/** The middles of boxes one below the other, as dagre has them, grouped into layers from the top. */
function layersOf(places: Place[]): Place[][] {
    const byHeight = new Map<number, Place[]>();
    for (const place of places) {
        const at = Math.round(place.y);
        byHeight.set(at, [...(byHeight.get(at) ?? []), place]);
    }
    const layers = [...byHeight].sort(([a], [b]) => a - b).map(([, layer]) => layer.sort((a, b) => a.x - b.x));
    layers.forEach((layer, index) => layer.forEach((place) => (place.layer = index)));
    return layers;
}

/** Each layer in as many rows as the width allows, one below the other. */
function fold(layers: Place[][], width: number): { width: number; height: number } {
    let y = MARGIN;
    for (const layer of layers) {
        const total = layer.reduce((sum, { width: own }) => sum + own + GAP, 0);
        const rows = Math.max(1, Math.ceil(total / width));
        const each = Math.ceil(layer.length / rows);
        for (let row = 0; row * each < layer.length; row++) {
            const boxes = layer.slice(row * each, (row + 1) * each);
            const used = boxes.reduce((sum, box) => sum + box.width + GAP, -GAP);
            const tallest = Math.max(...boxes.map(({ height }) => height));
            let x = MARGIN + Math.max(0, (width - used) / 2);
            for (const box of boxes) {
                box.x = x + box.width / 2;
                box.y = y + tallest / 2;
                x += box.width + GAP;
            }
            y += tallest + GAP / 2;
        }
        y += LAYER_GAP;
    }
    return { width: width + 2 * MARGIN, height: y - LAYER_GAP + MARGIN };
}

/** A smooth line through the points that dagre leads an arc by. */
function smooth(points: { x: number; y: number }[]): string {
    const [first, ...rest] = points;
    const last = rest.at(-1);
    if (first === undefined || last === undefined) return "";
    let path = `M${round(first.x)},${round(first.y)}`;
    for (let i = 0; i + 1 < rest.length; i++) {
        const at = rest[i];
        const next = rest[i + 1];
        if (at === undefined || next === undefined) continue;
        const isLast = i + 2 === rest.length;
        const x = isLast ? next.x : (at.x + next.x) / 2;
        const y = isLast ? next.y : (at.y + next.y) / 2;
        path += `Q${round(at.x)},${round(at.y)} ${round(x)},${round(y)}`;
    }
    return rest.length === 1 ? `${path}L${round(last.x)},${round(last.y)}` : path;
}

export function layoutOf(boxes: Box[], arcs: [number, number][]): Layout {
    const graph = new Graph();
    const isLarge = boxes.length > 100;
    graph.setGraph({
        rankdir: "TB",
        nodesep: GAP,
        ranksep: LAYER_GAP,
        marginx: MARGIN,
        marginy: MARGIN,
        ranker: isLarge ? "tight-tree" : "network-simplex",
    });
    graph.setDefaultEdgeLabel(() => ({}));
    boxes.forEach(({ width, height }, index) => graph.setNode(String(index), { width, height }));
    for (const [parent, child] of arcs) graph.setEdge(String(parent), String(child));
    arrange(graph);
    const places = boxes.map((box, index): Place => {
        const { x, y } = graph.node(String(index)) as { x: number; y: number };
        return { ...box, x, y, layer: 0 };
    });
    const layers = layersOf(places);
    const drawn = graph.graph() as { width: number; height: number };
    const area = places.reduce((sum, { width, height }) => sum + (width + GAP) * (height + LAYER_GAP), 0);
    if (boxes.length > 40 && drawn.width > 3 * drawn.height) {
        const size = fold(layers, Math.max(900, Math.sqrt(2 * area)));
        return withBounds({
            places,
            arcs,
            paths: arcs.map(([a, b]) => between(places, a, b)),
            left: 0,
            top: 0,
            ...size,
        });
    }
    const paths = arcs.map(([a, b]) => {
        const edge = graph.edge(String(a), String(b)) as { points?: { x: number; y: number }[] } | undefined;
        return edge?.points === undefined ? between(places, a, b) : smooth(edge.points);
    });
    return withBounds({ places, arcs, paths, left: 0, top: 0, width: drawn.width, height: drawn.height });
}
