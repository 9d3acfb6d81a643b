// SPDX-License-Identifier: MIT
// The worker of node.
import { parentPort } from "node:worker_threads";
// @ts-expect-error made by emscripten, without types
import factory from "./credence.mjs";
import type { Factory } from "./instance.js";
import type { ToWorker } from "./protocol.js";
import { serve } from "./serve.js";

const take = serve(factory as Factory, (message, transfer) => parentPort?.postMessage(message, transfer));
parentPort?.on("message", (message: ToWorker) => take(message));
