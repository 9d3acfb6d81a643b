// SPDX-License-Identifier: MIT
// Colors, dashes and symbols of classes by their order, the same in every picture. Dashes and symbols distinguish classes
// without color.

const COLORS = 8;
const DASHES = ["", "7 4", "2 3", "9 3 2 3", "4 2", "12 4", "1 3", "9 3 2 3 2 3"];
export const SYMBOLS = ["circle", "triangle", "square", "diamond", "cross", "star", "wye", "hexagon"] as const;

export function classColor(index: number): string {
    return `var(--series-${(index % COLORS) + 1})`;
}

export function classDash(index: number): string {
    return DASHES[(index + Math.floor(index / COLORS)) % DASHES.length] ?? "";
}

export function classSymbol(index: number): (typeof SYMBOLS)[number] {
    return SYMBOLS[(index + Math.floor(index / COLORS)) % SYMBOLS.length] ?? "circle";
}

/** The current value of a color in the style sheet, for canvases. */
export function resolvedColor(color: string): string {
    const name = /^var\((--[\w-]+)\)$/.exec(color)?.[1];
    return name === undefined ? color : getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
