// SPDX-License-Identifier: MIT
// The evaluation of a route: its command and files.
import type { FileContent } from "credence";
import type { OpenDocument } from "../../shell/store";
import { splitWords } from "../../shell/words";

export interface Question {
    command: string[];
    files: Record<string, FileContent>;
}

export const COSTS_FILE = "costs.csv";

/** Ways to test on rows outside the training data. */
export const WAYS: { value: string; title: string; words: string[] }[] = [
    { value: "10", title: "10 folds", words: ["--cross-validate", "10"] },
    { value: "5", title: "5 folds", words: ["--cross-validate", "5"] },
    { value: "20", title: "20 folds", words: ["--cross-validate", "20"] },
    { value: "loo", title: "leave one out", words: ["--leave-one-out"] },
    { value: "holdout", title: "30 % held out", words: ["--holdout", "30%"] },
];

/** Evaluates a table: the model of each fold is trained on the other folds. */
export function foldsQuestion(table: OpenDocument, target: string, options: string, way: string): Question {
    const words = WAYS.find(({ value }) => value === way)?.words ?? [`--cross-validate=${way}`];
    return {
        command: ["evaluate", table.name, "--target", target, ...splitWords(options), ...words],
        files: { [table.name]: table.content },
    };
}

/** Evaluates a model on the rows of a table. */
export function testQuestion(model: OpenDocument, test: OpenDocument): Question {
    return {
        command: ["evaluate", model.name, test.name],
        files: { [model.name]: model.content, [test.name]: test.content },
    };
}

function field(text: string): string {
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The cost matrix as the file that --cost reads: a row for each class, a column for each action. */
export function costsFile(classes: string[], costs: number[][]): string {
    const rows = classes.map((name, index) => [field(name), ...(costs[index] ?? []).map(String)].join(","));
    return `${["class", ...classes.map(field)].join(",")}\n${rows.join("\n")}\n`;
}

/** Costs 0 for correct and 1 for wrong decisions. */
export function plainCosts(count: number): number[][] {
    return Array.from({ length: count }, (_, i) => Array.from({ length: count }, (__, j) => (i === j ? 0 : 1)));
}

export function parseCosts(text: string | null, count: number): number[][] | undefined {
    if (text === null) return undefined;
    const costs = text.split(";").map((row) => row.split(",").map(Number));
    const isWhole = costs.length === count && costs.every((row) => row.length === count && row.every(Number.isFinite));
    return isWhole ? costs : undefined;
}

export function formatCosts(costs: number[][]): string {
    return costs.map((row) => row.join(",")).join(";");
}

/** Adds a decision rule to an evaluation. */
export function withRule(
    question: Question,
    rule: { costs?: number[][] | undefined; reject?: string | undefined },
    classes: string[],
): Question {
    if (rule.costs !== undefined && classes.length > 0)
        return {
            command: [...question.command, "--cost", COSTS_FILE],
            files: { ...question.files, [COSTS_FILE]: costsFile(classes, rule.costs) },
        };
    if (rule.reject !== undefined) return { ...question, command: [...question.command, "--reject", rule.reject] };
    return question;
}

/** Adds the threshold curves of one class to an evaluation. */
export function withThresholdCurves(question: Question, positive: string): Question {
    return { ...question, command: [...question.command, "--threshold-curves", "--positive", positive] };
}
