// SPDX-License-Identifier: MIT
// Changes that flip the prediction, and the most informative missing values, each with a button.
import type { JSX } from "preact";
import { rounded } from "../../shell/numbers";
import { Value } from "../../shell/value";
import type { RowAnswer } from "./answer";
import type { Change } from "./reports";
import type { Field } from "./model-columns";

const MOST = 5;

interface Props {
    answer: RowAnswer;
    fields: Field[];
    /** Puts a value into the row. */
    change(field: string, value: string): void;
    /** Shows the field of a column. */
    show(field: string): void;
}

function fieldOf(fields: Field[], attribute: string): Field | undefined {
    return fields.find(({ attributes }) => attributes.includes(attribute));
}

function ChangeLine({ one, fields, change }: { one: Change } & Pick<Props, "fields" | "change">): JSX.Element {
    const field = fieldOf(fields, one.attribute);
    const isWhole = field !== undefined && field.attributes.length === 1;
    return (
        <li>
            <span>
                {one.attribute} →{" "}
                {typeof one.value === "number" ? (
                    <Value of={one.value} name={`change ${one.attribute}`} />
                ) : (
                    <b>{one.value}</b>
                )}
                : then <b>{one.prediction ?? one.decision}</b>
                {typeof one.value === "number" ? (
                    <span class="quiet"> {rounded(one.deviations)} standard deviations away</span>
                ) : (
                    one.probability !== null && <span class="quiet"> ({rounded(one.probability)})</span>
                )}
            </span>
            {isWhole && (
                <button
                    type="button"
                    aria-label={`Try ${one.attribute} = ${shownValue(one.value)}`}
                    onClick={() => change(field.name, String(one.value))}
                >
                    Try
                </button>
            )}
        </li>
    );
}

function shownValue(value: string | number): string {
    return typeof value === "number" ? rounded(value) : value;
}

export function WhatIf({ answer, fields, change, show }: Props): JSX.Element {
    const { changes, missing } = answer;
    const most = Math.max(1e-12, missing[0]?.bits ?? 0);
    return (
        <div class="what-if">
            <section aria-labelledby="flips">
                <h2 id="flips">Changes that flip the prediction</h2>
                {changes.length === 0 ? (
                    <p class="quiet">
                        {answer.changesTried === 0
                            ? "Set a numeric or categorical value to see which changes flip the prediction."
                            : "No single change flips the prediction."}
                    </p>
                ) : (
                    <ul class="lines">
                        {changes.slice(0, MOST).map((one) => (
                            <ChangeLine key={one.attribute} one={one} fields={fields} change={change} />
                        ))}
                    </ul>
                )}
            </section>
            <section aria-labelledby="next">
                <h2 id="next">Most informative missing values</h2>
                {missing.length === 0 || (missing[0]?.bits ?? 0) < 5e-5 ? (
                    <p class="quiet">
                        {missing.length === 0
                            ? "All values are known."
                            : "None of the missing values would change the prediction much."}
                    </p>
                ) : (
                    <ul class="lines">
                        {missing.slice(0, MOST).map(({ attribute, bits }) => (
                            <li key={attribute}>
                                <span class="next-line">
                                    <span>{attribute}</span>
                                    <span>
                                        <Value of={bits} name={`bits ${attribute}`} /> <span class="quiet">bits</span>
                                    </span>
                                    <span class="bits" style={{ width: `${(100 * bits) / most}%` }} />
                                </span>
                                <button
                                    type="button"
                                    aria-label={`Go to ${attribute}`}
                                    onClick={() => show(fieldOf(fields, attribute)?.name ?? attribute)}
                                >
                                    Go to
                                </button>
                            </li>
                        ))}
                    </ul>
                )}
            </section>
        </div>
    );
}
