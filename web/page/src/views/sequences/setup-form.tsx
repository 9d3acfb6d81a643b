// SPDX-License-Identifier: MIT
// How the rows of a table are sequences, and what their states are: the options of train.
import type { JSX } from "preact";
import { listItem } from "credence";
import { changeParams } from "../../shell/route";

export interface SequenceOptions {
    target: string;
    states: string;
    sequence: string;
    "sequence-break": string;
    time: string;
    ignore: string;
    topology: string;
    order: string;
}

export const NO_OPTIONS: SequenceOptions = {
    target: "",
    states: "",
    sequence: "",
    "sequence-break": "",
    time: "",
    ignore: "",
    topology: "",
    order: "",
};

/** The options of the link. `usual` are the options if the link has none. */
export function optionsOf(params: URLSearchParams, usual: Partial<SequenceOptions> = {}): SequenceOptions {
    const read = (name: string): string => params.get(name) ?? "";
    if (params.get("options") !== "own" && Object.keys(NO_OPTIONS).every((name) => !params.has(name)))
        return { ...NO_OPTIONS, ...usual };
    return {
        target: read("target"),
        states: read("states"),
        sequence: read("sequence"),
        "sequence-break": read("sequence-break"),
        time: read("time"),
        ignore: read("ignore"),
        topology: read("topology"),
        order: read("order"),
    };
}

/** The options as a case states them. */
export function optionsOfWords(words: string[]): SequenceOptions {
    const options = { ...NO_OPTIONS };
    for (let i = 0; i + 1 < words.length; i += 2) {
        const name = words[i]?.slice(2) ?? "";
        if (name in options) options[name as keyof SequenceOptions] = words[i + 1] ?? "";
    }
    return options;
}

export function wordsOf(options: SequenceOptions): string[] {
    // Column names are quoted if they would be patterns.
    const isColumn = (name: string): boolean => name === "target" || name === "time" || name === "sequence";
    return Object.entries(options).flatMap(([name, value]) =>
        value === "" ? [] : [`--${name}`, isColumn(name) ? listItem(value) : value],
    );
}

/** The value of --sequence-break. */
export const EMPTY_LINE = "empty-line";

interface Props {
    options: SequenceOptions;
    columns: string[];
}

export function SetupForm({ options, columns }: Props): JSX.Element {
    const setAll = (changed: Record<string, string | undefined>): void =>
        // All options are in the route from now on: an example no longer adds its own.
        changeParams({
            ...options,
            ...changed,
            options: "own",
            seq: undefined,
            step: undefined,
            edits: undefined,
        });
    const set = (name: keyof SequenceOptions) => (event: { currentTarget: { value: string } }) =>
        setAll({ [name]: event.currentTarget.value });
    /** Sequences end at empty lines, or a column names them: one choice, two options. */
    const setSequence = (value: string): void =>
        setAll(
            value === EMPTY_LINE
                ? { sequence: undefined, "sequence-break": EMPTY_LINE }
                : { sequence: value.slice(1), "sequence-break": undefined },
        );
    const choice = (name: "target" | "time", title: string, none: string) => (
        <label class="field">
            <span>{title}</span>
            <select value={options[name]} onChange={set(name)}>
                <option value="">{none}</option>
                {columns.map((column) => (
                    <option key={column} value={column}>
                        {column}
                    </option>
                ))}
            </select>
        </label>
    );
    return (
        <form class="figure-controls" aria-label="Sequences and states" onSubmit={(event) => event.preventDefault()}>
            <label class="field">
                <span>Sequences by</span>
                <select
                    value={
                        options["sequence-break"] !== ""
                            ? options["sequence-break"]
                            : options.sequence === ""
                              ? ""
                              : `=${options.sequence}`
                    }
                    onChange={(event) => setSequence(event.currentTarget.value)}
                >
                    <option value="">whole file</option>
                    <option value={EMPTY_LINE}>empty lines</option>
                    {columns.map((column) => (
                        <option key={column} value={`=${column}`}>
                            {column}
                        </option>
                    ))}
                </select>
            </label>
            {choice("time", "Order of steps", "row order")}
            {choice("target", "State labels", "none: hidden states")}
            <label class="field">
                <span>Number of hidden states</span>
                <input
                    type="number"
                    min="1"
                    max="50"
                    placeholder="by BIC"
                    value={options.states}
                    onChange={set("states")}
                />
            </label>
            <label class="field">
                <span>Ignored columns</span>
                <input type="text" value={options.ignore} placeholder="none" onChange={set("ignore")} />
            </label>
            <label class="field">
                <span>Topology</span>
                <select value={options.topology} onChange={set("topology")}>
                    <option value="">any order</option>
                    <option value="left-to-right">left to right</option>
                </select>
            </label>
            <label class="field">
                <span>Order</span>
                <select value={options.order} onChange={set("order")}>
                    <option value="">1</option>
                    <option value="2">2</option>
                    <option value="3">3</option>
                </select>
            </label>
        </form>
    );
}
