// SPDX-License-Identifier: MIT
// The layout of tables: one row for each combination of states of the discrete parents; the states of the last parent vary fastest.
import type { NetworkNode, NetworkReport } from "../reports";

function parentsOf(network: NetworkReport, node: NetworkNode): NetworkNode[] {
    return node.parents.flatMap((name) => network.nodes.find((other) => other.name === name) ?? []);
}

export function discreteParents(network: NetworkReport, node: NetworkNode): NetworkNode[] {
    return parentsOf(network, node).filter(({ kind }) => kind !== "gaussian");
}

export function continuousParents(network: NetworkReport, node: NetworkNode): NetworkNode[] {
    return parentsOf(network, node).filter(({ kind }) => kind === "gaussian");
}

/** The titles of the numbers in a row. */
export function columnsOf(network: NetworkReport, node: NetworkNode): string[] {
    if (node.kind === "utility") return ["utility"];
    if (node.kind !== "gaussian") return node.states;
    return ["mean", ...continuousParents(network, node).map(({ name }) => `× ${name}`), "variance"];
}

export function rowCount(parents: NetworkNode[]): number {
    return parents.reduce((product, { states }) => product * states.length, 1);
}

/** The states of the parents in a row. */
export function rowStates(parents: NetworkNode[], row: number): number[] {
    const states: number[] = [];
    for (const { states: own } of [...parents].reverse()) {
        states.unshift(row % own.length);
        row = Math.floor(row / own.length);
    }
    return states;
}

export function rowOf(parents: NetworkNode[], states: number[]): number {
    return parents.reduce((row, { states: own }, index) => row * own.length + (states[index] ?? 0), 0);
}

export function combinations(parents: NetworkNode[]): string[][] {
    return Array.from({ length: rowCount(parents) }, (_, row) =>
        rowStates(parents, row).map((state, index) => parents[index]?.states[state] ?? ""),
    );
}
