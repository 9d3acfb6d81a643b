// SPDX-License-Identifier: MIT
// The arcs of the graph, below the nodes. Highlighted arcs are above the others.
import { Component, type JSX } from "preact";
import type { NetworkReport } from "../reports";
import type { Marks } from "./graph";
import type { Layout } from "./arrange";

interface Props {
    layout: Layout;
    network: NetworkReport;
    marks: Marks | undefined;
    /** The key of the selected arc. */
    selected: string | undefined;
    onSelect: ((parent: string, child: string) => void) | undefined;
}

export function arcKey(parent: string, child: string): string {
    return JSON.stringify([parent, child]);
}

export class Arcs extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
        return (
            next.layout !== this.props.layout ||
            next.marks !== this.props.marks ||
            next.selected !== this.props.selected ||
            (next.onSelect === undefined) !== (this.props.onSelect === undefined)
        );
    }

    override render(): JSX.Element {
        const { layout, network, marks, selected, onSelect } = this.props;
        const marked: JSX.Element[] = [];
        const plain: JSX.Element[] = [];
        const known = new Set(network.nodes.filter(({ kind }) => kind === "decision").map(({ name }) => name));
        layout.arcs.forEach(([parent, child], index) => {
            const from = layout.places[parent]?.name ?? "";
            const to = layout.places[child]?.name ?? "";
            const mark = marks?.arcs.get(arcKey(from, to));
            const classes = selected === arcKey(from, to) ? ["arc", "arc-selected"] : ["arc"];
            if (known.has(to)) classes.push("arc-known");
            if (mark !== undefined) classes.push(`mark-${mark}`);
            else if (marks?.isDimmed === true) classes.push("mark-dim");
            (mark === undefined ? plain : marked).push(
                <path
                    key={index}
                    class={classes.join(" ")}
                    d={layout.paths[index]}
                    marker-end={`url(#arrow${mark === undefined ? "" : "-marked"})`}
                />,
            );
            // A wide invisible line, which is easy to hit.
            if (onSelect !== undefined)
                plain.push(
                    <path
                        key={`hit ${index}`}
                        class="arc-hit"
                        d={layout.paths[index]}
                        data-arc={arcKey(from, to)}
                        onClick={() => onSelect(from, to)}
                    />,
                );
        });
        return (
            <g class="arcs" aria-hidden="true">
                {plain}
                {marked}
            </g>
        );
    }
}
