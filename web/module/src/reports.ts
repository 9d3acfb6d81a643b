// SPDX-License-Identifier: MIT
// The JSON reports of the command, by verb. Numbers that are not finite, such as the logarithm of 0, are null.

/** A number; null if it is infinite or undefined. */
export type Real = number | null;
/** Probabilities, or other numbers, by class, state or value. */
export type ByName<T = number> = Record<string, T>;
export type Settings = ByName<string>;

// ---- predict ----

/** A line of predict: the prediction for one row. */
export interface Prediction {
    /** null if every class has probability 0. */
    prediction: string | null;
    probability: Real;
    posterior: ByName<Real>;
    log_evidence: Real;
    /** The number of values that did not occur in training. */
    unseen: number;
    /** --with-input */
    row?: ByName<string | number | boolean | null>;
    /** --typicality: the typicality p-value. */
    typicality?: Real;
    /** --reject, --threshold, --cost */
    decision?: string | null;
    expected_cost?: Real;
    costs?: ByName<Real>;
}

/** The prediction of a sequence model for one step. */
export interface SequencePrediction extends Prediction {
    sequence: string;
    step: number;
}

// ---- explain ----

export interface Term {
    attribute: string;
    value: string | number | null;
    /** "ratio", "density", "missing", "unseen", ... */
    form: string;
    log_value: Real;
    family?: string;
    is_score?: boolean;
    /** For a ratio: (count + added) / (total + added). */
    smoothing?: string;
    count?: number;
    total?: number;
    /** --attribute-weights */
    attribute_weight?: number;
    /** The parameters of a density, by name. */
    [parameter: string]: string | number | boolean | null | undefined;
}

export interface ExplainedClass {
    class: string;
    log_prior?: Real;
    prior?: { form: string; log_value: Real; [parameter: string]: string | number | boolean | null };
    terms?: Term[];
    /** With --top: the sum of the attributes that are not listed. */
    others?: { count: number; log_value: Real };
    joints?: { joint: string; attributes: string[]; log_value: Real }[];
    pairs?: { attributes: string[]; attribute_weight: number; log_value: Real }[];
    log_factor?: Real;
    /** log_prior and the log_values add up to it. */
    log_joint?: Real;
    joint?: Real;
    log_posterior: Real;
    posterior: number;
    before_calibration?: { log_posterior: Real; posterior: number };
}

/** A counterfactual: the smallest change of one value that changes the decision. */
export interface Change {
    attribute: string;
    value: string | number;
    deviations: Real;
    prediction?: string | null;
    probability: Real;
    decision?: string | null;
}

export interface ExplainedText {
    attribute: string;
    for: string;
    against: string;
    words: { word: string; times: number; weight: Real }[];
    whole: Real;
    total: Real;
    log_values: ByName<ByName<Real>>;
    unknown_words: string[];
    /** The places of words in the text, in bytes. */
    places: { word: string; from: number; to: number }[];
}

/** Weights of evidence, in nats: log odds = prior + weights of the terms. */
export interface Weights {
    for: string;
    against: string;
    prior: Real;
    terms: { term: string; attribute?: string; weight: Real }[];
    /** With --top: the sum of the others. */
    others?: Real;
    total: Real;
}

export interface Member {
    weight: number;
    settings: Settings;
    log_posterior?: ByName<Real>;
}

/** Changes that would change the decision, and missing values that would be informative. */
export interface Outlook {
    changes?: Change[];
    changes_tried?: number;
    /** The entropy of the posterior, in bits. */
    uncertainty?: number;
    /** The expected information gain of missing values. */
    missing?: { attribute: string; bits: number }[];
}

/** explain MODEL: one object per row. */
export interface Explanation extends Outlook {
    settings: Settings;
    classes: ExplainedClass[];
    log_evidence: Real;
    prediction: string | null;
    unseen: number;
    typicality?: Real;
    decision?: string | null;
    expected_cost?: Real;
    costs?: ByName<Real>;
    /** For an ensemble. */
    pool?: string;
    members?: Member[];
    weights?: Weights;
    texts?: ExplainedText[];
}

/** explain MODEL --data: dependence of attributes given the class. */
export interface Dependence {
    pairs: { attributes: string[]; bits: number; rows: number; statistic: Real; degrees: number }[];
    rows: number;
    attributes: number;
    attributes_paired: number;
    pairs_measured: number;
    pairs_left_out: number;
}

/** explain NETWORK --of NODE --given ..., or of a row by a model that is a network */
export interface NetworkExplanation extends Outlook {
    node: string;
    state: string;
    before: ByName;
    posterior: ByName;
    log_evidence: Real;
    findings: {
        node: string;
        state: string;
        alone: ByName;
        without: ByName;
        weight: Real;
        information: Real;
        path?: string[];
    }[];
    moved_most?: string;
    interplay: {
        finding: string;
        does: string;
        to: string;
        of?: string;
        without_both: ByName;
        path?: string[];
    }[];
}

/** explain MODEL DATA --row N of a sequence model. */
export interface StepExplanation {
    sequence: string;
    step: number;
    steps: number;
    log_likelihood: Real;
    prediction: string;
    states: {
        state: string;
        past: Real;
        observation: Real;
        future: Real;
        log_posterior: Real;
        posterior: number;
    }[];
    weights: {
        for: string;
        against: string;
        terms: { part: string; nats: Real; column?: string }[];
        log_odds: Real;
    };
    path: string;
    log_path: Real;
    log_path_with_posterior: Real;
}

// ---- show ----

export interface Curves {
    discrete: boolean;
    x: number[];
    densities: ByName<Real[]>;
    regions: { from: Real; to: Real; class: string }[];
    cut_points: number[];
}

export interface ShownAttribute {
    attribute: string;
    family: string;
    /** --attribute-weights */
    attribute_weight?: number;
    /** For a categorical column: P(value | class). */
    values?: { value: string; probability: ByName }[];
    /** For a numeric column. */
    densities?: ({ class: string } & ByName<Real | string>)[];
    cuts?: { at: number; below: string; above: string }[];
    /** --family auto */
    candidates?: { family: string; score?: number; standard_error?: number; left_out?: string }[];
    /** For a text column. */
    texts?: { class: string; texts: number; occurrences: number; distinct: number; mean_length: number }[];
    terms?: number;
    terms_counted?: number;
    informative_words?: {
        class: string;
        word: string;
        texts: number;
        other_texts: number;
        occurrences: number;
        weight: Real;
        divergence: Real;
        probability: Real;
    }[];
    /** --curves */
    curves?: Curves;
}

export interface Nomogram {
    class: string;
    against: string;
    prior_log_odds: Real;
    log_odds_at_zero: Real;
    nats_per_point: Real;
    most_points: Real;
    scales: {
        attribute: string;
        missing: Real;
        x?: number[];
        weights?: Real[];
        points?: Real[];
        values?: { value: string; weight: Real; points: Real }[];
    }[];
    probabilities: { probability: number; points: Real }[];
}

/** show MODEL */
export interface ShownModel {
    target: string;
    rows: number;
    settings: Settings;
    /** The number of estimated parameters by kind. */
    estimated: ByName;
    classes: { class: string; rows: number; prior: number }[];
    attributes: ShownAttribute[];
    /** Additional sufficient statistics, as --keep-statistics names them. */
    kept?: { statistic: string; attributes?: string[] }[];
    joints?: { joint: string; attributes: string[]; description: string }[];
    pool?: string;
    members?: Member[];
    log_factors?: ByName<Real>;
    pairs?: { attributes: string[]; attribute_weight: number }[];
    calibration?: { rule: string; lines?: ByName<Real[][]>; slope?: number; offsets?: ByName };
    /** --contrast */
    contrasts?: {
        class: string;
        attribute: string;
        divergence: Real;
        description: string | null;
        standardized_difference: Real;
        value: string | null;
    }[];
    /** --curves */
    nomograms?: Nomogram[];
}

export interface ShownNode {
    name: string;
    kind: "chance" | "decision" | "utility" | "gaussian";
    states: string[];
    parents: string[];
    /**
     * One row for each combination of states of the discrete parents; the states of the last parent vary fastest. A row contains the
     * probabilities of the states, the utility, or for a Gaussian node the intercept, the coefficients of the continuous parents and the
     * variance. null for a decision.
     */
    table: number[][] | null;
}

/** show NETWORK, or a model that is one */
export interface ShownNetwork {
    network: string;
    target?: string;
    rows?: number;
    settings?: Settings;
    estimated?: ByName;
    node_count: number;
    arc_count: number;
    entries: number;
    largest_entries: number;
    /** For exact inference; absent for a network with decisions. */
    exact_entries?: Real;
    exact_bytes?: Real;
    arcs: { from: string; to: string }[];
    nodes: ShownNode[];
}

/** show MODEL of a sequence model */
export interface ShownSequences {
    kind: string;
    order: number;
    hidden: boolean;
    /** The column of the labels; absent for hidden states. */
    target?: string;
    /** Absent for a specified model. */
    rows?: number;
    source: { sequence?: string; sequence_break?: string; time?: string; time_format?: string; step?: number };
    settings: Settings;
    /** Columns whose unseen values are predicted by suffix, prefix and shape. */
    words?: string;
    parameters: number;
    states: { state: string; rows: Real; start: number; end: Real; stationary: Real; duration: Real }[];
    /** By state; of order 2 or 3, by the last states. */
    transitions: ByName<ByName> | { context: string[]; count: number; next: ByName }[];
    attributes: ShownAttribute[];
}

// ---- evaluate ----

export interface Bin {
    from: number;
    to: number;
    rows: number;
    probability: Real;
    accuracy: Real;
    /** The 95 % interval of the accuracy. */
    low: Real;
    high: Real;
}

/** The run, for repeating it. */
export interface RunRecord {
    version: string;
    verb: string;
    files: string[];
    options: ByName<string | boolean>;
    target: string;
    rows: number;
    folds?: number;
    held_out?: number;
    seed?: number;
    method?: string;
    settings?: Settings;
}

export interface ThresholdPoint {
    threshold: Real;
    precision: Real;
    recall: Real;
    f1: Real;
    false_positive_rate: Real;
    true_positives: number;
    false_positives: number;
    false_negatives: number;
    true_negatives: number;
    cost?: Real;
}

export interface FoldScores {
    accuracy: Real;
    log_loss: Real;
    brier: Real;
    auc: Real;
    ece: Real;
    balanced_accuracy: Real;
    macro_f1: Real;
    weighted_f1: Real;
    mcc: Real;
    kappa: Real;
}

/** evaluate */
export interface Evaluation {
    rows: number;
    accuracy: Real;
    baseline: Real;
    log_loss: Real;
    zero_rows: number;
    brier: Real;
    auc: Real;
    balanced_accuracy: Real;
    macro_f1: Real;
    weighted_f1: Real;
    mcc: Real;
    kappa: Real;
    top_k_accuracy: ByName<Real>;
    /** 95 % intervals. */
    intervals?: ByName<Real[]>;
    folds?: ({ fold: number; rows: number } & FoldScores)[];
    fold_mean?: FoldScores;
    fold_sd?: FoldScores;
    classes: string[];
    per_class: {
        class: string;
        precision: Real;
        recall: Real;
        f1: Real;
        auc: Real;
        support: number;
        zero_rows: number;
    }[];
    /** The number of rows by true class and predicted class. */
    confusion: number[][];
    confusions: { class: string; named: string; rows: number; share: Real }[];
    calibration: Bin[];
    ece: Real;
    before_calibration?: { accuracy: Real; log_loss: Real; brier: Real; calibration: Bin[]; ece: Real };
    /** --importance */
    importance?: {
        repeats: number;
        seed: number;
        rows: number;
        rows_added: number;
        columns: {
            column: string;
            log_loss: Real;
            log_loss_se: Real;
            accuracy: Real;
            accuracy_se: Real;
        }[];
    };
    /** --threshold-curves */
    threshold_curves?: {
        positive: string;
        auc: Real;
        average_precision: Real;
        best: ({ by: string } & ThresholdPoint)[];
        points_total: number;
        points: (ThresholdPoint & { best?: string })[];
    };
    /** --cost, --reject, --threshold */
    decisions?: {
        rule: string;
        threshold?: number;
        positive?: string;
        coverage?: Real;
        accuracy?: Real;
        mean_cost?: Real;
        actions: string[];
        table: { class: string; rows: number[]; undecided: number }[];
    };
    /** For a sequence model. */
    sequences?: {
        count: number;
        items: number;
        labeled: number;
        correct: number;
        accuracy: Real;
        log_likelihood: Real;
        log_likelihood_per_item: Real;
        impossible: number;
        seen_items: number;
        seen_accuracy: Real;
        unseen_items: number;
        unseen_accuracy: Real;
    };
    spans?: {
        scheme: string;
        types: ({ type: string } & Spans)[];
    } & Spans;
    run: RunRecord;
}

export interface Spans {
    precision: Real;
    recall: Real;
    f1: Real;
    true: number;
    named: number;
    correct: number;
}

export interface Candidate {
    name: string;
    /** The options for train. */
    options: string;
    accuracy: Real;
    log_loss: Real;
    log_loss_error: Real;
    ece: Real;
    /** The number of parameters. */
    parameters: number;
    seconds?: number;
}

/** evaluate --compare */
export interface Comparison {
    rows: number;
    rows_in_no_log_loss: number;
    baseline: Real;
    baseline_log_loss: Real;
    tried: number;
    budget: Real;
    candidates: Candidate[];
    left_out: { name: string; options: string; reason: string }[];
    recommended: { name: string; options: string; command: string; why: string };
    run: RunRecord;
}

// ---- query ----

export interface Mixture {
    weight: number;
    mean: number;
    sd?: number;
    variance?: number;
}

/** The posterior of a numeric column or node. */
export interface NumberPosterior {
    mean: Real;
    sd: Real;
    variance?: Real;
    quantiles?: ByName<Real>;
    interval?: Real[];
    components?: Mixture[];
    at?: { x: number; density: Real; log_density: Real; at_most: Real }[];
}

/** The posterior of a column or an event; a joint distribution is nested. */
export type Posterior = ByName | NumberPosterior | { [state: string]: number | Posterior };

/** query MODEL|NETWORK|DATA --of ... */
export interface Answer {
    posterior: ByName<Posterior>;
    log_evidence: Real;
    /** For a table. */
    counts?: ByName<Posterior>;
    rows?: ByName;
    left_out?: ByName;
    moments?: ByName<{ mean: Real; variance: Real }>;
    /** --approximate */
    standard_error?: ByName<Posterior>;
    approximation?: string;
    log_evidence_error?: Real;
    draws?: number;
    effective_draws?: number;
}

/** query NETWORK --of ... of discrete nodes, separately */
export interface Beliefs extends Answer {
    posterior: ByName<ByName>;
}

/** query NETWORK --mpe, or --map with --of */
export interface MostProbable {
    most_probable: { states: ByName<string>; log_probability: Real };
    log_evidence: Real;
}

/** query NETWORK --independence */
export interface Separation {
    independence: {
        /** Two nodes, or two sets of them. */
        of: string[] | string[][];
        given: string[];
        independent: boolean;
        /** An open path, if there is one. */
        path?: string[];
        arrows?: string[];
        /** For two nodes: the shortest open paths or, if all paths are blocked, the shortest blocked paths. */
        paths?: {
            nodes: string[];
            arrows: string[];
            open: boolean;
            inner: {
                node: string;
                role: "chain" | "common cause" | "common effect";
                blocks: boolean;
                opened_by?: string;
            }[];
        }[];
        more?: boolean;
        /** For sets: the pairs of nodes that are not separated. */
        pairs?: { of: string; and: string; path: string }[];
    };
}

/** query DATA --independence */
export interface IndependenceTest {
    independence: {
        of: string[];
        given: string[];
        rows: number;
        left_out: number;
        chi_squared: { statistic: Real; p: Real };
        g_squared: { statistic: Real; p: Real };
        degrees: number;
        mutual_information: Real;
        tables: number;
        cells: number;
        cells_below_5: number;
        min_expected: Real;
    };
}

/** query NETWORK --markov-blanket */
export interface Blankets {
    blankets: { node: string; blanket: string[]; relations: { node: string; relation: string }[] }[];
}

/** query NETWORK --decide */
export interface Decisions {
    expected_utility: Real;
    policy: {
        decision: string;
        choices: { known: ByName<string>; choice: string; expected_utility: ByName<Real> }[];
    }[];
    log_evidence: Real;
}

/** query MODEL --terms TEXT */
export interface Terms {
    terms: { term: string; text: string }[];
}

// ---- the other verbs ----

/** bayes */
export interface BayesReport {
    prior: ByName;
    observations: {
        outcome: string;
        evidence: number;
        hypotheses: {
            hypothesis: string;
            before: number;
            likelihood: number;
            joint: number;
            posterior: number;
        }[];
    }[];
    posterior: ByName;
    log_evidence: Real;
    map: string;
    ml?: string;
    best_accuracy?: number;
    /** --predicts: the most probable prediction, and the probability of each prediction. */
    optimal?: string;
    gibbs?: ByName;
}

/** distribution NAME */
export interface DistributionReport {
    distribution: string;
    mean: Real;
    variance: Real;
    /** By the command's labels: "P(85 <= X <= 115)", "quantile .5", ... */
    results: ByName<Real | Real[]>;
}

/** distribution: a line of the list. */
export interface DistributionEntry {
    name: string;
    parameters: { name: string; default: Real }[];
    summary: string;
}

/** The type and the format of a column, in every report of columns. */
export interface ColumnDescription {
    column: string;
    type: "numeric" | "categorical" | "text" | "none" | "ignored";
    /** How its values are parsed, such as "percent" or "date"; absent: as plain numbers or texts. */
    format?: string;
}

export interface ProfiledColumn extends ColumnDescription {
    role: string;
    missing: number;
    missing_share: number;
    distinct: number;
    /** Whether the number of distinct values and the quantiles are exact. */
    is_exact: boolean;
    looks_like?: string;
    min?: Real;
    quantile_5?: Real;
    quantile_25?: Real;
    median?: Real;
    quantile_75?: Real;
    quantile_95?: Real;
    max?: Real;
    mean?: Real;
    sd?: Real;
    resolution?: Real;
    /** The number of rows in bins of equal width, from the minimum to the maximum. */
    histogram?: number[];
    most_frequent: { value: string | number; count: number; share: number }[];
}

/** A column that --ignore names, or that --only does not name. */
export type IgnoredColumn = ColumnDescription;

/** schema DATA */
export interface Profile {
    rows: number;
    /** Ignored columns have only a name and a type. */
    columns: (ProfiledColumn | IgnoredColumn)[];
}

export interface ModelColumn extends ColumnDescription {
    /** The column that this is a part of, such as the year of a date. */
    field?: string;
    role: string;
    missing?: number;
    values?: { value: string; count: number }[];
    mean?: Real;
    sd?: Real;
}

/** schema MODEL */
export interface ModelProfile {
    rows: number;
    columns: ModelColumn[];
}

/** compare NETWORK NETWORK */
export interface NetworkComparison {
    first: { path: string; nodes: number; arcs: number };
    second: { path: string; nodes: number; arcs: number };
    /** The structural Hamming distance of the CPDAGs, and of the DAGs. */
    shd: number;
    shd_dag: number;
    same: number;
    reversed: number;
    only_first: number;
    only_second: number;
    only_first_nodes: number;
    only_second_nodes: number;
    equivalent: boolean;
    arcs: { from: string; to: string; relation: string }[];
    tables: { node: string; difference: Real; divergence: Real; relation: string }[];
}

/** example, without a name */
export interface Examples {
    examples: { name: string; file: string; kind: string; about: string }[];
}

/** help settings */
export interface SettingsHelp {
    settings: {
        name: string;
        default: string;
        help: string;
        group: string;
        forms: { word: string | null; argument: string | null; suffix: string | null; help: string | null }[];
    }[];
    families: { name: string; type: string }[];
}
