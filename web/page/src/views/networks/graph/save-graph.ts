// SPDX-License-Identifier: MIT
import { saveSvg } from "../../../shell/picture";
import type { Layout } from "./arrange";

/** Saves the whole graph, whichever part of it is seen. */
export function saveGraph(svg: SVGSVGElement | null, layout: Layout, title: string): void {
    if (svg === null) return;
    saveSvg(svg, title, (copy) => {
        copy.setAttribute("viewBox", `${layout.left} ${layout.top} ${layout.width} ${layout.height}`);
        copy.setAttribute("width", String(layout.width));
        copy.setAttribute("height", String(layout.height));
        copy.querySelector(":scope > g")?.removeAttribute("transform");
        for (const element of copy.querySelectorAll("[tabindex]")) element.removeAttribute("tabindex");
    });
}
