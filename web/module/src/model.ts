// SPDX-License-Identifier: MIT
import { operand, optionArguments, type Options, type Row } from "./command-line.js";
import type { Credence } from "./credence.js";
import { StoredFile, type RunOptions } from "./protocol.js";
import type { Answer, Dependence, Evaluation, Explanation, Prediction, ShownModel } from "./reports.js";
import { pathBeside, rejectHtml, tableFile, type CallOptions, type Table } from "./verbs.js";

const MODEL = "model";
// Longer rows are passed in a file.
const LONGEST_GIVEN = 65536;

/** A trained model. Models are immutable. The `options` of its methods are the options and settings of the command. */
export class Model {
    private readonly file: StoredFile;

    private constructor(
        private readonly credence: Credence,
        /** The model file, which the command can read. */
        readonly bytes: Uint8Array,
        /** The messages of the command during training. */
        readonly notes: string,
    ) {
        this.file = new StoredFile(bytes);
    }

    static async train(
        credence: Credence,
        table: Table,
        options: Options & { target?: string },
        call: CallOptions = {},
    ): Promise<Model> {
        const { path, content } = tableFile(table);
        const output = pathBeside(MODEL, path);
        const args = ["train", operand(path), ...optionArguments(options), "-o", output];
        return Model.made(credence, args, output, { ...call, files: { [path]: content } });
    }

    /** Creates a model from the bytes of a model file. The first query of an invalid file fails. */
    static load(credence: Credence, bytes: Uint8Array): Model {
        return new Model(credence, bytes, "");
    }

    private static async made(credence: Credence, args: string[], path: string, run: RunOptions): Promise<Model> {
        const { files, stderr } = await credence.succeed(args, { ...run, keep: [path] });
        return new Model(credence, files[path] ?? new Uint8Array(), stderr);
    }

    /** Returns the posterior of each class for a row. Columns that the row omits are missing. */
    async posterior(row: Row, options: Options = {}, call: CallOptions = {}): Promise<Prediction> {
        const [answer] = await this.lines<Prediction>("predict", this.given(row), options, call);
        if (answer === undefined) throw new Error("predict returned no line");
        return answer;
    }

    /** Returns a prediction for each row of a table. */
    predict<P extends Prediction = Prediction>(
        table: Table,
        options: Options = {},
        call: CallOptions = {},
    ): Promise<P[]> {
        return this.lines<P>("predict", { table }, options, call);
    }

    /** Returns the posterior of a row term by term, counterfactuals, and the information gain of missing values. */
    async explain(row: Row, options: Options = {}, call: CallOptions = {}): Promise<Explanation> {
        const [answer] = await this.lines<Explanation>("explain", this.given(row), options, call);
        if (answer === undefined) throw new Error("explain returned no line");
        return answer;
    }

    /** Measures the dependence of pairs of attributes given the class, on labeled rows. */
    async dependence(table: Table, options: Options = {}, call: CallOptions = {}): Promise<Dependence> {
        const { path, content } = this.beside(table);
        return this.credence.json(["explain", MODEL, "--data", path, ...optionArguments(options)], {
            ...call,
            files: { [MODEL]: this.file, [path]: content },
        });
    }

    evaluate(table: Table, options: Options = {}, call: CallOptions = {}): Promise<Evaluation> {
        const { path, content } = this.beside(table);
        return this.credence.json(["evaluate", MODEL, operand(path), ...optionArguments(options)], {
            ...call,
            files: { [MODEL]: this.file, [path]: content },
        });
    }

    /** Returns priors, tables and densities. For a network or a sequence model, set the type parameter. */
    show<R = ShownModel>(options: Options = {}, call: CallOptions = {}): Promise<R> {
        return this.credence.json(["show", MODEL, ...optionArguments(options)], { ...call, files: this.files() });
    }

    /** Returns probabilities of any columns, given others: `{ of, given, jointDistribution, ... }`. */
    query<R = Answer>(options: Options, call: CallOptions = {}): Promise<R> {
        return this.credence.json(["query", MODEL, ...optionArguments(options)], { ...call, files: this.files() });
    }

    /** Samples rows from the model. */
    sample<R = Record<string, string | number>>(
        rows: number,
        options: Options = {},
        call: CallOptions = {},
    ): Promise<R[]> {
        return this.credence.jsonLines(["sample", MODEL, ...optionArguments({ rows, ...options })], {
            ...call,
            files: this.files(),
        });
    }

    /** Returns a model that has also learned these rows. */
    update(table: Table, options: Options = {}, call: CallOptions = {}): Promise<Model> {
        return this.changed("update", table, options, call);
    }

    /** Returns a model that has not learned these rows. */
    forget(table: Table, options: Options = {}, call: CallOptions = {}): Promise<Model> {
        return this.changed("forget", table, options, call);
    }

    /** Exports the model to a format for other programs: "json", "c", "sql", "pmml", "onnx", ... */
    async export(as: string, options: Options = {}, call: CallOptions = {}): Promise<Uint8Array> {
        rejectHtml(as);
        const output = "exported";
        const args = ["export", MODEL, ...optionArguments({ as, ...options }), "-o", output];
        const { files } = await this.credence.succeed(args, { ...call, files: this.files(), keep: [output] });
        return files[output] ?? new Uint8Array();
    }

    private files(): Record<string, StoredFile> {
        return { [MODEL]: this.file };
    }

    private beside(table: Table): ReturnType<typeof tableFile> {
        const { path, content } = tableFile(table);
        return { path: pathBeside(path, MODEL), content };
    }

    private given(row: Row): { given: Row } | { table: readonly Row[] } {
        const isLong = Object.values(row).some((value) => String(value).length > LONGEST_GIVEN);
        return isLong ? { table: [row] } : { given: row };
    }

    private lines<R>(
        verb: string,
        rows: { given: Row } | { table: Table },
        options: Options,
        call: CallOptions,
    ): Promise<R[]> {
        if ("given" in rows) {
            const args = [verb, MODEL, ...optionArguments({ given: rows.given, ...options })];
            return this.credence.jsonLines(args, { ...call, files: this.files() });
        }
        const { path, content } = this.beside(rows.table);
        return this.credence.jsonLines([verb, MODEL, operand(path), ...optionArguments(options)], {
            ...call,
            files: { [MODEL]: this.file, [path]: content },
        });
    }

    private changed(verb: string, table: Table, options: Options, call: CallOptions): Promise<Model> {
        const { path, content } = this.beside(table);
        const output = pathBeside("changed", path);
        const args = [verb, MODEL, operand(path), ...optionArguments(options), "-o", output];
        return Model.made(this.credence, args, output, { ...call, files: { [MODEL]: this.file, [path]: content } });
    }
}
