// SPDX-License-Identifier: MIT
// A worked number and the computed number: its path in a report, and whether both agree to the printed digits.
import type { PathStep, WorkedNumber } from "./data/types";

export type Found = number | string | boolean | undefined;

function isRecord(value: unknown): value is Record<string, unknown> {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

function stepInto(value: unknown, step: PathStep): unknown {
    if (typeof step === "string") return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    if (!Array.isArray(value)) return undefined;
    if (typeof step === "number") return value[step];
    return value.find(
        (element) => isRecord(element) && Object.entries(step).every(([key, wanted]) => element[key] === wanted),
    );
}

/** Returns the value at a path of a report; undefined if there is none. */
export function valueAt(report: unknown, path: PathStep[]): Found {
    const found = path.reduce(stepInto, report);
    return typeof found === "number" || typeof found === "string" || typeof found === "boolean" ? found : undefined;
}

/** Parses a number of a lecture, and half a unit of its last digit; undefined for a word. */
export function lectureNumber(text: string): { value: number; half: number } | undefined {
    const fraction = /^(\d+)\/(\d+)$/.exec(text);
    if (fraction !== null) return { value: Number(fraction[1]) / Number(fraction[2]), half: 0 };
    if (!/^-?(\d+\.?\d*|\.\d+)$/.test(text)) return undefined;
    const digits = text.split(".")[1]?.length ?? 0;
    return { value: Number(text), half: digits === 0 ? 0 : 0.5 * 10 ** -digits };
}

/** The rounding error of doubles, for exact numbers of a lecture. */
const ROUNDING = 1e-12;

export function agrees(number: WorkedNumber, found: Found): boolean {
    if (typeof found === "boolean") return number.words?.[found ? "true" : "false"] === number.lecture;
    if (typeof found === "string") return found === number.lecture;
    const lecture = lectureNumber(number.lecture);
    if (found === undefined || lecture === undefined) return false;
    return Math.abs(found - lecture.value) <= lecture.half + ROUNDING * Math.max(1, Math.abs(lecture.value));
}
