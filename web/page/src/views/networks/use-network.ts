// SPDX-License-Identifier: MIT
// The network that the route names: an example, an open document, or one that the link itself holds.
import type { Credence } from "credence";
import type { OpenDocument } from "../../shell/store";
import { useAnswer, type Answer } from "../../shell/use-answer";
import { useDocument, useModel } from "../../shell/use-document";
import { decodeNetwork } from "./link";
import type { NetworkReport } from "./reports";

export interface NetworkSource {
    document: OpenDocument | undefined;
    error: Error | undefined;
    /** The file that the link names and that is not open. */
    missing: string | undefined;
}

/** A document of the network in a link; the same link gives the same document. */
let linked: { code: string; document: OpenDocument } | undefined;

export function rememberLinked(code: string, document: OpenDocument): void {
    linked = { code, document };
}

async function openLinked(code: string, name: string): Promise<OpenDocument> {
    if (linked?.code === code) return linked.document;
    const document: OpenDocument = { name, kind: "network", content: await decodeNetwork(code) };
    linked = { code, document };
    return document;
}

export function useNetworkSource(params: URLSearchParams): NetworkSource {
    const code = params.get("net");
    const name = params.get("name") ?? "network.bif";
    const inLink = useAnswer(() => (code === null ? undefined : openLinked(code, name)), [code, name]);
    const model = useModel(params);
    const plain = useDocument(params, ["network"]);
    const found = params.has("target") || params.has("model") ? model : plain;
    if (code === null) return { document: found.value, error: found.error, missing: found.missing };
    return { document: linked?.code === code ? linked.document : undefined, error: inLink.error, missing: undefined };
}

export interface OpenNetwork {
    document: OpenDocument;
    network: NetworkReport;
    /** Behind the file's name in every command: how a model of categories becomes a network. */
    options: string[];
}

async function show(core: Credence, document: OpenDocument): Promise<OpenNetwork> {
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

/** An answer on the network: `args` stand behind the name of its file. */
export function useNetworkAnswer<T>(
    open: OpenNetwork | undefined,
    verb: string,
    args: string[] | undefined,
): Answer<T> & { command: string[] | undefined } {
    const command =
        open === undefined || args === undefined ? undefined : [verb, open.document.name, ...open.options, ...args];
    const answer = useAnswer<T>(
        (core) =>
            command === undefined || open === undefined
                ? undefined
                : core.json<T>(command, { files: { [open.document.name]: open.document.content } }),
        [open?.document, JSON.stringify(command)],
    );
    return { ...answer, command };
}
