// SPDX-License-Identifier: MIT
// The rows of the table, read when they are first opened.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Busy } from "../../shell/busy";
import { parseCsv } from "../../shell/csv";
import { Problem } from "../../shell/problem";
import { RowTable } from "../../shell/row-table";
import type { OpenDocument } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";

export function Rows({ table, reading }: { table: OpenDocument; reading: string[] }): JSX.Element {
    const [isOpen, setOpen] = useState(false);
    const answer = useAnswer(
        async (core, signal) => {
            if (!isOpen) return undefined;
            const command = ["export", table.name, "--as", "csv", ...reading];
            const { stdout } = await core.succeed(command, { files: { [table.name]: table.content }, signal });
            return parseCsv(stdout);
        },
        [isOpen, table.content, reading.join("\0")],
    );
    const [header = [], ...rows] = answer.value ?? [];
    return (
        <details class="rows" onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>Rows</summary>
            {isOpen && answer.value === undefined && <Busy what="Reading the rows" answer={answer} />}
            {answer.error !== undefined && <Problem error={answer.error} />}
            {isOpen && answer.value !== undefined && <RowTable caption="Rows" header={header} rows={rows} />}
        </details>
    );
}
