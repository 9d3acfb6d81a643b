// SPDX-License-Identifier: MIT
// Evaluate: the performance of a classifier on rows outside its training data.
import type { JSX } from "preact";
import { AskForFile } from "../../shell/ask-for-file";
import { Busy } from "../../shell/busy";
import { DropZone } from "../../shell/drop-zone";
import { ExampleCards } from "../../shell/example-cards";
import { Problem } from "../../shell/problem";
import { useDocuments } from "../../shell/store";
import { useModel } from "../../shell/use-document";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";
import { EvaluateTable } from "./evaluate-table";
import { foldsQuestion, testQuestion } from "./question";
import { ChooseTarget } from "./choose-target";

const LEAD = "Performance on rows outside the training data: scores, confusion matrix, thresholds, calibration, costs.";

export function Evaluate({ params }: ViewProps): JSX.Element {
    // Folds need no model of all rows.
    const ofModel = new URLSearchParams(params);
    if (!params.has("test")) ofModel.delete("target");
    const found = useModel(ofModel);
    const { value: model, table, missing, error } = found;
    const documents = useDocuments();
    const target = params.get("target");
    const testName = params.get("test");
    const test = documents.find(({ name }) => name === testName);
    const head = <ViewHead title="Evaluate">{LEAD}</ViewHead>;
    const lost = missing ?? (testName !== null && test === undefined ? testName : undefined);
    if (lost !== undefined)
        return (
            <>
                {head}
                <AskForFile name={lost} />
            </>
        );
    if (error !== undefined)
        return (
            <>
                {head}
                <Problem error={error} />
            </>
        );
    if (table !== undefined && table.kind !== "model" && target !== null && test === undefined) {
        const question = foldsQuestion(table, target, params.get("options") ?? "", params.get("folds") ?? "10");
        return <EvaluateTable question={question} table={table} params={params} canFold />;
    }
    if (model !== undefined && (test ?? table) !== undefined) {
        const on = test ?? table;
        if (on !== undefined)
            return (
                <EvaluateTable
                    question={testQuestion(model, on)}
                    table={on}
                    model={model}
                    params={params}
                    canFold={target !== null}
                />
            );
    }
    if ((found.isBusy || found.isCanceled) && (params.has("example") || params.has("file")))
        return (
            <>
                {head}
                <Busy what="Training" answer={found} />
            </>
        );
    if (table !== undefined && table.kind !== "model")
        return (
            <>
                {head}
                <ChooseTarget table={table} />
            </>
        );
    const tables = documents.filter(({ kind }) => kind === "table");
    return (
        <>
            {head}
            <DropZone>
                {model !== undefined
                    ? `Drop a table with rows to test ${model.name} on.`
                    : "Drop a table, or open an example. Its rows are split into folds, and each fold is predicted by a model trained on the other folds."}
            </DropZone>
            {model !== undefined && tables.length > 0 && (
                <ul class="cards">
                    {tables.map(({ name }) => (
                        <li key={name}>
                            <a
                                class="card"
                                href={`#/evaluate?${new URLSearchParams({ model: model.name, test: name })}`}
                            >
                                <strong>{name}</strong>
                                <span>Test {model.name} on it</span>
                            </a>
                        </li>
                    ))}
                </ul>
            )}
            <h2>Examples</h2>
            <ExampleCards kinds={["table"]} view="evaluate" />
        </>
    );
}
