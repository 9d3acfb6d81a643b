// SPDX-License-Identifier: MIT
// Applies a change: the command reads the changed network and writes or rejects it. The history of the page takes changes back.
import { core } from "../../../shell/core";
import { changeParams } from "../../../shell/route";
import { addDocument, freeName, type OpenDocument } from "../../../shell/store";
import { givenText, likelihoodText, type Evidence } from "../evidence";
import { LONGEST_LINK, packText } from "../../../shell/packed-text";
import type { NetworkReport } from "../reports";
import { rememberLinked, rememberVersion, type OpenNetwork } from "../use-network";
import type { Change } from "./changes";
import { networkFile } from "./write";

/** Shows an edited network. The link contains the network if it is small, and otherwise the number of the version. */
async function show(name: string, content: string, params: Record<string, string | undefined>): Promise<void> {
    const document: OpenDocument = { name, kind: "network", content, isEdited: true };
    const link: Record<string, string | undefined> = {
        example: undefined,
        file: undefined,
        model: undefined,
        target: undefined,
        options: undefined,
        net: undefined,
        name: undefined,
        version: undefined,
    };
    const code = await packText(content);
    addDocument(document);
    if (code.length <= LONGEST_LINK) {
        rememberLinked(code, document);
        link.net = code;
        link.name = document.name;
    } else {
        link.file = document.name;
        link.version = rememberVersion(document);
    }
    changeParams({ ...link, ...params });
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
    const { isEdited = false } = open.document;
    const name = freeName(`${isEdited ? base : `${base}-edited`}.${format}`, (other) => other.isEdited === true);
    await show(name, stdout, { ...stillThere(evidence, changed), ...params });
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
