// SPDX-License-Identifier: MIT
// Points of two numbers, by class, on a canvas: tens of thousands of them at the rate of the screen. Each class is drawn from one
// prepared stamp, of its colour and its shape.
import { classColour, resolvedColour } from "./colours";

export interface Points {
    x: Float64Array;
    y: Float64Array;
    /** The number of the class of each point. */
    of: Uint16Array;
}

export interface Window {
    x: [number, number];
    y: [number, number];
}

export const MARGIN = { left: 64, right: 12, top: 12, bottom: 44 };
/** Circle, triangle, square, diamond, plus, cross, triangle on its tip: about as large as each other. */
const SHAPES = [
    "M3.5 0A3.5 3.5 0 1 1 -3.5 0A3.5 3.5 0 1 1 3.5 0Z",
    "M0 -4.6L4.1 2.6H-4.1Z",
    "M-3.1 -3.1H3.1V3.1H-3.1Z",
    "M0 -4.7L3.6 0L0 4.7L-3.6 0Z",
    "M-1.3 -4H1.3V-1.3H4V1.3H1.3V4H-1.3V1.3H-4V-1.3H-1.3Z",
    "M-4 -2.4L-2.4 -4L0 -1.6L2.4 -4L4 -2.4L1.6 0L4 2.4L2.4 4L0 1.6L-2.4 4L-4 2.4L-1.6 0Z",
    "M0 4.6L4.1 -2.6H-4.1Z",
];

export function symbolPath(index: number): string {
    return SHAPES[(index + Math.floor(index / 8)) % SHAPES.length] ?? "";
}

function extent(values: Float64Array): [number, number] {
    let least = Infinity;
    let greatest = -Infinity;
    for (const value of values) {
        if (value < least) least = value;
        if (value > greatest) greatest = value;
    }
    if (!(least <= greatest)) return [0, 1];
    const pad = least === greatest ? Math.max(Math.abs(least), 1) * 0.05 : (greatest - least) * 0.04;
    return [least - pad, greatest + pad];
}

export function wholeWindow({ x, y }: Points): Window {
    return { x: extent(x), y: extent(y) };
}

/** Round numbers within an interval, about `count` of them. */
export function ticks([from, to]: [number, number], count: number): number[] {
    const raw = (to - from) / Math.max(count, 1);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * (raw / power >= 5 ? 10 : raw / power >= 2 ? 5 : raw / power >= 1 ? 2 : 1);
    const found: number[] = [];
    for (let i = Math.ceil(from / step); i * step <= to; i++) found.push(Number((i * step).toPrecision(12)));
    return found;
}

function stamps(classes: number, scale: number): HTMLCanvasElement[] {
    return Array.from({ length: classes }, (_, index) => {
        const stamp = document.createElement("canvas");
        stamp.width = stamp.height = Math.ceil(14 * scale);
        const to = stamp.getContext("2d");
        if (to === null) return stamp;
        to.scale(scale, scale);
        to.translate(7, 7);
        const shape = new Path2D(symbolPath(index));
        to.globalAlpha = 0.75;
        to.fillStyle = resolvedColour(classColour(index));
        to.fill(shape);
        return stamp;
    });
}

/** Prepares a painter of the points; calling it paints a window of them. */
export function scatterPainter(
    canvas: HTMLCanvasElement,
    points: Points,
    classes: number,
    names: { x: string; y: string },
    width: number,
    height: number,
): (window: Window) => void {
    const scale = globalThis.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    const images = stamps(Math.max(classes, 1), scale);
    const style = getComputedStyle(canvas);
    const [ink, line] = [resolvedColour("var(--ink-2)"), resolvedColour("var(--line)")];
    const right = width - MARGIN.right;
    const bottom = height - MARGIN.bottom;
    return (window) => {
        if (context === null) return;
        const [x0, x1] = window.x;
        const [y0, y1] = window.y;
        const kx = (right - MARGIN.left) / (x1 - x0);
        const ky = (bottom - MARGIN.top) / (y1 - y0);
        context.setTransform(scale, 0, 0, scale, 0, 0);
        context.clearRect(0, 0, width, height);
        context.font = `14px ${style.fontFamily}`;
        context.fillStyle = ink;
        context.strokeStyle = line;
        context.lineWidth = 1;
        context.beginPath();
        context.textAlign = "center";
        context.textBaseline = "top";
        for (const tick of ticks(window.x, width / 110)) {
            const at = Math.round(MARGIN.left + (tick - x0) * kx) + 0.5;
            context.moveTo(at, MARGIN.top);
            context.lineTo(at, bottom);
            context.fillText(String(tick), at, bottom + 5);
        }
        context.textAlign = "right";
        context.textBaseline = "middle";
        for (const tick of ticks(window.y, height / 70)) {
            const at = Math.round(bottom - (tick - y0) * ky) + 0.5;
            context.moveTo(MARGIN.left, at);
            context.lineTo(right, at);
            context.fillText(String(tick), MARGIN.left - 6, at);
        }
        context.stroke();
        context.textAlign = "center";
        context.textBaseline = "bottom";
        context.fillText(names.x, (MARGIN.left + right) / 2, height - 2);
        context.save();
        context.translate(12, (MARGIN.top + bottom) / 2);
        context.rotate(-Math.PI / 2);
        context.textBaseline = "middle";
        context.fillText(names.y, 0, 0);
        context.restore();
        context.save();
        context.beginPath();
        context.rect(MARGIN.left, MARGIN.top, right - MARGIN.left, bottom - MARGIN.top);
        context.clip();
        const { x, y, of } = points;
        for (let i = 0; i < x.length; i++) {
            const px = MARGIN.left + ((x[i] ?? 0) - x0) * kx;
            const py = bottom - ((y[i] ?? 0) - y0) * ky;
            const image = images[of[i] ?? 0];
            if (image !== undefined && px > 0 && px < width && py > 0 && py < height)
                context.drawImage(image, px - 7, py - 7, 14, 14);
        }
        context.restore();
    };
}
