// SPDX-License-Identifier: MIT
// Areas of classes: the class's color with stripes of a direction of its own, so that they differ without color too.
import { classColor } from "./colors";
import { svg } from "./svg";

/** The element of a picture's <defs>; areas are filled by url(#id). */
export function areaPattern(id: string, index: number): SVGElement {
    const stripes = svg("line", { x1: 0, y1: 0, x2: 0, y2: 8, stroke: "var(--ground)", "stroke-width": 2 });
    return svg(
        "pattern",
        { id, width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${45 * index})` },
        svg("rect", { width: 8, height: 8, fill: classColor(index), opacity: 0.85 }),
        ...(index === 0 ? [] : [stripes]),
    );
}
