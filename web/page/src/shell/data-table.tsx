// SPDX-License-Identifier: MIT
// A table that scrolls within itself and is sorted by a click on a heading.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

export interface TableColumn<Row> {
    title: string;
    /** Returns the content of a table cell. */
    cell(row: Row): ComponentChildren;
    /** Returns the sort key; absent: the column cannot be sorted. */
    by?(row: Row): number | string | null | undefined;
    isNumber?: boolean;
}

interface Props<Row> {
    caption: string;
    /** The caption is only for screen readers, because a heading has the same text. */
    isCaptionUnseen?: boolean;
    columns: TableColumn<Row>[];
    rows: Row[];
    /** Rows shown before the button that shows all. */
    most?: number;
    rowClass?(row: Row): string | undefined;
}

type By = number | string | null | undefined;

function compare(a: By, b: By): number {
    if (a === b) return 0;
    if (a === null || a === undefined) return 1;
    if (b === null || b === undefined) return -1;
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
}

export function DataTable<Row>(props: Props<Row>): JSX.Element {
    const { caption, isCaptionUnseen = false, columns, rows, most = 200, rowClass } = props;
    const [order, setOrder] = useState<{ column: number; isDown: boolean }>();
    const [isWhole, setWhole] = useState(false);
    const by = order === undefined ? undefined : columns[order.column]?.by;
    const sorted =
        by === undefined || order === undefined
            ? rows
            : [...rows].sort((a, b) => (order.isDown ? -1 : 1) * compare(by(a), by(b)));
    const shown = isWhole ? sorted : sorted.slice(0, most);
    const sort = (column: number): void =>
        setOrder((last) => ({ column, isDown: last?.column === column ? !last.isDown : false }));
    return (
        <div class="table-scroll" role="region" aria-label={caption} tabIndex={0}>
            <table>
                <caption class={isCaptionUnseen ? "unseen" : undefined}>{caption}</caption>
                <thead>
                    <tr>
                        {columns.map(({ title, by: key, isNumber }, index) => {
                            const isSorted = order?.column === index;
                            return (
                                <th
                                    key={title}
                                    scope="col"
                                    class={isNumber === true ? "number" : undefined}
                                    aria-sort={isSorted ? (order.isDown ? "descending" : "ascending") : undefined}
                                >
                                    {key === undefined ? (
                                        title
                                    ) : (
                                        <button type="button" class="plain" onClick={() => sort(index)}>
                                            {title}
                                            <span aria-hidden="true">
                                                {isSorted ? (order.isDown ? " ▾" : " ▴") : ""}
                                            </span>
                                        </button>
                                    )}
                                </th>
                            );
                        })}
                    </tr>
                </thead>
                <tbody>
                    {shown.map((row, index) => (
                        <tr key={index} class={rowClass?.(row)}>
                            {columns.map(({ title, cell, isNumber }, at) =>
                                at === 0 ? (
                                    <th key={title} scope="row">
                                        {cell(row)}
                                    </th>
                                ) : (
                                    <td key={title} class={isNumber === true ? "number" : undefined}>
                                        {cell(row)}
                                    </td>
                                ),
                            )}
                        </tr>
                    ))}
                </tbody>
            </table>
            {shown.length < rows.length && (
                <button type="button" onClick={() => setWhole(true)}>
                    Show all {rows.length.toLocaleString("en")} rows
                </button>
            )}
        </div>
    );
}
