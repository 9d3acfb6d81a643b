// SPDX-License-Identifier: MIT
// The members of reports on models and rows that the views Ask and Understand read.
import type { ColumnDescription } from "credence";
import type { Curves } from "../../charts/densities";

/** A column of a model: `schema MODEL`. */
export interface ModelColumn extends ColumnDescription {
    /** The column that this is a part of, such as the year of a date. */
    field?: string;
    role: "attribute" | "target" | "weight" | "ignored";
    missing?: number;
    mean?: number;
    sd?: number | null;
    values?: { value: string; count: number }[];
}

export interface ModelColumns {
    rows: number;
    columns: ModelColumn[];
}

export interface Term {
    attribute: string;
    value: string | number | null;
    form: string;
    log_value: number | null;
}

export interface Change {
    attribute: string;
    value: string | number;
    deviations: number;
    prediction?: string;
    decision?: string;
    probability: number | null;
}

export interface TextWords {
    attribute: string;
    words: { word: string; times: number; weight: number | null }[];
    unknown_words: string[];
    places: { word: string; from: number; to: number }[];
    for?: string;
    against?: string;
}

interface WhatIf {
    changes?: Change[];
    changes_tried?: number;
    uncertainty?: number | null;
    missing?: { attribute: string; bits: number | null }[];
}

/** `explain` of a classifier: terms, or members of an ensemble. */
export interface RowReport extends WhatIf {
    classes: { class: string; terms?: Term[]; posterior: number | null }[];
    prediction: string | null;
    unseen: number;
    pool?: string;
    members?: { weight: number; settings: Record<string, string>; log_posterior: Record<string, number | null> }[];
    weights?: {
        for: string;
        against: string;
        prior: number | null;
        terms: { term: string; attribute?: string; weight: number | null; rules_out?: string }[];
        total: number | null;
    };
    texts?: TextWords[];
    typicality?: number | null;
    decision?: string;
    expected_cost?: number;
    costs?: Record<string, number>;
}

/** `explain` with a model that is a network. */
export interface NetworkRowReport extends WhatIf {
    node: string;
    impossible?: string;
    state?: string;
    before?: Record<string, number>;
    posterior?: Record<string, number>;
    findings?: { node: string; state?: string; value?: number; weight?: number | null }[];
}

/** `explain` with combined models. */
export interface CombinedRowReport {
    rule: string;
    models: { model: string; weight: number; probabilities: Record<string, number> }[];
    prediction: string | null;
    probabilities: Record<string, number>;
    unseen: number;
}

export type AnyRowReport = RowReport | NetworkRowReport | CombinedRowReport;

/** `show --curves`. */
export interface ShownAttribute {
    attribute: string;
    family: string;
    densities?: ({ class: string; rows: number } & Record<string, number | string>)[];
    curves?: Curves;
    values?: { value: string; probability?: Record<string, number> }[];
    informative_words?: { class: string; word: string; weight: number | null; divergence: number }[];
}

export interface NomogramScale {
    attribute: string;
    missing: number;
    values?: { value: string; points: number | null; rules_out?: string }[];
    x?: number[];
    points?: (number | null)[];
}

export interface Nomogram {
    class: string;
    against: string;
    most_points: number;
    scales: NomogramScale[];
    probabilities: { probability: number; points: number }[];
}

export interface ShownModel {
    target?: string;
    rows?: number;
    settings?: Record<string, string>;
    classes?: { class: string; rows: number; prior: number }[];
    attributes?: ShownAttribute[];
    nomograms?: Nomogram[];
    joints?: { joint: string; attributes: string[]; description: string }[];
    pairs?: { attributes: string[]; attribute_weight: number }[];
    pool?: string;
    members?: { weight: number; settings: Record<string, string> }[];
    rule?: string;
    models?: { model: string; weight: number }[];
    /** For a network. */
    network?: string;
    arcs?: { from: string; to: string }[];
    nodes?: { name: string; kind: string; states?: string[]; parents: string[]; table?: number[][] }[];
}
