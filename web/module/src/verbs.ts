// SPDX-License-Identifier: MIT
// Verbs of the command that need no model: what they are given as objects, their reports as types.
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

/** What a call is followed and ended by. */
export type CallOptions = Pick<RunOptions, "onProgress" | "signal">;

/** A table: a file that the command can read, with its name where one is to be shown; or rows. */
export type Table = FileContent | StoredFile | { name: string; content: FileContent | StoredFile } | readonly Row[];

export interface NamedFile {
    path: string;
    content: FileContent | StoredFile;
}

/** The table as a file; rows become JSON lines. */
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

/** The path of a file of the module's own, which no file of the caller has. */
export function pathBeside(path: string, other: string): string {
    return path === other ? `${path}-1` : path;
}

/** A page to ask offline is made of the page itself, which the module does not hold. */
export function refusePage(as: string): void {
    if (as === "html") throw new CredenceError("html: this module has no page to put it into; credence export has", 2);
}

/** P(H | O), by Bayes' rule. Numbers may be texts such as "2/8" and "25%". */
export interface BayesProblem {
    prior: Row;
    /** P(O | H), by outcome and hypothesis. */
    likelihood?: Readonly<Record<string, Row>>;
    observed?: readonly string[];
    /** What each hypothesis predicts. */
    says?: Row;
}

export function bayesArguments({ prior, likelihood = {}, observed = [], says = {} }: BayesProblem): string[] {
    const items = Object.entries(likelihood).flatMap(([outcome, under]) =>
        Object.entries(under).map(([hypothesis, value]) => listItem(`${outcome}:${hypothesis}=${String(value)}`)),
    );
    return [
        "bayes",
        ...["--prior", findings(prior)],
        ...(items.length === 0 ? [] : ["--likelihood", items.join(",")]),
        ...optionArguments({ observed: observed.length === 0 ? undefined : observed }),
        ...(Object.keys(says).length === 0 ? [] : ["--predicts", findings(says)]),
    ];
}

export function bayes(credence: Credence, problem: BayesProblem, call: CallOptions = {}): Promise<BayesReport> {
    return credence.json(bayesArguments(problem), call);
}

/** `options` are those of the command: at, below, above, between, quantile, interval, ... */
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

/** The profile of a table's columns. */
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

/** Compares two networks: arcs, tables, the structural Hamming distance. */
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

/** The tables and networks that are built in, with what they are. */
export async function examples(credence: Credence): Promise<Examples["examples"]> {
    return (await credence.json<Examples>(["example"])).examples;
}

/** The text of a table or network that is built in. */
export async function example(credence: Credence, name: string): Promise<string> {
    return (await credence.succeed(["example", name])).stdout;
}

export async function version(credence: Credence): Promise<string> {
    return (await credence.succeed(["version"])).stdout.trim().replace(/^credence /, "");
}
