// SPDX-License-Identifier: MIT
// Rows of a file as a table that can be filtered by a text and sorted.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { DataTable, type TableColumn } from "./data-table";
import { counted, rounded } from "./numbers";

interface Props {
    caption: string;
    header: string[];
    rows: string[][];
    /** The number of all rows, if these are the first ones. */
    total?: number;
}

function isNumeric(text: string): boolean {
    return text !== "" && Number.isFinite(Number(text));
}

export function RowTable({ caption, header, rows, total = rows.length }: Props): JSX.Element {
    const [filter, setFilter] = useState("");
    const wanted = filter.trim().toLowerCase();
    const found = rows.filter((row) => wanted === "" || row.some((cell) => cell.toLowerCase().includes(wanted)));
    const columns = useMemo(
        () =>
            header.map((title, index): TableColumn<string[]> => {
                const isNumber = rows.slice(0, 100).every((row) => isNumeric(row[index] ?? "") || row[index] === "");
                const cell = (row: string[]): string => row[index] ?? "";
                return {
                    title,
                    isNumber,
                    // Short decimals are shown as they are.
                    cell: (row) =>
                        isNumber && cell(row).length > 9 ? (
                            <span title={cell(row)}>{rounded(Number(cell(row)))}</span>
                        ) : (
                            cell(row)
                        ),
                    by: (row) => (isNumber ? (cell(row) === "" ? null : Number(cell(row))) : cell(row)),
                };
            }),
        [header, rows],
    );
    return (
        <>
            <label class="row-filter">
                Rows that contain{" "}
                <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />{" "}
                <span class="quiet" aria-live="polite">
                    {wanted === "" ? counted(total, "row") : `${found.length} of ${counted(total, "row")}`}
                    {total > rows.length ? `, of which the first ${rows.length.toLocaleString("en")} are here` : ""}
                </span>
            </label>
            <DataTable caption={caption} isCaptionUnseen columns={columns} rows={found} most={50} />
        </>
    );
}
