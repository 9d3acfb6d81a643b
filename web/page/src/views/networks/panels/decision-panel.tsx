// SPDX-License-Identifier: MIT
// Influence diagrams: what to decide in each situation, its expected utility, and what looking at a node first is worth.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Problem } from "../../../shell/problem";
import { Value } from "../../../shell/value";
import { evidenceOptions } from "../evidence";
import type { PanelProps } from "../networks";
import { member, type DecisionReport } from "../reports";
import { useNetworkAnswer } from "../use-network";

export function DecisionPanel({ open, state, onMarks, onCommand }: PanelProps): JSX.Element {
    const answer = useNetworkAnswer<DecisionReport>(open, "query", [
        "--decide",
        "--value-of",
        "all",
        ...evidenceOptions(state.evidence),
    ]);
    useEffect(() => onMarks(undefined), []);
    useEffect(() => onCommand(answer.command), [JSON.stringify(answer.command)]);
    const found = answer.value;
    return (
        <>
            <h2>Decisions</h2>
            {answer.error !== undefined && <Problem error={answer.error} />}
            {found !== undefined && (
                <>
                    <p aria-live="polite">
                        Expected utility <Value of={found.expected_utility} name="expected-utility" />
                    </p>
                    {found.policy.map((decision) => (
                        <Policy key={decision.decision} decision={decision} />
                    ))}
                    {found.value_of !== undefined && <Worth values={found.value_of} />}
                </>
            )}
        </>
    );
}

function Policy({ decision }: { decision: DecisionReport["policy"][number] }): JSX.Element {
    const known = Object.keys(decision.choices[0]?.known ?? {});
    const choices = Object.keys(decision.choices[0]?.expected_utility ?? {});
    return (
        <div class="table-scroll" role="region" aria-label={`Policy of ${decision.decision}`} tabIndex={0}>
            <table>
                <caption>
                    {decision.decision}
                    {known.length > 0 ? ", given the known nodes" : ""}
                </caption>
                <thead>
                    <tr>
                        {known.map((name) => (
                            <th key={name} scope="col">
                                {name}
                            </th>
                        ))}
                        <th scope="col">decision</th>
                        {choices.map((choice) => (
                            <th key={choice} scope="col" class="number">
                                EU({choice})
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {decision.choices.map((row, index) => (
                        <tr key={index}>
                            {known.map((name) => (
                                <td key={name}>{member(row.known, name)}</td>
                            ))}
                            <td>
                                <strong>{row.choice}</strong>
                            </td>
                            {choices.map((choice) => (
                                <td key={choice} class="number">
                                    <Value of={member(row.expected_utility, choice)} />
                                </td>
                            ))}
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function Worth({ values }: { values: Record<string, number | null> }): JSX.Element {
    return (
        <table>
            <caption>Value of information</caption>
            <thead>
                <tr>
                    <th scope="col">node</th>
                    <th scope="col" class="number">
                        value
                    </th>
                </tr>
            </thead>
            <tbody>
                {Object.entries(values).map(([name, worth]) => (
                    <tr key={name}>
                        <th scope="row">{name}</th>
                        <td class="number">
                            {worth === null ? "not observable before" : <Value of={worth} name={`worth ${name}`} />}
                        </td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
