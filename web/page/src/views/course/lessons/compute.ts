// SPDX-License-Identifier: MIT
// What lessons ask of the command.
import { CredenceError } from "credence";
import type { Core } from "../../../shell/core";
import type { LessonNumber } from "./types";

export function probability(id: string, label: string, value: number): LessonNumber {
    return { id, label, value, from: 0.001, to: 0.999, step: 0.001, isProbability: true };
}

export function count(id: string, label: string, value: number, from: number, to: number, step = 1): LessonNumber {
    return { id, label, value, from, to, step, isProbability: false };
}

export function percentOf(value: number | undefined): string {
    return `${Number((100 * (value ?? 0)).toFixed(1))} %`;
}

export interface BayesReport {
    observations: { evidence: number; hypotheses: { hypothesis: string; joint: number; posterior: number }[] }[];
    posterior: Record<string, number>;
    gibbs?: Record<string, number>;
}

/** Priors by hypothesis, and likelihoods by outcome and hypothesis. */
export function bayes(
    core: Core,
    prior: Record<string, number>,
    likelihood: Record<string, Record<string, number>>,
    observed: string[],
): Promise<BayesReport> {
    const list = (record: Record<string, number>, prefix = ""): string =>
        Object.entries(record)
            .map(([name, value]) => `${prefix}${name}=${value}`)
            .join(",");
    const likelihoods = Object.entries(likelihood).map(([outcome, under]) => list(under, `${outcome}:`));
    return core.json<BayesReport>([
        ...["bayes", "--prior", list(prior)],
        ...["--likelihood", likelihoods.join(",")],
        ...["--observed", observed.join(",")],
    ]);
}

/** The posterior of a node of a network. */
export async function query(core: Core, text: string, node: string, given: string): Promise<Record<string, number>> {
    const args = ["query", "lesson.bif", "--of", node, ...(given === "" ? [] : ["--given", given])];
    const report = await core.json<{ posterior: Record<string, Record<string, number>> }>(args, {
        files: { "lesson.bif": text },
    });
    return report.posterior[node] ?? {};
}

/** A network of variables with the states yes and no. The rows of a table are in the order of the states of the parents. */
export function network(tables: [name: string, parents: string[], yes: number[]][]): string {
    const variables = tables.map(([name]) => `variable ${name} { type discrete [ 2 ] { yes, no }; }`);
    const probabilities = tables.map(([name, parents, yes]) => {
        const row = (value: number): string => `${value}, ${1 - value}`;
        if (parents.length === 0) return `probability ( ${name} ) { table ${row(yes[0] ?? 0)}; }`;
        const rows = yes.map((value, index) => {
            const states = parents.map((_, at) => ((index >> (parents.length - 1 - at)) & 1 ? "no" : "yes"));
            return `(${states.join(", ")}) ${row(value)};`;
        });
        return `probability ( ${name} | ${parents.join(", ")} ) { ${rows.join(" ")} }`;
    });
    return ["network lesson {}", ...variables, ...probabilities, ""].join("\n");
}

export interface ExplainReport {
    classes: { class: string; posterior: number }[];
    decision?: string;
    costs?: Record<string, number>;
}

/** Trains on an example and explains a row: the posterior of each class by name. */
export async function classify(
    core: Core,
    example: string,
    target: string,
    options: string[],
    given: string,
    rule: { options: string[]; files: Record<string, string> } = { options: [], files: {} },
): Promise<{ report: ExplainReport; posterior: Record<string, number> }> {
    const table = (await core.succeed(["example", example])).stdout;
    const train = ["train", "lesson.csv", "--target", target, ...options, "-o", "lesson.model", "--quiet"];
    const { status, stderr, files } = await core.run(train, { files: { "lesson.csv": table }, keep: ["lesson.model"] });
    const model = files["lesson.model"];
    if (status !== 0 || model === undefined) throw CredenceError.of(status, stderr);
    const report = await core.json<ExplainReport>(["explain", "lesson.model", "--given", given, ...rule.options], {
        files: { "lesson.model": model, ...rule.files },
    });
    return { report, posterior: Object.fromEntries(report.classes.map((one) => [one.class, one.posterior])) };
}

/** A probability of a distribution: the first result. */
export async function distribution(core: Core, words: string[]): Promise<number> {
    const { results } = await core.json<{ results: Record<string, number> }>(["distribution", ...words]);
    return Object.values(results)[0] ?? NaN;
}
