// SPDX-License-Identifier: MIT
// Points of two numbers, by class, on a canvas: tens of thousands of them at the rate of the screen. Each class is drawn from one
// prepared stamp, of its color and its shape, pixel by pixel: tens of thousands of calls of the canvas would take longer.
import { classColor, resolvedColor } from "./colors";

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
/** Circle, triangle, square, diamond, plus, cross, inverted triangle: of about equal size. */
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

/** The pixels of one symbol: their offsets from its center, and their coverage (of 255). */
interface Stamp {
    red: number;
    green: number;
    blue: number;
    x: Int8Array;
    y: Int8Array;
    alpha: Uint8Array;
}

function stampOf(index: number, scale: number): Stamp {
    const side = Math.ceil(14 * scale);
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = side;
    const to = canvas.getContext("2d", { willReadFrequently: true });
    const found = { x: [] as number[], y: [] as number[], alpha: [] as number[] };
    const color = [0, 0, 0];
    if (to !== null) {
        to.setTransform(scale, 0, 0, scale, side / 2, side / 2);
        to.fillStyle = resolvedColor(classColor(index));
        to.fill(new Path2D(symbolPath(index)));
        const { data } = to.getImageData(0, 0, side, side);
        for (let at = 0; at < side * side; at++) {
            const alpha = data[4 * at + 3] ?? 0;
            if (alpha === 0) continue;
            found.x.push((at % side) - (side >> 1));
            found.y.push(Math.floor(at / side) - (side >> 1));
            found.alpha.push(Math.round(alpha * 0.75));
            if (alpha === 255) for (let k = 0; k < 3; k++) color[k] = data[4 * at + k] ?? 0;
        }
    }
    const [red = 0, green = 0, blue = 0] = color;
    const [x, y, alpha] = [Int8Array.from(found.x), Int8Array.from(found.y), Uint8Array.from(found.alpha)];
    return { red, green, blue, x, y, alpha };
}

/** Draws a stamp over the picture with alpha blending. */
function press(stamp: Stamp, data: Uint8ClampedArray, width: number, height: number, x: number, y: number): void {
    for (let i = 0; i < stamp.alpha.length; i++) {
        const px = x + (stamp.x[i] as number);
        const py = y + (stamp.y[i] as number);
        if (px < 0 || py < 0 || px >= width || py >= height) continue;
        const at = 4 * (py * width + px);
        const above = stamp.alpha[i] as number;
        const below = ((data[at + 3] as number) * (255 - above)) / 255;
        const all = above + below;
        data[at] = (stamp.red * above + (data[at] as number) * below) / all;
        data[at + 1] = (stamp.green * above + (data[at + 1] as number) * below) / all;
        data[at + 2] = (stamp.blue * above + (data[at + 2] as number) * below) / all;
        data[at + 3] = all;
    }
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
    const stamps = Array.from({ length: Math.max(classes, 1) }, (_, index) => stampOf(index, scale));
    const style = getComputedStyle(canvas);
    const [ink, line] = [resolvedColor("var(--ink-2)"), resolvedColor("var(--line)")];
    const right = width - MARGIN.right;
    const bottom = height - MARGIN.bottom;
    const plane = document.createElement("canvas");
    plane.width = Math.round((right - MARGIN.left) * scale);
    plane.height = Math.round((bottom - MARGIN.top) * scale);
    const under = plane.getContext("2d");
    const image = under?.createImageData(plane.width, plane.height);
    return (window) => {
        if (context === null || under === null || image === undefined) return;
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
        image.data.fill(0);
        const { x, y, of } = points;
        for (let i = 0; i < x.length; i++) {
            const px = Math.round((x[i] as number) * kx * scale - x0 * kx * scale);
            const py = plane.height - Math.round((y[i] as number) * ky * scale - y0 * ky * scale);
            const stamp = stamps[of[i] as number];
            if (stamp !== undefined && px > -99 && px < plane.width + 99 && py > -99 && py < plane.height + 99)
                press(stamp, image.data, plane.width, plane.height, px, py);
        }
        under.putImageData(image, 0, 0);
        context.drawImage(plane, MARGIN.left, MARGIN.top, right - MARGIN.left, bottom - MARGIN.top);
    };
}
