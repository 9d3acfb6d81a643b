// SPDX-License-Identifier: MIT
// Texts: a model of a text column, its most informative words, and the classification of a text while you type.
import type { JSX } from "preact";
import { commandLine } from "credence";
import { AskForFile } from "../../shell/ask-for-file";
import { Busy } from "../../shell/busy";
import { DataTable } from "../../shell/data-table";
import { Picture } from "../../shell/picture";
import { Problem } from "../../shell/problem";
import { goTo, changeParams } from "../../shell/route";
import { documentParams, makingOf } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import { useDocument } from "../../shell/use-document";
import { Value } from "../../shell/value";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";
import "../../style/texts.css";
import { PosteriorBars } from "../course/posterior-bars";
import { ShellLines } from "../course/shell-lines";
import {
    explainArguments,
    explainText,
    guessColumns,
    openTexts,
    trainTexts,
    type ColumnReport,
    type TextModel,
} from "./answers";
import { chooseFolder, openFolder } from "./folder";
import { MarkedText } from "./marked-text";
import { settingsOf, TextSettings } from "./text-settings";
import { wordsPicture } from "./words-picture";

const FIRST_TEXT = "Are you free for lunch today? Call me when you get home";
const WORDS = 12;

/** Adds the built-in example if the route does not name a document. */
function withExample(params: URLSearchParams): URLSearchParams {
    return params.get("file") !== null || params.get("example") !== null
        ? params
        : new URLSearchParams({ example: "messages" });
}

export function Texts({ params }: ViewProps): JSX.Element {
    const document = useDocument(withExample(params), []);
    const table = document.value;
    const isHeadless = params.get("header") === "no";
    const schema = useAnswer<{ columns: ColumnReport[] }>(
        (core, signal) =>
            table === undefined || table.kind === "model"
                ? undefined
                : core.json<{ columns: ColumnReport[] }>(
                      ["schema", table.name, ...(isHeadless ? ["--header", "no"] : [])],
                      { files: { [table.name]: table.content }, signal },
                  ),
        [table?.content, isHeadless],
    );
    const guess = guessColumns(schema.value?.columns ?? []);
    const target = params.get("target") ?? guess.target;
    const text = params.get("text") ?? guess.text;
    const settings = settingsOf(params);
    const training = useAnswer<TextModel>(
        (core, signal) =>
            table?.kind === "model"
                ? openTexts(core, table, WORDS, signal)
                : table === undefined || target === "" || text === "" || schema.isBusy
                  ? undefined
                  : trainTexts(core, table, { target, text, isHeadless, settings }, WORDS, signal),
        [table?.content, target, text, isHeadless, settings.join("\0"), schema.isBusy],
    );
    const error = document.error ?? schema.error ?? training.error;
    const typed = params.get("q") ?? FIRST_TEXT;
    const asked = training.value === undefined ? undefined : explainArguments(training.value, typed);
    const open = async (): Promise<void> => {
        const opened = await openFolder(await chooseFolder());
        if (opened !== undefined) goTo("texts", documentParams(opened));
    };
    return (
        <>
            <ViewHead
                title="Texts"
                command={asked?.args}
                before={[
                    ...makingOf(table),
                    ...(training.value?.command === undefined ? [] : [training.value.command]),
                ]}
                files={asked?.files ?? {}}
            >
                Naive Bayes for documents: the most informative words, and a prediction for any text as you type.
            </ViewHead>
            <div class="observed">
                <a href="#/texts?example=messages">Messages, spam and ham</a>
                <button type="button" onClick={() => void open()}>
                    Open a folder with one subfolder per class…
                </button>
            </div>
            {document.missing !== undefined && <AskForFile name={document.missing} />}
            {schema.value !== undefined && table?.kind !== "model" && (
                <TextSettings
                    params={params}
                    columns={schema.value.columns.map(({ column }) => column)}
                    target={target}
                    text={text}
                />
            )}
            {table !== undefined && <Busy what="Training" answer={training} />}
            {error !== undefined && <Problem error={error} />}
            {training.value !== undefined && error === undefined && (
                <>
                    <Classify model={training.value} text={typed} />
                    <InformativeWords model={training.value} />
                </>
            )}
        </>
    );
}

function Classify({ model, text }: { model: TextModel; text: string }): JSX.Element {
    const { value, error } = useAnswer(
        async (core) => ({ text, report: await explainText(core, model, text) }),
        [model.content, text],
    );
    const classes = model.report.classes.map((one) => one.class);
    const report = value?.report;
    const explanation = report?.texts?.find(({ attribute }) => attribute === model.column);
    return (
        <section aria-labelledby="classify-title">
            <h2 id="classify-title">Classify a text</h2>
            <label class="typed">
                <span>Text</span>
                <textarea
                    rows={3}
                    value={text}
                    onInput={(event) => changeParams({ q: event.currentTarget.value || " " })}
                />
            </label>
            {error !== undefined && <Problem error={error} />}
            {report !== undefined && value !== undefined && (
                <div aria-live="polite">
                    <p class="result">
                        Prediction: <strong>{report.prediction}</strong>
                    </p>
                    <PosteriorBars
                        posteriors={classes.map((name) => ({
                            name,
                            value: report.classes.find((one) => one.class === name)?.posterior ?? 0,
                        }))}
                    />
                </div>
            )}
            {explanation !== undefined && value !== undefined && (
                <>
                    <h3>
                        Words for {explanation.for} against {explanation.against}
                    </h3>
                    <MarkedText text={value.text} explanation={explanation} classes={classes} />
                    {explanation.unknown_words.length > 0 && (
                        <p class="quiet">Not seen in training, ignored: {explanation.unknown_words.join(", ")}</p>
                    )}
                    <details class="printed">
                        <summary>Weights of the words</summary>
                        <DataTable
                            caption={`Weight of evidence for ${explanation.for} against ${explanation.against}, in nats`}
                            columns={[
                                { title: "word", cell: ({ word }) => word, by: ({ word }) => word },
                                {
                                    title: "times",
                                    isNumber: true,
                                    cell: ({ times }) => times,
                                    by: ({ times }) => times,
                                },
                                {
                                    title: "nats",
                                    isNumber: true,
                                    cell: ({ word, weight }) => <Value of={weight} name={`weight ${word}`} />,
                                    by: ({ weight }) => weight,
                                },
                            ]}
                            rows={explanation.words}
                        />
                    </details>
                </>
            )}
        </section>
    );
}

function InformativeWords({ model }: { model: TextModel }): JSX.Element | null {
    const attribute = model.report.attributes.find((one) => one.attribute === model.column);
    const words = attribute?.informative_words;
    if (attribute === undefined || words === undefined) return null;
    const classes = model.report.classes.map((one) => one.class);
    return (
        <section aria-labelledby="informative-title">
            <h2 id="informative-title">Most informative words</h2>
            <p>
                {model.report.rows.toLocaleString("en")} texts, {attribute.terms?.toLocaleString("en")} distinct terms,
                family {attribute.family}.
            </p>
            <Picture
                title="Most informative words by class, weight in nats"
                render={(width) => wordsPicture(width, classes, words)}
                inputs={[words]}
            />
            <details class="printed">
                <summary>As a table</summary>
                <DataTable
                    caption="Most informative words"
                    columns={[
                        { title: "word", cell: ({ word }) => word, by: ({ word }) => word },
                        { title: "class", cell: (one) => one.class, by: (one) => one.class },
                        { title: "texts", isNumber: true, cell: ({ texts }) => texts, by: ({ texts }) => texts },
                        { title: "others", isNumber: true, cell: (one) => one.other_texts },
                        {
                            title: "nats",
                            isNumber: true,
                            cell: (one) => <Value of={one.weight} name={`informative ${one.class} ${one.word}`} />,
                            by: ({ weight }) => weight,
                        },
                    ]}
                    rows={words}
                />
            </details>
            <ShellLines lines={[commandLine(["show", model.name, "--top-terms", String(WORDS)])]} />
        </section>
    );
}
