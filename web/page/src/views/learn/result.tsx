// SPDX-License-Identifier: MIT
// A trained model: its contents, links to other views, its file.
import type { JSX } from "preact";
import { classColor } from "../../charts/colors";
import { counted, percent } from "../../shell/numbers";
import { saveBytes } from "../../shell/picture";
import { Problem } from "../../shell/problem";
import { routeAddress } from "../../shell/route";
import { documentParams, type OpenDocument } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import { Value } from "../../shell/value";
import { PredictButton } from "../ask/predict-file";
import { Notes, type Hints } from "./notes";
import type { ModelSummary } from "./reports";
import { SaveReport } from "./save-report";

function describe(found: ModelSummary): string {
    if (found.node_count !== undefined)
        return `A network of ${counted(found.node_count, "node")} and ${counted(found.arc_count ?? 0, "arc")}.`;
    const numbers = Object.values(found.estimated ?? {}).reduce((sum, count) => sum + count, 0);
    const estimated = numbers > 0 ? `, ${counted(numbers, "number")} estimated` : "";
    const columns = counted(found.attributes?.length ?? 0, "column");
    return `Learned ${counted(found.rows ?? 0, "row")}: ${found.target ?? ""} from ${columns}${estimated}.`;
}

interface Props extends Hints {
    model: OpenDocument;
    table: OpenDocument;
}

export function Result({ model, table, onOptions, onCompare }: Props): JSX.Element {
    const summary = useAnswer(
        (core) => core.json<ModelSummary>(["show", model.name], { files: { [model.name]: model.content } }),
        [model.content],
    );
    const params = documentParams(model);
    const found = summary.value;
    return (
        <section class="card result" aria-labelledby="result" aria-live="polite">
            <h2 id="result">{model.name}</h2>
            {summary.error !== undefined && <Problem error={summary.error} />}
            {found !== undefined && (
                <>
                    <p>{describe(found)}</p>
                    <dl class="priors" aria-label="Prior probability of each class">
                        {found.classes?.slice(0, 12).map(({ class: name, prior }, index) => (
                            <div key={name}>
                                <dt>{name}</dt>
                                <dd>
                                    <span class="bar-track">
                                        <span
                                            style={{
                                                width: percent(prior).replace(" ", ""),
                                                background: classColor(index),
                                            }}
                                        />
                                    </span>
                                    <Value of={prior} name={`prior ${name}`} isProbability />
                                </dd>
                            </div>
                        ))}
                    </dl>
                </>
            )}
            <Notes text={model.notes ?? ""} onOptions={onOptions} onCompare={onCompare} />
            <div class="actions">
                <a class="button primary" href={routeAddress("ask", params)}>
                    Predict a row
                </a>
                <PredictButton model={model} />
                <a class="button" href={routeAddress("understand", params)}>
                    Inspect the model
                </a>
                <a class="button" href={routeAddress("evaluate", params)}>
                    Evaluate the model
                </a>
                <button
                    type="button"
                    onClick={() => saveBytes(model.name, model.content as BlobPart, "application/octet-stream")}
                >
                    Save model
                </button>
                <SaveReport model={model} table={table} />
            </div>
        </section>
    );
}
