// SPDX-License-Identifier: MIT
// The confusion matrix: a row for each true class, a column for each decision; shaded by the share of the row.
import type { JSX } from "preact";
import { rounded } from "../../shell/numbers";

interface Props {
    title: string;
    classes: string[];
    /** The possible decisions; absent: the classes. */
    actions?: string[];
    rows: number[][] | null;
    /** Shows the rows that a cell counts. */
    choose?(truth: string, prediction: string): void;
}

export function Confusion({ title, classes, actions = classes, rows, choose }: Props): JSX.Element {
    const id = `confusion-${title.replace(/\W+/g, "-")}`;
    return (
        <section>
            <h2 id={id}>{title}</h2>
            {rows === null ? (
                <p>Too many classes for a matrix.</p>
            ) : (
                <div class="table-scroll" role="region" aria-labelledby={id} tabIndex={0}>
                    <table class="confusion">
                        <thead>
                            <tr>
                                <th scope="col">true class ╲ predicted</th>
                                {actions.map((name) => (
                                    <th key={name} scope="col">
                                        {name}
                                    </th>
                                ))}
                            </tr>
                        </thead>
                        <tbody>
                            {classes.map((name, truth) => {
                                const row = rows[truth] ?? [];
                                const all = row.reduce((sum, count) => sum + count, 0);
                                return (
                                    <tr key={name}>
                                        <th scope="row">{name}</th>
                                        {actions.map((action, named) => {
                                            const count = row[named] ?? 0;
                                            const share = all > 0 ? count / all : 0;
                                            return (
                                                <td
                                                    key={action}
                                                    data-value={count}
                                                    class={action === name ? "is-right" : "is-wrong"}
                                                    style={{ "--share": `${Math.round(50 * share)}%` }}
                                                >
                                                    {choose === undefined || count === 0 ? (
                                                        rounded(count)
                                                    ) : (
                                                        <button
                                                            type="button"
                                                            class="plain"
                                                            aria-label={`Show the ${count} rows of ${name} predicted as ${action}`}
                                                            onClick={() => choose(name, action)}
                                                        >
                                                            {rounded(count)}
                                                        </button>
                                                    )}
                                                </td>
                                            );
                                        })}
                                    </tr>
                                );
                            })}
                        </tbody>
                    </table>
                </div>
            )}
        </section>
    );
}
