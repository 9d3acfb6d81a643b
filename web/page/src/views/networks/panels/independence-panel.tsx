// SPDX-License-Identifier: MIT
// d-separation: whether the arcs make two nodes independent given the evidence, and the paths that decide it.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Problem } from "../../../shell/problem";
import { changeParams } from "../../../shell/route";
import { quotedNode } from "../evidence";
import { arcKey } from "../graph/arcs";
import type { Marks } from "../graph/graph";
import type { PanelProps } from "../networks";
import type { IndependencePath, IndependenceReport, PathNode } from "../reports";
import { useNetworkAnswer } from "../use-network";
import { NodeChoice } from "./node-choice";

type Independence = IndependenceReport["independence"];

export function IndependencePanel({ open, state, onMarks, onCommand }: PanelProps): JSX.Element {
    const { x, y, evidence } = state;
    const given = [...evidence.keys()].filter((name) => name !== x && name !== y);
    const isAsked = x !== undefined && y !== undefined && x !== y;
    const answer = useNetworkAnswer<IndependenceReport>(
        open,
        "query",
        isAsked
            ? [
                  "--independence",
                  `${quotedNode(x)},${quotedNode(y)}`,
                  ...(given.length > 0 ? ["--given", given.map(quotedNode).join(",")] : []),
              ]
            : undefined,
    );
    const found = isAsked ? answer.value?.independence : undefined;
    useEffect(() => onMarks(marksOf(x, y, found)), [found, x, y]);
    useEffect(() => onCommand(answer.command), [JSON.stringify(answer.command)]);
    const nodes = open.network.nodes.filter(({ kind }) => kind !== "utility");
    return (
        <>
            <h2>Independence</h2>
            <p class="quiet">
                Choose two nodes, here or in the graph. Nodes with evidence are known. Which states they have makes no
                difference.
            </p>
            <div class="choices">
                <NodeChoice label="X" nodes={nodes} value={x} onChange={(name) => changeParams({ x: name })} />
                <NodeChoice label="Y" nodes={nodes} value={y} onChange={(name) => changeParams({ y: name })} />
            </div>
            {answer.error !== undefined && isAsked && <Problem error={answer.error} />}
            <div aria-live="polite">{found !== undefined && <Verdict found={found} />}</div>
        </>
    );
}

function Verdict({ found }: { found: Independence }): JSX.Element {
    const given = found.given.length === 0 ? "" : ` given ${found.given.join(", ")}`;
    const [x, y] = found.of;
    const { paths } = found;
    return (
        <>
            <p class={`verdict ${found.independent ? "verdict-independent" : "verdict-dependent"}`}>
                <strong>{found.independent ? "Independent" : "Not d-separated"}</strong>: {x} and {y}
                {given}.{" "}
                {found.independent
                    ? paths.length === 0
                        ? "No path connects them."
                        : "Every path between them is blocked, for any probability tables."
                    : `${paths.length === 1 && !found.more ? "One path between them is" : "Paths between them are"} open.`}
            </p>
            {paths.length > 0 && (
                <ol class="paths" aria-label={found.independent ? "Blocked paths" : "Open paths"}>
                    {paths.map((path) => (
                        <li key={JSON.stringify(path.nodes)}>
                            <PathLine path={path} />
                            <ul>
                                {path.inner
                                    .filter(({ blocks }) => blocks || path.open)
                                    .map((inner) => (
                                        <li key={inner.node}>
                                            <strong>{inner.node}</strong>: {reason(inner)}
                                        </li>
                                    ))}
                            </ul>
                        </li>
                    ))}
                </ol>
            )}
            {found.more && <p class="quiet">There are more paths, longer ones.</p>}
        </>
    );
}

function PathLine({ path }: { path: IndependencePath }): JSX.Element {
    return (
        <span class="path-line">
            {path.nodes.map((name, index) => (
                <span key={index}>
                    {index > 0 && <span class="path-arrow">{path.arrows[index - 1] === "->" ? " → " : " ← "}</span>}
                    {name}
                </span>
            ))}
        </span>
    );
}

function reason({ role, blocks, opened_by, node }: PathNode): string {
    if (role === "common effect") {
        if (blocks) return "a common effect (collider), and neither it nor a descendant is known: blocks the path";
        return opened_by === node
            ? "a common effect (collider) that is known: makes its causes dependent"
            : `a common effect (collider) whose descendant ${opened_by ?? ""} is known`;
    }
    const what = role === "common cause" ? "a common cause" : "an intermediate node";
    return blocks ? `${what}, and known: blocks the path` : `${what}, and not known`;
}

function marksOf(x: string | undefined, y: string | undefined, found: Independence | undefined): Marks {
    const nodes = new Map<string, string>();
    const arcs = new Map<string, string>();
    for (const path of found?.paths ?? []) {
        path.nodes.forEach((name, index) => {
            const inner = path.inner[index - 1];
            if (inner?.blocks === true) nodes.set(name, "block");
            else if (nodes.get(name) === undefined) nodes.set(name, path.open ? "open" : "path");
            const next = path.nodes[index + 1];
            if (next === undefined) return;
            const key = path.arrows[index] === "->" ? arcKey(name, next) : arcKey(next, name);
            arcs.set(key, path.open ? "open" : "path");
        });
    }
    for (const name of found?.given ?? []) if (nodes.get(name) !== "block") nodes.set(name, "given");
    for (const end of [x, y]) if (end !== undefined) nodes.set(end, "end");
    return { nodes, arcs, isDimmed: found !== undefined };
}
