// SPDX-License-Identifier: MIT
// The columns in the order of their information about the class, and the chosen one, large.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { changeParams } from "../../shell/route";
import { Value } from "../../shell/value";
import type { ModelColumn, ShownModel } from "../ask/reports";
import { Attribute } from "./attribute";

interface Props {
    columns: ModelColumn[];
    shown: ShownModel | undefined;
    classes: string[];
    /** The expected information gain of each attribute, in bits, if all other values are missing. */
    gains: Map<string, number> | undefined;
    params: URLSearchParams;
}

const MOST = 200;

export function Columns({ columns, shown, classes, gains, params }: Props): JSX.Element | null {
    const [filter, setFilter] = useState("");
    const gain = (name: string): number => gains?.get(name) ?? 0;
    const attributes = columns
        .filter(({ role }) => role === "attribute")
        .sort((a, b) => gain(b.column) - gain(a.column));
    const chosen = attributes.find(({ column }) => column === params.get("column")) ?? attributes[0];
    if (chosen === undefined) return null;
    const matching = attributes.filter(({ column }) => column.toLowerCase().includes(filter.toLowerCase()));
    const most = Math.max(1e-12, ...(gains?.values() ?? []));
    return (
        <div class="understand">
            <section aria-labelledby="columns">
                <h2 id="columns">Columns</h2>
                <p class="quiet">Information about the class in bits, if no other value is known.</p>
                {attributes.length > 12 && (
                    <label>
                        Filter{" "}
                        <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />{" "}
                        <span class="quiet">
                            {matching.length} of {attributes.length}
                        </span>
                    </label>
                )}
                <ol class="attribute-list" tabIndex={-1}>
                    {matching.slice(0, MOST).map(({ column }) => (
                        <li key={column}>
                            <button
                                type="button"
                                aria-pressed={column === chosen.column}
                                onClick={() => changeParams({ column })}
                            >
                                <span class="name">{column}</span>
                                {gains?.has(column) === true ? (
                                    <Value of={gain(column)} name={`bits ${column}`} />
                                ) : (
                                    <span />
                                )}
                                <span class="gain" style={{ width: `${(100 * gain(column)) / most}%` }} />
                            </button>
                        </li>
                    ))}
                </ol>
                {matching.length > MOST && <p class="quiet">Only {MOST} are shown: use the filter to find others.</p>}
            </section>
            <Attribute
                column={chosen}
                shown={shown?.attributes?.find(({ attribute }) => attribute === chosen.column)}
                model={shown}
                classes={classes}
                target={columns.find(({ role }) => role === "target")?.column ?? ""}
            />
        </div>
    );
}
