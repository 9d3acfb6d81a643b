// SPDX-License-Identifier: MIT
// One evaluation: its scores at once, then the thresholds of the chosen class.
import type { JSX } from "preact";
import { Busy } from "../../shell/busy";
import { counted } from "../../shell/numbers";
import { Problem } from "../../shell/problem";
import { changeParams } from "../../shell/route";
import { makingOf, useDocuments, type OpenDocument } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import { ViewHead } from "../../shell/view-head";
import { Calibration } from "./calibration";
import { Confusion } from "./confusion";
import { Rules } from "./rules";
import { COSTS_FILE, parseCosts, WAYS, withRule, withThresholdCurves, type Question } from "./question";
import type { Evaluation } from "./reports";
import { cellText, CellRows } from "./cell-rows";
import { Scores } from "./scores";
import { Thresholds } from "./thresholds";
import { Verdict } from "./verdict";
import "../../style/evaluate.css";

interface Props {
    question: Question;
    table: OpenDocument;
    model?: OpenDocument;
    params: URLSearchParams;
    /** The rows can be split into folds, since the table is the one that is learned. */
    canFold: boolean;
}

export function EvaluateTable({ question, table, model, params, canFold }: Props): JSX.Element {
    const documents = useDocuments();
    const plain = useAnswer(
        (core, signal) => core.json<Evaluation>(question.command, { files: question.files, signal }),
        [question.command.join("\0"), ...Object.values(question.files)],
    );
    const found = plain.value;
    const classes = found?.classes ?? [];
    const rule = {
        costs: params.get("rule") === "cost" ? parseCosts(params.get("costs"), classes.length) : undefined,
        reject: params.get("rule") === "reject" ? (params.get("reject") ?? undefined) : undefined,
    };
    const decided = withRule(question, rule, classes);
    const hasRule = decided !== question && found !== undefined;
    const decisions = useAnswer(
        (core, signal) =>
            hasRule ? core.json<Evaluation>(decided.command, { files: decided.files, signal }) : undefined,
        [hasRule, decided.command.join("\0"), JSON.stringify(rule), ...Object.values(question.files)],
    );
    const positive = params.get("positive") ?? classes.at(-1);
    const curveBase = rule.costs !== undefined && classes.length === 2 ? decided : question;
    const curveQuestion = positive === undefined ? undefined : withThresholdCurves(curveBase, positive);
    const curves = useAnswer(
        (core, signal) =>
            curveQuestion !== undefined && classes.length > 1
                ? core.json<Evaluation>(curveQuestion.command, { files: curveQuestion.files, signal })
                : undefined,
        [
            curveQuestion?.command.join("\0"),
            JSON.stringify(rule.costs),
            classes.length,
            ...Object.values(question.files),
        ],
    );
    const folds = params.get("folds") ?? "10";
    const ways = WAYS.some(({ value }) => value === folds)
        ? WAYS
        : [...WAYS, { value: folds, title: `${folds} folds` }];
    const tests = documents.filter(({ kind, name }) => kind === "table" && (name !== table.name || !canFold));
    const command = hasRule ? decided.command : question.command;
    const made = hasRule ? decided.files[COSTS_FILE] : undefined;
    const costs: Record<string, string> = typeof made === "string" ? { [COSTS_FILE]: made } : {};
    return (
        <>
            <ViewHead title="Evaluate" command={command} before={makingOf(model, table)} files={costs}>
                <strong>{model === undefined ? table.name : `${model.name} on ${table.name}`}</strong>
                {found === undefined ? ": " : `: ${counted(found.rows, "row")}, `}
                {model === undefined
                    ? "each predicted by a model that was trained without it."
                    : "predicted by the model. If it was trained on these rows, the scores are too good."}
            </ViewHead>
            <div class="actions">
                <label class="field">
                    <span>Test on</span>
                    <select
                        value={params.get("test") ?? (canFold ? folds : "")}
                        onChange={(event) => {
                            const { value } = event.currentTarget;
                            const isFolds = ways.some((way) => way.value === value);
                            changeParams(
                                isFolds ? { folds: value, test: undefined } : { test: value, folds: undefined },
                            );
                        }}
                    >
                        {canFold &&
                            ways.map(({ value, title }) => (
                                <option key={value} value={value}>
                                    {title}
                                </option>
                            ))}
                        {tests.map(({ name }) => (
                            <option key={name} value={name}>
                                the file {name}
                            </option>
                        ))}
                    </select>
                </label>
            </div>
            <Busy what="Evaluating" answer={plain} />
            {plain.error !== undefined && <Problem error={plain.error} />}
            {found !== undefined && (
                <>
                    <Verdict of={found} />
                    <div class="tables">
                        <Scores of={found} />
                        <Confusion
                            classes={classes}
                            rows={found.confusion}
                            title="Confusion matrix"
                            choose={(truth, prediction) => changeParams({ cell: cellText(truth, prediction) })}
                        />
                    </div>
                    {params.has("cell") && (
                        <CellRows question={question} table={table} cell={params.get("cell") ?? ""} />
                    )}
                    {classes.length > 1 && positive !== undefined && (
                        <section aria-labelledby="thresholds">
                            <h2 id="thresholds">Thresholds</h2>
                            <label class="field">
                                <span>Positive class</span>
                                <select
                                    value={positive}
                                    onChange={(event) =>
                                        changeParams({ positive: event.currentTarget.value, threshold: undefined })
                                    }
                                >
                                    {classes.map((name) => (
                                        <option key={name}>{name}</option>
                                    ))}
                                </select>
                            </label>
                            {curves.error !== undefined && <Problem error={curves.error} />}
                            {curves.value === undefined && <Busy what="Computing threshold curves" answer={curves} />}
                            {curves.value?.threshold_curves !== undefined && (
                                <Thresholds of={curves.value.threshold_curves} params={params} />
                            )}
                        </section>
                    )}
                    <Calibration bins={found.calibration} />
                    <Rules
                        classes={classes}
                        params={params}
                        decisions={hasRule ? decisions.value?.decisions : undefined}
                        error={hasRule ? decisions.error : undefined}
                    />
                </>
            )}
        </>
    );
}
