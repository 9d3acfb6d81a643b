// SPDX-License-Identifier: MIT
// Writes a network for the command: XMLBIF, which supports every name, or NET if there are continuous nodes.
import type { NetworkNode, NetworkReport } from "../reports";
import { continuousParents } from "./tables";

export interface NetworkFile {
    name: string;
    text: string;
}

export function networkFile(network: NetworkReport): NetworkFile {
    return network.nodes.some(({ kind }) => kind === "gaussian")
        ? { name: "edited.net", text: netText(network) }
        : { name: "edited.xmlbif", text: xmlText(network) };
}

/** Writes spaces at the ends of a name, and control characters, as references. */
function escaped(text: string): string {
    const reference = (letter: string): string => `&#${letter.codePointAt(0) ?? 32};`;
    return text
        .replace(/[&<>"']/g, reference)
        .replace(/[\u0001-\u001f\u007f]/g, reference)
        .replace(/^ +| +$/g, (spaces) => "&#32;".repeat(spaces.length));
}

function xmlText({ network, nodes }: NetworkReport): string {
    const lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<BIF VERSION="0.3"><NETWORK>',
        `<NAME>${escaped(network)}</NAME>`,
    ];
    for (const { name, kind, states } of nodes) {
        const type = kind === "chance" ? "nature" : kind;
        const outcomes = states.map((state) => `<OUTCOME>${escaped(state)}</OUTCOME>`).join("");
        lines.push(`<VARIABLE TYPE="${type}"><NAME>${escaped(name)}</NAME>${outcomes}</VARIABLE>`);
    }
    for (const { name, parents, table } of nodes) {
        const given = parents.map((parent) => `<GIVEN>${escaped(parent)}</GIVEN>`).join("");
        const numbers = table === null ? "" : `<TABLE>${table.map((row) => row.join(" ")).join("\n")}</TABLE>`;
        lines.push(`<DEFINITION><FOR>${escaped(name)}</FOR>${given}${numbers}</DEFINITION>`);
    }
    return [...lines, "</NETWORK></BIF>", ""].join("\n");
}

function inQuotes(text: string): string {
    return `"${text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
}

function normal(network: NetworkReport, node: NetworkNode, row: number[], id: (name: string) => string): string {
    const terms = continuousParents(network, node).map(({ name }, index) => `${row[index + 1] ?? 0} * ${id(name)}`);
    return `normal (${[String(row[0] ?? 0), ...terms].join(" + ")}, ${row.at(-1) ?? 1})`;
}

function netText(network: NetworkReport): string {
    const id = (name: string): string => `node_${network.nodes.findIndex((node) => node.name === name)}`;
    const lines = [`net { name = ${inQuotes(network.network)}; }`];
    const words = { chance: "node", gaussian: "continuous node", decision: "decision", utility: "utility" };
    for (const { name, kind, states } of network.nodes) {
        const own = kind === "chance" || kind === "decision" ? ` states = (${states.map(inQuotes).join(" ")});` : "";
        lines.push(`${words[kind]} ${id(name)} { CREDENCE_name = ${inQuotes(name)};${own} }`);
    }
    for (const node of network.nodes) {
        const given = node.parents.length === 0 ? "" : ` | ${node.parents.map(id).join(" ")}`;
        const rows = node.table?.map((row) =>
            node.kind === "gaussian" ? normal(network, node, row, id) : row.join(" "),
        );
        lines.push(
            `potential (${id(node.name)}${given}) {${rows === undefined ? "" : ` data = (${rows.join("\n")});`} }`,
        );
    }
    return [...lines, ""].join("\n");
}
