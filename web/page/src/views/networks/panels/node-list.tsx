// SPDX-License-Identifier: MIT
// A list of all nodes with a search field: for large networks, and for people who cannot see the graph.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { rounded, shownProbability } from "../../../shell/numbers";
import { changeParams } from "../../../shell/route";
import type { Belief } from "../beliefs";
import { findingText } from "./evidence-panel";
import type { PanelProps } from "../networks";
import type { NetworkNode } from "../reports";

const MOST = 60;

function summary(node: NetworkNode, belief: Belief | undefined): string {
    if (belief === undefined) return node.kind === "chance" ? "" : node.kind;
    if ("number" in belief) return `mean ${rounded(belief.number.mean)}, sd ${rounded(belief.number.sd)}`;
    const most = belief.probabilities.reduce((best, value, at, all) => (value > (all[best] ?? 0) ? at : best), 0);
    return `${node.states[most] ?? ""} ${shownProbability(belief.probabilities[most])}`;
}

export function NodeList({ open, state, beliefs }: PanelProps): JSX.Element {
    const [search, setSearch] = useState("");
    const wanted = search.trim().toLowerCase();
    const found = open.network.nodes.filter(
        ({ name, states }) =>
            wanted === "" ||
            name.toLowerCase().includes(wanted) ||
            states.some((text) => text.toLowerCase() === wanted),
    );
    return (
        <>
            <h2>Nodes</h2>
            <label class="node-search">
                <span class="unseen">Search nodes</span>
                <input
                    type="search"
                    placeholder={`Search ${open.network.nodes.length} nodes`}
                    value={search}
                    onInput={(event) => setSearch(event.currentTarget.value)}
                />
            </label>
            <ul class="node-list" aria-label="Nodes">
                {found.slice(0, MOST).map((node) => {
                    const finding = state.evidence.get(node.name);
                    return (
                        <li key={node.name}>
                            <button
                                type="button"
                                class="plain"
                                aria-current={node.name === state.node ? "true" : undefined}
                                onClick={() => changeParams({ node: node.name })}
                            >
                                <span>{node.name}</span>
                                <span class="quiet">
                                    {finding === undefined
                                        ? summary(node, beliefs.get(node.name))
                                        : findingText(node.name, finding).slice(node.name.length)}
                                </span>
                            </button>
                        </li>
                    );
                })}
            </ul>
            <p class="quiet" aria-live="polite">
                {found.length > MOST
                    ? `and ${found.length - MOST} more`
                    : found.length === 0
                      ? "No matching nodes."
                      : ""}
            </p>
        </>
    );
}
