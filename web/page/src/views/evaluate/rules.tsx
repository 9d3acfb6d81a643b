// SPDX-License-Identifier: MIT
// Decision rules: costs, or no decision if no class is probable enough; and their results.
import type { JSX } from "preact";
import { Problem } from "../../shell/problem";
import { changeParams } from "../../shell/route";
import { Value } from "../../shell/value";
import { Confusion } from "./confusion";
import { CostMatrix } from "./cost-matrix";
import { formatCosts, parseCosts, plainCosts } from "./question";
import type { Decisions } from "./reports";

interface Props {
    classes: string[];
    params: URLSearchParams;
    decisions: Decisions | undefined;
    error: Error | undefined;
}

const MAX_CLASSES = 12;

export function Rules({ classes, params, decisions, error }: Props): JSX.Element {
    const rule = params.get("rule") ?? "none";
    const costs = parseCosts(params.get("costs"), classes.length) ?? plainCosts(classes.length);
    const reject = params.get("reject") ?? "0.8";
    const choose = (value: string): void => {
        if (value === "cost") changeParams({ rule: "cost", costs: formatCosts(costs), reject: undefined });
        else if (value === "reject") changeParams({ rule: "reject", reject, costs: undefined });
        else changeParams({ rule: undefined, costs: undefined, reject: undefined });
    };
    const numbers: [string, string, number | null | undefined][] = [
        ["Mean cost per row", "mean_cost", decisions?.cost],
        ["Mean cost of the most probable class", "plain_cost", decisions?.plain_cost],
        [`Mean cost of always choosing ${decisions?.single_action ?? ""}`, "single_cost", decisions?.single_cost],
        ["Proportion of decided rows", "coverage", decisions?.coverage],
        ["Accuracy of the decisions", "decided_accuracy", decisions?.accuracy],
    ];
    return (
        <section aria-labelledby="rules">
            <h2 id="rules">Decisions</h2>
            <fieldset class="choices">
                <legend class="unseen">Decision rule</legend>
                {(
                    [
                        ["none", "the most probable class"],
                        ["cost", "the smallest expected cost"],
                        ["reject", "no decision if unsure"],
                    ] as const
                ).map(([value, title]) => (
                    <label key={value}>
                        <input type="radio" name="rule" checked={rule === value} onChange={() => choose(value)} />{" "}
                        {title}
                    </label>
                ))}
            </fieldset>
            {rule === "cost" &&
                (classes.length <= MAX_CLASSES ? (
                    <CostMatrix
                        classes={classes}
                        costs={costs}
                        onChange={(changed) => changeParams({ costs: formatCosts(changed) })}
                    />
                ) : (
                    <p>Too many classes ({classes.length}): use the command with a cost file.</p>
                ))}
            {rule === "reject" && (
                <label class="slider">
                    <span>
                        Decide if a class has at least probability <output>{reject}</output>
                    </span>
                    <input
                        type="range"
                        min={0.3}
                        max={0.99}
                        step={0.01}
                        value={reject}
                        onInput={(event) => changeParams({ reject: event.currentTarget.value })}
                    />
                </label>
            )}
            {error !== undefined && <Problem error={error} />}
            {decisions !== undefined && (
                <div class="columns" aria-live="polite">
                    <dl class="numbers">
                        {numbers
                            .filter(([, , value]) => value !== undefined && value !== null)
                            .map(([title, name, value]) => (
                                <div key={name}>
                                    <dt>{title}</dt>
                                    <dd>
                                        <Value of={value} name={name} />
                                    </dd>
                                </div>
                            ))}
                    </dl>
                    <Confusion
                        title="Decisions by true class"
                        classes={decisions.table.map((row) => row.class)}
                        actions={decisions.actions}
                        rows={decisions.table.map((row) => row.rows)}
                    />
                </div>
            )}
        </section>
    );
}
