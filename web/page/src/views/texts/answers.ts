// SPDX-License-Identifier: MIT
// From a table with a column of texts to a model, and from a text to its explanation.
import { CredenceError, listItem, type FileContent } from "credence";
import type { Core } from "../../shell/core";
import type { ExplainReport, TextModelReport } from "./reports";

export interface TextOptions {
    target: string;
    text: string;
    /** The first line is a row, not names of columns. */
    isHeadless: boolean;
    /** Further options of train: families, n-grams and the like. */
    settings: string[];
}

export interface TextModel {
    name: string;
    content: FileContent;
    /** undefined for a model that was opened. */
    command: string[] | undefined;
    report: TextModelReport;
    /** The column of texts, as the model calls it. */
    column: string;
}

const modelName = (table: string): string => `${table.replace(/\.[^.]*(\.(gz|zst))?$/, "")}.model`;

export async function trainTexts(
    core: Core,
    table: { name: string; content: FileContent },
    options: TextOptions,
    words: number,
    signal: AbortSignal,
): Promise<TextModel> {
    const name = modelName(table.name);
    const command = [
        "train",
        table.name,
        ...(options.isHeadless ? ["--header", "no"] : []),
        "--target",
        listItem(options.target),
        "--text",
        listItem(options.text),
        ...options.settings,
        "-o",
        name,
    ];
    const run = await core.run(command, { files: { [table.name]: table.content }, keep: [name], signal });
    const content = run.files[name];
    if (run.status !== 0 || content === undefined)
        throw new CredenceError(run.stderr.trim().replace(/^credence: /, ""), run.status);
    return { ...(await openTexts(core, { name, content }, words, signal)), command };
}

/** A model that is there. */
export async function openTexts(
    core: Core,
    { name, content }: { name: string; content: FileContent },
    words: number,
    signal: AbortSignal,
): Promise<TextModel> {
    const report = await core.json<TextModelReport>(["show", name, "--top-terms", String(words)], {
        files: { [name]: content },
        signal,
    });
    const column = report.attributes?.find(({ texts }) => texts !== undefined)?.attribute;
    if (column === undefined) throw new Error(`${name} has no text column`);
    return { name, content, command: undefined, report, column };
}

/** The maximum length of a text on the command line, in UTF-16 units. */
const LONGEST_GIVEN = 30_000;

/** A short text without line breaks and equals signs is passed by --given, other texts as a row of a file. */
export function explainArguments(model: TextModel, text: string): { args: string[]; files: Record<string, string> } {
    if (
        text.length <= LONGEST_GIVEN &&
        !/[\n\r="]/.test(text) &&
        text.trim() === text &&
        /^[\w.-]+$/.test(model.column)
    )
        return { args: ["explain", model.name, "--given", `${model.column}=${text}`], files: {} };
    return {
        args: ["explain", model.name, "text.jsonl"],
        files: { "text.jsonl": `${JSON.stringify({ [model.column]: text })}\n` },
    };
}

export async function explainText(core: Core, model: TextModel, text: string): Promise<ExplainReport | undefined> {
    if (text.trim() === "") return undefined;
    const { args, files } = explainArguments(model, text);
    return core.json<ExplainReport>(args, { files: { ...files, [model.name]: model.content } });
}

export interface ColumnReport {
    column: string;
    distinct?: number;
}

/** The columns that look like the class and the text: by their names, then by how many values they have. */
export function guessColumns(columns: ColumnReport[]): { target: string; text: string } {
    const named = (pattern: RegExp): ColumnReport | undefined => columns.find(({ column }) => pattern.test(column));
    const byDistinct = [...columns].sort((a, b) => (b.distinct ?? 0) - (a.distinct ?? 0));
    const text = named(/^(text|message|body|document|content|review|comment|sms|mail)s?$/i) ?? byDistinct[0];
    const target =
        named(/^(label|class|target|category|spam|sentiment|topic)$/i) ??
        [...byDistinct].reverse().find(({ column }) => column !== text?.column);
    return { target: target?.column ?? "", text: text?.column ?? "" };
}
