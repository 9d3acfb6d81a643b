// SPDX-License-Identifier: MIT
// The scores of all rows, with intervals, and how they spread over the folds.
import type { JSX } from "preact";
import { DataTable, type TableColumn } from "../../shell/data-table";
import { rounded } from "../../shell/numbers";
import { Value } from "../../shell/value";
import type { Evaluation } from "./reports";

interface Measure {
    key: keyof Evaluation & string;
    title: string;
    help: string;
}

const MEASURES: Measure[] = [
    { key: "accuracy", title: "Accuracy", help: "proportion of rows with a correct prediction" },
    { key: "baseline", title: "Baseline", help: "accuracy of always predicting the most frequent class" },
    { key: "log_loss", title: "Log loss", help: "mean of -log P(true class); smaller is better" },
    { key: "brier", title: "Brier", help: "mean squared error of the probabilities, 0 to 2; smaller is better" },
    { key: "auc", title: "AUC", help: "area under the ROC curve, the mean over classes" },
    { key: "ece", title: "ECE", help: "expected calibration error; smaller is better" },
    { key: "balanced_accuracy", title: "Balanced accuracy", help: "mean recall of the classes" },
    { key: "macro_f1", title: "Macro F1", help: "mean F1 of the classes" },
    { key: "mcc", title: "MCC", help: "Matthews correlation coefficient of predictions and true classes" },
    { key: "kappa", title: "Kappa", help: "Cohen's kappa: agreement beyond chance" },
];

export function Scores({ of }: { of: Evaluation }): JSX.Element {
    const columns: TableColumn<Measure>[] = [
        { title: "Score", cell: ({ title, help }) => <span title={help}>{title}</span> },
        {
            title: "Value",
            cell: ({ key }) => (
                <strong>
                    <Value of={of[key] as number | null} name={key} />
                </strong>
            ),
            isNumber: true,
        },
        {
            title: "95 % interval",
            cell: ({ key }) => {
                const interval = of.intervals[key];
                return interval === undefined ? (
                    ""
                ) : (
                    <span class="whole">
                        <Value of={interval[0]} name={`${key}_low`} /> to{" "}
                        <Value of={interval[1]} name={`${key}_high`} />
                    </span>
                );
            },
        },
    ];
    if (of.fold_mean !== undefined)
        columns.push({
            title: "Folds: mean ± SD",
            cell: ({ key }) => {
                const mean = of.fold_mean?.[key];
                return mean === undefined || mean === null ? (
                    ""
                ) : (
                    <span class="whole">{`${rounded(mean)} ± ${rounded(of.fold_sd?.[key])}`}</span>
                );
            },
        });
    return (
        <section aria-labelledby="scores" aria-live="polite">
            <h2 id="scores">Scores</h2>
            <DataTable caption="Scores of all rows" isCaptionUnseen columns={columns} rows={MEASURES} />
            {of.zero_rows > 0 && (
                <p class="quiet">
                    The true class of {of.zero_rows} rows had probability 0: their log loss is infinite.
                </p>
            )}
        </section>
    );
}
