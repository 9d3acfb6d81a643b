// SPDX-License-Identifier: MIT
import { chart, Plot } from "../../charts/chart";

export interface Curve {
    /** Whether it has probabilities of whole numbers instead of a density. */
    isWhole: boolean;
    points: { x: number; y: number }[];
}

export function distributionPicture(width: number, { isWhole, points }: Curve, from: number, to: number): Element {
    const inside = points.filter(({ x }) => x >= from && x <= to);
    const marks = isWhole
        ? [
              Plot.ruleX(points, { x: "x", y: "y", stroke: "var(--line)", strokeWidth: 8 }),
              Plot.ruleX(inside, { x: "x", y: "y", stroke: "var(--accent)", strokeWidth: 8 }),
          ]
        : [
              Plot.areaY(inside, { x: "x", y: "y", fill: "var(--accent)", fillOpacity: 0.35 }),
              Plot.lineY(points, { x: "x", y: "y", stroke: "var(--ink)", strokeWidth: 2 }),
          ];
    return chart(
        width,
        isWhole ? "Probabilities, with the queried values emphasized" : "Density, with the queried area shaded",
        {
            height: 280,
            x: { label: "x", tickFormat: isWhole ? "d" : undefined },
            y: { label: isWhole ? "probability" : "density", grid: true },
            marks: [...marks, Plot.ruleY([0])],
        },
    );
}
