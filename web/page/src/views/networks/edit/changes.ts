// SPDX-License-Identifier: MIT
// Changes of a network: each makes a new one of the old. Whether the result is a network, the command checks.
import type { NetworkNode, NetworkReport, NodeKind } from "../reports";
import { columnsOf, continuousParents, discreteParents, rowCount, rowOf, rowStates } from "./tables";

export type Change = (network: NetworkReport) => NetworkReport;
/** Applies a change, and changes parameters of the route with it. `at` is the place of a new node. */
export type MakeChange = (
    change: Change,
    params?: Record<string, string | undefined>,
    at?: { x: number; y: number },
) => void;

function nodeOf(network: NetworkReport, name: string): NetworkNode | undefined {
    return network.nodes.find((node) => node.name === name);
}

function replaced(network: NetworkReport, name: string, make: (node: NetworkNode) => NetworkNode): NetworkReport {
    return { ...network, nodes: network.nodes.map((node) => (node.name === name ? make(node) : node)) };
}

function evenRow(columns: number): number[] {
    return Array.from({ length: columns }, () => 1 / columns);
}

/** A table to begin with: even odds, utilities of 0, the standard normal distribution. */
function freshTable(network: NetworkReport, node: NetworkNode): number[][] | null {
    if (node.kind === "decision") return null;
    const columns = columnsOf(network, node).length;
    const row =
        node.kind === "chance"
            ? evenRow(columns)
            : Array.from({ length: columns }, (_, index) =>
                  node.kind === "gaussian" && index === columns - 1 ? 1 : 0,
              );
    return Array.from({ length: rowCount(discreteParents(network, node)) }, () => [...row]);
}

export function addNode(name: string, kind: NodeKind): Change {
    return (network) => {
        const states = kind === "chance" || kind === "decision" ? ["yes", "no"] : kind === "utility" ? ["utility"] : [];
        const node: NetworkNode = { name, kind, states, parents: [], table: null };
        return { ...network, nodes: [...network.nodes, { ...node, table: freshTable(network, node) }] };
    };
}

/** The first of A, B, C, ... that no node is called. */
export function freeName(network: NetworkReport): string {
    for (let i = 0; ; i++) {
        const letter = String.fromCharCode(65 + (i % 26));
        const name = i < 26 ? letter : `${letter}${Math.floor(i / 26)}`;
        if (nodeOf(network, name) === undefined) return name;
    }
}

export function removeNode(name: string): Change {
    return (network) => {
        const children = network.nodes.filter(({ parents }) => parents.includes(name));
        const without = children.reduce((last, child) => removeArc(name, child.name)(last), network);
        return { ...without, nodes: without.nodes.filter((node) => node.name !== name) };
    };
}

export function renameNode(name: string, to: string): Change {
    return (network) => ({
        ...network,
        nodes: network.nodes.map((node) => ({
            ...node,
            name: node.name === name ? to : node.name,
            parents: node.parents.map((parent) => (parent === name ? to : parent)),
        })),
    });
}

export function setKind(name: string, kind: NodeKind): Change {
    return (network) => {
        const fresh = addNode(name, kind)({ ...network, nodes: [] }).nodes[0];
        const changed = replaced(network, name, (node) => {
            const keepsStates =
                node.states.length > 0 && node.kind !== "utility" && (kind === "chance" || kind === "decision");
            return { ...node, kind, states: keepsStates ? node.states : (fresh?.states ?? []) };
        });
        const affected = (node: NetworkNode): boolean => node.name === name || node.parents.includes(name);
        return {
            ...changed,
            nodes: changed.nodes.map((node) => (affected(node) ? { ...node, table: freshTable(changed, node) } : node)),
        };
    };
}

/** Each row of the child again for each state of the new parent; of a continuous parent, a coefficient of 0. */
export function addArc(parent: string, child: string): Change {
    return (network) => {
        const from = nodeOf(network, parent);
        const isNumber = from?.kind === "gaussian";
        return replaced(network, child, (node) => ({
            ...node,
            parents: [...node.parents, parent],
            table:
                node.table?.flatMap((row) =>
                    isNumber ? [[...row.slice(0, -1), 0, ...row.slice(-1)]] : (from?.states ?? []).map(() => [...row]),
                ) ?? null,
        }));
    };
}

/** Removes an arc. The rows of the child's table that differ only in the parent's state are averaged. */
export function removeArc(parent: string, child: string): Change {
    return (network) => {
        const node = nodeOf(network, child);
        const from = nodeOf(network, parent);
        if (node === undefined || from === undefined) return network;
        const left: NetworkNode = { ...node, parents: node.parents.filter((name) => name !== parent) };
        if (node.table === null) return replaced(network, child, () => left);
        if (from.kind === "gaussian") {
            const at = 1 + continuousParents(network, node).findIndex(({ name }) => name === parent);
            const table = node.table.map((row) => row.filter((_, index) => index !== at));
            return replaced(network, child, () => ({ ...left, table }));
        }
        const before = discreteParents(network, node);
        const after = discreteParents(network, left);
        const place = before.findIndex(({ name }) => name === parent);
        const table = Array.from({ length: rowCount(after) }, (_, row) => {
            const states = rowStates(after, row);
            const rows = from.states.map((_, state) => {
                const all = [...states.slice(0, place), state, ...states.slice(place)];
                return node.table?.[rowOf(before, all)] ?? [];
            });
            return (rows[0] ?? []).map(
                (_, column) => rows.reduce((sum, own) => sum + (own[column] ?? 0), 0) / rows.length,
            );
        });
        return replaced(network, child, () => ({ ...left, table }));
    };
}

/** The tables of the children once a parent has other states: `from` has the old state of each new one. */
function withStates(network: NetworkReport, name: string, states: string[], from: number[]): NetworkReport {
    const changed = replaced(network, name, (node) => ({ ...node, states }));
    const nodes = changed.nodes.map((node) => {
        if (!node.parents.includes(name) || node.table === null) return node;
        const before = discreteParents(network, node);
        const after = discreteParents(changed, node);
        const place = after.findIndex((parent) => parent.name === name);
        const table = Array.from({ length: rowCount(after) }, (_, row) => {
            const own = rowStates(after, row).map((state, index) => (index === place ? (from[state] ?? 0) : state));
            return [...(node.table?.[rowOf(before, own)] ?? [])];
        });
        return { ...node, table };
    });
    return { ...changed, nodes };
}

/** A new last state, of probability 0; children have in it the rows of the last one. */
export function addState(name: string, state: string): Change {
    return (network) => {
        const node = nodeOf(network, name);
        if (node === undefined) return network;
        const count = node.states.length;
        const changed = withStates(
            network,
            name,
            [...node.states, state],
            Array.from({ length: count + 1 }, (_, index) => Math.min(index, count - 1)),
        );
        return replaced(changed, name, (own) => ({ ...own, table: own.table?.map((row) => [...row, 0]) ?? null }));
    };
}

export function removeState(name: string, at: number): Change {
    return (network) => {
        const node = nodeOf(network, name);
        if (node === undefined) return network;
        const keeps = (_: unknown, index: number): boolean => index !== at;
        const from = node.states.map((_, index) => index).filter(keeps);
        const changed = withStates(network, name, node.states.filter(keeps), from);
        return replaced(changed, name, (own) => ({
            ...own,
            table: own.table?.map((row) => normalized(row.filter(keeps))) ?? null,
        }));
    };
}

export function renameState(name: string, at: number, to: string): Change {
    return (network) =>
        replaced(network, name, (node) => ({
            ...node,
            states: node.states.map((state, index) => (index === at ? to : state)),
        }));
}

/** The states in their order: changed ones are renamed, further ones added, and missing ones removed. An even table stays even. */
export function setStates(name: string, states: string[]): Change {
    return (network) => {
        const node = nodeOf(network, name);
        if (node === undefined) return network;
        const isEven = node.table?.every((row) => row.every((value) => value === row[0])) === true;
        let changed = network;
        for (let at = node.states.length - 1; at >= states.length; at--) changed = removeState(name, at)(changed);
        states.forEach((state, at) => {
            changed = at < node.states.length ? renameState(name, at, state)(changed) : addState(name, state)(changed);
        });
        if (!isEven) return changed;
        return replaced(changed, name, (own) => ({
            ...own,
            table: own.table?.map(() => evenRow(states.length)) ?? null,
        }));
    };
}

export function setTable(name: string, table: number[][]): Change {
    return (network) => replaced(network, name, (node) => ({ ...node, table }));
}

/** Divides the row by its sum; equal probabilities if the sum is 0. */
export function normalized(row: number[]): number[] {
    const sum = row.reduce((total, value) => total + value, 0);
    return sum > 0 && Number.isFinite(sum) ? row.map((value) => value / sum) : evenRow(row.length);
}
