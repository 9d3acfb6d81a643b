// SPDX-License-Identifier: MIT
// The JSON reports of the command, by verb. Numbers that are not finite, as the logarithm of a probability of zero, are null there.

/** A number that may be infinite or not defined. */
export type Real = number | null;
/** Probabilities, or other numbers, by class, state or value. */
export type ByName<T = number> = Record<string, T>;
export type Settings = ByName<string>;

// ---- predict ----

/** A line of predict: the answer to one row. */
export interface Prediction {
    /** null where every class has probability zero. */
    prediction: string | null;
    probability: Real;
    posterior: ByName<Real>;
    log_evidence: Real;
    /** Cells whose value was never seen in training. */
    unseen: number;
    /** --with-input */
    row?: ByName<string | number | boolean | null>;
    /** --typicality: the typicality p-value. */
    fit?: Real;
    /** --reject, --threshold, --cost */
    decision?: string | null;
    expected_cost?: Real;
    costs?: ByName<Real>;
}

/** The same of a model of sequences. */
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
    /** Of a ratio: (count + added) / (total + added). */
    smoothing?: string;
    count?: number;
    total?: number;
    /** Of a density: its parameters, by their names. */
    [parameter: string]: string | number | boolean | null | undefined;
}

export interface ExplainedClass {
    class: string;
    log_prior?: Real;
    prior?: { form: string; log_value: Real; [parameter: string]: string | number | boolean | null };
    terms?: Term[];
    /** With --top: the attributes that are left out. */
    others?: { count: number; log_value: Real };
    joints?: { joint: string; attributes: string[]; log_value: Real }[];
    pairs?: { attributes: string[]; exponent: number; log_value: Real }[];
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
    /** Where words are in the text, in bytes. */
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

/** What would change a decision, and what would be worth knowing. */
export interface Outlook {
    changes?: Change[];
    changes_tried?: number;
    /** The entropy of the posterior, in bits. */
    uncertainty?: number;
    /** The expected information gain of missing cells. */
    missing?: { attribute: string; bits: number }[];
}

/** explain MODEL: an object for each row. */
export interface Explanation extends Outlook {
    settings: Settings;
    classes: ExplainedClass[];
    log_evidence: Real;
    prediction: string | null;
    unseen: number;
    fit?: Real;
    decision?: string | null;
    expected_cost?: Real;
    costs?: ByName<Real>;
    /** Of an ensemble. */
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

/** explain MODEL DATA --row N of a model of sequences. */
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
    /** Of a category: P(value | class). */
    values?: { value: string; probability: ByName }[];
    /** Of a number. */
    densities?: ({ class: string } & ByName<Real | string>)[];
    cuts?: { at: number; below: string; above: string }[];
    /** --family auto */
    candidates?: { family: string; score?: number; standard_error?: number; left_out?: string }[];
    /** Of a text. */
    texts?: { class: string; texts: number; occurrences: number; distinct: number; mean_length: number }[];
    terms?: number;
    terms_counted?: number;
    telling_words?: {
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
    /** How many parameters of each kind were estimated. */
    estimated: ByName;
    classes: { class: string; rows: number; prior: number }[];
    attributes: ShownAttribute[];
    kept?: { tally: string; attributes?: string[] }[];
    joints?: { joint: string; attributes: string[]; description: string }[];
    pool?: string;
    members?: Member[];
    log_factors?: ByName<Real>;
    pairs?: { attributes: string[]; exponent: number }[];
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
     * A row for each combination of the states of its discrete parents, those of the last varying fastest: probabilities of its states,
     * the utility, or of a Gaussian node the intercept, the coefficients of its continuous parents, and the variance. A decision has none.
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
    cells: number;
    largest_cells: number;
    /** Of exact inference; a network with decisions has none. */
    exact_cells?: Real;
    exact_bytes?: Real;
    arcs: { from: string; to: string }[];
    nodes: ShownNode[];
}

/** show MODEL of a model of sequences */
export interface ShownSequences {
    kind: string;
    order: number;
    hidden: boolean;
    target: string;
    rows: number;
    source: { sequence?: string; time?: string; step?: number | string };
    settings: Settings;
    parameters: number;
    states: { state: string; rows: number; start: number; end: Real; stationary: Real; duration: Real }[];
    transitions: ByName<ByName>;
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

/** What was run, to repeat it. */
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
    /** Rows of a class, by the class that was named. */
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
    sweep?: {
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
        least?: number;
        threshold?: number;
        positive?: string;
        coverage?: Real;
        accuracy?: Real;
        mean_cost?: Real;
        actions: string[];
        table: { class: string; rows: number[]; undecided: number }[];
    };
    /** Of a model of sequences. */
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
    /** As train takes them. */
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
    deviation?: number;
    variance?: number;
}

/** The posterior of a number. */
export interface NumberPosterior {
    mean: Real;
    deviation: Real;
    variance?: Real;
    quantiles?: ByName<Real>;
    interval?: Real[];
    components?: Mixture[];
    at?: { x: number; density: Real; log_density: Real; at_most: Real }[];
}

/** Of a column or an event; of columns together, states inside states. */
export type Posterior = ByName | NumberPosterior | { [state: string]: number | Posterior };

/** query MODEL|NETWORK|DATA --of ... */
export interface Answer {
    posterior: ByName<Posterior>;
    log_evidence: Real;
    /** Of a table. */
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

/** query NETWORK --of ... of discrete nodes, each by itself */
export interface Beliefs extends Answer {
    posterior: ByName<ByName>;
}

/** query NETWORK --mpe */
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
        /** A path that is open, where there is one. */
        path?: string[];
        arrows?: string[];
        /** Of two nodes: the shortest paths that are open or, where none is, blocked; and whether there are more. */
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
        /** Of sets: the pairs of nodes that are not separated. */
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
        least_expected: Real;
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
    /** --predicts: the prediction of greatest probability, and that of each. */
    optimal?: string;
    gibbs?: ByName;
}

/** distribution NAME */
export interface DistributionReport {
    distribution: string;
    mean: Real;
    variance: Real;
    /** "P(85 <= X <= 115)", "quantile .5", ... as the command words them. */
    answers: ByName<Real | Real[]>;
}

/** distribution: a line of the list. */
export interface DistributionEntry {
    name: string;
    parameters: { name: string; default: Real }[];
    summary: string;
}

export interface ProfiledColumn {
    column: string;
    kind: "number" | "category" | "text" | "none";
    role: string;
    missing: number;
    missing_share: number;
    distinct: number;
    /** Whether distinct values and quantiles are exact. */
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
    standard_deviation?: Real;
    resolution?: Real;
    /** Rows in bins of equal width, from the least to the greatest. */
    histogram?: number[];
    most_frequent: { value: string | number; count: number; share: number }[];
}

/** schema DATA */
export interface Profile {
    rows: number;
    columns: ProfiledColumn[];
}

/** schema MODEL */
export interface ModelProfile {
    rows: number;
    columns: {
        column: string;
        kind: "number" | "category" | "text" | "none";
        role: string;
        missing?: number;
        values?: { value: string; count: number }[];
        mean?: Real;
        standard_deviation?: Real;
    }[];
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
        forms: { word: string | null; argument: string | null; suffix: string | null; help: string | null }[];
    }[];
    families: { name: string; kind: string }[];
}
