// SPDX-License-Identifier: MIT
// The documents that a route names: `example=NAME`, or `file=NAME` where the user has opened it; and the model that is trained
// from one: `model=NAME` of an open model, or `example|file` with `target` and, as one text, `options` of train.
import { CredenceError, type Credence } from "credence";
import { useEffect } from "preact/hooks";
import { openExample } from "./examples";
import { replaceParams } from "./route";
import { addDocument, documentParams, findDocument, useDocuments, type DocumentKind, type OpenDocument } from "./store";
import { useAnswer, type Answer, type Progress } from "./use-answer";
import { splitWords } from "./words";

export interface FoundDocument extends Answer<OpenDocument> {
    /** The name of a file that the route needs and that is not open. */
    missing: string | undefined;
}

/** `kinds`: where the route names none, the last open document of these kinds is taken. */
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

/** Puts the document that is shown into a route that names none, so that a link opens it again. */
export function useNamedDocument(params: URLSearchParams, shown: OpenDocument | undefined): void {
    const isNamed = ["file", "example", "model", "net"].some((key) => params.has(key));
    useEffect(() => {
        if (!isNamed && shown !== undefined) replaceParams(documentParams(shown));
    }, [isNamed, shown]);
}

/** The arguments of train, but for the model's file. */
export function trainArguments(table: OpenDocument, target: string, options: string): string[] {
    return ["train", table.name, "--target", target, ...splitWords(options)];
}

interface TrainingOptions {
    signal?: AbortSignal;
    onProgress?: (progress: Progress) => void;
    /** With what the command notes: whether another method would do better takes it a few times as long as training. */
    isNoted?: boolean;
}

/** Trains a model and opens it as a document; the same question is answered by the model that is open. */
export async function trainModel(
    core: Credence,
    table: OpenDocument,
    target: string,
    options: string,
    { isNoted = false, ...run }: TrainingOptions = {},
): Promise<OpenDocument> {
    const name = `${table.name.replace(/(\.(csv|tsv|tab|txt|data|dat|arff|jsonl?|ndjson))?(\.(gz|zst))?$/i, "")}.model`;
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
    /** The table that it is trained from, where the route names one. */
    table: OpenDocument | undefined;
}

/** The model of a route; without any, the last open model. */
export function useModel(params: URLSearchParams): FoundModel {
    const documents = useDocuments();
    const target = params.get("target");
    const named = params.get("model");
    const options = params.get("options") ?? "";
    const found = useDocument(params, named === null ? ["model"] : []);
    const isTraining = named === null && target !== null && found.value !== undefined && found.value.kind !== "model";
    const training = useAnswer(
        (core, signal, onProgress) =>
            isTraining && found.value !== undefined && target !== null
                ? trainModel(core, found.value, target, options, { signal, onProgress })
                : undefined,
        [isTraining, found.value?.content, target, options],
    );
    if (named !== null) {
        const open = documents.find(({ name }) => name === named);
        return {
            ...found,
            value: open,
            isBusy: false,
            missing: open === undefined ? named : undefined,
            table: found.value,
        };
    }
    if (found.value?.kind === "model") return { ...found, table: undefined };
    if (!isTraining) return { ...found, value: undefined, table: found.value };
    return { ...training, missing: undefined, table: found.value };
}
