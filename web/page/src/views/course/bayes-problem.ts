// SPDX-License-Identifier: MIT
// A problem of Bayes' rule: as a parameter of the route, and as arguments of the command.
import { listItem } from "credence";
import type { BayesProblem } from "./data/types";

function isTexts(value: unknown): value is string[] {
    return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** The route has [[hypothesis, prior], ...], [[outcome, [likelihood, ...]], ...], [observed, ...] as JSON. */
export function problemText({ hypotheses, outcomes, observed }: BayesProblem): string {
    return JSON.stringify([
        hypotheses.map(({ name, prior }) => [name, prior]),
        outcomes.map(({ name, likelihoods }) => [name, likelihoods]),
        observed,
    ]);
}

/** Parses a problem from a link; undefined if the text is invalid. */
export function parseProblem(text: string | null): BayesProblem | undefined {
    if (text === null) return undefined;
    let parsed: unknown;
    try {
        parsed = JSON.parse(text);
    } catch {
        return undefined;
    }
    if (!Array.isArray(parsed) || parsed.length !== 3) return undefined;
    const [hypotheses, outcomes, observed] = parsed as unknown[];
    if (!Array.isArray(hypotheses) || !Array.isArray(outcomes) || !isTexts(observed)) return undefined;
    if (!hypotheses.every(isTexts) || hypotheses.length < 2) return undefined;
    const problem: BayesProblem = {
        hypotheses: hypotheses.map(([name = "", prior = ""]) => ({ name, prior })),
        outcomes: [],
        observed,
    };
    for (const outcome of outcomes as unknown[]) {
        if (!Array.isArray(outcome) || typeof outcome[0] !== "string" || !isTexts(outcome[1])) return undefined;
        if (outcome[1].length !== hypotheses.length) return undefined;
        problem.outcomes.push({ name: outcome[0], likelihoods: outcome[1] });
    }
    return problem.outcomes.length > 0 ? problem : undefined;
}

/** The number that a field holds, a fraction or a percentage included; for sliders. */
export function fieldNumber(text: string): number {
    const fraction = /^\s*([\d.]+)\s*\/\s*([\d.]+)\s*$/.exec(text);
    if (fraction !== null) return Number(fraction[1]) / Number(fraction[2]);
    const percentage = /^\s*([\d.]+)\s*%\s*$/.exec(text);
    return percentage !== null ? Number(percentage[1]) / 100 : Number(text);
}

export function bayesArguments({ hypotheses, outcomes, observed }: BayesProblem): string[] {
    const item = (key: string, value: string): string => listItem(`${key}=${value}`);
    // The prior of the last hypothesis is the remainder, which the command adds.
    const priors = hypotheses.slice(0, -1).map(({ name, prior }) => item(name, prior));
    const likelihoods = outcomes.flatMap(({ name, likelihoods: list }) =>
        hypotheses.map((hypothesis, index) => item(`${name}:${hypothesis.name}`, list[index] ?? "")),
    );
    return [
        "bayes",
        "--prior",
        priors.join(","),
        "--likelihood",
        likelihoods.join(","),
        ...(observed.length > 0 ? ["--observed", observed.map((name) => listItem(name)).join(",")] : []),
    ];
}
