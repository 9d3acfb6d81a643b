// SPDX-License-Identifier: MIT
// The most informative words of each class, with their weights of evidence as bars.
import { classColor } from "../../charts/colors";
import { areaPattern } from "../../charts/pattern";
import { fitted, svg, svgPicture } from "../../charts/svg";
import { rounded } from "../../shell/numbers";
import type { InformativeWord } from "./reports";

const LINE = 24;
const NAME = 130;
const HEAD = 34;

export function wordsPicture(width: number, classes: string[], words: InformativeWord[]): Element {
    const columns = Math.max(1, Math.min(classes.length, Math.floor(width / 320)));
    const room = width / columns;
    const most = Math.max(1e-9, ...words.map(({ weight }) => weight ?? 0));
    const parts: SVGElement[] = [svg("defs", {}, ...classes.map((_, index) => areaPattern(`word-${index}`, index)))];
    let top = 0;
    let height = 0;
    classes.forEach((name, index) => {
        const column = index % columns;
        if (column === 0) {
            top = height;
        }
        const own = words.filter((word) => word.class === name);
        const x = column * room;
        parts.push(svg("text", { x, y: top + 20, "font-weight": 600, fill: "currentColor" }, fitted(name, room - 10)));
        own.forEach(({ word, weight, texts, other_texts: others }, line) => {
            const y = top + HEAD + line * LINE;
            const long = ((room - NAME - 80) * (weight ?? most)) / most;
            parts.push(
                svg(
                    "text",
                    { x: x + NAME - 8, y: y + 13, "text-anchor": "end", fill: "currentColor" },
                    svg("title", {}, `${word}: in ${texts} texts of ${name}, ${others} of others`),
                    fitted(word, NAME - 10),
                ),
                svg("rect", {
                    x: x + NAME,
                    y: y + 1,
                    width: Math.max(1, long),
                    height: LINE - 8,
                    fill: `url(#word-${index})`,
                    stroke: classColor(index),
                }),
                svg(
                    "text",
                    { x: x + NAME + Math.max(1, long) + 6, y: y + 13, "font-size": 12, fill: "var(--ink-2)" },
                    `+${rounded(weight)}`,
                ),
            );
        });
        height = Math.max(height, top + HEAD + own.length * LINE + 12);
    });
    return svgPicture(width, Math.max(60, height), "The most informative words of each class", ...parts);
}
