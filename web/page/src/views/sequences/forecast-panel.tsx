// SPDX-License-Identifier: MIT
// The forecast: states and observations of the steps after the last one; and the probability of the sequence.
import type { JSX } from "preact";
import { commandLine, type FileContent } from "credence";
import { DataTable } from "../../shell/data-table";
import { Problem } from "../../shell/problem";
import { changeParams } from "../../shell/route";
import { useAnswer } from "../../shell/use-answer";
import { Value } from "../../shell/value";
import { ShellLines } from "../course/shell-lines";
import { jsonLines } from "./reports";

interface Likelihood {
    sequence: string | number;
    items: number;
    log_probability: number | null;
    per_item: number | null;
}

type Ahead = Record<string, string | number | null>;

interface Props {
    model: { name: string; content: FileContent };
    data: { name: string; content: FileContent };
    sequence: string;
    ahead: number;
}

export function ForecastPanel({ model, data, sequence, ahead }: Props): JSX.Element {
    const files = { [model.name]: model.content, [data.name]: data.content };
    const command = ["query", model.name, data.name, "--forecast", String(ahead)];
    const { value, error } = useAnswer(
        async (core) => ({
            likelihoods: await jsonLines<Likelihood>(core, ["query", model.name, data.name], files),
            steps: await jsonLines<Ahead>(core, command, files),
        }),
        [command.join("\0"), model.content, data.content],
    );
    const likelihood = value?.likelihoods.find((one) => String(one.sequence) === sequence);
    const rows = value?.steps.filter((one) => String(one["sequence"]) === sequence) ?? [];
    const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== "sequence" && name !== "ahead");
    return (
        <section aria-labelledby="forecast-title">
            <h2 id="forecast-title">Forecast</h2>
            {error !== undefined && <Problem error={error} />}
            {likelihood !== undefined && (
                <p>
                    Log-likelihood of the {likelihood.items} steps:{" "}
                    <Value of={likelihood.log_probability} name="log_probability" />, <Value of={likelihood.per_item} />{" "}
                    per step.
                </p>
            )}
            <label class="field">
                <span>Steps ahead</span>
                <input
                    type="number"
                    min="1"
                    max="100"
                    value={ahead}
                    onInput={(event) => changeParams({ ahead: event.currentTarget.value })}
                />
            </label>
            {rows.length > 0 && (
                <DataTable
                    caption="States and observations ahead"
                    columns={[
                        { title: "ahead", cell: (row) => String(row["ahead"]) },
                        ...columns.map((name) => ({
                            title: name,
                            isNumber: typeof rows[0]?.[name] === "number",
                            cell: (row: Ahead) => {
                                const cell = row[name];
                                return typeof cell === "number" ? (
                                    <Value of={cell} name={`${name} ${row["ahead"]}`} />
                                ) : (
                                    (cell ?? "")
                                );
                            },
                        })),
                    ]}
                    rows={rows}
                />
            )}
            <ShellLines lines={[commandLine(["query", model.name, data.name]), commandLine(command)]} />
        </section>
    );
}
