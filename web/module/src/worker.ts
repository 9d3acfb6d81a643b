// SPDX-License-Identifier: MIT
// The worker of the browser: runs the command for the page, one call at a time.
import { run, type RunRequest } from "./instance.js";
// @ts-expect-error made by emscripten, without types
import factory from "./credence.mjs";

let compiled: Promise<WebAssembly.Module> | undefined;

self.addEventListener("message", (event: MessageEvent) => {
    const { id, wasm, request } = event.data as { id?: number; wasm?: string | Uint8Array; request?: RunRequest };
    if (wasm !== undefined) {
        compiled =
            typeof wasm === "string"
                ? WebAssembly.compileStreaming(fetch(wasm))
                : WebAssembly.compile(wasm as Uint8Array<ArrayBuffer>);
        return;
    }
    if (compiled === undefined || request === undefined) return;
    compiled
        .then((module) => run(module, factory, request))
        .then(
            (result) => self.postMessage({ id, result }),
            (error: unknown) => self.postMessage({ id, error: String(error) }),
        );
});
