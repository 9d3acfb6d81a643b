// SPDX-License-Identifier: MIT
// The command's reports on networks, as far as this view reads them.

export type NodeKind = "chance" | "decision" | "utility" | "gaussian";

export interface NetworkNode {
    name: string;
    kind: NodeKind;
    states: string[];
    parents: string[];
    /** One row for each combination of the parents' states; the states of the last parent vary fastest. null for a decision. */
    table: number[][] | null;
}

/** Report of `show`. */
export interface NetworkReport {
    network: string;
    nodes: NetworkNode[];
}

/** The posterior of a continuous node: a mixture of normal distributions. */
export interface NumberPosterior {
    mean: number;
    variance: number;
    sd: number;
    quantiles: Record<string, number>;
    components: { weight: number; mean: number; variance: number }[];
}

export type Posterior = Record<string, number> | NumberPosterior;

/** Report of `query --of`. */
export interface PosteriorReport {
    posterior: Record<string, Posterior>;
    log_evidence: number;
}

export interface PathNode {
    node: string;
    role: "chain" | "common cause" | "common effect";
    blocks: boolean;
    /** The known node, itself or below it, that opens a common effect. */
    opened_by?: string;
}

/** A path between two nodes: its nodes, the arcs between them, and what each inner node does. */
export interface IndependencePath {
    nodes: string[];
    arrows: ("->" | "<-")[];
    open: boolean;
    inner: PathNode[];
}

/** Report of `query --independence`. */
export interface IndependenceReport {
    independence: {
        of: [string, string];
        given: string[];
        independent: boolean;
        /** The shortest open paths or, if all paths are blocked, the shortest blocked paths. */
        paths: IndependencePath[];
        /** There are more paths than these. */
        more: boolean;
    };
}

/** Report of `query --markov-blanket`. */
export interface BlanketReport {
    blankets: { node: string; blanket: string[]; relations: { node: string; relation: string }[] }[];
}

/** Report of `query --mpe`. */
export interface MostProbableReport {
    most_probable: { states: Record<string, string>; log_probability: number };
    log_evidence: number;
}

/** Report of `query --decide`. */
export interface DecisionReport {
    expected_utility: number;
    policy: {
        decision: string;
        choices: { known: Record<string, string>; choice: string; expected_utility: Record<string, number> }[];
    }[];
    value_of?: Record<string, number | null>;
    log_evidence: number;
}

/** Report of `explain --of`. */
export interface ExplanationReport {
    node: string;
    state: string;
    before: Record<string, number>;
    posterior: Record<string, number>;
    log_evidence: number;
    findings: {
        node: string;
        state?: string;
        number?: number;
        alone: Record<string, number>;
        without: Record<string, number>;
        weight: number | null;
        information: number;
        path: string[] | null;
    }[];
    moved_most: string | null;
}

export function isNumber(posterior: Posterior): posterior is NumberPosterior {
    return Array.isArray((posterior as Partial<NumberPosterior>).components);
}

/** Returns an own member of the record. Names from files can be names of inherited members. */
export function member<T>(record: Record<string, T> | undefined, name: string): T | undefined {
    return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
