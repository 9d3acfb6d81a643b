// SPDX-License-Identifier: MIT
// The network that the route names: an example, an open document, or one that the link itself holds.
import type { Core } from "../../shell/core";
import { addDocument, freeName, type OpenDocument } from "../../shell/store";
import { useAnswer, type Answer } from "../../shell/use-answer";
import { useDocument, useModel } from "../../shell/use-document";
import { unpackText } from "../../shell/packed-text";
import type { NetworkReport } from "./reports";

export interface NetworkSource {
    document: OpenDocument | undefined;
    error: Error | undefined;
    /** The file that the link names and that is not open. */
    missing: string | undefined;
}

/** The networks of links; the same link gives the same document. */
const linked = new Map<string, OpenDocument>();

export function rememberLinked(code: string, document: OpenDocument): void {
    linked.set(code, document);
}

/** Edited networks that are too large for a link. */
const versions: OpenDocument[] = [];

/** Returns the number of the version in the link. */
export function rememberVersion(document: OpenDocument): string {
    return String(versions.push(document) - 1);
}

async function openLinked(code: string, name: string): Promise<OpenDocument> {
    const known = linked.get(code);
    const content = known?.content ?? (await unpackText(code));
    const document: OpenDocument = known ?? {
        name: freeName(name, (open) => open.isEdited === true),
        kind: "network",
        content,
        isEdited: true,
    };
    rememberLinked(code, document);
    addDocument(document);
    return document;
}

export function useNetworkSource(params: URLSearchParams): NetworkSource {
    const code = params.get("net");
    const name = params.get("name") ?? "network.bif";
    const inLink = useAnswer(() => (code === null ? undefined : openLinked(code, name)), [code, name]);
    const model = useModel(params);
    const plain = useDocument(params, ["network"]);
    const found = params.has("target") || params.has("model") ? model : plain;
    const version = versions[Number(params.get("version") ?? "-1")];
    if (version !== undefined && version.name === params.get("file"))
        return { document: version, error: undefined, missing: undefined };
    if (code === null) return { document: found.value, error: found.error, missing: found.missing };
    return { document: linked.get(code), error: inLink.error, missing: undefined };
}

export interface OpenNetwork {
    document: OpenDocument;
    network: NetworkReport;
    /** Options after the file name in every command: they turn a model of categorical columns into a network. */
    options: string[];
}

async function show(core: Core, document: OpenDocument): Promise<OpenNetwork> {
    const files = { [document.name]: document.content };
    const ask = (options: string[]): Promise<NetworkReport> =>
        core.json<NetworkReport>(["show", document.name, "--all", ...options], { files });
    const network = await ask([]);
    if (Array.isArray(network.nodes)) return { document, network, options: [] };
    const options = ["--method", "network"];
    return { document, network: await ask(options), options };
}

export function useNetwork(document: OpenDocument | undefined): Answer<OpenNetwork> {
    return useAnswer((core) => (document === undefined ? undefined : show(core, document)), [document]);
}

/** Cached results: every second click needs the posteriors without evidence. */
const answers = new WeakMap<OpenDocument, Map<string, unknown>>();
const KEPT = 16;

async function ask<T>(core: Core, document: OpenDocument, command: string[]): Promise<T> {
    const known = answers.get(document) ?? new Map<string, unknown>();
    answers.set(document, known);
    const question = JSON.stringify(command);
    if (known.has(question)) return known.get(question) as T;
    const answer = await core.json<T>(command, { files: { [document.name]: document.content } });
    known.set(question, answer);
    for (const oldest of known.keys()) if (known.size > KEPT) known.delete(oldest);
    return answer;
}

/** Runs a query on the network. `args` follow the file name. */
export function useNetworkAnswer<T>(
    open: OpenNetwork | undefined,
    verb: string,
    args: string[] | undefined,
): Answer<T> & { command: string[] | undefined } {
    const command =
        open === undefined || args === undefined ? undefined : [verb, open.document.name, ...open.options, ...args];
    const answer = useAnswer<T>(
        (core) => (command === undefined || open === undefined ? undefined : ask<T>(core, open.document, command)),
        [open?.document, JSON.stringify(command)],
    );
    return { ...answer, command };
}
