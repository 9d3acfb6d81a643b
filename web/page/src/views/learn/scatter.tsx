// SPDX-License-Identifier: MIT
// Two numeric columns against each other, by class.
import type { JSX } from "preact";
import { CredenceError, listItem } from "credence";
import type { Core } from "../../shell/core";
import { Legend } from "../../charts/legend";
import { ScatterPlot } from "../../charts/scatter";
import type { Points } from "../../charts/scatter-canvas";
import { Busy } from "../../shell/busy";
import { parseCsv } from "../../shell/csv";
import { counted } from "../../shell/numbers";
import { Problem } from "../../shell/problem";
import { changeParams } from "../../shell/route";
import type { OpenDocument } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import type { ProfileColumn } from "./reports";

interface Props {
    table: OpenDocument;
    columns: ProfileColumn[];
    reading: string[];
    target: string | undefined;
    params: URLSearchParams;
}

/** Points drawn at most: of more rows every n-th. */
const MOST_POINTS = 20_000;
/** Larger files are read for the plot only on request. */
const SMALL = 4_000_000;
const MAX_CLASSES = 64;

interface Drawn {
    points: Points;
    classes: string[];
    rows: number;
}

async function readPoints(
    core: Core,
    table: OpenDocument,
    names: { x: string; y: string; target: string | undefined },
    reading: string[],
    signal: AbortSignal,
): Promise<Drawn> {
    const wanted = [...new Set([names.x, names.y, ...(names.target === undefined ? [] : [names.target])])];
    const only = wanted.map((name) => listItem(name)).join(",");
    const { status, stdout, stderr } = await core.run(
        ["export", table.name, "--as", "csv", ...reading, "--only", only],
        {
            files: { [table.name]: table.content },
            signal,
        },
    );
    if (status !== 0) throw CredenceError.of(status, stderr);
    const [header = [], ...rows] = parseCsv(stdout);
    const [x, y] = [header.indexOf(names.x), header.indexOf(names.y)];
    const of = names.target === undefined ? -1 : header.indexOf(names.target);
    const step = Math.max(1, Math.ceil(rows.length / MOST_POINTS));
    const kept = rows.filter((row, index) => index % step === 0 && (row[x] ?? "") !== "" && (row[y] ?? "") !== "");
    const found = [...new Set(kept.map((row) => row[of] ?? ""))];
    // The command's order of classes: by value if all are numbers, otherwise by code point.
    const areNumbers = found.every((name) => name !== "" && Number.isFinite(Number(name)));
    found.sort((a, b) => (areNumbers ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0));
    const isByClass = of >= 0 && found.length <= MAX_CLASSES;
    const place = new Map(found.map((name, index) => [name, index]));
    return {
        points: {
            x: Float64Array.from(kept, (row) => Number(row[x])),
            y: Float64Array.from(kept, (row) => Number(row[y])),
            of: Uint16Array.from(kept, (row) => (isByClass ? (place.get(row[of] ?? "") ?? 0) : 0)),
        },
        classes: isByClass ? found : [],
        rows: rows.length,
    };
}

export function Scatter({ table, columns, reading, target, params }: Props): JSX.Element | null {
    const numbers = columns.filter((of) => of.type === "numeric" && of.column !== target).map(({ column }) => column);
    const isWanted =
        params.has("x") || params.has("y") || !(table.content instanceof Blob) || table.content.size <= SMALL;
    const x = params.get("x") ?? numbers.at(-2);
    const y = params.get("y") ?? numbers.at(-1);
    const answer = useAnswer(
        (core, signal) =>
            x !== undefined && y !== undefined && isWanted
                ? readPoints(core, table, { x, y, target }, reading, signal)
                : undefined,
        [table.content, x, y, target, reading.join("\0"), isWanted],
    );
    if (x === undefined || y === undefined) return null;
    const drawn = answer.value;
    const choice = (key: "x" | "y", value: string): JSX.Element => (
        <label class="field">
            <span>{key === "x" ? "Horizontal axis" : "Vertical axis"}</span>
            <select value={value} onChange={(event) => changeParams({ [key]: event.currentTarget.value })}>
                {numbers.map((name) => (
                    <option key={name}>{name}</option>
                ))}
            </select>
        </label>
    );
    return (
        <section aria-labelledby="scatter">
            <h2 id="scatter">Scatter plot by class</h2>
            <div class="actions">
                {choice("x", x)}
                {choice("y", y)}
                {!isWanted && (
                    <button type="button" onClick={() => changeParams({ x, y })}>
                        Draw
                    </button>
                )}
            </div>
            {isWanted && drawn === undefined && <Busy what="Reading the columns" answer={answer} />}
            {answer.error !== undefined && <Problem error={answer.error} />}
            {drawn !== undefined && (
                <>
                    {drawn.classes.length > 0 && <Legend classes={drawn.classes} mark="symbol" />}
                    <ScatterPlot
                        title={`${y} against ${x}`}
                        points={drawn.points}
                        classes={drawn.classes}
                        names={{ x, y }}
                    />
                    {drawn.points.x.length < drawn.rows && (
                        <p class="quiet">
                            {counted(drawn.points.x.length, "point")} of {counted(drawn.rows, "row")}.
                        </p>
                    )}
                </>
            )}
        </section>
    );
}
