// SPDX-License-Identifier: MIT
// The most probable explanation: the states of all other nodes that are most probable together, given the evidence.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../../../shell/problem";
import { Value } from "../../../shell/value";
import { evidenceOptions, quotedNode } from "../evidence";
import type { PanelProps } from "../networks";
import type { MostProbableReport } from "../reports";
import { useNetworkAnswer } from "../use-network";

export function ExplanationPanel({ open, state, onMarks, onCommand }: PanelProps): JSX.Element {
    const { evidence } = state;
    const [chosen, setChosen] = useState<string[]>([]);
    const discrete = open.network.nodes.filter(({ kind }) => kind === "chance");
    const asked = chosen.filter((name) => !evidence.has(name) && discrete.some((node) => node.name === name));
    const answer = useNetworkAnswer<MostProbableReport>(open, "query", [
        "--mpe",
        ...(asked.length > 0 ? ["--of", asked.map(quotedNode).join(",")] : []),
        ...evidenceOptions(evidence),
    ]);
    const found = answer.value?.most_probable;
    useEffect(() => {
        onMarks(
            found === undefined
                ? undefined
                : { nodes: new Map(), arcs: new Map(), isDimmed: false, states: new Map(Object.entries(found.states)) },
        );
    }, [found]);
    useEffect(() => onCommand(answer.command), [JSON.stringify(answer.command)]);
    const logProbability = found?.log_probability;
    const logEvidence = answer.value?.log_evidence;
    return (
        <>
            <h2>Most probable explanation</h2>
            <p class="quiet">
                The most probable joint states of {asked.length > 0 ? "the selected nodes" : "all nodes"} given the
                evidence. They are outlined in the graph.
            </p>
            {answer.error !== undefined && <Problem error={answer.error} />}
            {found !== undefined && logProbability !== undefined && logEvidence !== undefined && (
                <>
                    <p aria-live="polite">
                        log P(states | evidence) = <Value of={logProbability} name="log-probability" />, log P(evidence)
                        = <Value of={logEvidence} name="log-evidence" />
                    </p>
                    <table>
                        <caption class="unseen">Most probable states</caption>
                        <thead>
                            <tr>
                                <th scope="col">node</th>
                                <th scope="col">state</th>
                            </tr>
                        </thead>
                        <tbody>
                            {Object.entries(found.states).map(([name, value]) => (
                                <tr key={name}>
                                    <th scope="row">{name}</th>
                                    <td data-name={name}>
                                        {value}
                                        {evidence.has(name) ? " (known)" : ""}
                                    </td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </>
            )}
            <details>
                <summary>Selected nodes</summary>
                <label class="map-nodes">
                    <span>Nodes (others are summed out)</span>
                    <select
                        multiple
                        size={Math.min(8, Math.max(3, discrete.length))}
                        onChange={(event) =>
                            setChosen([...event.currentTarget.selectedOptions].map(({ value }) => value))
                        }
                    >
                        {discrete.map(({ name }) => (
                            <option key={name} value={name} selected={chosen.includes(name)}>
                                {name}
                            </option>
                        ))}
                    </select>
                </label>
            </details>
        </>
    );
}
