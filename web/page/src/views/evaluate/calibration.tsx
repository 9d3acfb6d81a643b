// SPDX-License-Identifier: MIT
// Calibration: of rows whose class was named with some probability, how many were right.
import type { JSX } from "preact";
import { chart, Plot } from "../../charts/chart";
import { DataTable } from "../../shell/data-table";
import { Picture } from "../../shell/picture";
import { rounded } from "../../shell/numbers";
import type { CalibrationBin } from "./reports";

export function Calibration({ bins }: { bins: CalibrationBin[] }): JSX.Element {
    const filled = bins.filter(({ rows }) => rows > 0);
    const render = (width: number): Element =>
        chart(Math.min(width, 640), "Calibration", {
            height: Math.min(width, 480),
            x: { domain: [0, 1], label: "probability of the class named", grid: true },
            y: { domain: [0, 1], label: "share of rows that were right", grid: true },
            marks: [
                Plot.line(
                    [
                        [0, 0],
                        [1, 1],
                    ],
                    { stroke: "var(--ink-2)", strokeDasharray: "4 4" },
                ),
                Plot.ruleX(filled, {
                    x: "probability",
                    y1: "low",
                    y2: "high",
                    stroke: "var(--series-1)",
                    strokeWidth: 2,
                }),
                Plot.line(filled, { x: "probability", y: "accuracy", stroke: "var(--series-1)", strokeWidth: 2 }),
                Plot.dot(filled, { x: "probability", y: "accuracy", r: 5, fill: "var(--series-1)" }),
            ],
        });
    return (
        <section aria-labelledby="calibration">
            <h2 id="calibration">Calibration</h2>
            <Picture title="Probability and accuracy, with 95 % intervals" inputs={[bins]} render={render}>
                <DataTable
                    caption="Calibration"
                    rows={filled}
                    columns={[
                        { title: "Probability", cell: (bin) => rounded(bin.probability) },
                        { title: "Accuracy", cell: (bin) => rounded(bin.accuracy) },
                        { title: "Interval", cell: (bin) => `${rounded(bin.low)} to ${rounded(bin.high)}` },
                        { title: "Rows", cell: (bin) => rounded(bin.rows) },
                    ]}
                />
            </Picture>
        </section>
    );
}
