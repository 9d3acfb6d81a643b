// SPDX-License-Identifier: MIT
// The first page: what this is, a place to drop a table on, and the examples.
import type { JSX } from "preact";
import { DropZone } from "../../shell/drop-zone";
import { ExampleCards } from "../../shell/example-cards";
import { ViewHead } from "../../shell/view-head";

export function LearnStart(): JSX.Element {
    return (
        <>
            <ViewHead title="Learn">
                Credence trains Bayesian classifiers. From a table of examples, it learns the probability of each class
                given the other columns. Every prediction comes with its probability and an explanation.
            </ViewHead>
            <DropZone>
                Drop a table here: CSV, TSV, ARFF or JSON lines, also compressed (.gz, .zst). Models and networks open
                in their own views.
            </DropZone>
            <h2>Example tables</h2>
            <ExampleCards kinds={["table"]} />
            <h2>Example networks</h2>
            <ExampleCards kinds={["network"]} />
            <h2>Example sequences</h2>
            <ExampleCards kinds={["sequences"]} />
        </>
    );
}
