// SPDX-License-Identifier: MIT
// A chart with dragging: reports the position of the pointer in the units of the axes.
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { Picture } from "../shell/picture";
import type { Plot } from "./chart";

interface Props {
    title: string;
    inputs: unknown[];
    render(width: number): ReturnType<typeof Plot.plot>;
    onDrag(x: number, y: number): void;
}

export function DragPicture({ title, inputs, render, onDrag }: Props): JSX.Element {
    const drawn = useRef<ReturnType<typeof Plot.plot>>();
    const drag = (event: PointerEvent): void => {
        const plot = drawn.current;
        if (plot === undefined || (event.target as Element).closest("button") !== null) return;
        const { left, top, width } = plot.getBoundingClientRect();
        // The picture may be shown smaller than it was drawn.
        const scale = Number(plot.getAttribute("width")) / width;
        const x = plot.scale("x")?.invert?.((event.clientX - left) * scale);
        const y = plot.scale("y")?.invert?.((event.clientY - top) * scale);
        if (typeof x === "number" && typeof y === "number") onDrag(x, y);
    };
    return (
        <div
            class="drag"
            onPointerDown={(event) => {
                if ((event.target as Element).closest("svg") === null) return;
                event.currentTarget.setPointerCapture(event.pointerId);
                drag(event);
            }}
            onPointerMove={(event) => {
                if (event.currentTarget.hasPointerCapture(event.pointerId)) drag(event);
            }}
        >
            <Picture title={title} inputs={inputs} render={(width) => (drawn.current = render(width))} />
        </div>
    );
}
