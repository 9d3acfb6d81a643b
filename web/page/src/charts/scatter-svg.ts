// SPDX-License-Identifier: MIT
// The scatter plot as SVG, to be saved.
import { classColor } from "./colors";
import { MARGIN, symbolPath, ticks, type Points, type Window } from "./scatter-canvas";

const WIDTH = 800;
const HEIGHT = 520;
const SPACE = "http://www.w3.org/2000/svg";

function add(to: Element, name: string, attributes: Record<string, string | number>, text?: string): Element {
    const element = document.createElementNS(SPACE, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    if (text !== undefined) element.textContent = text;
    to.append(element);
    return element;
}

/** It is in the document while its colors are looked up, and out of sight. */
export function scatterSvg(
    points: Points,
    classes: string[],
    names: { x: string; y: string },
    window: Window,
): SVGElement {
    const svg = document.createElementNS(SPACE, "svg");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("class", "unseen");
    document.body.append(svg);
    setTimeout(() => svg.remove());
    const [x0, x1] = window.x;
    const [y0, y1] = window.y;
    const bottom = HEIGHT - MARGIN.bottom;
    const top = MARGIN.top + 24;
    const x = (value: number): number =>
        MARGIN.left + ((value - x0) / (x1 - x0)) * (WIDTH - MARGIN.right - MARGIN.left);
    const y = (value: number): number => bottom - ((value - y0) / (y1 - y0)) * (bottom - top);
    const ink = { fill: "var(--ink)", "font-size": 14, "font-family": "var(--font)" };
    for (const tick of ticks(window.x, 8)) {
        add(svg, "line", { x1: x(tick), x2: x(tick), y1: top, y2: bottom, stroke: "var(--line)" });
        add(svg, "text", { x: x(tick), y: bottom + 18, "text-anchor": "middle", ...ink }, String(tick));
    }
    for (const tick of ticks(window.y, 7)) {
        add(svg, "line", {
            x1: MARGIN.left,
            x2: WIDTH - MARGIN.right,
            y1: y(tick),
            y2: y(tick),
            stroke: "var(--line)",
        });
        add(svg, "text", { x: MARGIN.left - 6, y: y(tick) + 5, "text-anchor": "end", ...ink }, String(tick));
    }
    add(svg, "text", { x: WIDTH / 2, y: HEIGHT - 4, "text-anchor": "middle", ...ink }, names.x);
    add(
        svg,
        "text",
        { transform: `translate(16 ${HEIGHT / 2}) rotate(-90)`, "text-anchor": "middle", ...ink },
        names.y,
    );
    let at = MARGIN.left;
    classes.slice(0, 12).forEach((name, index) => {
        add(svg, "path", { d: symbolPath(index), transform: `translate(${at} 14)`, fill: classColor(index) });
        add(svg, "text", { x: at + 10, y: 19, ...ink }, name);
        at += 30 + 8 * name.length;
    });
    points.x.forEach((value, index) => {
        const other = points.y[index] ?? 0;
        if (value < x0 || value > x1 || other < y0 || other > y1) return;
        const of = points.of[index] ?? 0;
        add(svg, "path", {
            d: symbolPath(of),
            transform: `translate(${x(value).toFixed(1)} ${y(other).toFixed(1)})`,
            fill: classColor(of),
            opacity: 0.75,
        });
    });
    return svg;
}
