// SPDX-License-Identifier: MIT
// Observable Plot with the fonts and colors of the page. Classes are named next to their marks, or by <Legend>, not by legends of Plot.
import * as Plot from "@observablehq/plot";

export { Plot };

export function chart(width: number, title: string, options: Plot.PlotOptions): ReturnType<typeof Plot.plot> {
    const element = Plot.plot({
        width,
        height: Math.min(420, Math.max(220, Math.round(width * 0.55))),
        marginLeft: 56,
        marginTop: 28,
        marginBottom: 44,
        ...options,
        className: "chart",
        style: {
            background: "transparent",
            color: "var(--ink)",
            fontFamily: "var(--font)",
            fontSize: "14px",
            overflow: "visible",
        },
    });
    // The picture is one image, with one name; what its parts are is for the style sheet.
    for (const part of element.querySelectorAll("[aria-label]")) {
        part.setAttribute("data-part", part.getAttribute("aria-label") ?? "");
        part.removeAttribute("aria-label");
    }
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", title);
    return element;
}
