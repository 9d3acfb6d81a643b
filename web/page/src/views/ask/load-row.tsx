// SPDX-License-Identifier: MIT
// Loads a row of an open table by its number. The command reads the row.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { core, type Core } from "../../shell/core";
import { parseCsv } from "../../shell/csv";
import { Problem } from "../../shell/problem";
import { useDocuments, type OpenDocument } from "../../shell/store";
import { cellsOf } from "./answer";
import type { Row } from "./given";
import type { Field } from "./model-columns";
import type { AnyRowReport } from "./reports";

interface Props {
    model: OpenDocument;
    fields: Field[];
    load(row: Row): void;
}

/** Returns the dates of the row, which an explanation contains only in parts. */
async function wholeCells(credence: Core, table: OpenDocument, fields: Field[], row: number): Promise<Row> {
    const dates = fields.filter(({ type }) => type === "date").map(({ name }) => name);
    if (dates.length === 0) return new Map();
    const files = { [table.name]: table.content };
    const { stdout } = await credence.succeed(["export", table.name, "--as", "csv"], { files });
    const rows = parseCsv(stdout);
    const cells = (rows[0] ?? []).map((name, index): [string, string] => [name, rows[row]?.[index] ?? ""]);
    return new Map(cells.filter(([name, cell]) => dates.includes(name) && cell !== ""));
}

export function LoadRow({ model, fields, load }: Props): JSX.Element | null {
    const tables = useDocuments().filter(({ kind, isUnreadable }) => kind === "table" && isUnreadable !== true);
    const [name, setName] = useState<string>();
    const [number, setNumber] = useState("1");
    const [error, setError] = useState<Error>();
    const trained = model.command?.[1];
    const table =
        tables.find((one) => one.name === name) ?? tables.find((one) => one.name === trained) ?? tables.at(-1);
    if (table === undefined) return null;
    const read = async (row: string): Promise<void> => {
        setNumber(row);
        if (!/^[1-9]\d*$/.test(row)) return;
        try {
            const credence = await core;
            const report = await credence.json<AnyRowReport>(["explain", model.name, table.name, "--row", row], {
                files: { [model.name]: model.content, [table.name]: table.content },
            });
            const names = new Set(fields.map((field) => field.name));
            const cells = cellsOf(report).filter(([column]) => names.has(column));
            load(new Map([...cells, ...(await wholeCells(credence, table, fields, Number(row)))]));
            setError(undefined);
        } catch (problem) {
            setError(problem instanceof Error ? problem : new Error(String(problem)));
        }
    };
    return (
        <div class="load-row">
            <label>
                Row{" "}
                <input
                    type="number"
                    min="1"
                    step="1"
                    value={number}
                    onInput={(event) => void read(event.currentTarget.value)}
                />
            </label>
            {tables.length > 1 ? (
                <label>
                    of{" "}
                    <select value={table.name} onChange={(event) => setName(event.currentTarget.value)}>
                        {tables.map((one) => (
                            <option key={one.name}>{one.name}</option>
                        ))}
                    </select>
                </label>
            ) : (
                <span>
                    of <bdi>{table.name}</bdi>
                </span>
            )}
            <button type="button" onClick={() => void read(number)}>
                Load
            </button>
            {error !== undefined && <Problem error={error} />}
        </div>
    );
}
