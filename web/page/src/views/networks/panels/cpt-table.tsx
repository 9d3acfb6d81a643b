// SPDX-License-Identifier: MIT
// The conditional probability table of a node, as its file states it.
import type { JSX } from "preact";
import { rounded } from "../../../shell/numbers";
import { combinations, columnsOf, discreteParents } from "../edit/tables";
import type { NetworkNode, NetworkReport } from "../reports";

const MOST_ROWS = 100;

export function CptTable({ network, node }: { network: NetworkReport; node: NetworkNode }): JSX.Element | null {
    if (node.table === null) return null;
    const parents = discreteParents(network, node);
    const columns = columnsOf(network, node);
    const given = node.parents.length === 0 ? "" : ` given ${node.parents.join(", ")}`;
    return (
        <details>
            <summary>Table of {node.name}</summary>
            <div class="table-scroll" role="region" aria-label={`Table of ${node.name}`} tabIndex={0}>
                <table>
                    <caption>
                        {node.kind === "chance"
                            ? `P(${node.name}${node.parents.length > 0 ? " | " + node.parents.join(", ") : ""})`
                            : `${node.name}${given}`}
                    </caption>
                    <thead>
                        <tr>
                            {parents.map(({ name }) => (
                                <th key={`parent ${name}`} scope="col">
                                    {name}
                                </th>
                            ))}
                            {columns.map((title) => (
                                <th key={`column ${title}`} scope="col" class="number">
                                    {title}
                                </th>
                            ))}
                        </tr>
                    </thead>
                    <tbody>
                        {combinations(parents)
                            .slice(0, MOST_ROWS)
                            .map((states, row) => (
                                <tr key={row}>
                                    {states.map((state, index) => (
                                        <th key={index} scope="row">
                                            {state}
                                        </th>
                                    ))}
                                    {(node.table?.[row] ?? []).map((value, index) => (
                                        <td key={index} class="number" data-value={value} title={String(value)}>
                                            {rounded(value)}
                                        </td>
                                    ))}
                                </tr>
                            ))}
                    </tbody>
                </table>
            </div>
            {node.table.length > MOST_ROWS && <p class="quiet">and {node.table.length - MOST_ROWS} more rows</p>}
        </details>
    );
}
