// SPDX-License-Identifier: MIT
// Applies a change: the command reads the changed network and writes or rejects it. Changes can be undone.
import { core } from "../../../shell/core";
import { replaceParams } from "../../../shell/route";
import { addDocument, type OpenDocument } from "../../../shell/store";
import { givenText, likelihoodText, type Evidence } from "../evidence";
import { encodeNetwork, LONGEST_LINK } from "../link";
import type { NetworkReport } from "../reports";
import { rememberLinked, type OpenNetwork } from "../use-network";
import type { Change } from "./changes";
import { networkFile } from "./write";

interface Past {
    documents: OpenDocument[];
    at: number;
}

let past: Past = { documents: [], at: -1 };

export function canUndo(document: OpenDocument): boolean {
    return past.documents[past.at] === document && past.at > 0;
}

export function canRedo(document: OpenDocument): boolean {
    return past.documents[past.at] === document && past.at + 1 < past.documents.length;
}

/** Replaces the open document. The link contains the document if it is small. */
async function show(document: OpenDocument, params: Record<string, string | undefined> = {}): Promise<void> {
    const link: Record<string, string | undefined> = {
        example: undefined,
        file: undefined,
        model: undefined,
        target: undefined,
        options: undefined,
        net: undefined,
        name: undefined,
    };
    if (document.example !== undefined) link.example = document.example;
    else {
        const code = typeof document.content === "string" ? await encodeNetwork(document.content) : undefined;
        addDocument(document);
        if (code !== undefined && code.length <= LONGEST_LINK) {
            rememberLinked(code, document);
            link.net = code;
            link.name = document.name;
        } else link.file = document.name;
    }
    replaceParams({ ...link, ...params });
}

export function undo(): void {
    const document = past.documents[past.at - 1];
    if (document === undefined) return;
    past = { ...past, at: past.at - 1 };
    void show(document);
}

export function redo(): void {
    const document = past.documents[past.at + 1];
    if (document === undefined) return;
    past = { ...past, at: past.at + 1 };
    void show(document);
}

/** The evidence that the changed network can have. */
function stillThere(evidence: Evidence, network: NetworkReport): Record<string, string> {
    const kept = new Map(
        [...evidence].filter(([name, finding]) => {
            const node = network.nodes.find((other) => other.name === name);
            if (node === undefined) return false;
            if (node.kind === "gaussian") return "value" in finding;
            const states = "value" in finding ? [finding.value] : finding.likelihoods.map(([state]) => state);
            return states.every((state) => node.states.includes(state));
        }),
    );
    return { given: givenText(kept), likelihood: likelihoodText(kept) };
}

const ENDING = /\.(bif|xmlbif|xbif|xml|net|uai|xdsl|dne|model)(\.(gz|zst))?$/i;

/** Makes the change, or throws the command's error. */
export async function apply(
    open: OpenNetwork,
    evidence: Evidence,
    change: Change,
    params: Record<string, string | undefined> = {},
): Promise<void> {
    const changed = change(open.network);
    const file = networkFile(changed);
    const format = file.name.endsWith(".net") ? "net" : "bif";
    const { status, stdout, stderr } = await (
        await core
    ).run(["export", file.name, "--as", format], { files: { [file.name]: file.text } });
    if (status !== 0) throw new Error(words(stderr, file.name));
    const base = open.document.name.replace(ENDING, "");
    const name = `${open.document.example !== undefined || open.document.kind === "model" ? `${base}-edited` : base}.${format}`;
    const document: OpenDocument = { name, kind: "network", content: stdout };
    const before = past.documents[past.at] === open.document ? past.documents.slice(0, past.at + 1) : [open.document];
    past = { documents: [...before, document], at: before.length };
    await show(document, { ...stillThere(evidence, changed), ...params });
}

/** The command's message without the place in a file that nobody has seen. */
function words(stderr: string, file: string): string {
    return stderr
        .trim()
        .replace(/^credence: /gm, "")
        .replaceAll(
            new RegExp(`${file.replaceAll(".", "\\.")}(, line \\d+(, (column|field) \\d+)?|:\\d+(:\\d+)?)?: `, "g"),
            "",
        );
}
