// SPDX-License-Identifier: MIT
// The evidence, its probability, the node that is looked at, and all nodes as a list.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Value } from "../../../shell/value";
import type { Evidence, Finding } from "../evidence";
import { withFinding } from "../evidence";
import type { PanelProps } from "../networks";
import { compareWith, setEvidence } from "../view-state";
import { NodeList } from "./node-list";
import { NodePanel } from "./node-panel";

export function EvidencePanel(props: PanelProps & { logEvidence: number | undefined }): JSX.Element {
    const { open, state, logEvidence, onMarks, onCommand } = props;
    const { evidence } = state;
    const node = open.network.nodes.find(({ name }) => name === state.node);
    useEffect(() => {
        onMarks(undefined);
        onCommand(undefined);
    }, []);
    const hasNumbers = open.network.nodes.some(({ name, kind }) => kind === "gaussian" && evidence.has(name));
    return (
        <>
            <h2>Evidence</h2>
            <Chips evidence={evidence} />
            <p class="evidence-probability" aria-live="polite">
                {logEvidence === undefined ? (
                    evidence.size === 0 ? (
                        ""
                    ) : (
                        "–"
                    )
                ) : (
                    <>
                        {hasNumbers ? "Density of the evidence" : "P(evidence)"} ={" "}
                        <Value of={Math.exp(logEvidence)} name="evidence" />, log{" "}
                        <Value of={logEvidence} name="log-evidence" />
                    </>
                )}
            </p>
            {evidence.size > 0 && (
                <Comparison
                    evidence={evidence}
                    isCompared={state.before !== undefined}
                    pinned={state.before?.size ?? 0}
                />
            )}
            {node !== undefined && <NodePanel {...props} node={node} />}
            <NodeList {...props} />
        </>
    );
}

function Chips({ evidence }: { evidence: Evidence }): JSX.Element {
    if (evidence.size === 0) return <p class="quiet">Click a state in the graph, or choose a node below.</p>;
    return (
        <ul class="chips" aria-label="Evidence">
            {[...evidence].map(([name, finding]) => (
                <li key={name}>
                    <span>{findingText(name, finding)}</span>
                    <button
                        type="button"
                        class="plain"
                        aria-label={`Remove the evidence on ${name}`}
                        onClick={() => setEvidence(withFinding(evidence, name, undefined))}
                    >
                        ×
                    </button>
                </li>
            ))}
            <li class="chips-clear">
                <button type="button" onClick={() => setEvidence(new Map())}>
                    Clear all
                </button>
            </li>
        </ul>
    );
}

export function findingText(name: string, finding: Finding): string {
    if ("value" in finding) return `${name} = ${finding.value}`;
    return `${name} ~ ${finding.likelihoods.map(([state, likelihood]) => `${state}:${likelihood}`).join(" ")}`;
}

/** Explains the lines across the bars: the posteriors before this evidence. */
function Comparison({
    evidence,
    isCompared,
    pinned,
}: {
    evidence: Evidence;
    isCompared: boolean;
    pinned: number;
}): JSX.Element {
    return (
        <p class="comparison">
            <span class="before-key" aria-hidden="true" />
            {isCompared
                ? pinned > 0
                    ? "Lines: posteriors with the stored evidence. "
                    : "Lines: posteriors without evidence. "
                : "No comparison. "}
            <button type="button" onClick={() => compareWith(evidence)}>
                Compare with current evidence
            </button>
            {(!isCompared || pinned > 0) && (
                <button type="button" onClick={() => compareWith(new Map())}>
                    Compare with no evidence
                </button>
            )}
            {isCompared && (
                <button type="button" onClick={() => compareWith(undefined)}>
                    Hide
                </button>
            )}
        </p>
    );
}
