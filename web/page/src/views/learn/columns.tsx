// SPDX-License-Identifier: MIT
// The columns of the table: their values, their types, and which one is the class.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { SmallHistogram } from "../../charts/small-histogram";
import { DataTable, type TableColumn } from "../../shell/data-table";
import { percent, rounded } from "../../shell/numbers";
import { COLUMN_TYPES, type ChosenType, type Choices } from "./choices";
import type { ProfileColumn } from "./reports";

interface Props {
    columns: ProfileColumn[];
    choices: Choices;
    target: string | undefined;
    onType(column: string, type: ChosenType | undefined): void;
    onTarget(column: string): void;
}

/** With more columns, there is a search field. */
const MANY = 12;

function summary(column: ProfileColumn): string {
    if (column.min !== undefined)
        return `${rounded(column.min)} to ${rounded(column.max)}, mean ${rounded(column.mean)}, SD ${rounded(column.sd)}`;
    const values = column.most_frequent.filter(({ count }) => count > 1).slice(0, 4);
    return values.map(({ value, share }) => `${String(value)} (${percent(share)})`).join(", ");
}

function notes(column: ProfileColumn): string {
    const found: string[] = [];
    if (column.looks_like !== undefined) found.push(`looks like ${column.looks_like}`);
    if (column.distinct === 1) found.push("constant");
    if (column.type === "none") found.push("no values");
    return found.join(", ");
}

/** What a column that looks like something else should be. */
function hintedType({ looks_like: seems }: ProfileColumn): ChosenType | undefined {
    if (seems === "codes") return "categorical";
    return seems === "row number" || seems === "identifier" ? "ignore" : undefined;
}

export function Columns({ columns, choices, target, onType, onTarget }: Props): JSX.Element {
    const [search, setSearch] = useState("");
    const shown = columns.filter(({ column }) => column.toLowerCase().includes(search.toLowerCase()));
    const table: TableColumn<ProfileColumn>[] = [
        { title: "Column", cell: ({ column }) => column, by: ({ column }) => column },
        {
            title: "Class",
            cell: ({ column }) => (
                <input
                    type="radio"
                    name="target"
                    aria-label={`${column} is the class`}
                    checked={column === target}
                    onChange={() => onTarget(column)}
                />
            ),
        },
        {
            title: "Type",
            cell: (of) => (
                <select
                    aria-label={`Type of ${of.column}`}
                    value={choices.types.get(of.column) ?? ""}
                    onChange={(event) =>
                        onType(of.column, (event.currentTarget.value || undefined) as ChosenType | undefined)
                    }
                >
                    <option value="">{choices.types.has(of.column) ? "detected" : of.type}</option>
                    {COLUMN_TYPES.filter((type) => type !== of.type || choices.types.has(of.column)).map((type) => (
                        <option key={type} value={type}>
                            {type}
                        </option>
                    ))}
                    <option value="ignore">ignore</option>
                </select>
            ),
        },
        {
            title: "Distribution",
            cell: (of) => (
                <SmallHistogram
                    counts={of.histogram ?? of.most_frequent.map(({ count }) => count)}
                    label={`Distribution of ${of.column}`}
                />
            ),
        },
        { title: "Values", cell: summary },
        {
            title: "Distinct",
            cell: ({ distinct, is_exact }) =>
                is_exact ? distinct.toLocaleString("en") : `> ${(distinct - 1).toLocaleString("en")}`,
            by: ({ distinct }) => distinct,
            isNumber: true,
        },
        {
            title: "Missing",
            cell: ({ missing, missing_share }) =>
                missing === 0 ? "0" : `${missing.toLocaleString("en")} (${percent(missing_share)})`,
            by: ({ missing }) => missing,
            isNumber: true,
        },
        {
            title: "Note",
            cell: (of) => {
                const type = hintedType(of);
                return (
                    <>
                        {notes(of)}{" "}
                        {type !== undefined && of.column !== target && !choices.types.has(of.column) && (
                            <button type="button" class="hint" onClick={() => onType(of.column, type)}>
                                {type === "ignore" ? `Ignore ${of.column}` : `Treat ${of.column} as categorical`}
                            </button>
                        )}
                    </>
                );
            },
            by: notes,
        },
    ];
    return (
        <>
            {columns.length > MANY && (
                <label class="field">
                    <span>Search columns</span>
                    <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
                </label>
            )}
            <DataTable
                caption={`${shown.length} of ${columns.length} columns`}
                isCaptionUnseen={shown.length === columns.length}
                columns={table}
                rows={shown}
                most={50}
                rowClass={({ column }) =>
                    column === target ? "is-target" : choices.types.get(column) === "ignore" ? "is-ignored" : undefined
                }
            />
        </>
    );
}
