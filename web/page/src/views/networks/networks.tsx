// SPDX-License-Identifier: MIT
// Networks: the graph with its posteriors, evidence by clicking, and queries.
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { Problem } from "../../shell/problem";
import { changeParams, routeAddress } from "../../shell/route";
import { useNamedDocument } from "../../shell/use-document";
import { makingOf } from "../../shell/store";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";
import { answerable, beliefsOf, type Beliefs } from "./beliefs";
import { apply } from "./edit/apply";
import { addArc, addNode, freeName, removeArc, removeNode, type MakeChange } from "./edit/changes";
import { EditPanel } from "./edit/edit-panel";
import { evidenceOptions, quotedNode, toggled, type Evidence } from "./evidence";
import { Graph, type GraphEdit, type Marks } from "./graph/graph";
import { placesAfter, placesText } from "./graph/places";
import type { Point } from "./graph/use-pan-zoom";
import { useLayout } from "./graph/use-layout";
import { DecisionPanel } from "./panels/decision-panel";
import { EvidencePanel } from "./panels/evidence-panel";
import { ExplanationPanel } from "./panels/explanation-panel";
import { IndependencePanel } from "./panels/independence-panel";
import { WhyPanel } from "./panels/why-panel";
import { drawNetwork } from "./draw";
import { Start } from "./start";
import { useNetwork, useNetworkAnswer, useNetworkSource, type OpenNetwork } from "./use-network";
import { MODES, setEvidence, viewState, type Mode, type ViewState } from "./view-state";
import type { PosteriorReport } from "./reports";
import "../../style/networks.css";

export interface PanelProps {
    open: OpenNetwork;
    state: ViewState;
    beliefs: Beliefs;
    before: Beliefs | undefined;
    /** Points nodes and arcs out in the graph. */
    /** Changes the network. */
    make: MakeChange;
    editError: Error | undefined;
    onMarks(marks: Marks | undefined): void;
    /** Shows the command of the panel's question in the head. */
    onCommand(command: string[] | undefined): void;
}

const SENTENCE = "Posteriors in a Bayesian network, given evidence.";

export function Networks({ params }: ViewProps): JSX.Element {
    const source = useNetworkSource(params);
    useNamedDocument(params, params.has("start") ? undefined : source.document);
    const network = useNetwork(source.document);
    const isStart = params.has("start");
    if (isStart || (source.document === undefined && source.error === undefined))
        return (
            <>
                <ViewHead title="Networks">{SENTENCE}</ViewHead>
                {!isStart && (params.has("net") || params.has("example")) ? null : <Start missing={source.missing} />}
            </>
        );
    const error = source.error ?? network.error;
    if (network.value === undefined || error !== undefined)
        return (
            <>
                <ViewHead title="Networks">{SENTENCE}</ViewHead>
                {error !== undefined && <Problem error={error} />}
                {error !== undefined && <Start missing={undefined} />}
            </>
        );
    return <NetworkView open={network.value} params={params} />;
}

function posteriorArguments(open: OpenNetwork, evidence: Evidence): string[] | undefined {
    const of = answerable(open.network, evidence);
    if (of === undefined) return undefined;
    return ["--of", of === "all" ? of : of.map(quotedNode).join(","), ...evidenceOptions(evidence)];
}

/** The last value that was there, so that nothing vanishes while evidence contradicts itself. */
function useLast<T>(value: T | undefined, key: unknown): T | undefined {
    const last = useRef<{ key: unknown; value: T | undefined }>({ key, value });
    if (last.current.key !== key || value !== undefined) last.current = { key, value };
    return last.current.value;
}

function NetworkView({ open, params }: { open: OpenNetwork; params: URLSearchParams }): JSX.Element {
    const state = useMemo(() => viewState(params), [params.toString()]);
    const [editError, setEditError] = useState<Error>();
    const { mode, evidence } = state;
    const { network } = open;
    const [marks, setMarks] = useState<Marks>();
    const [command, setCommand] = useState<string[]>();
    const layout = useLayout(network);
    const now = useNetworkAnswer<PosteriorReport>(open, "query", posteriorArguments(open, evidence));
    const hasBefore = state.before !== undefined && evidence.size + state.before.size > 0;
    const last = useNetworkAnswer<PosteriorReport>(
        open,
        "query",
        hasBefore && state.before !== undefined ? posteriorArguments(open, state.before) : undefined,
    );
    const report = useLast(now.value, network);
    const beliefs = useMemo(() => beliefsOf(network, report), [network, report]);
    const before = useMemo(
        () => (hasBefore && last.value !== undefined ? beliefsOf(network, last.value) : undefined),
        [network, last.value, hasBefore],
    );
    const select = (node: string): void => {
        if (mode === "independence" && node !== state.x && node !== state.y)
            changeParams(state.x === undefined || state.y !== undefined ? { x: node, y: undefined } : { y: node });
        else changeParams({ node });
    };
    const make: MakeChange = (change, more = {}, at?: Point) => {
        const places =
            layout === undefined ? undefined : placesAfter(network, change(network), layout, state.places, at);
        apply(open, evidence, change, {
            ...(places === undefined ? {} : { places: placesText(places) }),
            ...more,
        }).then(
            () => setEditError(undefined),
            (failed: unknown) => setEditError(failed instanceof Error ? failed : new Error(String(failed))),
        );
    };
    const graphEdit: GraphEdit = {
        addNode: (at) => {
            const name = freeName(network);
            make(addNode(name, "chance"), { node: name }, at);
        },
        addArc: (parent, child) => make(addArc(parent, child), { node: child }),
        remove: (what) =>
            "node" in what
                ? make(removeNode(what.node), { node: undefined })
                : make(removeArc(what.parent, what.child)),
    };
    const panel: PanelProps = {
        open,
        state,
        beliefs,
        before,
        make,
        editError,
        onMarks: setMarks,
        onCommand: setCommand,
    };
    const hasDecisions = network.nodes.some(({ kind }) => kind === "decision");
    const kinds = MODES.filter(({ id }) => id !== "decisions" || hasDecisions);
    return (
        <div class="networks">
            <ViewHead
                title="Networks"
                command={command ?? now.command}
                before={makingOf(open.document)}
                tools={
                    <div class="mode-line">
                        <ModeTabs mode={mode} modes={kinds} />
                        <button type="button" onClick={drawNetwork}>
                            New network
                        </button>
                        <a class="button" href={routeAddress("networks", { start: "yes" })}>
                            Examples
                        </a>
                    </div>
                }
            />
            {now.error !== undefined && <Problem error={now.error} />}
            <div class="network-columns">
                <div class="network-graph">
                    {layout === undefined ? (
                        <p class="graph-wait" role="status">
                            {network.nodes.length === 0 ? "Add the first node under Edit." : "Arranging the graph …"}
                        </p>
                    ) : (
                        <Graph
                            key={open.document.name}
                            title={open.document.name}
                            network={network}
                            layout={layout}
                            beliefs={beliefs}
                            before={before}
                            evidence={evidence}
                            selected={state.node}
                            marks={marks}
                            onSelect={select}
                            onState={(name, value) => setEvidence(toggled(evidence, name, value))}
                            onOpen={(name) => {
                                changeParams({ node: name });
                                requestAnimationFrame(() => document.getElementById("node-panel")?.focus());
                            }}
                            places={state.places}
                            onMove={(places) => changeParams({ places: placesText(places) })}
                            edit={mode === "edit" ? graphEdit : undefined}
                        />
                    )}
                </div>
                <section class="network-panel" aria-label={MODES.find(({ id }) => id === mode)?.title}>
                    <Panel
                        mode={mode}
                        panel={panel}
                        logEvidence={now.error === undefined ? report?.log_evidence : undefined}
                    />
                </section>
            </div>
        </div>
    );
}

function Panel({
    mode,
    panel,
    logEvidence,
}: {
    mode: Mode;
    panel: PanelProps;
    logEvidence: number | undefined;
}): JSX.Element {
    if (mode === "independence") return <IndependencePanel {...panel} />;
    if (mode === "why") return <WhyPanel {...panel} />;
    if (mode === "explanation") return <ExplanationPanel {...panel} />;
    if (mode === "decisions") return <DecisionPanel {...panel} />;
    if (mode === "edit") return <EditPanel {...panel} />;
    return <EvidencePanel {...panel} logEvidence={logEvidence} />;
}

function ModeTabs({ mode, modes }: { mode: Mode; modes: typeof MODES }): JSX.Element {
    return (
        <div class="modes" role="group" aria-label="Query">
            {modes.map(({ id, title }) => (
                <button
                    key={id}
                    type="button"
                    aria-pressed={id === mode}
                    onClick={() => changeParams({ mode: id === "evidence" ? undefined : id })}
                >
                    {title}
                </button>
            ))}
        </div>
    );
}
