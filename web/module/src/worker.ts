// SPDX-License-Identifier: MIT
// The worker of the browser.
// @ts-expect-error made by emscripten, without types
import factory from "./credence.mjs";
import type { Factory } from "./instance.js";
import type { ToWorker } from "./protocol.js";
import { serve } from "./serve.js";

const take = serve(factory as Factory, (message, transfer) => self.postMessage(message, { transfer }));
self.addEventListener("message", (event: MessageEvent<ToWorker>) => take(event.data));
