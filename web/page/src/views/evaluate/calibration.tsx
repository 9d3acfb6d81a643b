// SPDX-License-Identifier: MIT
// Calibration: of rows whose class was named with some probability, how many were right.
import type { JSX } from "preact";
import { chart, Plot } from "../../charts/chart";
import { Picture } from "../../shell/picture";
import { rounded } from "../../shell/numbers";
import type { CalibrationBin } from "./reports";

export function Calibration({ bins }: { bins: CalibrationBin[] }): JSX.Element {
    const filled = bins.filter(({ rows }) => rows > 0);
    const render = (width: number): Element =>
        chart(Math.min(width, 640), "Calibration", {
            height: Math.min(width, 480),
            x: { domain: [0, 1], label: "probability of the predicted class", grid: true },
            y: { domain: [0, 1], label: "accuracy", grid: true },
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
                <table>
                    <thead>
                        <tr>
                            <th scope="col">Probability</th>
                            <th scope="col">Accuracy</th>
                            <th scope="col">95 % interval</th>
                            <th scope="col">Rows</th>
                        </tr>
                    </thead>
                    <tbody>
                        {filled.map((bin) => (
                            <tr key={bin.from}>
                                <td>{rounded(bin.probability)}</td>
                                <td>{rounded(bin.accuracy)}</td>
                                <td>{`${rounded(bin.low)} to ${rounded(bin.high)}`}</td>
                                <td>{rounded(bin.rows)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </Picture>
        </section>
    );
}
