// SPDX-License-Identifier: MIT
// The part of a drawing that is seen: dragged, pinched, zoomed by Ctrl and the wheel, by buttons and by keys.
import { useEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

interface Point {
    x: number;
    y: number;
}

interface Seen extends Point {
    scale: number;
}

export interface PanZoom {
    svg: RefObject<SVGSVGElement>;
    group: RefObject<SVGGElement>;
    scale: number;
    zoom(factor: number): void;
    fit(): void;
    /** Moves a box of the drawing into sight where it is not; `scale` is the least that it is looked at with. */
    reveal(x: number, y: number, width: number, height: number, scale?: number): void;
}

const LEAST = 0.02;
const MOST = 4;
const READABLE = 1.15;

export function usePanZoom(width: number, height: number): PanZoom {
    const svg = useRef<SVGSVGElement>(null);
    const group = useRef<SVGGElement>(null);
    const seen = useRef<Seen>({ x: 0, y: 0, scale: 1 });
    const isFitted = useRef(true);
    const [scale, setScale] = useState(1);

    const apply = (next: Seen): void => {
        seen.current = next;
        group.current?.setAttribute("transform", `translate(${next.x} ${next.y}) scale(${next.scale})`);
        setScale(next.scale);
    };
    const fit = (): void => {
        const { clientWidth = 0, clientHeight = 0 } = svg.current ?? {};
        if (clientWidth === 0 || width === 0) return;
        const fitting = Math.min(clientWidth / width, clientHeight / height, READABLE);
        isFitted.current = true;
        apply({
            x: (clientWidth - width * fitting) / 2,
            y: (clientHeight - height * fitting) / 2,
            scale: fitting,
        });
    };
    const zoomAt = (factor: number, at: Point): void => {
        const { x, y, scale: last } = seen.current;
        const next = Math.min(MOST, Math.max(LEAST, last * factor));
        isFitted.current = false;
        apply({ x: at.x - ((at.x - x) * next) / last, y: at.y - ((at.y - y) * next) / last, scale: next });
    };
    const zoom = (factor: number): void => {
        const { clientWidth = 0, clientHeight = 0 } = svg.current ?? {};
        zoomAt(factor, { x: clientWidth / 2, y: clientHeight / 2 });
    };
    const reveal = (x: number, y: number, boxWidth: number, boxHeight: number, least = 0): void => {
        const { clientWidth = 0, clientHeight = 0 } = svg.current ?? {};
        const { x: left, y: top, scale: last } = seen.current;
        const next = Math.max(last, least);
        const inside =
            next === last &&
            left + (x - boxWidth / 2) * last >= 0 &&
            left + (x + boxWidth / 2) * last <= clientWidth &&
            top + (y - boxHeight / 2) * last >= 0 &&
            top + (y + boxHeight / 2) * last <= clientHeight;
        if (inside) return;
        isFitted.current = false;
        apply({ x: clientWidth / 2 - x * next, y: clientHeight / 2 - y * next, scale: next });
    };

    useEffect(() => {
        const element = svg.current;
        if (element === null) return;
        fit();
        const observer = new ResizeObserver(() => isFitted.current && fit());
        observer.observe(element);
        const stop = listen(element, {
            pan: (x, y) => {
                isFitted.current = false;
                apply({ ...seen.current, x: seen.current.x + x, y: seen.current.y + y });
            },
            zoomAt,
        });
        return () => {
            observer.disconnect();
            stop();
        };
    }, [width, height]);
    return { svg, group, scale, zoom, fit, reveal };
}

interface Moves {
    pan(x: number, y: number): void;
    zoomAt(factor: number, at: Point): void;
}

/** Clicks stay clicks: a drag begins once the pointer has moved. */
const DRAG_FROM = 4;

function listen(element: SVGSVGElement, moves: Moves): () => void {
    const pointers = new Map<number, Point>();
    let start: Point | undefined;
    let isDragged = false;
    const inside = (event: { clientX: number; clientY: number }): Point => {
        const { left, top } = element.getBoundingClientRect();
        return { x: event.clientX - left, y: event.clientY - top };
    };
    const down = (event: PointerEvent): void => {
        if (event.button !== 0) return;
        start = inside(event);
        isDragged = false;
        pointers.set(event.pointerId, start);
    };
    const move = (event: PointerEvent): void => {
        const last = pointers.get(event.pointerId);
        if (last === undefined || start === undefined) return;
        const now = inside(event);
        const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
        if (!isDragged && Math.hypot(now.x - start.x, now.y - start.y) < DRAG_FROM) return;
        if (!isDragged) element.setPointerCapture(event.pointerId);
        isDragged = true;
        pointers.set(event.pointerId, now);
        if (other === undefined) moves.pan(now.x - last.x, now.y - last.y);
        else {
            const before = Math.hypot(last.x - other.x, last.y - other.y);
            const after = Math.hypot(now.x - other.x, now.y - other.y);
            if (before > 0) moves.zoomAt(after / before, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
        }
    };
    const up = (event: PointerEvent): void => void pointers.delete(event.pointerId);
    // The click at the end of a drag is none.
    const click = (event: MouseEvent): void => {
        if (isDragged) event.stopPropagation();
        isDragged = false;
    };
    const wheel = (event: WheelEvent): void => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        moves.zoomAt(Math.exp(-event.deltaY / 300), inside(event));
    };
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    element.addEventListener("click", click, true);
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
        element.removeEventListener("pointerdown", down);
        element.removeEventListener("pointermove", move);
        element.removeEventListener("pointerup", up);
        element.removeEventListener("pointercancel", up);
        element.removeEventListener("click", click, true);
        element.removeEventListener("wheel", wheel);
    };
}
