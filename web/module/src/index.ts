// SPDX-License-Identifier: MIT
// The module: the command in a worker.
import type { FileContent, RunResult } from "./instance.js";

export type { FileContent, RunResult } from "./instance.js";

export interface RunOptions {
    files?: Record<string, FileContent>;
    keep?: string[];
    /** Ends the run: its worker is terminated. */
    signal?: AbortSignal;
}

/** The command failed: its message, as it stands on standard error. */
export class CredenceError extends Error {
    constructor(
        message: string,
        readonly status: number,
    ) {
        super(message);
        this.name = "CredenceError";
    }
}

export interface Credence {
    /** Runs the command, as a shell would. */
    run(args: string[], options?: RunOptions): Promise<RunResult>;
    /** Runs the command with --format json and returns the report. */
    json<T>(args: string[], options?: RunOptions): Promise<T>;
    close(): void;
}

interface Pending {
    resolve(result: RunResult): void;
    reject(error: unknown): void;
}

class WorkerCredence implements Credence {
    private worker: Worker | undefined;
    private pending = new Map<number, Pending>();
    private next = 0;

    constructor(private readonly wasm: string | Uint8Array) {
        this.start();
    }

    private start(): Worker {
        const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
        worker.addEventListener("message", (event: MessageEvent) => {
            const { id, result, error } = event.data as { id: number; result?: RunResult; error?: string };
            const waiting = this.pending.get(id);
            this.pending.delete(id);
            if (result !== undefined) waiting?.resolve(result);
            else waiting?.reject(new CredenceError(error ?? "the worker failed", -1));
        });
        worker.postMessage({ wasm: this.wasm });
        this.worker = worker;
        return worker;
    }

    run(args: string[], options: RunOptions = {}): Promise<RunResult> {
        const { files, keep, signal } = options;
        const id = this.next++;
        return new Promise((resolve, reject) => {
            signal?.throwIfAborted();
            this.pending.set(id, { resolve, reject });
            signal?.addEventListener("abort", () => {
                if (!this.pending.has(id)) return;
                for (const waiting of this.pending.values()) waiting.reject(signal.reason);
                this.pending.clear();
                this.worker?.terminate();
                this.start();
            });
            (this.worker ?? this.start()).postMessage({ id, request: { args, files, keep } });
        });
    }

    async json<T>(args: string[], options: RunOptions = {}): Promise<T> {
        const { status, stdout, stderr } = await this.run([...args, "--format", "json"], options);
        if (status !== 0) throw new CredenceError(stderr.trim().replace(/^credence: /, ""), status);
        return JSON.parse(stdout) as T;
    }

    close(): void {
        this.worker?.terminate();
        this.worker = undefined;
    }
}

/** Opens the command: `wasm` is where credence.wasm lies, or its bytes. */
export async function open(options: { wasm?: string | Uint8Array } = {}): Promise<Credence> {
    return new WorkerCredence(options.wasm ?? new URL("./credence.wasm", import.meta.url).href);
}

/** A command line for a POSIX shell. */
export function commandLine(args: string[]): string {
    const quote = (word: string): string =>
        /^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
    return ["credence", ...args].map(quote).join(" ");
}
