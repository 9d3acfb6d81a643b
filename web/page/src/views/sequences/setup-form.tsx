// SPDX-License-Identifier: MIT
// How the rows of a table are sequences, and what their states are: the options of train.
import type { JSX } from "preact";
import { listItem } from "credence";
import { replaceParams } from "../../shell/route";

export interface SequenceOptions {
    target: string;
    states: string;
    sequence: string;
    time: string;
    ignore: string;
    topology: string;
    order: string;
}

export const NO_OPTIONS: SequenceOptions = {
    target: "",
    states: "",
    sequence: "",
    time: "",
    ignore: "",
    topology: "",
    order: "",
};

export function optionsOf(params: URLSearchParams): SequenceOptions {
    const read = (name: string): string => params.get(name) ?? "";
    return {
        target: read("target"),
        states: read("states"),
        sequence: read("sequence"),
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
    // The marker of empty lines is no column; names of columns are quoted where they would be patterns.
    const isColumn = (name: string, value: string): boolean =>
        name === "target" || name === "time" || (name === "sequence" && value !== "blank");
    return Object.entries(options).flatMap(([name, value]) =>
        value === "" ? [] : [`--${name}`, isColumn(name, value) ? listItem(value) : value],
    );
}

interface Props {
    options: SequenceOptions;
    columns: string[];
}

export function SetupForm({ options, columns }: Props): JSX.Element {
    const set = (name: keyof SequenceOptions) => (event: { currentTarget: { value: string } }) =>
        replaceParams({
            [name]: event.currentTarget.value,
            case: undefined,
            options: "own",
            seq: undefined,
            step: undefined,
            edits: undefined,
        });
    const choice = (
        name: "target" | "sequence" | "time",
        title: string,
        none: string,
        more: [string, string][] = [],
    ) => (
        <label class="field">
            <span>{title}</span>
            <select value={options[name]} onChange={set(name)}>
                <option value="">{none}</option>
                {more.map(([value, text]) => (
                    <option key={value} value={value}>
                        {text}
                    </option>
                ))}
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
            {choice("sequence", "Sequences by", "whole file", [["blank", "empty lines"]])}
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
