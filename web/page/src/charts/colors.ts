// SPDX-License-Identifier: MIT
// Colors, dashes and symbols of classes by their order, the same in every picture. Dashes and symbols distinguish classes
// without color.

const COLORS = 8;
/** More classes take the colors again, darker and then lighter. */
const TURNS = ["--ink", "--ground"];
const DASHES = ["", "7 4", "2 3", "9 3 2 3", "4 2", "12 4", "1 3", "9 3 2 3 2 3"];
export const SYMBOLS = ["circle", "triangle", "square", "diamond", "cross", "star", "wye", "hexagon"] as const;

export function classColor(index: number): string {
    const color = `var(--series-${(index % COLORS) + 1})`;
    const turn = Math.floor(index / COLORS) % (TURNS.length + 1);
    return turn === 0 ? color : `color-mix(in srgb, ${color} 55%, var(${TURNS[turn - 1]}))`;
}

export function classDash(index: number): string {
    return DASHES[(index + Math.floor(index / COLORS)) % DASHES.length] ?? "";
}

export function classSymbol(index: number): (typeof SYMBOLS)[number] {
    return SYMBOLS[(index + Math.floor(index / COLORS)) % SYMBOLS.length] ?? "circle";
}

/** The current value of a color in the style sheet, for canvases. */
export function resolvedColor(color: string): string {
    const style = getComputedStyle(document.documentElement);
    return color.replace(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim());
}
