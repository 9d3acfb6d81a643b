// SPDX-License-Identifier: MIT
// A node: its name, and the probability of each state as a bar. A line across the bar marks the probability before the evidence.
import { Component, type JSX } from "preact";
import { rounded, shownProbability } from "../../../shell/numbers";
import type { Belief } from "../beliefs";
import type { Finding } from "../evidence";
import type { NetworkNode } from "../reports";
import type { Place } from "./arrange";
import { HEAD, PADDING, ROW, STRIP, fitted } from "./shapes";
import { DensityCurve } from "./density-curve";

/** How much of a node is drawn, by how large it is on the screen. */
export type Detail = "small" | "all";

export interface NodeProps {
    node: NetworkNode;
    place: Place;
    belief: Belief | undefined;
    before: Belief | undefined;
    finding: Finding | undefined;
    /** A highlighted state, such as the most probable explanation. */
    pointed: string | undefined;
    mark: string | undefined;
    detail: Detail;
    isSelected: boolean;
    isTabStop: boolean;
    /** Whether arcs can be drawn from the node. */
    isEdited: boolean;
    /** How large the graph is on the screen, for a text that has the same size at any zoom; 1 if all is drawn. */
    scale: number;
    onOpen(name: string): void;
    onClick(name: string, state: string | undefined): void;
}

const VALUE = 56;
/** The height of a name on the screen, in pixels, while the graph is small. */
const NAME_PIXELS = 12;
const LEAST_LETTERS = 3;

export class GraphNode extends Component<NodeProps> {
    override shouldComponentUpdate(next: NodeProps): boolean {
        return (Object.keys(next) as (keyof NodeProps)[]).some((key) => next[key] !== this.props[key]);
    }

    override render(): JSX.Element {
        const { node, place, finding, mark, detail, isSelected, isTabStop, isEdited, onClick, onOpen } = this.props;
        const classes = ["node", `node-${node.kind}`];
        if (finding !== undefined) classes.push("node-known");
        if (isSelected) classes.push("node-selected");
        if (mark !== undefined) classes.push(`mark-${mark}`);
        const left = Math.round(place.x - place.width / 2);
        const top = Math.round(place.y - place.height / 2);
        return (
            <g
                class={classes.join(" ")}
                transform={`translate(${left} ${top})`}
                role="group"
                tabindex={isTabStop ? 0 : -1}
                data-node={node.name}
                aria-label={this.label()}
                onClick={(event) => (event.stopPropagation(), onClick(node.name, undefined))}
                onDblClick={() => onOpen(node.name)}
            >
                <rect
                    class="node-box"
                    width={place.width}
                    height={place.height}
                    rx={node.kind === "decision" ? 0 : node.kind === "chance" ? 8 : place.height / 2 > 20 ? 20 : 14}
                />
                {detail === "all" ? this.whole() : this.small()}
                {isEdited && (
                    <circle class="handle" cx={place.width / 2} cy={place.height} r={9}>
                        <title>{`Draw an arc from ${node.name}`}</title>
                    </circle>
                )}
            </g>
        );
    }

    private label(): string {
        const { node, belief, finding } = this.props;
        const known =
            finding === undefined ? "" : "value" in finding ? `, known: ${finding.value}` : ", virtual evidence";
        const kind = node.kind === "chance" ? "" : node.kind === "gaussian" ? ", continuous" : `, ${node.kind}`;
        if (belief === undefined) return node.name + kind + known;
        const values =
            "number" in belief
                ? `mean ${rounded(belief.number.mean)}, standard deviation ${rounded(belief.number.sd)}`
                : node.states
                      .slice(0, 8)
                      .map((state, index) => `${state} ${rounded(belief.probabilities[index] ?? 0)}`)
                      .join(", ");
        return `${node.name}${kind}${known}: ${values}`;
    }

    /** The name at a readable size, as much of it as there is room for, over the probabilities of the states side by side. */
    private small(): JSX.Element {
        const { node, place, belief, scale } = this.props;
        const size = Math.min(place.height * 0.75, NAME_PIXELS / scale);
        const letters = Math.floor((place.width - 8) / (size * 0.65));
        const probabilities = belief !== undefined && "probabilities" in belief ? belief.probabilities : [];
        let x = 0;
        return (
            <>
                <g class="shares" clip-path="inset(0 round 8px)">
                    {probabilities.map((share, index) => {
                        const from = x;
                        x += share * place.width;
                        return (
                            <rect
                                key={index}
                                class={`share share-${index % 4}`}
                                x={from}
                                width={share * place.width}
                                height={place.height}
                            />
                        );
                    })}
                </g>
                {letters >= LEAST_LETTERS && (
                    <text
                        class="node-name"
                        x={place.width / 2}
                        y={place.height / 2 + size * 0.35}
                        font-size={size}
                        text-anchor="middle"
                    >
                        {fitted(node.name, place.width - 8, size * 0.65)}
                    </text>
                )}
            </>
        );
    }

    private whole(): JSX.Element {
        const { node, place, belief, before } = this.props;
        return (
            <>
                <title>{node.name}</title>
                <text class="node-name" x={place.width / 2} y={19} text-anchor="middle">
                    {fitted(node.name, place.width - 12, 9)}
                </text>
                {place.drawing === "rows" && node.states.map((state, index) => this.row(state, index))}
                {place.drawing === "strip" && this.strip()}
                {place.drawing === "curve" && belief !== undefined && "number" in belief && (
                    <DensityCurve
                        now={belief.number}
                        before={before !== undefined && "number" in before ? before.number : undefined}
                        width={place.width - 2 * PADDING}
                        height={place.height - HEAD - PADDING}
                        x={PADDING}
                        y={HEAD - 2}
                    />
                )}
            </>
        );
    }

    private row(state: string, index: number): JSX.Element {
        const { node, place, belief, before, finding, pointed, onClick } = this.props;
        const value = belief !== undefined && "probabilities" in belief ? belief.probabilities[index] : undefined;
        const last = before !== undefined && "probabilities" in before ? before.probabilities[index] : undefined;
        const isKnown = finding !== undefined && "value" in finding && finding.value === state;
        const room = place.width - 2 * PADDING - VALUE;
        const names = Math.round(room * 0.42);
        const bar = room - names;
        const from = PADDING + names;
        return (
            <g
                key={state}
                class={`state${isKnown ? " state-known" : ""}${pointed === state ? " state-pointed" : ""}`}
                transform={`translate(0 ${HEAD + index * ROW})`}
                role="button"
                tabindex={-1}
                data-state={state}
                data-value={value}
                aria-pressed={isKnown}
                onClick={(event) => (event.stopPropagation(), onClick(node.name, state))}
            >
                <title>{`${state}: ${value ?? "–"}${last === undefined || last === value ? "" : `, before ${last}`}`}</title>
                <rect class="state-hit" x={2} width={place.width - 4} height={ROW} rx={4} />
                <text class="state-name" x={PADDING + 2} y={15}>
                    {`${isKnown ? "● " : ""}${fitted(state, names - (isKnown ? 20 : 6), 7)}`}
                </text>
                <rect
                    class={node.kind === "decision" ? "no-bar" : "bar-room"}
                    x={from}
                    y={4}
                    width={bar}
                    height={ROW - 8}
                />
                {value !== undefined && (
                    <rect class="bar" x={from} y={4} width={Math.max(0, bar * value)} height={ROW - 8} />
                )}
                {last !== undefined && (
                    <line class="bar-before" x1={from + bar * last} x2={from + bar * last} y1={2} y2={ROW - 2} />
                )}
                <text class="state-value" x={place.width - PADDING} y={15} text-anchor="end">
                    {value === undefined ? "" : shownProbability(value)}
                </text>
            </g>
        );
    }

    /** Bars side by side, of states that are too many to be named. */
    private strip(): JSX.Element | null {
        const { node, place, belief, before, finding } = this.props;
        if (belief === undefined || !("probabilities" in belief)) return null;
        const last = before !== undefined && "probabilities" in before ? before.probabilities : undefined;
        const width = (place.width - 2 * PADDING) / Math.max(1, node.states.length);
        const gap = width > 4 ? 1 : 0;
        const known = finding !== undefined && "value" in finding ? node.states.indexOf(finding.value) : -1;
        const bars = (values: number[]): string =>
            values
                .map((value, index) => {
                    const height = Math.max(value > 0 ? 0.7 : 0, value * STRIP);
                    const x = PADDING + index * width;
                    return `M${x.toFixed(1)},${HEAD + STRIP - height}h${(width - gap).toFixed(1)}v${height}h${(gap - width).toFixed(1)}z`;
                })
                .join("");
        return (
            <>
                <path class="bar" d={bars(belief.probabilities)} />
                {last !== undefined && (
                    <path
                        class="bar-before"
                        d={last
                            .map(
                                (value, i) =>
                                    `M${(PADDING + i * width).toFixed(1)},${HEAD + STRIP * (1 - value)}h${(width - gap).toFixed(1)}`,
                            )
                            .join("")}
                    />
                )}
                <line
                    class="strip-ground"
                    x1={PADDING}
                    x2={place.width - PADDING}
                    y1={HEAD + STRIP}
                    y2={HEAD + STRIP}
                />
                {known >= 0 && <circle class="known-point" cx={PADDING + (known + 0.5) * width} cy={HEAD - 4} r={3} />}
            </>
        );
    }
}
