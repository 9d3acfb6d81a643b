// SPDX-License-Identifier: MIT
// An open table: columns, method and the trained model. The route contains all choices.
import type { JSX } from "preact";
import { Busy } from "../../shell/busy";
import { lazy } from "../../shell/lazy";
import { counted } from "../../shell/numbers";
import { Problem } from "../../shell/problem";
import { changeParams } from "../../shell/route";
import { makingOf, type OpenDocument } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import { modelName, trainArguments, trainModel } from "../../shell/use-document";
import { ViewHead } from "../../shell/view-head";
import { choiceOptions, guessTarget, parseChoices, readingOptions, COLUMN_TYPES, type ChosenType } from "./choices";
import { Columns } from "./columns";
import { Method } from "./method";
import { Notes } from "./notes";
import { readProfile } from "./profile";
import { Result } from "./result";
import { Rows } from "./rows";
import { Scatter } from "./scatter";
import "../../style/learn.css";

// Its charts are half of the scripts of the page.
const Compare = lazy(() => import("./compare").then((module) => module.Compare));

interface Props {
    table: OpenDocument;
    params: URLSearchParams;
}

/** In other formats each record contains the names, or a header does. */
function hasLines(name: string): boolean {
    return !/\.(arff|jsonl?|ndjson)(\.(gz|zst))?$/i.test(name);
}

export function LearnTable({ table, params }: Props): JSX.Element {
    const options = params.get("options") ?? "";
    const choices = parseChoices(options);
    const reading = readingOptions(choices, COLUMN_TYPES);
    const isTraining = params.get("train") === "yes";
    const isComparing = params.get("compare") === "yes";
    const profile = useAnswer(
        (core, signal) => readProfile(core, table, reading, signal),
        [table.content, reading.join("\0")],
    );
    const columns = profile.value?.report.columns ?? [];
    const used = columns.filter(({ column }) => choices.types.get(column) !== "ignore");
    const target = params.get("target") ?? guessTarget(used);
    const model = useAnswer(
        (core, signal) =>
            isTraining && target !== undefined
                ? trainModel(core, table, target, options, { signal, isNoted: true })
                : undefined,
        [isTraining, table.content, target, options],
    );
    const choose = (changed: typeof choices): void => changeParams({ options: choiceOptions(changed) });
    const setType = (column: string, type: ChosenType | undefined): void => {
        const types = new Map(choices.types);
        if (type === undefined) types.delete(column);
        else types.set(column, type);
        choose({ ...choices, types });
    };
    const setSetting = (name: string, value: string | undefined): void => {
        const settings = new Map(choices.settings);
        if (value === undefined) settings.delete(name);
        else settings.set(name, value);
        choose({ ...choices, settings });
    };
    const command =
        isTraining && model.value?.command !== undefined
            ? model.value.command
            : target === undefined
              ? ["schema", table.name]
              : [...trainArguments(table, target, options), "-o", modelName(table, target)];
    return (
        <>
            <ViewHead title="Learn" command={command} before={makingOf(table)}>
                <strong>{table.name}</strong>
                {profile.error !== undefined
                    ? " cannot be read."
                    : `: ${
                          profile.value === undefined
                              ? "a table that stays in your browser"
                              : `${counted(profile.value.report.rows, "row")} and ${counted(columns.length, "column")}`
                      }. Choose the column to predict, and train a classifier.`}
            </ViewHead>
            {profile.value === undefined && <Busy what="Reading the table" answer={profile} />}
            {profile.error !== undefined && <Problem error={profile.error} />}
            {profile.value !== undefined && (
                <>
                    <Notes text={profile.value.notes} onOptions={addOptions} onCompare={compare} />
                    <section aria-labelledby="columns">
                        <h2 id="columns">Columns</h2>
                        {hasLines(table.name) && (
                            <label class="field">
                                <span>First line</span>
                                <select
                                    value={choices.settings.get("header") ?? "yes"}
                                    onChange={({ currentTarget: { value } }) => setHeader(value === "no")}
                                >
                                    <option value="yes">column names</option>
                                    <option value="no">a row</option>
                                </select>
                            </label>
                        )}
                        <Columns
                            columns={columns}
                            choices={choices}
                            target={target}
                            onType={setType}
                            onTarget={(column) =>
                                changeParams({ target: column, train: undefined, compare: undefined })
                            }
                        />
                    </section>
                    <section aria-labelledby="method">
                        <h2 id="method">Method</h2>
                        <Method
                            choices={choices}
                            hasTexts={columns.some((of) => of.type === "text")}
                            onSetting={setSetting}
                        />
                        <div class="actions">
                            <button
                                type="button"
                                class="primary"
                                disabled={target === undefined}
                                onClick={() => changeParams({ target, train: "yes" })}
                            >
                                Train
                            </button>
                            <button type="button" disabled={target === undefined} onClick={compare}>
                                Compare methods
                            </button>
                        </div>
                    </section>
                    {model.error !== undefined && <Problem error={model.error} />}
                    {isTraining && <Busy what="Training" answer={model} />}
                    {isTraining && model.value !== undefined && (
                        <Result model={model.value} table={table} onOptions={addOptions} onCompare={compare} />
                    )}
                    {isComparing && target !== undefined && (
                        <Compare table={table} target={target} reading={readingOptions(choices)} onUse={setSettings} />
                    )}
                    <Rows table={table} reading={reading} />
                    <Scatter table={table} columns={columns} reading={reading} target={target} params={params} />
                </>
            )}
        </>
    );

    function compare(): void {
        changeParams({ target, compare: "yes" });
    }

    /** Adds options that a hint of the command names. */
    function addOptions(words: string): void {
        const hinted = parseChoices(words);
        choose({
            types: new Map([...choices.types, ...hinted.types]),
            settings: new Map([...choices.settings, ...hinted.settings]),
        });
    }

    /** Resets all choices, because the columns get other names. */
    function setHeader(isRow: boolean): void {
        const options = isRow ? choiceOptions({ types: new Map(), settings: new Map([["header", "no"]]) }) : undefined;
        changeParams({ options, target: undefined, train: undefined, compare: undefined });
    }

    function setSettings(words: string): void {
        const { settings } = parseChoices(words);
        const header = choices.settings.get("header");
        if (header !== undefined) settings.set("header", header);
        changeParams({ options: choiceOptions({ ...choices, settings }), train: "yes" });
        document.getElementById("method")?.scrollIntoView();
    }
}
