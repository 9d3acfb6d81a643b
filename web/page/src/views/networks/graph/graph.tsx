// SPDX-License-Identifier: MIT
// The graph of a network: nodes can be dragged, and in a network that is edited, arcs can be drawn. Keys: arrows go along arcs and to neighbors in a layer, Enter goes into a node, to its states.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { rounded, shownProbability } from "../../../shell/numbers";
import type { Belief, Beliefs } from "../beliefs";
import type { Evidence } from "../evidence";
import type { NetworkNode, NetworkReport } from "../reports";
import { arcKey, Arcs } from "./arcs";
import { GraphNode, type Detail } from "./graph-node";
import type { Layout, Place } from "./arrange";
import { moveFrom, moveInStates } from "./keys";
import { saveGraph } from "./save-graph";
import { movedLayout, type Places } from "./places";
import { usePanZoom, type Grab, type Point } from "./use-pan-zoom";

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
    /** Enter on a node that does not show its states, and a double click. */
    onOpen(name: string): void;
    places: Places;
    onMove(places: Places): void;
    /** For a network that is edited: its nodes have a handle that arcs are drawn from. */
    edit?: GraphEdit | undefined;
}

export interface GraphEdit {
    addNode(at: Point): void;
    addArc(parent: string, child: string): void;
    remove(what: { node: string } | { parent: string; child: string }): void;
}

/** An arc that is being drawn, or the selected one. */
interface DrawnArc {
    from: string;
    to: Point;
}

const ALL_FROM = 0.55;

export function Graph(props: Props): JSX.Element {
    const { title, network, beliefs, before, evidence, selected, marks, edit } = props;
    const [dragged, setDragged] = useState<Places>();
    const [drawn, setDrawn] = useState<DrawnArc>();
    const [arc, setArc] = useState<{ parent: string; child: string }>();
    const [pointed, setPointed] = useState<string>();
    const layout = useMemo(
        () => movedLayout(props.layout, dragged ?? props.places),
        [props.layout, dragged ?? props.places],
    );
    const latest = useRef(props);
    latest.current = props;
    const grab = (target: Element): Grab | undefined => {
        const name = target.closest<SVGElement>("[data-node]")?.dataset.node;
        const place = layout.places.find((one) => one.name === name);
        if (name === undefined || place === undefined) return undefined;
        if (target.classList.contains("handle"))
            return {
                move: (at) => setDrawn({ from: name, to: at }),
                end: (element) => {
                    setDrawn(undefined);
                    const child = element?.closest<SVGElement>("[data-node]")?.dataset.node;
                    if (child !== undefined && child !== name) latest.current.edit?.addArc(name, child);
                },
            };
        let { x, y } = place;
        let moved = latest.current.places;
        return {
            move: (_, by) => {
                x += by.x;
                y += by.y;
                moved = new Map(moved).set(name, { x, y });
                setDragged(moved);
            },
            end: () => {
                setDragged(undefined);
                latest.current.onMove(moved);
            },
        };
    };
    // A drag does not change what is seen.
    const still = useMemo(() => movedLayout(props.layout, props.places), [props.layout, props.places]);
    const view = usePanZoom(still, grab);
    const onClick = useRef((name: string, state: string | undefined): void => {
        const { onSelect, onState } = latest.current;
        setArc(undefined);
        // A click in a network that is edited never sets evidence.
        if (state === undefined || latest.current.edit !== undefined) onSelect(name);
        else onState(name, state);
    }).current;
    const onOpen = useRef((name: string): void => latest.current.onOpen(name)).current;
    const detail: Detail = view.scale < ALL_FROM ? "small" : "all";
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
        else if (event.key === "Delete" && edit !== undefined && arc !== undefined) edit.remove(arc);
        else if (event.key === "Delete" && edit !== undefined && name !== undefined) edit.remove({ node: name });
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
                isEdited={edit !== undefined}
                scale={detail === "all" ? 1 : view.scale}
                onClick={onClick}
                onOpen={onOpen}
            />
        );
    };
    return (
        <figure class="graph">
            <figcaption class="graph-tools">
                <span class="unseen">{title}</span>
                <button type="button" onClick={() => view.zoom(1.3)} aria-label="Zoom in" title="Zoom in (+)">
                    +
                </button>
                <button type="button" onClick={() => view.zoom(1 / 1.3)} aria-label="Zoom out" title="Zoom out (-)">
                    −
                </button>
                <button type="button" onClick={view.fit} title="Show the whole network (0)">
                    Fit
                </button>
                {props.places.size > 0 && (
                    <button type="button" onClick={() => props.onMove(new Map())} title="Arrange the nodes in layers">
                        Tidy
                    </button>
                )}
                <button
                    type="button"
                    title="Save the graph as SVG"
                    onClick={() => saveGraph(view.svg.current, layout, title)}
                >
                    SVG
                </button>
            </figcaption>
            <svg
                ref={view.svg}
                class="graph-drawing"
                role="group"
                aria-label={`${describe(network.nodes)} Press the arrow keys to follow arcs, and Enter to go to the states of a node. Press Enter on a state to set or remove evidence, and Escape to go back.`}
                onKeyDown={key}
                onDblClick={(event) => {
                    const isNode = (event.target as Element).closest("[data-node]") !== null;
                    if (!isNode) edit?.addNode(view.place(event));
                }}
                onPointerOver={(event) =>
                    setPointed((event.target as Element).closest<SVGElement>("[data-node]")?.dataset.node)
                }
                onPointerLeave={() => setPointed(undefined)}
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
                    <Arcs
                        layout={layout}
                        marks={marks}
                        network={network}
                        selected={arc === undefined ? undefined : arcKey(arc.parent, arc.child)}
                        onSelect={edit === undefined ? undefined : (parent, child) => setArc({ parent, child })}
                    />
                    {readingOrder(layout).map(draw)}
                    {drawn !== undefined && <DrawnArc layout={layout} {...drawn} />}
                </g>
            </svg>
            {detail !== "all" && pointed !== undefined && (
                <NodeCard node={nodes.get(pointed)} belief={beliefs.get(pointed)} />
            )}
        </figure>
    );
}

/** The line from a handle to the pointer. */
function DrawnArc({ layout, from, to }: DrawnArc & { layout: Layout }): JSX.Element | null {
    const place = layout.places.find(({ name }) => name === from);
    if (place === undefined) return null;
    return <path class="arc arc-drawn" d={`M${place.x},${place.y + place.height / 2}L${to.x},${to.y}`} />;
}

const MOST_STATES = 12;

/** The node under the pointer at a readable size, while the graph is small. */
function NodeCard({ node, belief }: { node: NetworkNode | undefined; belief: Belief | undefined }): JSX.Element | null {
    if (node === undefined) return null;
    return (
        <div class="node-card" aria-hidden="true">
            <strong>{node.name}</strong>
            {belief !== undefined && "number" in belief && (
                <span>
                    {rounded(belief.number.mean)} ± {rounded(belief.number.sd)}
                </span>
            )}
            {belief !== undefined &&
                "probabilities" in belief &&
                node.states.slice(0, MOST_STATES).map((state, index) => (
                    <span key={state} class="node-card-state">
                        <span>{state}</span>
                        <span>{shownProbability(belief.probabilities[index])}</span>
                    </span>
                ))}
        </div>
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
