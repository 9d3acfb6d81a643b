// SPDX-License-Identifier: MIT
// How hidden states were found: the log-likelihood over the steps of EM.
import type { JSX } from "preact";
import { chart, Plot } from "../../charts/chart";
import { DataTable } from "../../shell/data-table";
import { Picture } from "../../shell/picture";
import { Value } from "../../shell/value";
import type { EmStep, TrainReport } from "./reports";

function likelihoodPicture(width: number, steps: EmStep[]): Element {
    return chart(width, "Log-likelihood by EM step", {
        height: 240,
        marginLeft: 72,
        x: { label: "step" },
        y: { label: "log-likelihood", grid: true },
        marks: [
            Plot.lineY(steps, { x: "step", y: "log_likelihood", stroke: "var(--accent)", strokeWidth: 2 }),
            Plot.dot(steps, { x: "step", y: "log_likelihood", fill: "var(--accent)", r: 3 }),
        ],
    });
}

export function TrainingPanel({ report }: { report: TrainReport }): JSX.Element | null {
    if (report.fit === undefined) return null;
    const { steps, choices, log_likelihood: logLikelihood } = report.fit;
    return (
        <section aria-labelledby="training-title">
            <h2 id="training-title">Training by EM (Baum-Welch)</h2>
            <p>
                {steps.length - 1} steps; log-likelihood <Value of={logLikelihood} name="log_likelihood" />.
            </p>
            <Picture title="Log-likelihood" render={(width) => likelihoodPicture(width, steps)} inputs={[steps]} />
            {choices !== undefined && choices.length > 1 && (
                <DataTable
                    caption="Candidate numbers of states; the largest BIC is selected"
                    columns={[
                        { title: "states", cell: ({ states }) => states },
                        {
                            title: "log-likelihood",
                            isNumber: true,
                            cell: (choice) => <Value of={choice.log_likelihood} />,
                        },
                        { title: "parameters", isNumber: true, cell: ({ parameters }) => parameters },
                        { title: "BIC", isNumber: true, cell: ({ bic }) => <Value of={bic} /> },
                    ]}
                    rows={choices}
                />
            )}
        </section>
    );
}
