// SPDX-License-Identifier: MIT
// The result in plain words: the accuracy, compared with always predicting the most frequent class.
import type { JSX } from "preact";
import { shownProbability } from "../../shell/numbers";
import type { Evaluation } from "./reports";

function mostFrequent({ classes, confusion }: Evaluation): string {
    if (confusion === null) return "the most frequent class";
    const sums = confusion.map((row) => row.reduce((sum, count) => sum + count, 0));
    return `“${classes?.[sums.indexOf(Math.max(...sums))] ?? ""}”`;
}

export function Verdict({ of }: { of: Evaluation }): JSX.Element {
    const [low, high] = of.intervals["accuracy"] ?? [of.accuracy, of.accuracy];
    const kind = high < of.baseline || of.accuracy < of.baseline ? "worse" : low > of.baseline ? "better" : "unclear";
    const always = `always predicting ${mostFrequent(of)}`;
    return (
        <p class={`verdict is-${kind}`} data-name="verdict">
            <strong>
                {kind === "worse"
                    ? `Worse than ${always}.`
                    : kind === "better"
                      ? `Better than ${always}.`
                      : `Not clearly better than ${always}.`}
            </strong>{" "}
            {shownProbability(of.accuracy)} of the rows are predicted correctly, compared with{" "}
            {shownProbability(of.baseline)}.
        </p>
    );
}
