// SPDX-License-Identifier: MIT
// A picture with its caption, and a button that saves it as an SVG file that looks the same elsewhere.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
    title: string;
    /** Makes the picture: an SVG element, or a figure that holds one. */
    render(width: number): Element;
    /** The picture is drawn again if one of these changes. */
    inputs: unknown[];
    /** Creates the saved picture, if the visible picture is not an SVG. */
    svg?(): SVGElement;
    /** The content of the picture as a table or text, for screen readers. */
    children?: ComponentChildren;
}

export function Picture({ title, render, inputs, svg, children }: Props): JSX.Element {
    const place = useRef<HTMLDivElement>(null);
    useEffect(() => {
        const element = place.current;
        if (element === null) return;
        let drawn = 0;
        const draw = (): void => {
            const width = Math.max(240, element.clientWidth);
            if (width === drawn) return;
            drawn = width;
            element.replaceChildren(render(width));
        };
        draw();
        const observer = new ResizeObserver(draw);
        observer.observe(element);
        return () => observer.disconnect();
    }, inputs);
    return (
        <figure class="picture">
            <figcaption>
                <span>{title}</span>
                <button type="button" onClick={() => saveSvg(svg?.() ?? place.current?.querySelector("svg"), title)}>
                    Save SVG
                </button>
            </figcaption>
            <div ref={place} />
            {children !== undefined && <div class="unseen">{children}</div>}
        </figure>
    );
}

/** Copies the colors that the page's style sheet gives the picture into it. */
function withStyles(source: SVGElement): SVGElement {
    const copy = source.cloneNode(true) as SVGElement;
    const from = [source, ...source.querySelectorAll<SVGElement>("*")];
    const to = [copy, ...copy.querySelectorAll<SVGElement>("*")];
    from.forEach((element, index) => {
        const style = getComputedStyle(element);
        for (const name of [
            "fill",
            "stroke",
            "stroke-width",
            "stroke-dasharray",
            "opacity",
            "font-family",
            "font-size",
            "font-weight",
            "text-anchor",
        ])
            to[index]?.style.setProperty(name, style.getPropertyValue(name));
    });
    return copy;
}

export function saveBytes(name: string, content: BlobPart, type: string): void {
    const address = URL.createObjectURL(new Blob([content], { type }));
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** `adapt` changes the saved copy, for example if only a part of the picture is visible. */
export function saveSvg(svg: SVGElement | null | undefined, title: string, adapt?: (copy: SVGElement) => void): void {
    if (svg === null || svg === undefined) return;
    const copy = withStyles(svg);
    adapt?.(copy);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    saveBytes(
        `${title.replace(/[^\p{L}\p{N}]+/gu, "-")}.svg`,
        new XMLSerializer().serializeToString(copy),
        "image/svg+xml",
    );
}
