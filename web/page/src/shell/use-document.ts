// SPDX-License-Identifier: MIT
// The documents of a route: `example=NAME`, or `file=NAME` for an open file; and the model: `model=NAME` for an open model, or
// `example|file` with `target` and, as one text, the `options` of train.
import { CredenceError } from "credence";
import { useEffect } from "preact/hooks";
import type { Core } from "./core";
import { openExample } from "./examples";
import { completeParams } from "./route";
import {
    addDocument,
    documentParams,
    findDocument,
    freeName,
    useDocuments,
    type DocumentKind,
    type OpenDocument,
} from "./store";
import { useAnswer, type Answer } from "./use-answer";
import { splitWords } from "./words";

export interface FoundDocument extends Answer<OpenDocument> {
    /** The name of a file in the route that is not open. */
    missing: string | undefined;
}

/** `kinds`: if the route does not name a document, the last open document of these kinds is used. */
export function useDocument(params: URLSearchParams, kinds: DocumentKind[] = []): FoundDocument {
    const documents = useDocuments();
    const example = params.get("example");
    const file = params.get("file");
    const open =
        file !== null
            ? findDocument(file)
            : example !== null
              ? documents.find((document) => document.example === example)
              : documents.filter(({ kind }) => kinds.includes(kind)).at(-1);
    const answer = useAnswer(
        () => (open === undefined && file === null && example !== null ? openExample(example) : undefined),
        [example, file, open],
    );
    return {
        ...answer,
        value: open ?? (file === null && example !== null ? answer.value : undefined),
        isBusy: open === undefined && answer.isBusy,
        missing: file !== null && open === undefined ? file : undefined,
    };
}

/** Adds the shown document to a route without a document, which makes the link complete. */
export function useNamedDocument(params: URLSearchParams, shown: OpenDocument | undefined): void {
    const isNamed = ["file", "example", "model", "net"].some((key) => params.has(key));
    useEffect(() => {
        if (!isNamed && shown !== undefined) completeParams(documentParams(shown));
    }, [isNamed, shown]);
}

/** Returns the arguments of train, without the model file. */
export function trainArguments(table: OpenDocument, target: string, options: string): string[] {
    return ["train", table.name, "--target", target, ...splitWords(options)];
}

/** Returns the name of the model of a table, which differs from the names of open models of other tables and targets. */
export function modelName(table: OpenDocument, target: string): string {
    const usual = `${table.name.replace(/(\.(csv|tsv|tab|txt|data|dat|arff|jsonl?|ndjson))?(\.(gz|zst))?$/i, "")}.model`;
    const isOurs = (open: OpenDocument): boolean => open.source === table.content && open.trained?.target === target;
    return freeName(usual, isOurs);
}

interface TrainingOptions {
    signal?: AbortSignal;
    /** Keeps the messages of the command. Its check for better methods takes a few times as long as training. */
    isNoted?: boolean;
}

/** Trains a model and opens it as a document, unless the same model is already open. */
export async function trainModel(
    core: Core,
    table: OpenDocument,
    target: string,
    options: string,
    { isNoted = false, ...run }: TrainingOptions = {},
): Promise<OpenDocument> {
    const name = modelName(table, target);
    const command = [...trainArguments(table, target, options), "-o", name];
    const open = findDocument(name);
    if (open?.source === table.content && open.command?.join("\0") === command.join("\0"))
        if (!isNoted || open.notes !== undefined) return open;
    const { status, stderr, files } = await core.run(isNoted ? command : [...command, "--quiet"], {
        files: { [table.name]: table.content },
        keep: [name],
        ...run,
    });
    const content = files[name];
    if (status !== 0 || content === undefined) throw CredenceError.of(status, stderr);
    const trained: Record<string, string> = {
        ...(table.example !== undefined ? { example: table.example } : { file: table.name }),
        target,
        ...(options === "" ? {} : { options }),
    };
    const model: OpenDocument = {
        name,
        kind: "model",
        content,
        command,
        trained,
        source: table.content,
        ...(isNoted ? { notes: stderr } : {}),
    };
    addDocument(model);
    return model;
}

export interface FoundModel extends FoundDocument {
    /** The training table, if the route names one. */
    table: OpenDocument | undefined;
}

/** Returns the model of a route; by default, the last open model. */
export function useModel(params: URLSearchParams): FoundModel {
    const documents = useDocuments();
    const target = params.get("target");
    const named = params.get("model");
    const options = params.get("options") ?? "";
    const found = useDocument(params, named === null ? ["model"] : []);
    const isTraining = named === null && target !== null && found.value !== undefined && found.value.kind !== "model";
    const training = useAnswer(
        (core, signal) =>
            isTraining && found.value !== undefined && target !== null
                ? trainModel(core, found.value, target, options, { signal })
                : undefined,
        [isTraining, found.value?.content, target, options],
    );
    if (named !== null) {
        const open = documents.find(({ name }) => name === named);
        return {
            ...found,
            value: open,
            isBusy: false,
            isCanceled: false,
            missing: open === undefined ? named : undefined,
            table: found.value,
        };
    }
    if (found.value?.kind === "model") return { ...found, table: undefined };
    if (!isTraining) return { ...found, value: undefined, table: found.value };
    return { ...training, missing: undefined, table: found.value };
}
