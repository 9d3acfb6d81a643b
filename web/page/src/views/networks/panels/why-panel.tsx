// SPDX-License-Identifier: MIT
// The explanation of a posterior: the contribution of each finding, and its path.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Problem } from "../../../shell/problem";
import { changeParams } from "../../../shell/route";
import { Value } from "../../../shell/value";
import { evidenceOptions, quotedNode } from "../evidence";
import { arcKey } from "../graph/arcs";
import type { Marks } from "../graph/graph";
import type { PanelProps } from "../networks";
import { member, type ExplanationReport } from "../reports";
import type { NetworkNode } from "../reports";
import { useNetworkAnswer } from "../use-network";
import { NodeChoice } from "./node-choice";

export function WhyPanel({ open, state, onMarks, onCommand }: PanelProps): JSX.Element {
    const { evidence, node } = state;
    const nodes = open.network.nodes.filter(({ kind, name }) => kind === "chance" && !isCertain(name));
    function isCertain(name: string): boolean {
        const finding = evidence.get(name);
        return finding !== undefined && "value" in finding;
    }
    const isAsked = node !== undefined && evidence.size > 0 && nodes.some(({ name }) => name === node);
    const answer = useNetworkAnswer<ExplanationReport>(
        open,
        "explain",
        isAsked ? ["--of", quotedNode(node), ...evidenceOptions(evidence)] : undefined,
    );
    const found = isAsked ? answer.value : undefined;
    useEffect(() => onMarks(found === undefined ? undefined : marksOf(open.network.nodes, found)), [found]);
    useEffect(() => onCommand(answer.command), [JSON.stringify(answer.command)]);
    return (
        <>
            <h2>Explanation</h2>
            <div class="choices">
                <NodeChoice
                    label="Explain"
                    nodes={nodes}
                    value={isAsked ? node : undefined}
                    onChange={(name) => changeParams({ node: name })}
                />
            </div>
            {evidence.size === 0 && <p class="quiet">Click states in the graph to set evidence.</p>}
            {answer.error !== undefined && isAsked && <Problem error={answer.error} />}
            {found !== undefined && <Explanation found={found} nodes={open.network.nodes} />}
        </>
    );
}

function Explanation({ found, nodes }: { found: ExplanationReport; nodes: NetworkNode[] }): JSX.Element {
    const parents = new Map(nodes.map((one) => [one.name, one.parents]));
    const largest = Math.max(1e-9, ...found.findings.map(({ weight }) => Math.abs(weight ?? 0)));
    return (
        <>
            <p aria-live="polite">
                P({found.node} = {found.state}) changed from{" "}
                <Value of={member(found.before, found.state)} name="before" /> to{" "}
                <Value of={member(found.posterior, found.state)} name="posterior" />.{" "}
                {found.moved_most !== null && (
                    <>
                        <strong>{found.moved_most}</strong> changed it most.
                    </>
                )}
            </p>
            <div class="table-scroll" role="region" aria-label="Impact of each finding" tabIndex={0}>
                <table class="why">
                    <caption>
                        Impact of each finding on {found.node} = {found.state}
                    </caption>
                    <thead>
                        <tr>
                            <th scope="col">finding</th>
                            <th scope="col">change of the log odds</th>
                            <th scope="col" class="number">
                                nats
                            </th>
                            <th scope="col" class="number">
                                only this finding
                            </th>
                            <th scope="col" class="number">
                                without this finding
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        {found.findings.map((finding) => (
                            <tr key={finding.node}>
                                <th scope="row">
                                    {finding.node}{" "}
                                    {finding.state !== undefined
                                        ? `= ${finding.state}`
                                        : finding.number !== undefined
                                          ? `= ${finding.number}`
                                          : ""}
                                </th>
                                <td>
                                    <WeightBar weight={finding.weight} largest={largest} />
                                </td>
                                <td class="number">
                                    <Value of={finding.weight} name={`weight ${finding.node}`} />
                                </td>
                                <td class="number">
                                    <Value of={member(finding.alone, found.state)} />
                                </td>
                                <td class="number">
                                    <Value of={member(finding.without, found.state)} />
                                </td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
            <h3>Paths</h3>
            <ul class="joined">
                {found.findings.map(({ node, path }) => (
                    <li key={node}>
                        {path === null || path === undefined
                            ? `${node} is d-separated from ${found.node}: it has no effect`
                            : joined(path, parents)}
                    </li>
                ))}
            </ul>
        </>
    );
}

/** The path, with the direction of each arc. */
function joined(path: string[], parents: Map<string, string[]>): string {
    return path.reduce((text, name, index) => {
        const isDown = parents.get(name)?.includes(path[index - 1] ?? "") === true;
        return `${text} ${isDown ? "→" : "←"} ${name}`;
    });
}

/** From the middle to the right: for the state; to the left: against it. */
function WeightBar({ weight, largest }: { weight: number | null; largest: number }): JSX.Element {
    const share = weight === null ? 0 : Math.max(-1, Math.min(1, weight / largest));
    return (
        <svg class="weight-bar" viewBox="0 0 100 14" aria-hidden="true">
            <line class="weight-middle" x1={50} x2={50} y1={0} y2={14} />
            <rect
                class={share < 0 ? "weight-against" : "weight-for"}
                x={share < 0 ? 50 + 50 * share : 50}
                y={2}
                width={50 * Math.abs(share)}
                height={10}
            />
        </svg>
    );
}

function marksOf(nodes: { name: string; parents: string[] }[], found: ExplanationReport): Marks {
    const marked = new Map<string, string>();
    const arcs = new Map<string, string>();
    const parents = new Map(nodes.map((node) => [node.name, node.parents]));
    for (const { path } of found.findings)
        (path ?? []).forEach((name, index, all) => {
            marked.set(name, "open");
            const next = all[index + 1];
            if (next === undefined) return;
            arcs.set(parents.get(next)?.includes(name) === true ? arcKey(name, next) : arcKey(next, name), "open");
        });
    marked.set(found.node, "end");
    return { nodes: marked, arcs, isDimmed: true };
}
