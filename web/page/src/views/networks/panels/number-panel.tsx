// SPDX-License-Identifier: MIT
// A continuous node: its posterior, and a number as evidence.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Value } from "../../../shell/value";
import type { Belief } from "../beliefs";
import { withFinding, type Evidence } from "../evidence";
import type { NumberPosterior } from "../reports";
import { setEvidence } from "../view-state";

interface Props {
    name: string;
    evidence: Evidence;
    belief: Belief | undefined;
    before: Belief | undefined;
}

function numberOf(belief: Belief | undefined): NumberPosterior | undefined {
    return belief !== undefined && "number" in belief ? belief.number : undefined;
}

export function NumberPanel({ name, evidence, belief, before }: Props): JSX.Element {
    const finding = evidence.get(name);
    const known = finding !== undefined && "value" in finding ? finding.value : "";
    const [text, setText] = useState(known);
    useEffect(() => setText(known), [known, name]);
    const now = numberOf(belief);
    const last = numberOf(before);
    const rows: [string, (posterior: NumberPosterior) => number | undefined][] = [
        ["mean", ({ mean }) => mean],
        ["standard deviation", ({ sd }) => sd],
        ["2.5 %", ({ quantiles }) => quantiles["0.025"]],
        ["median", ({ quantiles }) => quantiles["0.5"]],
        ["97.5 %", ({ quantiles }) => quantiles["0.975"]],
    ];
    return (
        <>
            {now !== undefined && (
                <table>
                    <caption class="unseen">Posterior of {name}</caption>
                    <thead>
                        <tr>
                            <th scope="col">posterior</th>
                            <th scope="col" class="number">
                                now
                            </th>
                            {last !== undefined && (
                                <th scope="col" class="number">
                                    before
                                </th>
                            )}
                        </tr>
                    </thead>
                    <tbody>
                        {rows.map(([title, value]) => (
                            <tr key={title}>
                                <th scope="row">{title}</th>
                                <td class="number">
                                    <Value of={value(now)} name={`${name} ${title}`} />
                                </td>
                                {last !== undefined && (
                                    <td class="number">
                                        <Value of={value(last)} />
                                    </td>
                                )}
                            </tr>
                        ))}
                    </tbody>
                </table>
            )}
            <form
                class="likelihoods"
                onSubmit={(event) => {
                    event.preventDefault();
                    setEvidence(withFinding(evidence, name, text.trim() === "" ? undefined : { value: text.trim() }));
                }}
            >
                <label>
                    <span>observed value</span>
                    <input
                        type="number"
                        step="any"
                        value={text}
                        onInput={(event) => setText(event.currentTarget.value)}
                    />
                </label>
                <button type="submit">Set</button>
                {known !== "" && (
                    <button type="button" onClick={() => setEvidence(withFinding(evidence, name, undefined))}>
                        Remove
                    </button>
                )}
            </form>
        </>
    );
}
