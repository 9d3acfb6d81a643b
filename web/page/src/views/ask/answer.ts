// SPDX-License-Identifier: MIT
// One form for the reports of all types of models: posterior, weights of evidence, changes, informative missing values.
import type { AnyRowReport, Change, RowReport, TextWords } from "./reports";

export interface Reason {
    name: string;
    weight: number | null;
    /** For an infinite weight: 1 for the class, -1 against it. */
    sign?: number;
    attribute?: string;
}

export interface RowAnswer {
    prediction: string | undefined;
    posterior: { name: string; probability: number }[];
    reasons: Reason[];
    /** The class that positive weights favor, and the other class. */
    pair: [string, string] | undefined;
    total: number | null | undefined;
    changes: Change[];
    changesTried: number;
    missing: { attribute: string; bits: number }[];
    uncertainty: number | undefined;
    texts: TextWords[];
    members: { name: string; weight: number; probabilities: Record<string, number> }[];
    unseen: number;
    impossible: string | undefined;
    decision: string | undefined;
    costs: Record<string, number> | undefined;
    /** Whether the model supports decision rules. */
    hasRules: boolean;
}

const NOTHING: RowAnswer = {
    prediction: undefined,
    posterior: [],
    reasons: [],
    pair: undefined,
    total: undefined,
    changes: [],
    changesTried: 0,
    missing: [],
    uncertainty: undefined,
    texts: [],
    members: [],
    unseen: 0,
    impossible: undefined,
    decision: undefined,
    costs: undefined,
    hasRules: true,
};

function inOrder(probabilities: Record<string, number>, classes: string[]): RowAnswer["posterior"] {
    const names = [...classes, ...Object.keys(probabilities).filter((name) => !classes.includes(name))];
    return names
        .filter((name) => probabilities[name] !== undefined)
        .map((name) => ({ name, probability: probabilities[name] ?? 0 }));
}

function reasonsOf(weights: NonNullable<RowReport["weights"]>): Reason[] {
    const terms = weights.terms.map(({ term, attribute, weight, rules_out: out }) => ({
        name: term,
        weight,
        ...(attribute === undefined ? {} : { attribute }),
        ...(out === undefined ? {} : { sign: out === weights.against ? 1 : -1 }),
    }));
    return [{ name: "prior", weight: weights.prior }, ...terms];
}

/** Returns the alternative to a class: the other class if there are two. */
function otherThan(name: string, posterior: RowAnswer["posterior"]): string {
    const others = posterior.filter((one) => one.name !== name);
    return others.length === 1 ? (others[0]?.name ?? "") : "the others";
}

/** `classes` in the order of the model. */
export function readAnswer(report: AnyRowReport, classes: string[]): RowAnswer {
    if ("models" in report)
        return {
            ...NOTHING,
            prediction: report.prediction ?? undefined,
            posterior: inOrder(report.probabilities, classes),
            unseen: report.unseen,
            members: report.models.map(({ model, ...rest }) => ({ name: model, ...rest })),
        };
    const whatIf = {
        changes: report.changes ?? [],
        changesTried: report.changes_tried ?? 0,
        missing: (report.missing ?? []).map(({ attribute, bits }) => ({ attribute, bits: bits ?? 0 })),
        uncertainty: report.uncertainty ?? undefined,
    };
    if ("node" in report) {
        const posterior = inOrder(report.posterior ?? {}, classes);
        const best = posterior.reduce((a, b) => (b.probability > a.probability ? b : a), {
            name: "",
            probability: -1,
        });
        return {
            ...NOTHING,
            ...whatIf,
            prediction: best.name === "" ? undefined : best.name,
            posterior,
            impossible: report.impossible,
            hasRules: false,
            pair: report.state === undefined ? undefined : [report.state, otherThan(report.state, posterior)],
            reasons: (report.findings ?? [])
                .map(({ node, state, value, weight }) => ({
                    name: `${node}=${state ?? value ?? ""}`,
                    attribute: node,
                    weight: weight ?? null,
                }))
                .sort((a, b) => Math.abs(b.weight ?? Infinity) - Math.abs(a.weight ?? Infinity)),
        };
    }
    return {
        ...NOTHING,
        ...whatIf,
        prediction: report.prediction ?? undefined,
        posterior: report.classes.map(({ class: name, posterior }) => ({ name, probability: posterior ?? NaN })),
        reasons: report.weights === undefined ? [] : reasonsOf(report.weights),
        pair: report.weights === undefined ? undefined : [report.weights.for, report.weights.against],
        total: report.weights?.total,
        texts: report.texts ?? [],
        members: (report.members ?? []).map(({ weight, settings, log_posterior: logs }, index) => ({
            name: `${index + 1} ${settings.method ?? ""}`,
            weight,
            probabilities: Object.fromEntries(
                Object.entries(logs).map(([name, log]) => [name, log === null ? 0 : Math.exp(log)]),
            ),
        })),
        unseen: report.unseen,
        decision: report.decision,
        costs: report.costs,
    };
}

/** The cells of a row of a table, from its explanation. */
export function cellsOf(report: AnyRowReport): [string, string][] {
    if ("models" in report) return [];
    if ("node" in report)
        return (report.findings ?? []).map(({ node, state, value }) => [node, state ?? String(value ?? "")]);
    return (report.classes[0]?.terms ?? [])
        .filter(({ value }) => value !== null)
        .map(({ attribute, value }) => [attribute, String(value)]);
}
