// SPDX-License-Identifier: MIT
import { useEffect, useMemo, useState } from "preact/hooks";
import type { NetworkReport } from "../reports";
import type { Layout } from "./arrange";
import { boxesOf, type Box } from "./shapes";

/** Networks of more nodes than these are laid out in a worker. */
const BESIDE_FROM = 60;

function arcsOf(network: NetworkReport): [number, number][] {
    const numbers = new Map(network.nodes.map(({ name }, index) => [name, index]));
    return network.nodes.flatMap(({ parents }, child) =>
        parents.map((parent): [number, number] => [numbers.get(parent) ?? 0, child]),
    );
}

async function here(boxes: Box[], arcs: [number, number][], done: (layout: Layout) => void): Promise<void> {
    const { layoutOf } = await import("./layout");
    done(layoutOf(boxes, arcs));
}

/** Computes the layout in a worker, or without one if no worker can be started, as in a page that is a single file. */
function inWorker(boxes: Box[], arcs: [number, number][], done: (layout: Layout) => void): () => void {
    let worker: Worker;
    try {
        worker = new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" });
    } catch {
        void here(boxes, arcs, done);
        return () => undefined;
    }
    worker.addEventListener("message", (event: MessageEvent<Layout>) => {
        done(event.data);
        worker.terminate();
    });
    worker.addEventListener("error", () => void here(boxes, arcs, done));
    worker.postMessage({ boxes, arcs });
    return () => worker.terminate();
}

/** The layout of the network's graph: of the same arcs and sizes it stays the same. */
export function useLayout(network: NetworkReport | undefined): Layout | undefined {
    const [layout, setLayout] = useState<{ shape: string; layout: Layout }>();
    const { boxes, arcs, shape } = useMemo(() => {
        const boxes = network === undefined ? [] : boxesOf(network.nodes);
        const arcs = network === undefined ? [] : arcsOf(network);
        return { boxes, arcs, shape: JSON.stringify([boxes, arcs]) };
    }, [network]);
    useEffect(() => {
        if (boxes.length === 0) return;
        const done = (found: Layout): void => setLayout({ shape, layout: found });
        if (boxes.length > BESIDE_FROM) return inWorker(boxes, arcs, done);
        void here(boxes, arcs, done);
        return;
    }, [shape]);
    return layout?.shape === shape ? layout.layout : undefined;
}
