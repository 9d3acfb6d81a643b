// SPDX-License-Identifier: MIT
// The conditional table of a node. If the class is a parent: bars for each class, given chosen states of the other parents. Otherwise: numbers.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Legend } from "../../charts/legend";
import { tableBars } from "../../charts/table-bars";
import { DataTable } from "../../shell/data-table";
import { Picture } from "../../shell/picture";
import { Value } from "../../shell/value";
import type { ShownModel } from "../ask/reports";

type Node = NonNullable<ShownModel["nodes"]>[number];

interface Line {
    /** The state of each parent. */
    given: string[];
    probabilities: number[];
}

/** Rows in the order of the report: the states of the last parent change fastest. */
function linesOf(node: Node, nodes: Node[]): Line[] {
    const states = node.parents.map((name) => nodes.find((one) => one.name === name)?.states ?? []);
    return (node.table ?? []).map((probabilities, index) => {
        const given: string[] = [];
        let rest = index;
        for (let parent = states.length - 1; parent >= 0; parent--) {
            const of = states[parent] ?? [];
            given.unshift(of[rest % Math.max(1, of.length)] ?? "");
            rest = Math.floor(rest / Math.max(1, of.length));
        }
        return { given, probabilities };
    });
}

interface Props {
    node: Node;
    nodes: Node[];
    target: string;
    classes: string[];
}

function Bars({
    node,
    lines,
    at,
    classes,
}: Omit<Props, "nodes" | "target"> & { lines: Line[]; at: number }): JSX.Element {
    const others = node.parents.filter((_, index) => index !== at);
    const keyOf = ({ given }: Line): string => JSON.stringify(given.filter((_, index) => index !== at));
    const keys = [...new Set(lines.map(keyOf))];
    const [chosen, setChosen] = useState<string>();
    const key = chosen !== undefined && keys.includes(chosen) ? chosen : keys[0];
    const some = lines.filter((line) => keyOf(line) === key);
    const nameOf = (one: string): string =>
        (JSON.parse(one) as string[]).map((state, index) => `${others[index] ?? ""}=${state}`).join(", ");
    const rows = (node.states ?? []).map((value, index) => ({
        value,
        probability: Object.fromEntries(some.map((line) => [line.given[at] ?? "", line.probabilities[index] ?? 0])),
    }));
    const title = `P(${node.name} | class${others.length > 0 && key !== undefined ? `, ${nameOf(key)}` : ""})`;
    return (
        <>
            {others.length > 0 && (
                <label>
                    Given{" "}
                    <select value={key} onChange={(event) => setChosen(event.currentTarget.value)}>
                        {keys.slice(0, 500).map((one) => (
                            <option key={one} value={one}>
                                {nameOf(one)}
                            </option>
                        ))}
                    </select>
                </label>
            )}
            <Legend classes={classes} mark="area" />
            <Picture title={title} inputs={[node, key]} render={(width) => tableBars(width, title, rows, classes)} />
        </>
    );
}

export function NodeTable({ node, nodes, target, classes }: Props): JSX.Element | null {
    const lines = linesOf(node, nodes);
    const at = node.parents.indexOf(target);
    if (lines.length === 0 || node.states === undefined) return null;
    if (at >= 0) return <Bars key={node.name} node={node} lines={lines} at={at} classes={classes} />;
    return (
        <DataTable
            caption={`P(${node.name}${node.parents.length > 0 ? ` | ${node.parents.join(", ")}` : ""})`}
            rows={lines}
            columns={[
                ...node.parents.map((title, index) => ({ title, cell: ({ given }: Line) => given[index] ?? "" })),
                ...node.states.map((title, index) => ({
                    title: node.parents.includes(title) ? `=${title}` : title,
                    cell: ({ probabilities }: Line) => <Value of={probabilities[index]} />,
                    by: ({ probabilities }: Line) => probabilities[index],
                    isNumber: true,
                })),
            ]}
        />
    );
}
