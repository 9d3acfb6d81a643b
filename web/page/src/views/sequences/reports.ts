// SPDX-License-Identifier: MIT
// The members of reports on sequence models that this view reads.
import { CredenceError, type FileContent } from "credence";
import type { Core } from "../../shell/core";

export type Cell = string | number | boolean | null;

export interface Step {
    row: Record<string, Cell>;
    sequence: string;
    step: number;
    /** Its place among all rows, from 1. */
    number: number;
    prediction: string | null;
    probability: number | null;
    posterior: Record<string, number>;
    log_evidence: number | null;
}

export interface EmStep {
    step: number;
    log_likelihood: number;
    log_posterior: number;
}

export interface TrainReport {
    states?: number;
    /** How EM found the states; absent if every step has a label. */
    fit?: {
        log_likelihood: number;
        steps: EmStep[];
        choices?: { states: number; log_likelihood: number; parameters: number; bic: number }[];
    };
}

export interface HmmReport {
    order: number;
    hidden: boolean;
    target?: string;
    source: { sequence?: string; sequence_break?: string; time?: string };
    states: { state: string; start: number; stationary: number | null; duration: number | null }[];
    transitions:
        Record<string, Record<string, number>> | { context: string[]; count: number; next: Record<string, number> }[];
    attributes: {
        attribute: string;
        family: string;
        values?: { value: string; probability: Record<string, number> }[];
        densities?: { class: string; mean?: number; sd?: number }[];
    }[];
}

export interface StepReport {
    step: number;
    steps: number;
    log_likelihood: number;
    prediction: string;
    states: { state: string; past: number; observation: number; future: number; posterior: number }[];
    weights?: {
        for: string;
        against: string;
        terms: { part: string; column?: string; nats: number }[];
        log_odds: number;
    };
    path: string;
}

/** A report of an object a line. */
export async function jsonLines<T>(
    core: Core,
    args: string[],
    files: Record<string, FileContent>,
    signal?: AbortSignal,
): Promise<T[]> {
    const { status, stdout, stderr } = await core.run([...args, "--format", "json"], {
        files,
        ...(signal === undefined ? {} : { signal }),
    });
    if (status !== 0) throw new CredenceError(stderr.trim().replace(/^credence: /, ""), status);
    return stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as T);
}
