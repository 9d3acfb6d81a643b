// SPDX-License-Identifier: MIT
// One step: the explanation of its state, and its observations, which can be changed.
import type { JSX } from "preact";
import { commandLine, type FileContent } from "credence";
import { DataTable } from "../../shell/data-table";
import { Problem } from "../../shell/problem";
import { useAnswer } from "../../shell/use-answer";
import { Value } from "../../shell/value";
import { PosteriorBars } from "../course/posterior-bars";
import { ShellLines } from "../course/shell-lines";
import type { Cell, HmmReport, Step, StepReport } from "./reports";

interface Props {
    step: Step;
    model: { name: string; content: FileContent };
    data: { name: string; content: FileContent };
    report: HmmReport;
    columns: string[];
    /** Absent if the data are too long for editing. */
    edit: ((column: string, value: string) => void) | undefined;
}

/** Returns the values of a categorical column in the model. */
const valuesOf = (report: HmmReport, column: string): string[] | undefined =>
    report.attributes.find(({ attribute }) => attribute === column)?.values?.map(({ value }) => value);

const MOST_CHOICES = 300;

function CellEditor(props: {
    column: string;
    cell: Cell | undefined;
    values: string[] | undefined;
    edit(value: string): void;
}): JSX.Element {
    const { column, values, edit } = props;
    const cell = props.cell === null || props.cell === undefined ? "" : String(props.cell);
    return (
        <label class="field">
            <span>{column}</span>
            {values !== undefined && values.length <= MOST_CHOICES ? (
                <select value={cell} onChange={(event) => edit(event.currentTarget.value)}>
                    <option value="">unknown</option>
                    {[...new Set([...values, ...(cell === "" ? [] : [cell])])].map((value) => (
                        <option key={value} value={value}>
                            {value}
                        </option>
                    ))}
                </select>
            ) : (
                <input type="text" value={cell} onChange={(event) => edit(event.currentTarget.value)} />
            )}
        </label>
    );
}

export function StepPanel({ step, model, data, report, columns, edit }: Props): JSX.Element {
    const command = ["explain", model.name, data.name, "--row", String(step.number)];
    const { value, error } = useAnswer(
        (core) => core.json<StepReport>(command, { files: { [model.name]: model.content, [data.name]: data.content } }),
        [command.join("\0"), data.content, model.content],
    );
    const states = report.states.map(({ state }) => state);
    return (
        <section class="step-panel" aria-labelledby="step-title">
            <h2 id="step-title">
                Step {step.step}
                {report.source.sequence !== undefined ? ` of ${step.sequence}` : ""}
            </h2>
            {edit !== undefined && (
                <div class="figure-controls">
                    {columns.map((column) => (
                        <CellEditor
                            key={column}
                            column={column}
                            cell={step.row[column]}
                            values={valuesOf(report, column)}
                            edit={(text) => edit(column, text)}
                        />
                    ))}
                </div>
            )}
            {error !== undefined && <Problem error={error} />}
            {value !== undefined && (
                <div aria-live="polite">
                    <p>
                        Most probable state: <strong>{value.prediction}</strong>
                        {value.path === value.prediction
                            ? "; the same state is on the most likely path."
                            : `; the most likely path contains ${value.path}.`}
                    </p>
                    <PosteriorBars
                        posteriors={states.map((name) => ({
                            name,
                            value: value.states.find(({ state }) => state === name)?.posterior ?? 0,
                        }))}
                    />
                    <div class="columns">
                        <DataTable
                            caption="Log contributions of the past, the observation and the future"
                            columns={[
                                { title: "state", cell: ({ state }) => state },
                                { title: "past", isNumber: true, cell: ({ past }) => <Value of={past} /> },
                                { title: "observation", isNumber: true, cell: (one) => <Value of={one.observation} /> },
                                { title: "future", isNumber: true, cell: ({ future }) => <Value of={future} /> },
                                {
                                    title: "posterior",
                                    isNumber: true,
                                    cell: (one) => <Value of={one.posterior} name={`step ${one.state}`} />,
                                },
                            ]}
                            rows={value.states}
                            most={12}
                        />
                        {value.weights !== undefined && (
                            <DataTable
                                caption={`Weight of evidence for ${value.weights.for} against ${value.weights.against}, in nats`}
                                columns={[
                                    { title: "part", cell: ({ part, column }) => column ?? part },
                                    { title: "nats", isNumber: true, cell: ({ nats }) => <Value of={nats} /> },
                                ]}
                                rows={value.weights.terms}
                            />
                        )}
                    </div>
                </div>
            )}
            <ShellLines lines={[commandLine(command)]} />
        </section>
    );
}
