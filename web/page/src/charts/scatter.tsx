// SPDX-License-Identifier: MIT
// The scatter plot as a part of a view: the wheel and the keys + - 0 zoom, dragging and arrow keys move.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Picture } from "../shell/picture";
import { MARGIN, scatterPainter, wholeWindow, type Points, type Window } from "./scatter-canvas";
import { scatterSvg } from "./scatter-svg";

interface Props {
    title: string;
    points: Points;
    classes: string[];
    names: { x: string; y: string };
}

function zoomed([from, to]: [number, number], at: number, factor: number): [number, number] {
    const center = from + (to - from) * at;
    return [center - (center - from) * factor, center + (to - center) * factor];
}

function moved([from, to]: [number, number], part: number): [number, number] {
    return [from + (to - from) * part, to + (to - from) * part];
}

export function ScatterPlot({ title, points, classes, names }: Props): JSX.Element {
    const view = useRef<Window>(wholeWindow(points));
    const repaint = useRef<() => void>(() => undefined);
    const stop = useRef<() => void>(() => undefined);
    useEffect(() => {
        const again = (): void => repaint.current();
        addEventListener("themechange", again);
        return () => (removeEventListener("themechange", again), stop.current());
    }, []);
    const render = (width: number): Element => {
        stop.current();
        view.current = wholeWindow(points);
        const height = Math.round(Math.min(560, Math.max(280, width * 0.6)));
        const canvas = document.createElement("canvas");
        canvas.tabIndex = 0;
        canvas.setAttribute("role", "img");
        canvas.setAttribute(
            "aria-label",
            `${title}: ${points.x.length} points. Press + or - to zoom, arrow keys to move, 0 to show all.`,
        );
        canvas.className = "scatter";
        let paint = scatterPainter(canvas, points, classes.length, names, width, height);
        let frame = 0;
        const schedule = (): void => {
            frame ||= requestAnimationFrame(() => {
                frame = 0;
                paint(view.current);
            });
        };
        repaint.current = () => {
            paint = scatterPainter(canvas, points, classes.length, names, width, height);
            schedule();
        };
        stop.current = () => cancelAnimationFrame(frame);
        const change = (window: Window): void => {
            view.current = window;
            schedule();
        };
        const zoom = (x: number, y: number, factor: number): void =>
            change({ x: zoomed(view.current.x, x, factor), y: zoomed(view.current.y, y, factor) });
        const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
        const shift = (x: number, y: number): void =>
            change({ x: moved(view.current.x, x), y: moved(view.current.y, y) });
        canvas.addEventListener(
            "wheel",
            (event) => {
                event.preventDefault();
                const x = (event.offsetX - MARGIN.left) / inner.width;
                const y = 1 - (event.offsetY - MARGIN.top) / inner.height;
                zoom(x, y, Math.exp(event.deltaY * 0.0015));
            },
            { passive: false },
        );
        canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
        canvas.addEventListener("pointermove", (event) => {
            if (event.buttons === 1) shift(-event.movementX / inner.width, event.movementY / inner.height);
        });
        canvas.addEventListener("keydown", (event) => {
            const keys: Record<string, () => void> = {
                "+": () => zoom(0.5, 0.5, 0.8),
                "-": () => zoom(0.5, 0.5, 1.25),
                "0": () => change(wholeWindow(points)),
                ArrowLeft: () => shift(-0.1, 0),
                ArrowRight: () => shift(0.1, 0),
                ArrowUp: () => shift(0, 0.1),
                ArrowDown: () => shift(0, -0.1),
            };
            const act = keys[event.key];
            if (act === undefined || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            act();
        });
        schedule();
        return canvas;
    };
    return (
        <Picture
            title={title}
            inputs={[points, title]}
            render={render}
            svg={() => scatterSvg(points, classes, names, view.current)}
        />
    );
}
