// SPDX-License-Identifier: MIT
// Elements of SVG, for pictures that no chart library draws. Texts are text nodes: markup in names stays text.

type Child = SVGElement | string;

export function svg(
    tag: string,
    attributes: Record<string, string | number | undefined>,
    ...children: Child[]
): SVGElement {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes))
        if (value !== undefined) element.setAttribute(name, String(value));
    element.append(...children);
    return element;
}

/** A whole picture with its name for screen readers. */
export function svgPicture(width: number, height: number, title: string, ...children: Child[]): SVGElement {
    return svg(
        "svg",
        { viewBox: `0 0 ${width} ${height}`, width, height, class: "chart", role: "img", "aria-label": title },
        ...children,
    );
}

/** Truncates a text to the available width. */
export function fitted(text: string, room: number, size = 14): string {
    const most = Math.max(1, Math.floor(room / (size * 0.56)));
    const letters = [...text];
    return letters.length <= most ? text : `${letters.slice(0, Math.max(1, most - 1)).join("")}…`;
}
