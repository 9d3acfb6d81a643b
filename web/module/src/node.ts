// SPDX-License-Identifier: MIT
// The module in node.
import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { Credence, type StartWorker } from "./credence.js";
import type { FromWorker } from "./protocol.js";

export * from "./module.js";

export interface OpenOptions {
    /** The address of credence.wasm, its bytes, or the compiled module. Default: the file next to this script. */
    wasm?: string | URL | Uint8Array | WebAssembly.Module;
}

async function compile(wasm: NonNullable<OpenOptions["wasm"]>): Promise<WebAssembly.Module> {
    if (wasm instanceof WebAssembly.Module) return wasm;
    const bytes = typeof wasm === "string" || wasm instanceof URL ? await readFile(wasm) : wasm;
    return WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>);
}

const start: StartWorker = (onMessage, onError) => {
    const worker = new Worker(new URL("./worker-node.js", import.meta.url));
    worker.on("message", (message: FromWorker) => onMessage(message));
    worker.on("error", (error) => onError(error.message));
    return {
        post: (message) => worker.postMessage(message),
        setBusy: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
        terminate: () => void worker.terminate(),
    };
};

/** Starts the command in a worker thread. The thread does not keep the process alive. */
export async function open(options: OpenOptions = {}): Promise<Credence> {
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
