// SPDX-License-Identifier: MIT
// The layout of a large network takes seconds: it is found beside the page.
import { layoutOf } from "./layout";
import type { Box } from "./shapes";

self.addEventListener("message", (event: MessageEvent) => {
    const { boxes, arcs } = event.data as { boxes: Box[]; arcs: [number, number][] };
    self.postMessage(layoutOf(boxes, arcs));
});
