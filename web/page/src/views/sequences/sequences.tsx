// SPDX-License-Identifier: MIT
// Sequences: states over time, by a specified or trained hidden Markov model.
import type { JSX } from "preact";
import { Legend } from "../../charts/legend";
import { AskForFile } from "../../shell/ask-for-file";
import { Busy } from "../../shell/busy";
import { Picture, saveBytes } from "../../shell/picture";
import { Problem } from "../../shell/problem";
import { changeParams, routeAddress } from "../../shell/route";
import { useDocuments } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import { Value } from "../../shell/value";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";
import "../../style/sequences.css";
import { DataTable } from "../../shell/data-table";
import { decode, editedData, parseEdits, trainSequences, type Setup, type Trained } from "./answers";
import { cases } from "./cases";
import { ForecastPanel } from "./forecast-panel";
import { ModelPanel } from "./model-panel";
import { pathPicture } from "./path-picture";
import type { Step } from "./reports";
import { SetupForm } from "./setup-form";
import { StepPanel } from "./step-panel";
import { TrainingPanel } from "./training-panel";
import { useSetup } from "./use-setup";
import { windowOf, WindowControls } from "./window-controls";

/** Rows up to which observations can be changed. */
const MOST_EDITED = 20_000;

interface Decoded {
    setup: Setup;
    trained: Trained;
    data: Setup["data"];
    steps: Step[];
}

export function Sequences({ params }: ViewProps): JSX.Element {
    const setup = useSetup(params);
    const training = useAnswer<{ setup: Setup; trained: Trained; original: Step[] }>(
        async (core, signal) => {
            if (setup.value === undefined) return undefined;
            const trained = await trainSequences(core, setup.value, signal);
            const original = await decode(core, trained, setup.value.data, [], signal);
            return { setup: setup.value, trained, original };
        },
        [setup.value],
    );
    const decoding = params.get("decoding") === "posterior" ? ["--decoding", "posterior"] : [];
    const edits = params.get("edits");
    const answer = useAnswer<Decoded>(
        async (core, signal) => {
            if (training.value === undefined) return undefined;
            const { setup: of, trained, original } = training.value;
            const hasEmptyLines = trained.shown.source.sequence_break === "empty-line";
            const list = parseEdits(edits);
            const data = list.length === 0 ? of.data : editedData(original, list, hasEmptyLines);
            const steps =
                list.length === 0 && decoding.length === 0
                    ? original
                    : await decode(core, trained, data, decoding, signal);
            return { setup: of, trained, data, steps };
        },
        [training.value, edits, decoding.length],
    );
    const error = setup.error ?? training.error ?? answer.error;
    const columns = Object.keys(training.value?.original[0]?.row ?? {});
    const command =
        answer.value === undefined
            ? undefined
            : ["predict", answer.value.trained.model.name, answer.value.data.name, ...decoding];
    const trained = training.value?.trained.command;
    const before = [...setup.before, ...(trained === undefined ? [] : [trained])];
    const data = answer.value?.data;
    const isEdited = data !== undefined && data !== setup.value?.data && typeof data.content === "string";
    const texts = { ...setup.texts, ...(isEdited ? { [data.name]: data.content as string } : {}) };
    return (
        <>
            <ViewHead title="Sequences" command={command} before={before} files={texts}>
                Hidden states over time: the most likely path and the state posteriors of a hidden Markov model.
            </ViewHead>
            <ul class="case-list" aria-label="Examples">
                {cases.map(({ id, title, about }) => (
                    <li key={id}>
                        <a
                            href={routeAddress("sequences", { case: id })}
                            title={about}
                            aria-current={setup.chosen?.id === id ? "true" : undefined}
                        >
                            {title}
                        </a>
                    </li>
                ))}
            </ul>
            {setup.chosen !== undefined && <p class="quiet">{setup.chosen.about}</p>}
            {setup.isDrawn && <OwnTables model={params.get("file") ?? ""} />}
            {setup.missing !== undefined && <AskForFile name={setup.missing} />}
            {setup.value !== undefined && setup.value.model === undefined && (
                <SetupForm options={setup.options} columns={columns} />
            )}
            {setup.value !== undefined && <Busy what="Training" answer={training} />}
            {error !== undefined && <Problem error={error} />}
            {answer.value !== undefined && error === undefined && (
                <Along {...answer.value} params={params} edits={edits} />
            )}
        </>
    );
}

/** The tables that are open, as observations of the model. */
function OwnTables({ model }: { model: string }): JSX.Element {
    const tables = useDocuments().filter(({ kind }) => kind === "table" || kind === "sequences");
    return (
        <p>
            A random sequence, sampled from {model}. Open a table to find its states
            {tables.map(({ name }) => (
                <span key={name}>
                    {", "}
                    <a href={routeAddress("sequences", { file: name, model })}>{name}</a>
                </span>
            ))}
            .
        </p>
    );
}

interface AlongProps extends Decoded {
    params: URLSearchParams;
    edits: string | null;
}

function Along({ trained, data, steps: all, params, edits }: AlongProps): JSX.Element {
    const { shown: report, model } = trained;
    const states = report.states.map(({ state }) => state);
    const sequences = [...new Set(all.map(({ sequence }) => sequence))];
    const sequence = sequences.includes(params.get("seq") ?? "") ? (params.get("seq") ?? "") : (sequences[0] ?? "");
    const steps = all.filter((step) => step.sequence === sequence).sort((a, b) => a.step - b.step);
    const shown = windowOf(params, steps.length);
    const visible = steps.slice(shown.from, shown.from + shown.count);
    const selected = steps.find(({ step }) => String(step) === params.get("step")) ?? visible[0];
    const observed = report.attributes.map(({ attribute }) => attribute);
    const truth = report.target !== undefined && steps[0]?.row[report.target] !== undefined ? report.target : undefined;
    const change = (column: string, value: string): void => {
        if (selected === undefined) return;
        const others = parseEdits(edits).filter(([row, name]) => row !== selected.number || name !== column);
        const list = [...others, [selected.number, column, value]];
        changeParams({ edits: JSON.stringify(list), step: String(selected.step) });
    };
    return (
        <>
            <div class="window-controls">
                {sequences.length > 1 && (
                    <label>
                        Sequence
                        <select
                            value={sequence}
                            onChange={(event) =>
                                changeParams({ seq: event.currentTarget.value, step: undefined, from: undefined })
                            }
                        >
                            {sequences.slice(0, 1000).map((id) => (
                                <option key={id} value={id}>
                                    {id}
                                </option>
                            ))}
                        </select>
                    </label>
                )}
                <label>
                    Predicted
                    <select
                        value={params.get("decoding") ?? "viterbi"}
                        onChange={(event) => changeParams({ decoding: event.currentTarget.value })}
                    >
                        <option value="viterbi">most likely path (Viterbi)</option>
                        <option value="posterior">most likely state of each step</option>
                    </select>
                </label>
                {edits !== null && (
                    <>
                        <button type="button" onClick={() => changeParams({ edits: undefined })}>
                            Undo all changes
                        </button>
                        <button type="button" onClick={() => saveBytes(data.name, data.content as string, "text/csv")}>
                            Save {data.name}
                        </button>
                    </>
                )}
            </div>
            <Legend classes={states} label="States" />
            <Picture
                title="States over time"
                render={(width) =>
                    pathPicture(width, visible, {
                        states,
                        columns: observed.slice(0, 6),
                        truth,
                        selected: selected?.number,
                        choose: ({ step }) => changeParams({ step: String(step) }),
                    })
                }
                inputs={[all, sequence, shown.from, shown.count, selected?.number]}
            />
            <WindowControls steps={steps} shown={shown} selected={selected} />
            {selected !== undefined && (
                <StepPanel
                    step={selected}
                    model={model}
                    data={data}
                    report={report}
                    columns={observed}
                    edit={all.length <= MOST_EDITED ? change : undefined}
                />
            )}
            <ForecastPanel
                model={model}
                data={data}
                sequence={sequence}
                ahead={Math.min(100, Math.max(1, Math.round(Number(params.get("ahead") ?? "3")) || 3))}
            />
            {trained.report !== undefined && <TrainingPanel report={trained.report} />}
            <ModelPanel report={report} />
            <details class="printed">
                <summary>All steps as a table</summary>
                <DataTable
                    caption="States of the steps shown"
                    columns={[
                        { title: "step", cell: ({ step }) => step },
                        ...observed.map((name) => ({ title: name, cell: ({ row }: Step) => String(row[name] ?? "") })),
                        { title: "prediction", cell: ({ prediction }) => prediction ?? "impossible" },
                        ...states.map((state) => ({
                            title: `P(${state})`,
                            isNumber: true,
                            cell: (step: Step) => (
                                <Value of={step.posterior[state]} name={`row ${step.number} ${state}`} />
                            ),
                        })),
                    ]}
                    rows={visible}
                />
            </details>
        </>
    );
}
