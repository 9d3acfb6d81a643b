// SPDX-License-Identifier: MIT
// The fields of a form for a row: the columns of the model, the parts of a date being one field.
import type { Curves } from "../../charts/densities";
import type { OpenDocument } from "../../shell/store";
import { useAnswer, type Answer } from "../../shell/use-answer";
import type { ModelColumn, ModelColumns, ShownModel } from "./reports";

export interface Field {
    /** As --given names it. */
    name: string;
    kind: "number" | "category" | "text" | "date";
    form?: string;
    /** The attributes of the model that it is. */
    attributes: string[];
    column: ModelColumn;
}

export function fieldsOf(columns: ModelColumn[]): Field[] {
    const fields = new Map<string, Field>();
    for (const column of columns) {
        if (column.role !== "attribute") continue;
        const name = column.field ?? column.column;
        const known = fields.get(name);
        if (known !== undefined) {
            known.attributes.push(column.column);
            continue;
        }
        const isDate = column.field !== undefined || /^(date|datetime|seconds|time)/.test(column.form ?? "");
        const kind = isDate ? "date" : column.kind === "number" || column.kind === "text" ? column.kind : "category";
        const form = column.form === undefined ? {} : { form: column.form };
        fields.set(name, { name, kind, ...form, attributes: [column.column], column });
    }
    return [...fields.values()];
}

export function classesOf(columns: ModelColumn[]): string[] {
    return columns.find(({ role }) => role === "target")?.values?.map(({ value }) => value) ?? [];
}

export function useModelColumns(model: OpenDocument | undefined): Answer<ModelColumns> {
    return useAnswer(
        (core) =>
            model === undefined
                ? undefined
                : core.json<ModelColumns>(["schema", model.name], { files: { [model.name]: model.content } }),
        [model?.content],
    );
}

/** What show reports, with curves where the model is no network. */
export function useShownModel(model: OpenDocument | undefined): Answer<ShownModel> {
    return useAnswer(
        async (core) => {
            if (model === undefined) return undefined;
            const files = { [model.name]: model.content };
            const { status, stdout } = await core.run(["show", model.name, "--curves", "--format", "json"], { files });
            if (status === 0) {
                const shown = JSON.parse(stdout) as ShownModel;
                // Of combined models classes are names, without priors.
                if (typeof shown.classes?.[0] === "string") delete shown.classes;
                return shown;
            }
            return core.json<ShownModel>(["show", model.name], { files });
        },
        [model?.content],
    );
}

export function curvesOf(shown: ShownModel | undefined): Map<string, Curves> {
    const found = new Map<string, Curves>();
    for (const { attribute, curves } of shown?.attributes ?? []) if (curves !== undefined) found.set(attribute, curves);
    return found;
}

/** From where to where a slider goes; undefined where nothing is known of the numbers. */
export function rangeOf(
    field: Field,
    curves: Curves | undefined,
): { from: number; to: number; step: number } | undefined {
    const { mean, standard_deviation: deviation } = field.column;
    let from = curves?.x[0];
    let to = curves?.x.at(-1);
    if ((from === undefined || to === undefined) && mean !== undefined) {
        const reach = 3 * (deviation ?? 0) || Math.max(1, Math.abs(mean));
        from = mean - reach;
        to = mean + reach;
    }
    if (from === undefined || to === undefined || !(to > from) || !Number.isFinite(to - from)) return undefined;
    if (curves?.discrete === true) return { from: Math.ceil(from), to: Math.floor(to), step: 1 };
    const power = 10 ** Math.floor(Math.log10((to - from) / 100));
    return { from: Math.floor(from / power) * power, to: Math.ceil(to / power) * power, step: power };
}
