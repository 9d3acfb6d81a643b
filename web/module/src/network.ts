// SPDX-License-Identifier: MIT
import { listItem, operand, optionArguments, type Options, type Row } from "./command-line.js";
import type { Credence } from "./credence.js";
import { CredenceError } from "./error.js";
import { StoredFile, type FileContent } from "./protocol.js";
import type {
    Answer,
    Beliefs,
    Blankets,
    Decisions,
    MostProbable,
    NetworkExplanation,
    Separation,
    ShownNetwork,
} from "./reports.js";
import { refusePage, type CallOptions } from "./verbs.js";

/** A Bayesian network, as its file has it. `given` are findings: the state of each observed node, or its number. */
export class Network {
    private readonly file: StoredFile;

    private constructor(
        private readonly credence: Credence,
        content: FileContent,
        /** The name of its file. */
        readonly name: string,
    ) {
        this.file = new StoredFile(content);
    }

    /** A file in BIF, XMLBIF, NET, UAI, XDSL or DNE. What is no network is refused when it is first asked. */
    static open(credence: Credence, content: FileContent, name = "network"): Network {
        return new Network(credence, content, name);
    }

    /** Nodes, arcs and tables. */
    show(options: Options = {}, call: CallOptions = {}): Promise<ShownNetwork> {
        return this.ask(["show"], options, call);
    }

    /** The posterior of every node. */
    beliefs(given: Row = {}, options: Options = {}, call: CallOptions = {}): Promise<Beliefs> {
        return this.ask(["query"], { of: "all", ...this.evidence(given), ...options }, call);
    }

    /** Posteriors of nodes, each by itself or together, or of an event: `{ of, given, together, ... }`. */
    query<R = Answer>({ given = {}, ...options }: Options & { given?: Row }, call: CallOptions = {}): Promise<R> {
        return this.ask(["query"], { ...this.evidence(given), ...options }, call);
    }

    /** The most probable explanation of the findings: of all nodes, or of those of `of`. */
    mostProbable(given: Row = {}, options: Options = {}, call: CallOptions = {}): Promise<MostProbable> {
        return this.ask(["query", "--mpe"], { ...this.evidence(given), ...options }, call);
    }

    /** Whether two sets of nodes are d-separated by a third, and the path that is open where they are not. */
    async independent(
        first: string | readonly string[],
        second: string | readonly string[],
        given: readonly string[] = [],
        call: CallOptions = {},
    ): Promise<Separation["independence"]> {
        const sets = [first, second].map((nodes) => (typeof nodes === "string" ? [nodes] : nodes));
        const isPair = sets.every((nodes) => nodes.length === 1);
        const independence = sets.map((nodes) => nodes.map(listItem).join(",")).join(isPair ? "," : ";");
        const options = { independence, given: given.length === 0 ? undefined : given };
        return (await this.ask<Separation>(["query"], options, call)).independence;
    }

    async markovBlanket(node: string, call: CallOptions = {}): Promise<Blankets["blankets"][number] | undefined> {
        return (await this.ask<Blankets>(["query"], { markovBlanket: [node] }, call)).blankets[0];
    }

    /** The decisions of maximum expected utility. */
    decide(given: Row = {}, options: Options = {}, call: CallOptions = {}): Promise<Decisions> {
        return this.ask(["query", "--decide"], { ...this.evidence(given), ...options }, call);
    }

    /** What each finding contributes to the posterior of a node, and which explain others away. */
    explain(of: string, given: Row, options: Options = {}, call: CallOptions = {}): Promise<NetworkExplanation> {
        return this.ask(["explain"], { of: [of], ...this.evidence(given), ...options }, call);
    }

    /** Cases drawn from the network. */
    sample<R = Record<string, string | number>>(
        rows: number,
        options: Options = {},
        call: CallOptions = {},
    ): Promise<R[]> {
        const args = ["sample", operand(this.name), ...optionArguments({ rows, ...options })];
        return this.checked(this.credence.jsonLines(args, { ...call, files: this.files() }));
    }

    /** The file in another format: "bif", "xmlbif", "net", "uai", "xdsl", "dne", "dot". */
    async write(as: string, call: CallOptions = {}): Promise<string> {
        const args = ["export", operand(this.name), "--as", as];
        refusePage(as);
        return (await this.checked(this.credence.succeed(args, { ...call, files: this.files() }))).stdout;
    }

    private evidence(given: Row): { given?: Row } {
        return Object.values(given).some((value) => value !== null && value !== undefined) ? { given } : {};
    }

    private ask<R>([verb = "", ...flags]: string[], options: Options, call: CallOptions): Promise<R> {
        const args = [verb, operand(this.name), ...flags, ...optionArguments(options)];
        return this.checked(this.credence.json(args, { ...call, files: this.files() }));
    }

    private files(): Record<string, StoredFile> {
        return { [this.name]: this.file };
    }

    /** The command takes what is no network for a table; whether it has done so is looked up where a call fails. */
    private async checked<R>(answer: Promise<R>): Promise<R> {
        try {
            return await answer;
        } catch (error) {
            if (!(error instanceof CredenceError) || error.status === -1) throw error;
            const { status, stderr } = await this.credence.run(["show", operand(this.name)], { files: this.files() });
            if (status === 0 || !stderr.includes("missing --target, the column to predict")) throw error;
            throw new CredenceError(`${this.name}: no network, but a table`, error.status, error.stderr);
        }
    }
}
