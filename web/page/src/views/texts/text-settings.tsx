// SPDX-License-Identifier: MIT
// The options of train: the class, the text column, and its terms.
import type { JSX } from "preact";
import { changeParams } from "../../shell/route";

export const FAMILIES = ["multinomial", "bernoulli", "complement", "words-dirichlet"];

/** Settings of a permalink that are options of train. */
export function settingsOf(params: URLSearchParams): string[] {
    return ["family", "ngrams", "stop-words", "tokens"].flatMap((name) => {
        const value = params.get(name);
        return value === null ? [] : [`--${name}`, value];
    });
}

interface Props {
    params: URLSearchParams;
    columns: string[];
    target: string;
    text: string;
}

export function TextSettings({ params, columns, target, text }: Props): JSX.Element {
    const choice = (name: string, title: string, value: string, options: [string, string][]): JSX.Element => (
        <label class="field">
            <span>{title}</span>
            <select value={value} onChange={(event) => changeParams({ [name]: event.currentTarget.value })}>
                {options.map(([option, shown]) => (
                    <option key={option} value={option}>
                        {shown}
                    </option>
                ))}
            </select>
        </label>
    );
    const names = columns.map((column): [string, string] => [column, column]);
    const setting = (name: string): string => params.get(name) ?? "";
    return (
        <form class="figure-controls" aria-label="Texts and classes" onSubmit={(event) => event.preventDefault()}>
            {choice("target", "Class", target, names)}
            {choice("text", "Texts", text, names)}
            {choice("header", "First line", setting("header"), [
                ["", "column names"],
                ["no", "a row"],
            ])}
            {choice("family", "Family", setting("family"), [
                ["", "multinomial"],
                ...FAMILIES.slice(1).map((family): [string, string] => [family, family]),
            ])}
            {choice("ngrams", "Terms", setting("ngrams"), [
                ["", "words"],
                ["1-2", "words and pairs"],
                ["1-3", "up to three words"],
            ])}
            {choice("stop-words", "Stop words", setting("stop-words"), [
                ["", "kept"],
                ["auto", "removed"],
            ])}
        </form>
    );
}
