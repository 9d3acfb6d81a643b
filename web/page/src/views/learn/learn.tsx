// SPDX-License-Identifier: MIT
// Learn: a table is opened, its columns are looked at, a classifier is trained on it.
import type { JSX } from "preact";
import { AskForFile } from "../../shell/ask-for-file";
import { Problem } from "../../shell/problem";
import { useDocument } from "../../shell/use-document";
import type { ViewProps } from "../../shell/views";
import { LearnStart } from "./start";

export function Learn({ params }: ViewProps): JSX.Element {
    const { value: table, missing, error } = useDocument(params, ["table"]);
    if (missing !== undefined) return <AskForFile name={missing} />;
    if (error !== undefined) return <Problem error={error} />;
    if (table === undefined) return <LearnStart />;
    return <LearnStart />;
}
