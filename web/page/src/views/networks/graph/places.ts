// SPDX-License-Identifier: MIT
// Where the user put nodes. A link contains the places, so that they are kept and undone with everything else.
import type { NetworkReport } from "../reports";
import type { Point } from "./use-pan-zoom";
import { between, withBounds, type Layout } from "./arrange";

export type Places = ReadonlyMap<string, Point>;

export function parsePlaces(text: string | null): Places {
    const places = new Map<string, Point>();
    for (const item of (text ?? "").split(";")) {
        const [name = "", x, y] = item.split("~");
        if (Number.isFinite(Number(x)) && Number.isFinite(Number(y)) && y !== undefined)
            places.set(decodeURIComponent(name), { x: Number(x), y: Number(y) });
    }
    return places;
}

export function placesText(places: Places): string {
    const item = ([name, { x, y }]: [string, Point]): string =>
        `${encodeURIComponent(name)}~${Math.round(x)}~${Math.round(y)}`;
    return [...places].map(item).join(";");
}

/** The layout with nodes at the places of the user. Arcs of moved nodes are drawn again. */
export function movedLayout(layout: Layout, places: Places): Layout {
    if (places.size === 0) return layout;
    const moved = layout.places.map((place) => {
        const to = places.get(place.name);
        return to === undefined || (to.x === place.x && to.y === place.y) ? place : { ...place, ...to };
    });
    const paths = layout.arcs.map(([a, b], index) =>
        moved[a] === layout.places[a] && moved[b] === layout.places[b]
            ? (layout.paths[index] ?? "")
            : between(moved, a, b),
    );
    return withBounds({ ...layout, places: moved, paths });
}

/** Networks of more nodes than these are arranged again after each change. */
const MOST_PLACED = 60;
const BELOW = 90;

/** Nodes stay where they are after a change, also if it renames one. A new node is below the others if it has no place of its own. */
export function placesAfter(
    before: NetworkReport,
    after: NetworkReport,
    layout: Layout,
    places: Places,
    at: Point | undefined,
): Places {
    // Without places of the user, the whole graph is arranged again.
    if (after.nodes.length > MOST_PLACED || (places.size === 0 && at === undefined)) return places;
    const shown = movedLayout(layout, places);
    const known = new Map(shown.places.map(({ name, x, y }): [string, Point] => [name, { x, y }]));
    const isRenamed = before.nodes.length === after.nodes.length;
    const fresh = at ?? { x: shown.left + shown.width / 2, y: shown.top + shown.height + BELOW };
    return new Map(
        after.nodes.map(({ name }, index): [string, Point] => [
            name,
            known.get(name) ?? (isRenamed ? known.get(before.nodes[index]?.name ?? "") : undefined) ?? fresh,
        ]),
    );
}
