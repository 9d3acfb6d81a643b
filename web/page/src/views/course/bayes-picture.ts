// SPDX-License-Identifier: MIT
// Bayes' rule as areas: columns as wide as the hypotheses were probable, filled as high as they make the outcome likely. The
// filled area is the evidence, and each hypothesis' part of it is its posterior.
import { classColor } from "../../charts/colors";
import { areaPattern } from "../../charts/pattern";
import { fitted, svg, svgPicture } from "../../charts/svg";
import { rounded } from "../../shell/numbers";

export interface Update {
    outcome: string;
    evidence: number;
    hypotheses: { hypothesis: string; before: number; likelihood: number; joint: number; posterior: number }[];
}

const TOP = 26;
const SIDE = 250;
const GAP = 90;
const BAR = 46;

export function bayesPicture(width: number, update: Update, key: string): Element {
    const gap = width < 480 ? 44 : GAP;
    const side = Math.min(SIDE * 1.6, Math.max(120, width - gap - BAR - 150));
    const height = TOP + SIDE + 50;
    const title = `Bayes' rule for ${update.outcome}: areas of the joint probabilities, and the posterior`;
    const parts: SVGElement[] = [];
    const defs = svg("defs", {});
    let x = 0;
    let y = TOP;
    const barX = side + gap;
    update.hypotheses.forEach((one, index) => {
        const id = `${key}-${index}`;
        defs.append(areaPattern(id, index));
        const w = side * one.before;
        const h = SIDE * one.likelihood;
        parts.push(
            svg("rect", { x, y: TOP, width: w, height: SIDE, fill: "var(--ground-2)", stroke: "var(--ink-2)" }),
            svg("rect", { x, y: TOP + SIDE - h, width: w, height: h, fill: `url(#${id})`, stroke: classColor(index) }),
        );
        if (w > 40)
            parts.push(
                svg(
                    "text",
                    { x: x + w / 2, y: TOP + SIDE + 20, "text-anchor": "middle", fill: "currentColor" },
                    fitted(one.hypothesis, w),
                ),
                svg(
                    "text",
                    { x: x + w / 2, y: TOP + SIDE + 38, "text-anchor": "middle", fill: "var(--ink-2)" },
                    rounded(one.before),
                ),
            );
        const p = SIDE * one.posterior;
        parts.push(svg("rect", { x: barX, y, width: BAR, height: p, fill: `url(#${id})`, stroke: classColor(index) }));
        if (p > 16)
            parts.push(
                svg(
                    "text",
                    { x: barX + BAR + 8, y: y + p / 2 + 5, fill: "currentColor" },
                    fitted(`${rounded(one.posterior)} ${one.hypothesis}`, width - barX - BAR - 8),
                ),
            );
        x += w;
        y += p;
    });
    parts.push(
        svg(
            "text",
            { x: 0, y: 16, fill: "var(--ink-2)" },
            fitted("width: before, height: likelihood", side + gap - 10),
        ),
        svg("text", { x: barX, y: 16, fill: "var(--ink-2)" }, "after"),
        svg(
            "text",
            {
                x: side + gap / 2,
                y: TOP + SIDE / 2 + 6,
                "text-anchor": "middle",
                "font-size": 24,
                fill: "var(--ink-2)",
            },
            "→",
        ),
    );
    return svgPicture(width, height, title, defs, ...parts);
}
