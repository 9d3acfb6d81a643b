// SPDX-License-Identifier: MIT
// The posterior of each node in the order of its states, as the graph draws it.
import {
    isNumber,
    member,
    type NetworkNode,
    type NetworkReport,
    type NumberPosterior,
    type PosteriorReport,
} from "./reports";
import type { Evidence } from "./evidence";

export type Belief = { probabilities: number[] } | { number: NumberPosterior };
export type Beliefs = ReadonlyMap<string, Belief>;

export function beliefsOf(network: NetworkReport, report: PosteriorReport | undefined): Beliefs {
    const beliefs = new Map<string, Belief>();
    if (report === undefined) return beliefs;
    for (const node of network.nodes) {
        const posterior = member(report.posterior, node.name);
        if (posterior === undefined) continue;
        if (node.kind === "gaussian") {
            if (isNumber(posterior)) beliefs.set(node.name, { number: posterior });
        } else {
            const values = posterior as Record<string, number>;
            beliefs.set(node.name, { probabilities: node.states.map((state) => member(values, state) ?? 0) });
        }
    }
    return beliefs;
}

/** Open decisions and their descendants, whose probabilities depend on the choices. */
export function undecided(network: NetworkReport, evidence: Evidence): Set<string> {
    const open = new Set<string>();
    for (const { name, kind } of network.nodes) if (kind === "decision" && !evidence.has(name)) open.add(name);
    for (let before = -1; before !== open.size;) {
        before = open.size;
        for (const { name, parents } of network.nodes)
            if (!open.has(name) && !evidence.has(name) && parents.some((parent) => open.has(parent))) open.add(name);
    }
    return open;
}

/** Returns the value of --of for all nodes with a posterior; undefined if there are none. */
export function answerable(network: NetworkReport, evidence: Evidence): "all" | string[] | undefined {
    const open = undecided(network, evidence);
    const asks = (node: NetworkNode): boolean =>
        (node.kind === "chance" || node.kind === "gaussian") && !open.has(node.name);
    const names = network.nodes.filter(asks).map(({ name }) => name);
    if (names.length === 0) return undefined;
    const isEvery = network.nodes.every((node) => asks(node) || node.kind === "decision" || node.kind === "utility");
    return isEvery ? "all" : names;
}
