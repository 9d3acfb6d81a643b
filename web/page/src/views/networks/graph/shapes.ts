// SPDX-License-Identifier: MIT
// Sizes and contents of nodes.
import type { NetworkNode } from "../reports";

export const HEAD = 28;
export const ROW = 21;
export const PADDING = 7;
export const STRIP = 26;
const CURVE = 58;
const MOST_ROWS = 6;
/** Networks of more nodes than these have small boxes. */
const SMALL_FROM = 60;

/** Rows of states with their bars, one bar each side by side, a density, or no more than the name. */
export type Drawing = "rows" | "strip" | "curve" | "name";

export interface Box {
    name: string;
    drawing: Drawing;
    width: number;
    height: number;
}

export function boxOf(node: NetworkNode, isSmall: boolean): Box {
    const drawing: Drawing =
        node.kind === "utility"
            ? "name"
            : node.kind === "gaussian"
              ? "curve"
              : isSmall || node.states.length > MOST_ROWS
                ? "strip"
                : "rows";
    const letters = Math.max(node.name.length * 1.12, drawing === "rows" ? longest(node.states) * 1.3 + 16 : 0);
    const width = Math.round(Math.min(isSmall ? 200 : 250, Math.max(isSmall ? 110 : 180, letters * 8 + 24)));
    const body =
        drawing === "rows" ? node.states.length * ROW : drawing === "strip" ? STRIP : drawing === "curve" ? CURVE : 0;
    return { name: node.name, drawing, width, height: HEAD + body + (body > 0 ? PADDING : 4) };
}

function longest(texts: string[]): number {
    return texts.reduce((length, text) => Math.max(length, text.length), 0);
}

export function boxesOf(nodes: NetworkNode[]): Box[] {
    return nodes.map((node) => boxOf(node, nodes.length > SMALL_FROM));
}

/** The text, truncated to the available width. */
export function fitted(text: string, width: number, letter = 7.4): string {
    const most = Math.max(1, Math.floor(width / letter));
    const letters = [...text];
    return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}
