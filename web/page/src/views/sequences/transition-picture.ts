// SPDX-License-Identifier: MIT
// The states as a graph: arcs as wide as their transitions are probable.
import { classColor } from "../../charts/colors";
import { fitted, svg, svgPicture } from "../../charts/svg";
import { rounded } from "../../shell/numbers";

/** Arcs with smaller probabilities are only in the table. */
const LEAST = 0.01;

export function transitionPicture(
    width: number,
    states: string[],
    transitions: Record<string, Record<string, number>>,
): Element {
    const side = Math.min(width, 460);
    const center = side / 2;
    const radius = center - 100;
    // Two states lie side by side: the picture is as high as their arcs.
    const height = states.length <= 2 ? 180 : side;
    const middle = height / 2;
    const node = 30;
    const place = states.map((_, index) => {
        const angle = (2 * Math.PI * index) / states.length - (states.length === 2 ? Math.PI : Math.PI / 2);
        return { angle, x: center + radius * Math.cos(angle), y: middle + radius * Math.sin(angle) };
    });
    const arcs: SVGElement[] = [];
    const names: SVGElement[] = [];
    states.forEach((from, i) =>
        states.forEach((to, j) => {
            const p = transitions[from]?.[to] ?? 0;
            const a = place[i];
            const b = place[j];
            if (p < LEAST || a === undefined || b === undefined) return;
            const style = { fill: "none", stroke: classColor(i), "stroke-width": 1 + 7 * p, opacity: 0.8 };
            const title = svg("title", {}, `${from} to ${to}: ${rounded(p)}`);
            let at: { x: number; y: number };
            if (i === j) {
                const out = node + 16;
                at = { x: a.x + (out + 30) * Math.cos(a.angle), y: a.y + (out + 24) * Math.sin(a.angle) };
                arcs.push(
                    svg(
                        "circle",
                        {
                            ...style,
                            cx: a.x + out * 0.72 * Math.cos(a.angle),
                            cy: a.y + out * 0.72 * Math.sin(a.angle),
                            r: 22,
                        },
                        title,
                    ),
                );
            } else {
                // Arcs of both directions bend to different sides.
                const length = Math.hypot(b.x - a.x, b.y - a.y);
                const bend = 0.18 * length;
                const nx = -(b.y - a.y) / length;
                const ny = (b.x - a.x) / length;
                const mx = (a.x + b.x) / 2 + nx * bend;
                const my = (a.y + b.y) / 2 + ny * bend;
                const back = Math.hypot(b.x - mx, b.y - my);
                const ex = b.x - ((b.x - mx) / back) * (node + 7);
                const ey = b.y - ((b.y - my) / back) * (node + 7);
                const turn = (Math.atan2(ey - my, ex - mx) * 180) / Math.PI;
                at = { x: (a.x + b.x) / 2 + nx * bend * 0.75, y: (a.y + b.y) / 2 + ny * bend * 0.75 };
                arcs.push(
                    svg("path", { ...style, d: `M${a.x},${a.y}Q${mx},${my} ${ex},${ey}` }, title),
                    svg("path", {
                        d: "M-4,-7L9,0L-4,7Z",
                        fill: classColor(i),
                        transform: `translate(${ex},${ey}) rotate(${turn})`,
                    }),
                );
            }
            if (states.length <= 5)
                names.push(
                    svg(
                        "text",
                        {
                            x: at.x,
                            y: at.y + 5,
                            "text-anchor": "middle",
                            "font-size": 13,
                            fill: "currentColor",
                            stroke: "var(--ground)",
                            "stroke-width": 4,
                            "paint-order": "stroke",
                        },
                        rounded(p),
                    ),
                );
        }),
    );
    const nodes = states.flatMap((state, index) => {
        const { x, y } = place[index] ?? { x: 0, y: 0 };
        return [
            svg(
                "circle",
                { cx: x, cy: y, r: node, fill: "var(--ground)", stroke: classColor(index), "stroke-width": 3 },
                svg("title", {}, state),
            ),
            svg(
                "text",
                { x, y: y + 5, "text-anchor": "middle", "font-size": 13, fill: "currentColor" },
                fitted(state, 2 * node - 4, 13),
            ),
        ];
    });
    return svgPicture(side, height, "Transitions between states", ...arcs, ...nodes, ...names);
}
