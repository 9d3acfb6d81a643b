// SPDX-License-Identifier: MIT
// Keyboard navigation in the graph.
import type { NetworkReport } from "../reports";
import type { Layout, Place } from "./arrange";

/** The node that a key leads to: up to the nearest parent, down to the nearest child, sideways in the layer. */
export function moveFrom(key: string, name: string, network: NetworkReport, layout: Layout): string | undefined {
    const here = layout.places.find((place) => place.name === name);
    if (here === undefined) return undefined;
    const nearest = (places: Place[]): string | undefined =>
        places.sort((a, b) => distance(here, a) - distance(here, b))[0]?.name;
    const named = (names: string[]): Place[] => layout.places.filter((place) => names.includes(place.name));
    if (key === "ArrowUp") return nearest(named(network.nodes.find((node) => node.name === name)?.parents ?? []));
    if (key === "ArrowDown")
        return nearest(named(network.nodes.filter(({ parents }) => parents.includes(name)).map((child) => child.name)));
    const row = layout.places.filter(({ layer }) => layer === here.layer).sort((a, b) => a.y - b.y || a.x - b.x);
    const at = row.indexOf(here);
    if (key === "ArrowLeft") return row[at - 1]?.name;
    if (key === "ArrowRight") return row[at + 1]?.name;
    const all = [...layout.places].sort((a, b) => a.y - b.y || a.x - b.x);
    if (key === "Home") return all[0]?.name;
    if (key === "End") return all.at(-1)?.name;
    if (key === "PageDown") return all[all.indexOf(here) + 1]?.name;
    if (key === "PageUp") return all[all.indexOf(here) - 1]?.name;
    return undefined;
}

function distance(a: Place, b: Place): number {
    return Math.hypot(a.x - b.x, a.y - b.y);
}

/** Keys on a state of a node: whether the key had a meaning. */
export function moveInStates(
    key: string,
    state: SVGElement,
    back: () => void,
    set: (name: string, state: string) => void,
    name: string,
): boolean {
    const siblings = [...(state.parentElement?.querySelectorAll<SVGElement>("[data-state]") ?? [])];
    const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
    if (step !== 0) siblings[siblings.indexOf(state) + step]?.focus({ preventScroll: true });
    else if (key === "Enter" || key === " ") set(name, state.dataset.state ?? "");
    else if (key === "Escape") back();
    else return false;
    return true;
}
