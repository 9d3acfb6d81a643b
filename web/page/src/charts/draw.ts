// SPDX-License-Identifier: MIT
// Elements of SVG, for pictures that are drawn anew many times a second. Text is always text.

export type Attributes = Record<string, string | number | undefined>;

export function svg(name: string, attributes: Attributes = {}, ...children: (Element | string)[]): SVGElement {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes))
        if (value !== undefined) element.setAttribute(key, String(value));
    element.append(...children);
    return element;
}

/** A picture of its size, with the name that a screen reader reads. */
export function drawing(width: number, height: number, title: string, ...children: Element[]): SVGElement {
    const attributes = { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title };
    return svg("svg", { ...attributes, class: "chart drawn" }, ...children);
}

/** Text that is cut where it is longer than its room, whole in its title. */
export function label(text: string, room: number, attributes: Attributes, size = 15): SVGElement {
    const most = Math.max(3, Math.floor(room / (size * 0.54)));
    const letters = [...text];
    if (letters.length <= most) return svg("text", attributes, text);
    return svg("text", attributes, letters.slice(0, most - 1).join("") + "…", svg("title", {}, text));
}
