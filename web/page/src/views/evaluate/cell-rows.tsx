// SPDX-License-Identifier: MIT
// The rows that a cell of the confusion matrix counts: rows of one true class with one prediction.
import type { JSX } from "preact";
import { Busy } from "../../shell/busy";
import { parseCsv } from "../../shell/csv";
import { Problem } from "../../shell/problem";
import { changeParams } from "../../shell/route";
import { RowTable } from "../../shell/row-table";
import type { OpenDocument } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import type { Question } from "./question";

/** A cell in the link: its true class and its prediction. */
export function cellText(truth: string, prediction: string): string {
    return JSON.stringify([truth, prediction]);
}

function parseCell(text: string): [string, string] | undefined {
    try {
        const [truth, prediction] = JSON.parse(text) as unknown[];
        return typeof truth === "string" && typeof prediction === "string" ? [truth, prediction] : undefined;
    } catch {
        return undefined;
    }
}

interface Props {
    question: Question;
    table: OpenDocument;
    cell: string;
}

export function CellRows({ question, table, cell }: Props): JSX.Element | null {
    const [truth, prediction] = parseCell(cell) ?? [];
    const answer = useAnswer(
        async (core, signal) => {
            const run = { files: question.files, signal };
            const { stdout } = await core.succeed([...question.command, "--per-row", "--format", "csv"], run);
            const all = await core.succeed(["export", table.name, "--as", "csv"], {
                files: { [table.name]: table.content },
                signal,
            });
            return { results: parseCsv(stdout), rows: parseCsv(all.stdout) };
        },
        [question.command.join("\0"), table.content],
    );
    if (truth === undefined || prediction === undefined) return null;
    const [names = [], ...results] = answer.value?.results ?? [];
    const [columns = [], ...rows] = answer.value?.rows ?? [];
    const at = (name: string): number => names.indexOf(name);
    // Rows whose class is missing are not evaluated: then their values cannot be found by their order.
    const hasRows = rows.length === results.length;
    const found = results.flatMap((result, index) =>
        result[at("truth")] === truth && result[at("prediction")] === prediction
            ? [[String(index + 1), result[at("probability")] ?? "", ...(hasRows ? (rows[index] ?? []) : [])]]
            : [],
    );
    return (
        <div>
            <h2>
                Rows of {truth} predicted as {prediction}
            </h2>
            <button type="button" onClick={() => changeParams({ cell: undefined })}>
                Close
            </button>
            {answer.value === undefined && <Busy what="Reading the rows" answer={answer} />}
            {answer.error !== undefined && <Problem error={answer.error} />}
            {answer.value !== undefined && (
                <RowTable
                    caption={`Rows of ${truth} predicted as ${prediction}`}
                    header={["row", `P(${prediction})`, ...(hasRows ? columns : [])]}
                    rows={found}
                />
            )}
        </div>
    );
}
