// SPDX-License-Identifier: MIT
// The members of the JSON report of evaluate that this view reads.

export interface CurvePoint {
    /** null: nothing is decided for the class. */
    threshold: number | null;
    precision: number | null;
    recall: number;
    f1: number;
    false_positive_rate: number;
    true_positives: number;
    false_positives: number;
    false_negatives: number;
    true_negatives: number;
    cost?: number;
}

export interface ThresholdCurves {
    positive: string;
    auc: number;
    average_precision: number;
    best: ({ by: string } & CurvePoint)[];
    points_total: number;
    points: CurvePoint[];
}

export interface CalibrationBin {
    from: number;
    to: number;
    rows: number;
    probability: number | null;
    accuracy: number | null;
    low: number | null;
    high: number | null;
}

export interface Decisions {
    rule: string;
    cost?: number;
    plain_cost?: number | null;
    single_action?: string;
    single_cost?: number;
    coverage?: number;
    accuracy?: number | null;
    actions: string[];
    table: { class: string; rows: number[]; undecided: number }[];
}

export type Measures = Record<string, number | null>;

export interface Evaluation {
    rows: number;
    accuracy: number;
    baseline: number;
    log_loss: number | null;
    brier: number;
    auc: number | null;
    ece: number;
    balanced_accuracy: number;
    macro_f1: number;
    weighted_f1: number;
    mcc: number;
    kappa: number | null;
    zero_rows: number;
    intervals: Record<string, [number, number]>;
    fold_mean?: Measures;
    fold_sd?: Measures;
    folds?: Measures[];
    classes: string[];
    per_class: {
        class: string;
        precision: number | null;
        recall: number | null;
        f1: number | null;
        auc: number | null;
        support: number;
    }[];
    confusion: number[][] | null;
    calibration: CalibrationBin[];
    decisions?: Decisions;
    threshold_curves?: ThresholdCurves;
}
