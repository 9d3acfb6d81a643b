// SPDX-License-Identifier: MIT
// The layout of a large network takes seconds: a worker computes it.
import { layoutOf } from "./layout";
import type { Box } from "./shapes";

self.addEventListener("message", (event: MessageEvent) => {
    const { boxes, arcs } = event.data as { boxes: Box[]; arcs: [number, number][] };
    self.postMessage(layoutOf(boxes, arcs));
});
