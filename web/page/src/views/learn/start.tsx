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
                Credence trains Bayesian classifiers: from a table of examples it learns how probable each class is,
                given the other columns. Every answer comes with its probability and its reasons.
            </ViewHead>
            <DropZone>
                Drop a table here: CSV, TSV, ARFF or JSON lines, also compressed (.gz, .zst). Models and networks open
                in the views of their own.
            </DropZone>
            <h2>Tables to try</h2>
            <ExampleCards kinds={["table"]} />
            <h2>Networks</h2>
            <ExampleCards kinds={["network"]} />
            <h2>Sequences</h2>
            <ExampleCards kinds={["sequences"]} />
        </>
    );
}
