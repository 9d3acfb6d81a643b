// SPDX-License-Identifier: MIT
// Ask: a form for a row, with its posterior and weights of evidence.
import type { JSX } from "preact";
import { routeAddress } from "../../shell/route";
import { Problem } from "../../shell/problem";
import { documentParams } from "../../shell/store";
import { useModel, useNamedDocument } from "../../shell/use-document";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";
import { AskForm } from "./ask-form";
import { ModelChoice } from "./model-choice";
import { PredictFile } from "./predict-file";
import { useModelColumns } from "./model-columns";
import "../../style/ask.css";

export function Ask({ params }: ViewProps): JSX.Element {
    const found = useModel(params);
    useNamedDocument(params, found.value);
    const columns = useModelColumns(found.value);
    const model = found.value;
    const rows = params.get("rows");
    if (model !== undefined && rows !== null) return <PredictFile key={rows} model={model} name={rows} />;
    if (model === undefined || columns.value === undefined || columns.error !== undefined)
        return (
            <>
                <ViewHead title="Ask">The class probabilities of a row, and the evidence for them.</ViewHead>
                {model === undefined && <ModelChoice found={found} view="ask" />}
                {columns.error !== undefined && <Problem error={columns.error} />}
            </>
        );
    const target = columns.value.columns.find(({ role }) => role === "target");
    if (target === undefined)
        return (
            <>
                <ViewHead title="Ask">The class probabilities of a row, and the evidence for them.</ViewHead>
                <p>
                    <bdi>{model.name}</bdi> has no target. Use{" "}
                    <a href={routeAddress("networks", documentParams(model))}>Networks</a> to query any of its columns.
                </p>
            </>
        );
    return (
        <AskForm
            key={model.name}
            model={model}
            columns={columns.value.columns}
            target={target.column}
            params={params}
        />
    );
}
