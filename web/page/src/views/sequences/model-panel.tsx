// SPDX-License-Identifier: MIT
// The model: its states, its transitions as a graph and a table, and what each state emits.
import type { JSX } from "preact";
import { DataTable } from "../../shell/data-table";
import { Picture } from "../../shell/picture";
import { Value } from "../../shell/value";
import type { HmmReport } from "./reports";
import { transitionPicture } from "./transition-picture";

type Attribute = HmmReport["attributes"][number];

/** States that a graph is drawn of. */
const MOST_DRAWN = 12;

function Transitions({ report, states }: { report: HmmReport; states: string[] }): JSX.Element {
    const { transitions } = report;
    const rows = Array.isArray(transitions)
        ? transitions.map(({ context, next }) => ({ from: context.join(", "), next }))
        : states.map((from) => ({ from, next: transitions[from] ?? {} }));
    return (
        <>
            {!Array.isArray(transitions) && states.length <= MOST_DRAWN && (
                <Picture
                    title="Transitions"
                    render={(width) => transitionPicture(width, states, transitions)}
                    inputs={[transitions]}
                />
            )}
            <DataTable
                caption="Transition probabilities, from row to column"
                columns={[
                    { title: "from", cell: ({ from }) => from },
                    ...states.map((to) => ({
                        title: `to ${to}`,
                        isNumber: true,
                        cell: ({ from, next }: (typeof rows)[number]) => (
                            <Value of={next[to]} name={`${from} to ${to}`} />
                        ),
                    })),
                ]}
                rows={rows}
                most={30}
            />
        </>
    );
}

function Emission({ attribute, states }: { attribute: Attribute; states: string[] }): JSX.Element | null {
    const { values, densities } = attribute;
    if (values !== undefined)
        return (
            <DataTable
                caption={`${attribute.attribute} (${attribute.family}): probability in each state`}
                columns={[
                    { title: "value", cell: ({ value }) => value, by: ({ value }) => value },
                    ...states.map((state) => ({
                        title: state,
                        isNumber: true,
                        cell: ({ probability }: (typeof values)[number]) => <Value of={probability[state]} />,
                        by: ({ probability }: (typeof values)[number]) => probability[state],
                    })),
                ]}
                rows={values}
                most={12}
            />
        );
    if (densities === undefined) return null;
    return (
        <DataTable
            caption={`${attribute.attribute} (${attribute.family})`}
            columns={[
                { title: "state", cell: (density) => density.class },
                { title: "mean", isNumber: true, cell: ({ mean }) => <Value of={mean} /> },
                { title: "standard deviation", isNumber: true, cell: ({ sd }) => <Value of={sd} /> },
            ]}
            rows={densities}
        />
    );
}

export function ModelPanel({ report }: { report: HmmReport }): JSX.Element {
    const states = report.states.map(({ state }) => state);
    return (
        <section class="sequence-model" aria-labelledby="model-title">
            <h2 id="model-title">Model</h2>
            <div class="columns">
                <div>
                    <Transitions report={report} states={states} />
                </div>
                <div>
                    <DataTable
                        caption="States: start probability, long-run probability and mean duration in steps"
                        columns={[
                            { title: "state", cell: ({ state }) => state },
                            { title: "start", isNumber: true, cell: ({ start }) => <Value of={start} /> },
                            { title: "long run", isNumber: true, cell: ({ stationary }) => <Value of={stationary} /> },
                            { title: "duration", isNumber: true, cell: ({ duration }) => <Value of={duration} /> },
                        ]}
                        rows={report.states}
                    />
                    {report.attributes.map((attribute) => (
                        <Emission key={attribute.attribute} attribute={attribute} states={states} />
                    ))}
                </div>
            </div>
        </section>
    );
}
