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
import { rejectHtml, type CallOptions } from "./verbs.js";

/** A Bayesian network. `given` is the evidence: the state, or the number, of each observed node. */
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

    /** Creates a network from a file in BIF, XMLBIF, NET, UAI, XDSL or DNE. The first query of an invalid file fails. */
    static open(credence: Credence, content: FileContent, name = "network"): Network {
        return new Network(credence, content, name);
    }

    /** Returns the nodes, arcs and tables. */
    show(options: Options = {}, call: CallOptions = {}): Promise<ShownNetwork> {
        return this.ask(["show"], options, call);
    }

    /** Returns the posterior of every node. */
    beliefs(given: Row = {}, options: Options = {}, call: CallOptions = {}): Promise<Beliefs> {
        return this.ask(["query"], { of: "all", ...this.evidence(given), ...options }, call);
    }

    /** Returns posteriors of nodes, their joint distribution, or the probability of an event: `{ of, given, jointDistribution, ... }`. */
    query<R = Answer>({ given = {}, ...options }: Options & { given?: Row }, call: CallOptions = {}): Promise<R> {
        return this.ask(["query"], { ...this.evidence(given), ...options }, call);
    }

    /** Returns the most probable states of all nodes (MPE), or of the nodes `of` together (MAP). */
    mostProbable(given: Row = {}, options: Options = {}, call: CallOptions = {}): Promise<MostProbable> {
        const query = options["of"] === undefined || options["of"] === null ? "--mpe" : "--map";
        return this.ask(["query", query], { ...this.evidence(given), ...options }, call);
    }

    /** Tests whether two sets of nodes are d-separated by a third; if not, returns an open path. */
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

    /** Returns the decisions of maximum expected utility. */
    decide(given: Row = {}, options: Options = {}, call: CallOptions = {}): Promise<Decisions> {
        return this.ask(["query", "--decide"], { ...this.evidence(given), ...options }, call);
    }

    /** Returns the contribution of each finding to the posterior of a node, and which findings explain others away. */
    explain(of: string, given: Row, options: Options = {}, call: CallOptions = {}): Promise<NetworkExplanation> {
        return this.ask(["explain"], { of: [of], ...this.evidence(given), ...options }, call);
    }

    /** Samples cases from the network. */
    sample<R = Record<string, string | number>>(
        rows: number,
        options: Options = {},
        call: CallOptions = {},
    ): Promise<R[]> {
        const args = ["sample", operand(this.name), ...optionArguments({ rows, ...options })];
        return this.checked(this.credence.jsonLines(args, { ...call, files: this.files() }));
    }

    /** Returns the network in another format: "bif", "xmlbif", "net", "uai", "xdsl", "dne", "dot". */
    async write(as: string, call: CallOptions = {}): Promise<string> {
        const args = ["export", operand(this.name), "--as", as];
        rejectHtml(as);
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

    /** The command reads a file that is not a network as a table. If a call fails, this checks whether that happened. */
    private async checked<R>(answer: Promise<R>): Promise<R> {
        try {
            return await answer;
        } catch (error) {
            if (!(error instanceof CredenceError) || error.status === -1) throw error;
            const { status, stderr } = await this.credence.run(["show", operand(this.name)], { files: this.files() });
            if (status === 0 || !stderr.includes("missing --target, the column to predict")) throw error;
            throw new CredenceError(`${this.name}: not a network`, error.status, error.stderr);
        }
    }
}
