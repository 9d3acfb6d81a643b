// SPDX-License-Identifier: MIT
// The setup of a route: an example, or a file of the user with options; and the model, if one is open.
import type { Core } from "../../shell/core";
import { findDocument, makingOf, type OpenDocument } from "../../shell/store";
import { useAnswer, type Answer } from "../../shell/use-answer";
import { useDocument } from "../../shell/use-document";
import type { Setup } from "./answers";
import { cases, type SequenceCase } from "./cases";
import { EMPTY_LINE, optionsOf, optionsOfWords, wordsOf, type SequenceOptions } from "./setup-form";

export interface FoundSetup extends Answer<Setup> {
    chosen: SequenceCase | undefined;
    options: SequenceOptions;
    missing: string | undefined;
    /** The commands that make its files, and the files that the view states itself. */
    before: string[][];
    texts: Record<string, string>;
    /** There is a model and no table: a sequence was drawn from it. */
    isDrawn: boolean;
}

function caseOf(params: URLSearchParams): SequenceCase | undefined {
    const named = params.get("case");
    if (named !== null) return cases.find(({ id }) => id === named);
    const example = params.get("example");
    if (example !== null) return cases.find(({ data }) => "example" in data && data.example === example);
    return params.get("file") === null ? cases[0] : undefined;
}

async function setupOf(core: Core, chosen: SequenceCase, train: string[]): Promise<Setup> {
    const content =
        "text" in chosen.data ? chosen.data.text : (await core.run(["example", chosen.data.example])).stdout;
    return {
        data: { name: chosen.data.name, content },
        ...(chosen.model === undefined ? {} : { model: { name: chosen.model.name, content: chosen.model.text } }),
        train,
    };
}

const DRAWN = ["--sequences", "1", "--rows", "40", "--seed", "1"];

/** A model without a table: a sequence is drawn from it. */
async function drawn(core: Core, { name, content }: OpenDocument): Promise<Setup> {
    const { stdout } = await core.succeed(["sample", name, ...DRAWN], { files: { [name]: content } });
    return { data: { name: "drawn.csv", content: stdout }, model: { name, content }, train: [] };
}

export function useSetup(params: URLSearchParams): FoundSetup {
    const chosen = caseOf(params);
    const document = useDocument(chosen === undefined ? params : new URLSearchParams(), []);
    const model = findDocument(params.get("model"));
    const isDrawn = chosen === undefined && document.value?.kind === "model";
    const isOwn = params.get("options") === "own" || chosen === undefined;
    // Files with empty lines again and again are opened as sequences: the empty lines separate them.
    const usual = document.value?.kind === "sequences" ? { "sequence-break": EMPTY_LINE } : {};
    const options = isOwn ? optionsOf(params, usual) : optionsOfWords(chosen.train);
    const train = wordsOf(options);
    const answer = useAnswer<Setup>(
        async (core) => {
            if (chosen !== undefined) return setupOf(core, chosen, train);
            if (document.value === undefined) return undefined;
            if (document.value.kind === "model") return drawn(core, document.value);
            return {
                data: { name: document.value.name, content: document.value.content },
                ...(model === undefined ? {} : { model: { name: model.name, content: model.content } }),
                train,
            };
        },
        [chosen?.id, document.value?.content, model?.content, train.join("\0")],
    );
    const texts =
        chosen === undefined
            ? {}
            : {
                  ...(chosen.model === undefined ? {} : { [chosen.model.name]: chosen.model.text }),
                  ...("text" in chosen.data ? { [chosen.data.name]: chosen.data.text } : {}),
              };
    const before =
        chosen !== undefined && "example" in chosen.data
            ? [["example", chosen.data.example, "-o", chosen.data.name]]
            : chosen === undefined
              ? [
                    ...makingOf(document.value, model),
                    ...(isDrawn ? [["sample", document.value?.name ?? "", ...DRAWN, "-o", "drawn.csv"]] : []),
                ]
              : [];
    const named = params.get("case");
    const unknown = named !== null && chosen === undefined ? new Error(`unknown example '${named}'`) : undefined;
    return {
        ...answer,
        error: unknown ?? answer.error ?? document.error,
        chosen,
        options,
        missing: document.missing,
        before,
        texts,
        isDrawn,
    };
}
