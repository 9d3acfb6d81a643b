// SPDX-License-Identifier: MIT
// The part of a drawing that is seen: dragged, pinched, zoomed by Ctrl and the wheel, by buttons and by keys.
import { useEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

export interface Point {
    x: number;
    y: number;
}

interface Seen extends Point {
    scale: number;
}

interface Bounds {
    left: number;
    top: number;
    width: number;
    height: number;
}

/** Something in the drawing that is dragged instead of the drawing. */
export interface Grab {
    /** The pointer in coordinates of the drawing, and how far it moved since the last call. */
    move(at: Point, by: Point): void;
    end(target: Element | null): void;
}

export interface PanZoom {
    svg: RefObject<SVGSVGElement>;
    group: RefObject<SVGGElement>;
    scale: number;
    zoom(factor: number): void;
    fit(): void;
    /** Returns the place of a pointer in coordinates of the drawing. */
    place(event: { clientX: number; clientY: number }): Point;
    /** Moves a box of the drawing into sight where it is not; `scale` is the least that it is looked at with. */
    reveal(x: number, y: number, width: number, height: number, scale?: number): void;
}

const LEAST = 0.02;
const MOST = 4;
/** The width of the buttons at the left of the drawing. */
const TOOLS = 56;
const READABLE = 1.4;

/** `grab` is called when a pointer is pressed on an element. */
export function usePanZoom({ left, top, width, height }: Bounds, grab: (target: Element) => Grab | undefined): PanZoom {
    const svg = useRef<SVGSVGElement>(null);
    const group = useRef<SVGGElement>(null);
    const seen = useRef<Seen>({ x: 0, y: 0, scale: 1 });
    const isFitted = useRef(true);
    const [scale, setScale] = useState(1);

    const latestGrab = useRef(grab);
    latestGrab.current = grab;
    const place = (event: { clientX: number; clientY: number }): Point => {
        const { left = 0, top = 0 } = svg.current?.getBoundingClientRect() ?? {};
        const { x, y, scale: factor } = seen.current;
        return { x: (event.clientX - left - x) / factor, y: (event.clientY - top - y) / factor };
    };

    const apply = (next: Seen): void => {
        seen.current = next;
        group.current?.setAttribute("transform", `translate(${next.x} ${next.y}) scale(${next.scale})`);
        setScale(next.scale);
    };
    const fit = (): void => {
        const { clientWidth = 0, clientHeight = 0 } = svg.current ?? {};
        if (clientWidth === 0 || width === 0) return;
        const room = clientWidth - TOOLS;
        const fitting = Math.min(room / width, clientHeight / height, READABLE);
        isFitted.current = true;
        apply({
            x: TOOLS + (room - width * fitting) / 2 - left * fitting,
            y: (clientHeight - height * fitting) / 2 - top * fitting,
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
        // What the user moved into sight stays there when the drawing grows.
        if (isFitted.current) fit();
        const observer = new ResizeObserver(() => isFitted.current && fit());
        observer.observe(element);
        const stop = listen(element, {
            pan: (x, y) => {
                isFitted.current = false;
                apply({ ...seen.current, x: seen.current.x + x, y: seen.current.y + y });
            },
            zoomAt,
            grab: (target) => {
                const grabbed = latestGrab.current(target);
                if (grabbed !== undefined) isFitted.current = false;
                return grabbed;
            },
            place,
        });
        return () => {
            observer.disconnect();
            stop();
        };
    }, [width, height]);
    return { svg, group, scale, zoom, fit, reveal, place };
}

interface Moves {
    pan(x: number, y: number): void;
    zoomAt(factor: number, at: Point): void;
    grab(target: Element): Grab | undefined;
    place(event: PointerEvent): Point;
}

/** Clicks stay clicks: a drag begins once the pointer has moved. */
const DRAG_FROM = 4;

function listen(element: SVGSVGElement, moves: Moves): () => void {
    const pointers = new Map<number, Point>();
    let start: Point | undefined;
    let isDragged = false;
    let grabbed: Grab | undefined;
    const inside = (event: { clientX: number; clientY: number }): Point => {
        const { left, top } = element.getBoundingClientRect();
        return { x: event.clientX - left, y: event.clientY - top };
    };
    const down = (event: PointerEvent): void => {
        if (event.button !== 0) return;
        start = inside(event);
        isDragged = false;
        pointers.set(event.pointerId, start);
        grabbed = pointers.size === 1 && event.target instanceof Element ? moves.grab(event.target) : undefined;
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
        if (grabbed !== undefined) {
            const at = moves.place(event);
            const { left, top } = element.getBoundingClientRect();
            const before = moves.place({ clientX: left + last.x, clientY: top + last.y } as PointerEvent);
            grabbed.move(at, { x: at.x - before.x, y: at.y - before.y });
        } else if (other === undefined) moves.pan(now.x - last.x, now.y - last.y);
        else {
            const before = Math.hypot(last.x - other.x, last.y - other.y);
            const after = Math.hypot(now.x - other.x, now.y - other.y);
            if (before > 0) moves.zoomAt(after / before, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
        }
    };
    const up = (event: PointerEvent): void => {
        pointers.delete(event.pointerId);
        if (grabbed !== undefined && isDragged)
            grabbed.end(event.type === "pointerup" ? document.elementFromPoint(event.clientX, event.clientY) : null);
        grabbed = undefined;
    };
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
