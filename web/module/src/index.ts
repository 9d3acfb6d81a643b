// SPDX-License-Identifier: MIT
// The module in the browser.
import { Credence, type StartWorker } from "./credence.js";
import type { FromWorker } from "./protocol.js";

export * from "./module.js";

export interface OpenOptions {
    /** The address of credence.wasm, its bytes, or the compiled module. Default: the file next to this script. */
    wasm?: string | URL | Uint8Array | WebAssembly.Module;
    /** Starts the worker with the script credence/worker. Only a web page in a single file needs this. */
    worker?: () => Worker;
}

async function compile(wasm: NonNullable<OpenOptions["wasm"]>): Promise<WebAssembly.Module> {
    if (wasm instanceof WebAssembly.Module) return wasm;
    if (typeof wasm !== "string" && !(wasm instanceof URL)) return WebAssembly.compile(wasm as Uint8Array<ArrayBuffer>);
    const response = await fetch(wasm);
    if (!response.ok) throw new Error(`${String(wasm)}: ${response.status} ${response.statusText}`);
    // If the server sends the type application/wasm, the module is compiled while it is loaded.
    const isKnown = response.headers.get("content-type")?.startsWith("application/wasm") ?? false;
    return isKnown ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Starts the command in a worker. */
export async function open(options: OpenOptions = {}): Promise<Credence> {
    const make =
        options.worker ?? ((): Worker => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));
    const start: StartWorker = (onMessage, onError) => {
        const worker = make();
        worker.addEventListener("message", (event: MessageEvent<FromWorker>) => onMessage(event.data));
        worker.addEventListener("error", (event) => onError(event.message ?? "its worker could not be started"));
        return {
            post: (message) => worker.postMessage(message),
            setBusy: () => undefined,
            terminate: () => worker.terminate(),
        };
    };
    const module = compile(options.wasm ?? new URL("./credence.wasm", import.meta.url));
    const credence = new Credence(start, module);
    try {
        await module;
    } catch (error) {
        credence.close();
        throw error;
    }
    return credence;
}
