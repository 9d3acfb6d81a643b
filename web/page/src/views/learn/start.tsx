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
                Train a classifier: from a table of examples, it learns the probability of each class given the other
                columns.
            </ViewHead>
            <DropZone>
                Drop a table here: CSV, TSV, ARFF or JSON lines, also compressed (.gz, .zst). Models and networks open
                in their own views.
            </DropZone>
            <h2>Example tables</h2>
            <ExampleCards kinds={["table"]} />
        </>
    );
}
