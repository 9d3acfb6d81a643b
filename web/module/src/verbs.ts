// SPDX-License-Identifier: MIT
// Verbs of the command that need no model: functions with objects as parameters and typed reports as results.
import { findings, listItem, operand, optionArguments, type Options, type Row } from "./command-line.js";
import type { Credence } from "./credence.js";
import { CredenceError } from "./error.js";
import { StoredFile, type FileContent, type RunOptions } from "./protocol.js";
import type {
    BayesReport,
    DistributionEntry,
    DistributionReport,
    Examples,
    Evaluation,
    Comparison,
    NetworkComparison,
    Profile,
} from "./reports.js";

/** Progress callback and abort signal of a call. */
export type CallOptions = Pick<RunOptions, "onProgress" | "signal">;

/** A table: the content of a file that the command can read, optionally with its name; or an array of rows. */
export type Table = FileContent | StoredFile | { name: string; content: FileContent | StoredFile } | readonly Row[];

export interface NamedFile {
    path: string;
    content: FileContent | StoredFile;
}

/** Returns the table as a file. Rows become JSON lines. */
export function tableFile(table: Table, path = "table"): NamedFile {
    if (Array.isArray(table))
        return { path: `${path}.jsonl`, content: table.map((row: Row) => `${JSON.stringify(row)}\n`).join("") };
    if (typeof table === "string" || table instanceof Uint8Array || table instanceof StoredFile)
        return { path, content: table };
    if (table instanceof Blob)
        return { path: "name" in table && typeof table.name === "string" ? table.name : path, content: table };
    const { name, content } = table as { name: string; content: FileContent | StoredFile };
    return { path: name, content };
}

/** Returns a path for a file of the module that differs from the path of the caller's file. */
export function pathBeside(path: string, other: string): string {
    return path === other ? `${path}-1` : path;
}

/** Rejects the format html: it needs the web app, which is not part of this module. */
export function rejectHtml(as: string): void {
    if (as === "html")
        throw new CredenceError("html: not available in this module; use the command: credence export --as html", 2);
}

/** A problem for Bayes' rule, P(H | O). Numbers can be strings such as "2/8" and "25%". */
export interface BayesProblem {
    prior: Row;
    /** P(O | H), by outcome and hypothesis. */
    likelihood?: Readonly<Record<string, Row>>;
    observed?: readonly string[];
    /** The prediction of each hypothesis. */
    predicts?: Row;
}

export function bayesArguments({ prior, likelihood = {}, observed = [], predicts = {} }: BayesProblem): string[] {
    const items = Object.entries(likelihood).flatMap(([outcome, under]) =>
        Object.entries(under).map(([hypothesis, value]) => listItem(`${outcome}:${hypothesis}=${String(value)}`)),
    );
    return [
        "bayes",
        ...["--prior", findings(prior)],
        ...(items.length === 0 ? [] : ["--likelihood", items.join(",")]),
        ...optionArguments({ observed: observed.length === 0 ? undefined : observed }),
        ...(Object.keys(predicts).length === 0 ? [] : ["--predicts", findings(predicts)]),
    ];
}

export function bayes(credence: Credence, problem: BayesProblem, call: CallOptions = {}): Promise<BayesReport> {
    return credence.json(bayesArguments(problem), call);
}

/** Computes probabilities, quantiles and intervals of a distribution. `options`: at, below, above, between, quantile, interval, ... */
export function distribution(
    credence: Credence,
    name: string,
    parameters: Row,
    options: Options = {},
    call: CallOptions = {},
): Promise<DistributionReport> {
    const words = Object.entries(parameters).map(([parameter, value]) => `${parameter}=${String(value)}`);
    return credence.json(["distribution", name, ...words, ...optionArguments(options)], call);
}

export function distributions(credence: Credence, call: CallOptions = {}): Promise<DistributionEntry[]> {
    return credence.json(["distribution"], call);
}

/** Returns the profile of a table: type, missing values and distribution of each column. */
export function schema(
    credence: Credence,
    table: Table,
    options: Options = {},
    call: CallOptions = {},
): Promise<Profile> {
    const { path, content } = tableFile(table);
    return credence.json(["schema", operand(path), ...optionArguments(options)], {
        ...call,
        files: { [path]: content },
    });
}

/** Evaluates a method on a table: `{ target, crossValidate: 10 }`, `{ target, leaveOneOut: true }`, ... */
export function evaluate(
    credence: Credence,
    table: Table,
    options: Options & { target: string },
    call: CallOptions = {},
): Promise<Evaluation> {
    const { path, content } = tableFile(table);
    return credence.json(["evaluate", operand(path), ...optionArguments(options)], {
        ...call,
        files: { [path]: content },
    });
}

/** Compares methods and families on the same folds. */
export function compareMethods(
    credence: Credence,
    table: Table,
    options: Options & { target: string },
    call: CallOptions = {},
): Promise<Comparison> {
    const { path, content } = tableFile(table);
    return credence.json(["evaluate", operand(path), "--compare", ...optionArguments(options)], {
        ...call,
        files: { [path]: content },
    });
}

/** Compares two networks: arcs, tables, structural Hamming distance. */
export function compare(
    credence: Credence,
    first: Table,
    second: Table,
    call: CallOptions = {},
): Promise<NetworkComparison> {
    const a = tableFile(first, "first");
    const b = tableFile(second, "second");
    const path = pathBeside(b.path, a.path);
    return credence.json(["compare", operand(a.path), operand(path)], {
        ...call,
        files: { [a.path]: a.content, [path]: b.content },
    });
}

/** Returns the built-in example tables and networks, with descriptions. */
export async function examples(credence: Credence): Promise<Examples["examples"]> {
    return (await credence.json<Examples>(["example"])).examples;
}

/** Returns the text of a built-in example. */
export async function example(credence: Credence, name: string): Promise<string> {
    return (await credence.succeed(["example", name])).stdout;
}

export async function version(credence: Credence): Promise<string> {
    return (await credence.succeed(["version"])).stdout.trim().replace(/^credence /, "");
}
