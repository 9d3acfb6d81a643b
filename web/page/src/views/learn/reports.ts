// SPDX-License-Identifier: MIT
// What the view reads of the command's JSON reports.

export interface ProfileColumn {
    column: string;
    kind: "number" | "category" | "text" | "empty" | "ignored";
    form?: string;
    missing: number;
    missing_share: number;
    distinct: number;
    is_exact: boolean;
    min?: number;
    median?: number;
    max?: number;
    mean?: number;
    standard_deviation?: number | null;
    histogram?: number[];
    most_frequent: { value: string | number; count: number; share: number }[];
    looks_like?: string;
}

export interface Profile {
    rows: number;
    columns: ProfileColumn[];
}

export interface SettingForm {
    word: string | null;
    argument: string | null;
    suffix: string | null;
    help: string;
}

export interface Setting {
    name: string;
    default: string;
    help: string;
    forms: SettingForm[];
}

export interface Settings {
    settings: Setting[];
    families: { name: string; kind: string }[];
}

export interface Candidate {
    name: string;
    options: string;
    accuracy: number;
    log_loss: number;
    log_loss_error: number;
    ece: number;
    parameters: number;
    seconds: number;
}

export interface Comparison {
    rows: number;
    baseline: number;
    baseline_log_loss: number;
    tried: number;
    candidates: Candidate[];
    left_out: { name: string; reason: string }[];
    recommended?: { name: string; options: string; why: string } | null;
}

/** What a model of a table has; one that is a network has nodes and arcs instead. */
export interface ModelSummary {
    target?: string;
    rows?: number;
    classes?: { class: string; rows: number; prior: number }[];
    estimated?: Record<string, number>;
    attributes?: { attribute: string; family?: string }[];
    node_count?: number;
    arc_count?: number;
}
