// SPDX-License-Identifier: MIT
// Understand: the contents of a model, column by column.
import type { JSX } from "preact";
import { bars } from "../../charts/bars";
import { classColor } from "../../charts/colors";
import { shownProbability } from "../../shell/numbers";
import { Picture } from "../../shell/picture";
import { Problem } from "../../shell/problem";
import { routeAddress } from "../../shell/route";
import { documentParams, makingOf, type OpenDocument } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import { useModel, useNamedDocument } from "../../shell/use-document";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";
import { ModelChoice } from "../ask/model-choice";
import { classesOf, useModelColumns, useShownModel } from "../ask/model-columns";
import type { ModelColumns, ShownModel } from "../ask/reports";
import { Columns } from "./columns";
import { Dependence } from "./dependence";
import { NomogramPicture } from "./nomogram-picture";
import { ShowText } from "./show-text";
import { Structure } from "./structure";
import "../../style/understand.css";

const LEAD = "The contents of a model: priors, densities, conditional probability tables, and informative columns.";
const MAX_CLASSES = 30;

interface Known {
    model: OpenDocument;
    table: OpenDocument | undefined;
    columns: ModelColumns;
    shown: ShownModel | undefined;
    params: URLSearchParams;
}

function Priors({ shown, columns }: Pick<Known, "shown" | "columns">): JSX.Element {
    const values = columns.columns.find(({ role }) => role === "target")?.values ?? [];
    const items =
        shown?.classes?.map(({ class: name, prior }) => ({ name, value: prior })) ??
        values.map(({ value, count }) => ({ name: value, value: columns.rows > 0 ? count / columns.rows : 0 }));
    const title = shown?.classes === undefined ? "Class frequencies" : "Prior probability of each class";
    const all = items.slice(0, MAX_CLASSES);
    return (
        <Picture
            title={title}
            inputs={[shown, columns]}
            render={(width) =>
                bars(
                    Math.min(width, 720),
                    title,
                    all.map(({ name, value }, index) => ({
                        name,
                        value,
                        text: shownProbability(value),
                        color: classColor(index),
                        data: `prior ${name}`,
                    })),
                    1,
                )
            }
        />
    );
}

function Model({ model, table, columns, shown, params }: Known): JSX.Element {
    const gains = useAnswer(
        (core) =>
            core
                .json<{ missing?: { attribute: string; bits: number | null }[]; uncertainty?: number | null }>(
                    ["explain", model.name, "--given", "", "--all"],
                    { files: { [model.name]: model.content } },
                )
                .then(
                    ({ missing = [] }) => new Map(missing.map(({ attribute, bits }) => [attribute, bits ?? 0])),
                    () => new Map<string, number>(),
                ),
        [model.content],
    );
    const classes = classesOf(columns.columns);
    return (
        <>
            <Priors shown={shown} columns={columns} />
            <Columns columns={columns.columns} shown={shown} classes={classes} gains={gains.value} params={params} />
            {shown !== undefined && (
                <>
                    <NomogramPicture nomograms={shown.nomograms ?? []} params={params} />
                    <Structure shown={shown} model={model} />
                </>
            )}
            {table !== undefined && <Dependence key={model.name} model={model} table={table} />}
            <ShowText model={model} />
        </>
    );
}

export function Understand({ params }: ViewProps): JSX.Element {
    const found = useModel(params);
    useNamedDocument(params, found.value);
    const columns = useModelColumns(found.value);
    const shown = useShownModel(found.value);
    const model = found.value;
    return (
        <>
            <ViewHead
                title="Understand"
                command={model === undefined ? undefined : ["show", model.name]}
                before={makingOf(model)}
            >
                {LEAD} {model !== undefined && <a href={routeAddress("ask", documentParams(model))}>Predict a row</a>}
            </ViewHead>
            {model === undefined && <ModelChoice found={found} view="understand" />}
            {model !== undefined && columns.error !== undefined && <Problem error={columns.error} />}
            {model !== undefined && shown.error !== undefined && <Problem error={shown.error} />}
            {model !== undefined && columns.value !== undefined && (
                <Model
                    key={model.name}
                    model={model}
                    table={found.table?.kind === "table" ? found.table : undefined}
                    columns={columns.value}
                    shown={shown.value}
                    params={params}
                />
            )}
        </>
    );
}
