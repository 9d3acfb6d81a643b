// SPDX-License-Identifier: MIT
// The graph of a network. Keys: arrows go along arcs and to neighbors in a layer, Enter goes into a node, to its states.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Beliefs } from "../beliefs";
import type { Evidence } from "../evidence";
import type { NetworkNode, NetworkReport } from "../reports";
import { Arcs } from "./arcs";
import { GraphNode, type Detail } from "./graph-node";
import type { Layout, Place } from "./layout";
import { moveFrom, moveInStates } from "./keys";
import { saveGraph } from "./save-graph";
import { usePanZoom } from "./use-pan-zoom";

/** Highlighted nodes, with their classes, and arcs, with keys of `arcKey`. `isDimmed`: the others are dimmed. */
export interface Marks {
    nodes: ReadonlyMap<string, string>;
    arcs: ReadonlyMap<string, string>;
    isDimmed: boolean;
    states?: ReadonlyMap<string, string>;
}

interface Props {
    title: string;
    network: NetworkReport;
    layout: Layout;
    beliefs: Beliefs;
    before: Beliefs | undefined;
    evidence: Evidence;
    selected: string | undefined;
    marks: Marks | undefined;
    onSelect(name: string): void;
    onState(name: string, state: string): void;
    /** Enter on a node that does not show its states. */
    onOpen(name: string): void;
}

const NAMES_FROM = 0.3;
const ALL_FROM = 0.55;

export function Graph(props: Props): JSX.Element {
    const { title, network, layout, beliefs, before, evidence, selected, marks } = props;
    const view = usePanZoom(layout.width, layout.height);
    const latest = useRef(props);
    latest.current = props;
    const onClick = useRef((name: string, state: string | undefined): void => {
        const { onSelect, onState } = latest.current;
        if (state === undefined) onSelect(name);
        else onState(name, state);
    }).current;
    const detail: Detail = view.scale < NAMES_FROM ? "box" : view.scale < ALL_FROM ? "name" : "all";
    const tabStop = selected ?? readingOrder(layout)[0]?.name;
    useEffect(() => {
        const place = layout.places.find(({ name }) => name === selected);
        if (place !== undefined) view.reveal(place.x, place.y, place.width, place.height, ALL_FROM);
    }, [selected, layout]);

    const focus = (name: string): void => {
        const place = layout.places.find((other) => other.name === name);
        if (place !== undefined) view.reveal(place.x, place.y, place.width, place.height);
        for (const element of view.svg.current?.querySelectorAll<SVGGElement>("[data-node]") ?? [])
            if (element.dataset.node === name) element.focus({ preventScroll: true });
    };
    const key = (event: KeyboardEvent): void => {
        const target = event.target as SVGElement;
        const name = target.closest<SVGElement>("[data-node]")?.dataset.node;
        const isState = target.dataset.state !== undefined;
        let isOurs = true;
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === "+" || event.key === "=") view.zoom(1.25);
        else if (event.key === "-") view.zoom(0.8);
        else if (event.key === "0") view.fit();
        else if (name !== undefined && isState)
            isOurs = moveInStates(event.key, target, () => focus(name), props.onState, name);
        else if (name !== undefined && event.key === "Enter") {
            props.onSelect(name);
            const first = target.querySelector<SVGElement>("[data-state]");
            if (first === null) props.onOpen(name);
            else first.focus({ preventScroll: true });
        } else if (name !== undefined && event.key === " ") props.onSelect(name);
        else if (name !== undefined) {
            const next = moveFrom(event.key, name, network, layout);
            if (next !== undefined) focus(next);
            isOurs = next !== undefined;
        } else isOurs = false;
        if (isOurs) event.preventDefault();
    };
    const places = new Map(layout.places.map((place) => [place.name, place]));
    const nodes = new Map(network.nodes.map((node) => [node.name, node]));
    const draw = ({ name }: Place): JSX.Element | null => {
        const node = nodes.get(name);
        const place = places.get(name);
        if (node === undefined || place === undefined) return null;
        return (
            <GraphNode
                key={name}
                node={node}
                place={place}
                belief={beliefs.get(name)}
                before={before?.get(name)}
                finding={evidence.get(name)}
                pointed={marks?.states?.get(name)}
                mark={marks?.nodes.get(name) ?? (marks?.isDimmed === true ? "dim" : undefined)}
                detail={detail}
                isSelected={name === selected}
                isTabStop={name === tabStop}
                onClick={onClick}
            />
        );
    };
    return (
        <figure class="graph">
            <figcaption>
                <span class="graph-title">{title}</span>
                <span class="graph-tools">
                    <button type="button" onClick={() => view.zoom(1.3)} aria-label="Zoom in" title="Zoom in (+)">
                        +
                    </button>
                    <button type="button" onClick={() => view.zoom(1 / 1.3)} aria-label="Zoom out" title="Zoom out (-)">
                        −
                    </button>
                    <button type="button" onClick={view.fit} title="Show the whole network (0)">
                        Fit
                    </button>
                    <button type="button" onClick={() => saveGraph(view.svg.current, layout, title)}>
                        Save SVG
                    </button>
                </span>
            </figcaption>
            <svg
                ref={view.svg}
                class="graph-drawing"
                role="group"
                aria-label={`${describe(network.nodes)} Press the arrow keys to follow arcs, and Enter to go to the states of a node. Press Enter on a state to set or remove evidence, and Escape to go back.`}
                onKeyDown={key}
            >
                <defs>
                    <marker
                        id="arrow"
                        viewBox="0 0 10 10"
                        refX="9"
                        refY="5"
                        markerWidth="8"
                        markerHeight="8"
                        orient="auto"
                        markerUnits="userSpaceOnUse"
                    >
                        <path class="arrow" d="M0,1L10,5L0,9z" />
                    </marker>
                    <marker
                        id="arrow-marked"
                        viewBox="0 0 10 10"
                        refX="9"
                        refY="5"
                        markerWidth="13"
                        markerHeight="13"
                        orient="auto"
                        markerUnits="userSpaceOnUse"
                    >
                        <path class="arrow-marked" d="M0,1L10,5L0,9z" />
                    </marker>
                </defs>
                <g ref={view.group}>
                    <Arcs layout={layout} marks={marks} network={network} />
                    {readingOrder(layout).map(draw)}
                </g>
            </svg>
        </figure>
    );
}

function describe(nodes: NetworkNode[]): string {
    const arcs = nodes.reduce((sum, { parents }) => sum + parents.length, 0);
    return `Network of ${nodes.length} node${nodes.length === 1 ? "" : "s"} and ${arcs} arc${arcs === 1 ? "" : "s"}.`;
}

const orders = new WeakMap<Layout, Place[]>();

/** From the top to the bottom, in a row from the left to the right. */
export function readingOrder(layout: Layout): Place[] {
    const known = orders.get(layout);
    if (known !== undefined) return known;
    const order = [...layout.places].sort((a, b) => a.y - b.y || a.x - b.x);
    orders.set(layout, order);
    return order;
}
