// SPDX-License-Identifier: MIT
// One node: the posterior of each state, before and after; evidence on it, certain or virtual; its neighbors and its table.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Value } from "../../../shell/value";
import { toggled, withFinding, type Evidence } from "../evidence";
import type { PanelProps } from "../networks";
import type { NetworkNode } from "../reports";
import { setEvidence } from "../view-state";
import { CptTable } from "./cpt-table";
import { Neighbors } from "./neighbors";
import { NumberPanel } from "./number-panel";

export function NodePanel(props: PanelProps & { node: NetworkNode }): JSX.Element {
    const { node, state, beliefs, before } = props;
    const belief = beliefs.get(node.name);
    return (
        <div class="card node-panel">
            <h3 id="node-panel" tabIndex={-1}>
                {node.name}
            </h3>
            {node.kind === "gaussian" ? (
                <NumberPanel
                    name={node.name}
                    evidence={state.evidence}
                    belief={belief}
                    before={before?.get(node.name)}
                />
            ) : node.kind === "utility" ? (
                <p class="quiet">A utility node: see the table for its values.</p>
            ) : (
                <>
                    <StateTable node={node} evidence={state.evidence} belief={belief} before={before?.get(node.name)} />
                    {node.kind === "chance" && (
                        <VirtualEvidence key={node.name} node={node} evidence={state.evidence} />
                    )}
                </>
            )}
            <Neighbors open={props.open} node={node} />
            <CptTable network={props.open.network} node={node} />
        </div>
    );
}

interface StateProps {
    node: NetworkNode;
    evidence: Evidence;
    belief: ReturnType<PanelProps["beliefs"]["get"]>;
    before: ReturnType<PanelProps["beliefs"]["get"]>;
}

function StateTable({ node, evidence, belief, before }: StateProps): JSX.Element {
    const now = belief !== undefined && "probabilities" in belief ? belief.probabilities : undefined;
    const last = before !== undefined && "probabilities" in before ? before.probabilities : undefined;
    const finding = evidence.get(node.name);
    return (
        <div class="table-scroll" role="region" aria-label={`States of ${node.name}`} tabIndex={0}>
            <table class="states">
                <caption class="unseen">Posterior of {node.name}</caption>
                <thead>
                    <tr>
                        <th scope="col">{node.kind === "decision" ? "choice" : "state"}</th>
                        {now !== undefined && (
                            <th scope="col" class="number">
                                probability
                            </th>
                        )}
                        {last !== undefined && (
                            <th scope="col" class="number">
                                before
                            </th>
                        )}
                    </tr>
                </thead>
                <tbody>
                    {node.states.map((state, index) => {
                        const isKnown = finding !== undefined && "value" in finding && finding.value === state;
                        return (
                            <tr key={state}>
                                <th scope="row">
                                    <button
                                        type="button"
                                        class="state-choice"
                                        aria-pressed={isKnown}
                                        onClick={() => setEvidence(toggled(evidence, node.name, state))}
                                    >
                                        {state}
                                    </button>
                                </th>
                                {now !== undefined && (
                                    <td class="number">
                                        <Value of={now[index] ?? null} name={`${node.name}=${state}`} isProbability />
                                    </td>
                                )}
                                {last !== undefined && (
                                    <td class="number">
                                        <Value of={last[index] ?? null} isProbability />
                                    </td>
                                )}
                            </tr>
                        );
                    })}
                </tbody>
            </table>
        </div>
    );
}

/** The likelihood of an observation in each state. Only the ratios matter. */
function VirtualEvidence({ node, evidence }: { node: NetworkNode; evidence: Evidence }): JSX.Element {
    const finding = evidence.get(node.name);
    const current = finding !== undefined && "likelihoods" in finding ? new Map(finding.likelihoods) : undefined;
    const initial = node.states.map((state) => String(current === undefined ? 1 : (current.get(state) ?? 0)));
    const [texts, setTexts] = useState(initial);
    useEffect(() => setTexts(initial), [JSON.stringify(initial)]);
    const set = (event: Event): void => {
        event.preventDefault();
        const likelihoods = node.states.map((state, index): [string, number] => [state, Number(texts[index] ?? 0)]);
        setEvidence(withFinding(evidence, node.name, { likelihoods }));
    };
    return (
        <details open={current !== undefined}>
            <summary>Virtual evidence</summary>
            <form onSubmit={set} class="likelihoods">
                <p class="quiet">Likelihood of the observation in each state. Only the ratios matter.</p>
                {node.states.map((state, index) => (
                    <label key={state}>
                        <span>{state}</span>
                        <input
                            type="number"
                            min="0"
                            step="any"
                            required
                            value={texts[index]}
                            onInput={(event) => {
                                const { value } = event.currentTarget;
                                setTexts((last) => last.map((text, at) => (at === index ? value : text)));
                            }}
                        />
                    </label>
                ))}
                <button type="submit">Set</button>
                {current !== undefined && (
                    <button type="button" onClick={() => setEvidence(withFinding(evidence, node.name, undefined))}>
                        Remove
                    </button>
                )}
            </form>
        </details>
    );
}
