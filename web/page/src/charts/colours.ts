// SPDX-License-Identifier: MIT
// Colors, dashes and symbols of classes by their order, the same in every picture. Dashes and symbols distinguish classes
// without colour.

const COLOURS = 8;
const DASHES = ["", "7 4", "2 3", "9 3 2 3", "4 2", "12 4", "1 3", "9 3 2 3 2 3"];
export const SYMBOLS = ["circle", "triangle", "square", "diamond", "cross", "star", "wye", "hexagon"] as const;

export function classColour(index: number): string {
    return `var(--series-${(index % COLOURS) + 1})`;
}

export function classDash(index: number): string {
    return DASHES[(index + Math.floor(index / COLOURS)) % DASHES.length] ?? "";
}

export function classSymbol(index: number): (typeof SYMBOLS)[number] {
    return SYMBOLS[(index + Math.floor(index / COLOURS)) % SYMBOLS.length] ?? "circle";
}

/** The current value of a color in the style sheet, for canvases. */
export function resolvedColour(colour: string): string {
    const name = /^var\((--[\w-]+)\)$/.exec(colour)?.[1];
    return name === undefined ? colour : getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
