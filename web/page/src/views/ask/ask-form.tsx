// SPDX-License-Identifier: MIT
// The form of a row, and the prediction of one model.
import type { JSX } from "preact";
import { StoredFile } from "credence";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Legend } from "../../charts/legend";
import { Problem } from "../../shell/problem";
import { changeParams, routeAddress } from "../../shell/route";
import { documentParams, makingOf, type OpenDocument } from "../../shell/store";
import { ViewHead } from "../../shell/view-head";
import { readAnswer } from "./answer";
import { FieldEditor } from "./field";
import { givenText, ignoredItems, parseGiven, type Row } from "./given";
import { PredictButton } from "./predict-file";
import { LoadRow } from "./load-row";
import { classesOf, curvesOf, fieldsOf, useShownModel } from "./model-columns";
import { Decision, Members, Posterior, Reasons, Words } from "./result";
import { RuleChoice, ruleOf } from "./rule";
import type { AnyRowReport, ModelColumn, RowReport } from "./reports";
import { useLatest } from "./use-latest";
import { WhatIf } from "./what-if";
import { Worksheet } from "./worksheet";

interface Props {
    model: OpenDocument;
    columns: ModelColumn[];
    target: string;
    params: URLSearchParams;
}

const MOST_FIELDS = 24;
/** Columns above which typicality, which draws rows, takes long enough to be felt. */
const MANY = 200;
/** Writing the address of each position of a slider would be more than browsers take. */
const SETTLED = 250;

/** The row of the route, which the user can change. The route is updated after the last change. */
function useRow(params: URLSearchParams, names: string[]): [Row, (row: Row) => void] {
    const written = params.get("given") ?? "";
    const [row, setRow] = useState<Row>(() => parseGiven(written, names));
    const own = useRef(written);
    useEffect(() => {
        if (written === own.current) return;
        own.current = written;
        setRow(parseGiven(written, names));
    }, [written]);
    useEffect(() => {
        const text = givenText(row);
        if (text === own.current) return;
        const timer = setTimeout(() => {
            own.current = text;
            changeParams({ given: text });
        }, SETTLED);
        return () => clearTimeout(timer);
    }, [row]);
    return [row, setRow];
}

export function AskForm({ model, columns, target, params }: Props): JSX.Element {
    const fields = useMemo(() => fieldsOf(columns), [columns]);
    const classes = useMemo(() => classesOf(columns), [columns]);
    const names = fields.map(({ name }) => name);
    const [row, setRow] = useRow(params, names);
    const unknown = ignoredItems(params.get("given") ?? "", names);
    const [filter, setFilter] = useState("");
    const [isWhole, setWhole] = useState(false);
    const rule = ruleOf(params);
    const between = params.get("between");
    const args = [
        "explain",
        model.name,
        "--given",
        givenText(row),
        ...(between === null ? [] : ["--between", between]),
        ...rule.options,
    ];
    const question = [...args, ...Object.values(rule.files)].join("\0");
    // It is sent to the worker once.
    const stored = useMemo(() => new StoredFile(model.content), [model.content]);
    const files = { [model.name]: stored, ...rule.files };
    const answer = useLatest((core) => core.json<AnyRowReport>(args, { files }), [question, model.content]);
    // Computed after the prediction, which the user waits for.
    const shown = useShownModel(model);
    const curves = useMemo(() => curvesOf(shown.value), [shown.value]);
    const typicality = useLatest(
        (core) =>
            row.size === 0
                ? undefined
                : core
                      .json<RowReport>(
                          ["explain", model.name, "--given", givenText(row), "--typicality", "--top", "0"],
                          {
                              files,
                          },
                      )
                      .then(
                          (report) => report.typicality ?? null,
                          () => null,
                      ),
        [givenText(row), model.content],
        fields.length > MANY ? 1500 : 300,
    );
    const found = useMemo(
        () => (answer.value === undefined ? undefined : readAnswer(answer.value, classes)),
        [answer.value, classes],
    );
    const change = (name: string, value: string | undefined): void => {
        const next = new Map(row);
        if (value === undefined) next.delete(name);
        else next.set(name, value);
        setRow(next);
    };
    const matching = fields.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
    const listed = isWhole ? matching : matching.slice(0, MOST_FIELDS);
    const show = (name: string): void => {
        if (!listed.some((field) => field.name === name)) setFilter(name);
        requestAnimationFrame(() => {
            const place = document.querySelector(`[data-column="${CSS.escape(name)}"]`);
            place?.scrollIntoView({ block: "center" });
            place?.querySelector<HTMLElement>("input, select, textarea")?.focus();
        });
    };
    return (
        <>
            <ViewHead title="Ask" command={args} before={makingOf(model)} files={rule.files}>
                The prediction of <strong>{target}</strong> for a row by <bdi>{model.name}</bdi>, and its evidence.{" "}
                <a href={routeAddress("understand", documentParams(model))}>Understand</a> shows the model itself.
            </ViewHead>
            {unknown.length > 0 && (
                <Problem
                    error={
                        new Error(`the link sets '${unknown.join(", ")}', which is not a column of the model: ignored`)
                    }
                />
            )}
            <div class="ask">
                <section class="row-form" aria-label="Row">
                    <div class="form-head">
                        <h2>The row</h2>
                        <span>
                            <PredictButton model={model} />{" "}
                            <button type="button" onClick={() => setRow(new Map())} disabled={row.size === 0}>
                                Clear all
                            </button>
                        </span>
                    </div>
                    <LoadRow model={model} fields={fields} load={setRow} />
                    {fields.length > MOST_FIELDS && (
                        <label class="filter">
                            Filter columns{" "}
                            <input
                                type="search"
                                value={filter}
                                onInput={(event) => setFilter(event.currentTarget.value)}
                            />{" "}
                            <span class="quiet">
                                {matching.length} of {fields.length}
                            </span>
                        </label>
                    )}
                    {curves.size > 0 && <Legend classes={classes.slice(0, 12)} label="Density curves" />}
                    <div class="fields">
                        {listed.map((field) => (
                            <FieldEditor
                                key={field.name}
                                field={field}
                                value={row.get(field.name)}
                                classes={classes}
                                curves={field.attributes.length === 1 ? curves.get(field.column.column) : undefined}
                                change={(value) => change(field.name, value)}
                            />
                        ))}
                    </div>
                    {listed.length < matching.length && (
                        <button type="button" onClick={() => setWhole(true)}>
                            Show all {matching.length} columns
                        </button>
                    )}
                </section>
                <section
                    class="row-answer"
                    aria-label="Prediction"
                    data-took={answer.took === undefined ? undefined : Math.round(answer.took)}
                >
                    <h2>{target}</h2>
                    {answer.error !== undefined && <Problem error={answer.error} />}
                    {found !== undefined && (
                        <>
                            <Decision answer={found} typicality={typicality.value} />
                            <Posterior answer={found} classes={classes} />
                            <Reasons answer={found} classes={classes} />
                            <Members answer={found} />
                            <Words answer={found} row={row} classes={classes} />
                            {(found.uncertainty !== undefined || found.changes.length > 0) && (
                                <WhatIf answer={found} fields={fields} change={change} show={show} />
                            )}
                        </>
                    )}
                    {(found?.hasRules !== false || rule.options.length > 0) && (
                        <RuleChoice params={params} classes={classes} />
                    )}
                </section>
            </div>
            <Worksheet model={model} args={args} files={rule.files} />
        </>
    );
}
