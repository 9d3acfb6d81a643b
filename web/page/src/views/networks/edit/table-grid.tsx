// SPDX-License-Identifier: MIT
// The conditional probability table as a grid: arrow keys move between cells, rows that do not sum to 1 are marked.
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { rounded } from "../../../shell/numbers";
import type { NetworkNode, NetworkReport } from "../reports";
import { normalized, setTable, type MakeChange } from "./changes";
import { columnsOf, combinations, discreteParents } from "./tables";

interface Props {
    network: NetworkReport;
    node: NetworkNode;
    make: MakeChange;
}

/** Tables of more rows are shown in pages. */
const PAGE = 50;
/** Rows of published tables are rounded: the command accepts sums that are this close to 1. */
const CLOSE = 0.01;

/** Fractions as they were typed, by their values. */
const fractions = new Map<number, string>();

function textOf(value: number): string {
    return fractions.get(value) ?? String(value);
}

/** What is missing to 1, in the form of the text: of 1/3 it is 2/3, of 0.9 it is 0.1. */
function complement(text: string): string | undefined {
    const [above, below] = text.split("/").map(Number);
    if (text.trim() === "" || above === undefined || !Number.isFinite(numberOf(text))) return undefined;
    if (below !== undefined) return Number.isInteger(above) ? `${below - above}/${below}` : undefined;
    const digits = text.trim().split(".")[1]?.length ?? 0;
    return String(Number((1 - above).toFixed(Math.min(15, digits))));
}

/** Tables that were typed and not set, because they are not complete: they come back with their node. */
const drafts = new Map<string, string[][]>();

/** A number, or a fraction such as 1/5. */
function numberOf(text: string): number {
    const [above = "", below, ...more] = text.split("/");
    if (below === undefined) return Number(text);
    return more.length > 0 || above.trim() === "" || below.trim() === "" ? NaN : Number(above) / Number(below);
}

function sumOf(row: string[]): number {
    return row.reduce((sum, text) => sum + numberOf(text), 0);
}

function isFaulty(row: string[], node: NetworkNode): boolean {
    if (row.some((text) => text.trim() === "" || !Number.isFinite(numberOf(text)))) return true;
    if (node.kind === "gaussian") return numberOf(row.at(-1) ?? "") < 0;
    return node.kind === "chance" && (row.some((text) => numberOf(text) < 0) || Math.abs(sumOf(row) - 1) > CLOSE);
}

export function TableGrid({ network, node, make }: Props): JSX.Element {
    const key = JSON.stringify([network.network, node]);
    const [cells, setCells] = useState(() => drafts.get(key) ?? (node.table ?? []).map((row) => row.map(textOf)));
    const [page, setPage] = useState(0);
    const body = useRef<HTMLTableSectionElement>(null);
    const parents = discreteParents(network, node);
    const columns = columnsOf(network, node);
    const given = combinations(parents);
    const isChance = node.kind === "chance";
    const faulty = cells.flatMap((row, index) => (isFaulty(row, node) ? [index] : []));
    const isChanged = JSON.stringify(cells) !== JSON.stringify((node.table ?? []).map((row) => row.map(textOf)));
    const isWhole = cells.flat().every((text) => text.trim() !== "" && Number.isFinite(numberOf(text)));
    const submit = (): void => {
        // The message below the table names values that are not numbers.
        if (!isWhole || !isChanged) return;
        drafts.delete(key);
        for (const text of cells.flat()) if (text.includes("/")) fractions.set(numberOf(text), text.trim());
        make(
            setTable(
                node.name,
                cells.map((row) => row.map(numberOf)),
            ),
        );
    };
    const change = (next: (row: string[], index: number) => string[]): void => {
        const changed = cells.map(next);
        drafts.set(key, changed);
        setCells(changed);
    };
    const set = (row: number, column: number, text: string): void =>
        change((own, r) => (r === row ? own.map((old, c) => (c === column ? text : old)) : own));
    /** In a row of two states of which one was typed, the other one follows. */
    const follow = (row: number): void => {
        const own = cells[row] ?? [];
        const typed = own.flatMap((text, at) => (text === textOf(node.table?.[row]?.[at] ?? NaN) ? [] : [at]));
        const [column] = typed;
        if (!isChance || columns.length !== 2 || typed.length !== 1 || column === undefined) return;
        const other = complement(own[column] ?? "");
        if (other !== undefined && numberOf(other) >= 0) set(row, 1 - column, other);
    };
    /** Cells of a spreadsheet, pasted from this cell on. */
    const paste = (event: ClipboardEvent, row: number, column: number): void => {
        const lines = (event.clipboardData?.getData("text") ?? "")
            .trimEnd()
            .split(/\r?\n/)
            .map((line) => line.split(/[\t;]/));
        if (lines.length === 1 && lines[0]?.length === 1) return;
        event.preventDefault();
        change((own, r) => own.map((old, c) => lines[r - row]?.[c - column]?.trim() ?? old));
    };
    const normalize = (which: (row: number) => boolean): void =>
        change((row, index) => (which(index) ? normalized(row.map((text) => numberOf(text) || 0)).map(String) : row));
    const move = (event: KeyboardEvent, row: number, column: number): void => {
        const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
        if (step === 0) return;
        event.preventDefault();
        body.current?.querySelector<HTMLInputElement>(`input[data-cell="${row + step},${column}"]`)?.focus();
    };
    const shown = cells.slice(page * PAGE, (page + 1) * PAGE);
    return (
        <form
            class="table-grid"
            onSubmit={(event) => {
                event.preventDefault();
                submit();
            }}
            onFocusOut={({ currentTarget, relatedTarget }) => {
                const isLeft = relatedTarget instanceof Node && !currentTarget.contains(relatedTarget);
                if (isLeft && faulty.length === 0) submit();
            }}
        >
            <div class="table-scroll" role="region" aria-label={`Table of ${node.name}`} tabIndex={0}>
                <table>
                    <caption>
                        {isChance
                            ? `P(${node.name}${node.parents.length > 0 ? ` | ${node.parents.join(", ")}` : ""})`
                            : `${node.name}${node.parents.length > 0 ? ` given ${node.parents.join(", ")}` : ""}`}
                    </caption>
                    <thead>
                        <tr>
                            {parents.map(({ name }) => (
                                <th key={`given ${name}`} scope="col">
                                    {name}
                                </th>
                            ))}
                            {columns.map((title, index) => (
                                <th key={index} scope="col">
                                    {title}
                                </th>
                            ))}
                            {isChance && <th scope="col">sum</th>}
                        </tr>
                    </thead>
                    <tbody ref={body}>
                        {shown.map((row, at) => {
                            const index = page * PAGE + at;
                            const isWrong = faulty.includes(index);
                            return (
                                <tr key={index} class={isWrong ? "row-faulty" : undefined}>
                                    {(given[index] ?? []).map((state, parent) => (
                                        <th key={parent} scope="row">
                                            {state}
                                        </th>
                                    ))}
                                    {row.map((text, column) => (
                                        <td key={column}>
                                            <input
                                                type="text"
                                                inputMode="decimal"
                                                size={8}
                                                value={text}
                                                data-cell={`${index},${column}`}
                                                aria-invalid={isWrong}
                                                aria-label={[columns[column], ...(given[index] ?? [])].join(", given ")}
                                                onInput={(event) => set(index, column, event.currentTarget.value)}
                                                onBlur={({ relatedTarget }) => {
                                                    const next = (relatedTarget as HTMLElement | null)?.dataset.cell;
                                                    if (next?.split(",")[0] !== String(index)) follow(index);
                                                }}
                                                onPaste={(event) => paste(event, index, column)}
                                                onKeyDown={(event) => move(event, index, column)}
                                            />
                                        </td>
                                    ))}
                                    {isChance && (
                                        <td class="number">
                                            {rounded(sumOf(row))}
                                            {sumOf(row) !== 1 && (
                                                <button
                                                    type="button"
                                                    class="plain"
                                                    onClick={() => normalize((r) => r === index)}
                                                    aria-label={`Normalize row ${index + 1}`}
                                                    title="Divide the row by its sum"
                                                >
                                                    ÷
                                                </button>
                                            )}
                                        </td>
                                    )}
                                </tr>
                            );
                        })}
                    </tbody>
                </table>
            </div>
            {cells.length > PAGE && (
                <p class="inline-form">
                    <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
                        Previous rows
                    </button>
                    <span>
                        rows {page * PAGE + 1} to {Math.min(cells.length, (page + 1) * PAGE)} of {cells.length}
                    </span>
                    <button
                        type="button"
                        disabled={(page + 1) * PAGE >= cells.length}
                        onClick={() => setPage(page + 1)}
                    >
                        Next rows
                    </button>
                </p>
            )}
            <p class="quiet" aria-live="polite">
                {faulty.length === 0
                    ? ""
                    : `${faulty.length === 1 ? "Row" : "Rows"} ${faulty
                          .slice(0, 5)
                          .map((row) => row + 1)
                          .join(
                              ", ",
                          )}${faulty.length > 5 ? " and more" : ""}: ${isChance ? "probabilities must be at least 0 and sum to 1." : "values must be numbers, and a variance at least 0."}`}
            </p>
            <div class="inline-form">
                <button type="submit" class="primary" disabled={!isChanged}>
                    Set table
                </button>
                {isChance && (
                    <button type="button" onClick={() => normalize(() => true)}>
                        Normalize all rows
                    </button>
                )}
            </div>
        </form>
    );
}
