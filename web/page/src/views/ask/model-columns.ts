// SPDX-License-Identifier: MIT
// The fields of a form for a row: the columns of the model, the parts of a date being one field.
import type { Curves } from "../../charts/densities";
import type { OpenDocument } from "../../shell/store";
import { useAnswer, type Answer } from "../../shell/use-answer";
import type { ModelColumn, ModelColumns, ShownModel } from "./reports";

export interface Field {
    /** As --given names it. */
    name: string;
    type: "numeric" | "categorical" | "text" | "date";
    format: string | undefined;
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
        const { format } = column;
        const isDate = column.field !== undefined || /^(date|datetime|seconds|time)/.test(format ?? "");
        const type = isDate
            ? "date"
            : column.type === "numeric" || column.type === "text"
              ? column.type
              : "categorical";
        fields.set(name, { name, type, format, attributes: [column.column], column });
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

/** The report of show, with curves unless the model is a network. */
export function useShownModel(model: OpenDocument | undefined): Answer<ShownModel> {
    return useAnswer(
        async (core) => {
            if (model === undefined) return undefined;
            const files = { [model.name]: model.content };
            const { status, stdout } = await core.run(["show", model.name, "--curves", "--format", "json"], { files });
            if (status === 0) {
                const shown = JSON.parse(stdout) as ShownModel;
                // Combined models have only the names of classes, no priors.
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

/** Returns the range of a slider; undefined if the model has no information about the range. */
export function rangeOf(
    field: Field,
    curves: Curves | undefined,
): { from: number; to: number; step: number } | undefined {
    const { mean, sd: deviation } = field.column;
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
