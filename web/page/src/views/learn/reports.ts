// SPDX-License-Identifier: MIT
// The members of JSON reports that this view reads.
import type { ColumnDescription } from "credence";

export interface ProfileColumn extends ColumnDescription {
    missing: number;
    missing_share: number;
    distinct: number;
    is_exact: boolean;
    min?: number;
    median?: number;
    max?: number;
    mean?: number;
    sd?: number | null;
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
    group: string;
    forms: SettingForm[];
}

export interface Settings {
    settings: Setting[];
    families: { name: string; type: string }[];
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

/** The report of a model. A network has nodes and arcs instead of attributes. */
export interface ModelSummary {
    target?: string;
    rows?: number;
    classes?: { class: string; rows: number; prior: number }[];
    estimated?: Record<string, number>;
    attributes?: { attribute: string; family?: string }[];
    node_count?: number;
    arc_count?: number;
}
