// SPDX-License-Identifier: MIT
// Learn: a table is opened, its columns are looked at, a classifier is trained on it.
import type { JSX } from "preact";
import { AskForFile } from "../../shell/ask-for-file";
import { Problem } from "../../shell/problem";
import { useDocument } from "../../shell/use-document";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";
import { LearnStart } from "./start";
import { LearnTable } from "./table";

export function Learn({ params }: ViewProps): JSX.Element {
    const isNamed = params.has("example") || params.has("file");
    const { value: table, missing, error } = useDocument(params);
    if (!isNamed) return <LearnStart />;
    if (missing === undefined && error === undefined && table !== undefined)
        return <LearnTable key={table.name} table={table} params={params} />;
    return (
        <>
            <ViewHead title="Learn">Train a classifier on a table. The table stays in your browser.</ViewHead>
            {missing !== undefined && <AskForFile name={missing} />}
            {error !== undefined && <Problem error={error} />}
        </>
    );
}
