// SPDX-License-Identifier: MIT
// States along time: observations, the most likely path, and the posterior of each state as bands, one step below the other's time.
import { classColor } from "../../charts/colors";
import { areaPattern } from "../../charts/pattern";
import { fitted, svg, svgPicture } from "../../charts/svg";
import { rounded } from "../../shell/numbers";
import type { Step } from "./reports";

export interface PathOptions {
    states: string[];
    /** Columns that are observed. */
    columns: string[];
    /** The column with the true states, if there is one. */
    truth: string | undefined;
    /** The step that is looked at. */
    selected: number | undefined;
    choose(step: Step): void;
}

const LEFT = 112;
const TRACK = 64;
const PATH = 30;
const BANDS = 150;
const GAP = 14;
const MOST_VALUES = 8;

interface Frame {
    steps: Step[];
    x(index: number): number;
    each: number;
    width: number;
}

function label(text: string, y: number): SVGElement {
    return svg(
        "text",
        { x: LEFT - 10, y, "text-anchor": "end", "dominant-baseline": "middle", fill: "currentColor" },
        svg("title", {}, text),
        fitted(text, LEFT - 16),
    );
}

function numberTrack({ steps, x, each }: Frame, column: string, y: number): SVGElement[] {
    const numbers = steps.map(({ row }) => (typeof row[column] === "number" ? row[column] : undefined));
    const present = numbers.filter((value): value is number => value !== undefined);
    const low = Math.min(...present);
    const high = Math.max(...present);
    const at = (value: number): number => y + TRACK - 6 - ((TRACK - 12) * (value - low)) / (high - low || 1);
    let path = "";
    numbers.forEach((value, index) => {
        if (value === undefined) return;
        path += `${path === "" || numbers[index - 1] === undefined ? "M" : "L"}${(x(index) + each / 2).toFixed(2)},${at(value).toFixed(2)}`;
    });
    const ends = present.length === 0 ? [] : [low, high];
    return [
        svg("path", { d: path, fill: "none", stroke: "currentColor", "stroke-width": 1.5 }),
        ...(each < 8
            ? []
            : numbers.flatMap((value, index) =>
                  value === undefined
                      ? []
                      : [svg("circle", { cx: x(index) + each / 2, cy: at(value), r: 2.5, fill: "currentColor" })],
              )),
        ...ends.map((value) =>
            svg(
                "text",
                { x: LEFT - 10, y: at(value) + 4, "text-anchor": "end", "font-size": 11, fill: "var(--ink-2)" },
                rounded(value),
            ),
        ),
        label(column, y + TRACK / 2),
    ];
}

function categoryTrack(frame: Frame, column: string, y: number, values: string[]): SVGElement[] {
    const { steps, x, each } = frame;
    const text = (step: Step): string => String(step.row[column] ?? "");
    // Few values have one line each. Many values are written as text, if there is room.
    if (values.length > MOST_VALUES)
        return [
            label(column, y + TRACK / 2),
            ...steps.flatMap((step, index) =>
                each < 18
                    ? []
                    : [
                          svg(
                              "text",
                              {
                                  x: x(index) + each / 2,
                                  y: y + TRACK / 2 + 5,
                                  "text-anchor": "middle",
                                  fill: "currentColor",
                              },
                              svg("title", {}, text(step)),
                              fitted(text(step), each - 2),
                          ),
                      ],
            ),
        ];
    const at = (value: string): number => y + (TRACK * (values.indexOf(value) + 0.5)) / values.length;
    return [
        ...values.map((value) =>
            svg(
                "text",
                {
                    x: LEFT - 10,
                    y: at(value),
                    "text-anchor": "end",
                    "dominant-baseline": "middle",
                    "font-size": Math.min(13, TRACK / values.length),
                    fill: "var(--ink-2)",
                },
                fitted(value, LEFT - 16),
            ),
        ),
        ...steps.flatMap((step, index) =>
            step.row[column] === null || step.row[column] === undefined || step.row[column] === ""
                ? []
                : [
                      svg("rect", {
                          x: x(index) + each * 0.15,
                          y: at(text(step)) - Math.min(5, TRACK / values.length / 2.4),
                          width: Math.max(1, each * 0.7),
                          height: Math.min(10, TRACK / values.length / 1.2),
                          rx: 2,
                          fill: "currentColor",
                      }),
                  ],
        ),
    ];
}

/** Runs of a state as blocks, with its name if there is room. */
function blocks(frame: Frame, states: string[], y: number, of: (step: Step) => string | null): SVGElement[] {
    const made: SVGElement[] = [];
    for (let from = 0; from < frame.steps.length;) {
        const state = of(frame.steps[from] as Step);
        let to = from + 1;
        while (to < frame.steps.length && of(frame.steps[to] as Step) === state) to++;
        const index = state === null ? -1 : states.indexOf(state);
        const width = (to - from) * frame.each;
        made.push(
            svg(
                "rect",
                {
                    x: frame.x(from),
                    y,
                    width,
                    height: PATH,
                    fill: index < 0 ? "var(--ground-2)" : "var(--ground)",
                    stroke: index < 0 ? "var(--line)" : classColor(index),
                    "stroke-width": 2,
                },
                svg("title", {}, state ?? "impossible"),
            ),
        );
        if (index >= 0)
            made.push(
                svg("rect", { x: frame.x(from), y: y + PATH - 8, width, height: 8, fill: `url(#state-${index})` }),
            );
        if (width > 18)
            made.push(
                svg(
                    "text",
                    {
                        x: frame.x(from) + width / 2,
                        y: y + 16,
                        "text-anchor": "middle",
                        "font-size": 13,
                        fill: "currentColor",
                        stroke: "var(--ground)",
                        "stroke-width": 4,
                        "paint-order": "stroke",
                    },
                    fitted(state ?? "", width - 4, 13),
                ),
            );
        from = to;
    }
    return made;
}

function bands({ steps, x, each }: Frame, states: string[], y: number): SVGElement[] {
    const below = steps.map(() => 0);
    return states.map((state, index) => {
        let top = "";
        let bottom = "";
        steps.forEach((step, at) => {
            const from = below[at] ?? 0;
            const to = from + (step.posterior[state] ?? 0);
            below[at] = to;
            const left = x(at).toFixed(2);
            const right = (x(at) + each).toFixed(2);
            const height = (share: number): string => (y + BANDS * (1 - share)).toFixed(2);
            top += `${at === 0 ? "M" : "L"}${left},${height(to)}L${right},${height(to)}`;
            bottom = `L${right},${height(from)}L${left},${height(from)}${bottom}`;
        });
        return svg(
            "path",
            { d: `${top}${bottom}Z`, fill: `url(#state-${index})`, stroke: classColor(index), "stroke-width": 0.5 },
            svg("title", {}, state),
        );
    });
}

function ticks({ steps, x, each }: Frame, y: number): SVGElement[] {
    const every = Math.max(1, Math.ceil(48 / each));
    return steps.flatMap((step, index) =>
        step.step % every === 0 || (every === 1 && each > 20) || index === 0
            ? [
                  svg(
                      "text",
                      { x: x(index) + each / 2, y, "text-anchor": "middle", "font-size": 12, fill: "var(--ink-2)" },
                      String(step.step),
                  ),
              ]
            : [],
    );
}

export function pathPicture(width: number, steps: Step[], options: PathOptions): Element {
    const { states, columns, truth, selected, choose } = options;
    const each = (width - LEFT - 4) / Math.max(1, steps.length);
    const frame: Frame = { steps, each, width, x: (index) => LEFT + index * each };
    const parts: SVGElement[] = [svg("defs", {}, ...states.map((_, index) => areaPattern(`state-${index}`, index)))];
    let y = 4;
    for (const column of columns) {
        const cells = steps.map(({ row }) => row[column]).filter((cell) => cell !== null && cell !== undefined);
        const values = [...new Set(cells.map(String))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
        const isNumber = cells.length > 0 && cells.every((cell) => typeof cell === "number");
        parts.push(svg("line", { x1: LEFT, x2: width - 4, y1: y + TRACK, y2: y + TRACK, stroke: "var(--line)" }));
        parts.push(...(isNumber ? numberTrack(frame, column, y) : categoryTrack(frame, column, y, values)));
        y += TRACK + GAP;
    }
    if (truth !== undefined) {
        parts.push(label(truth, y + PATH / 2));
        parts.push(...blocks(frame, states, y, ({ row }) => (row[truth] === null ? null : String(row[truth] ?? ""))));
        y += PATH + GAP;
    }
    parts.push(label("path", y + PATH / 2), ...blocks(frame, states, y, ({ prediction }) => prediction));
    y += PATH + GAP;
    parts.push(label("posterior", y + BANDS / 2), ...bands(frame, states, y));
    for (const share of [0, 1])
        parts.push(
            svg(
                "text",
                {
                    x: LEFT - 10,
                    y: y + BANDS * (1 - share) + 4,
                    "text-anchor": "end",
                    "font-size": 11,
                    fill: "var(--ink-2)",
                },
                String(share),
            ),
        );
    y += BANDS;
    parts.push(...ticks(frame, y + 16), label("step", y + 12));
    const index = steps.findIndex(({ number }) => number === selected);
    if (index >= 0)
        parts.push(
            svg("rect", {
                x: frame.x(index) - 1,
                y: 1,
                width: Math.max(4, each + 2),
                height: y,
                fill: "none",
                stroke: "var(--accent)",
                "stroke-width": 3,
            }),
        );
    const picture = svgPicture(width, y + 24, `States over time: ${steps.length} steps`, ...parts);
    // The frame of the selected step does not strike texts through.
    picture.append(...Array.from(picture.querySelectorAll("text")));
    picture.style.cursor = "pointer";
    picture.addEventListener("click", (event) => {
        const at = picture.getBoundingClientRect();
        const found = steps[Math.floor((((event.clientX - at.left) * width) / at.width - LEFT) / each)];
        if (found !== undefined) choose(found);
    });
    return picture;
}
