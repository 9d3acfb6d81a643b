// SPDX-License-Identifier: MIT
// The command in a worker. Calls run one after the other, and a failed worker is replaced.
import { CredenceError } from "./error.js";
import {
    StoredFile,
    type FileContent,
    type FromWorker,
    type Progress,
    type RunOptions,
    type RunRequest,
    type RunResult,
    type SentFile,
    type ToWorker,
} from "./protocol.js";

/** A worker, of a browser or of node. */
export interface WorkerPort {
    post(message: ToWorker): void;
    /** Sets whether a call is waiting. An idle worker does not keep the Node.js process alive. */
    setBusy(isBusy: boolean): void;
    terminate(): void;
}

export type StartWorker = (onMessage: (message: FromWorker) => void, onError: (message: string) => void) => WorkerPort;

interface Call {
    args: readonly string[];
    options: RunOptions;
    resolve(result: RunResult): void;
    reject(error: unknown): void;
}

// Linux's limit for one argument, and a limit for all of them, which are on the stack of the command.
const LONGEST_ARGUMENT = 131072;
const LONGEST_COMMAND_LINE = 262144;

function checkArguments(args: readonly string[]): void {
    if (!Array.isArray(args) || !args.every((word) => typeof word === "string"))
        throw new TypeError("the arguments of the command are an array of strings");
    let length = 0;
    for (const word of args) {
        const bytes = new TextEncoder().encode(word).length;
        length += bytes + 1;
        if (word.includes("\0")) throw new CredenceError("an argument contains the character NUL", 2);
        if (bytes >= LONGEST_ARGUMENT || length >= LONGEST_COMMAND_LINE)
            throw new CredenceError("the command line is too long: put the values into a file", 2);
    }
}

/** Copies a view of a larger buffer, because all of the buffer would be sent. */
function compactContent<T extends FileContent | undefined>(content: T): T {
    if (!(content instanceof Uint8Array)) return content;
    return (content.byteLength === content.buffer.byteLength ? content : new Uint8Array(content)) as T;
}

/** The command. Calls run one after the other, in order. */
export class Credence {
    private port: WorkerPort | undefined;
    private active: Call | undefined;
    private waiting: Call[] = [];
    private isClosed = false;
    private readonly ids = new WeakMap<StoredFile, number>();
    private nextId = 0;
    /** Stored files that were sent to the worker. */
    private sent = new Set<number>();
    private readonly registry = new FinalizationRegistry((id: number) => this.drop(id));

    /** @internal */
    constructor(
        private readonly startWorker: StartWorker,
        private readonly module: Promise<WebAssembly.Module>,
    ) {
        this.start();
    }

    /** Starts another command, in its own worker, that shares the compiled module. Both can run at the same time. */
    fork(): Credence {
        return new Credence(this.startWorker, this.module);
    }

    /** Runs the command as a shell does. The result contains the exit status, also if the run fails. */
    run(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
        const { signal } = options;
        return new Promise((resolve, reject) => {
            signal?.throwIfAborted();
            if (this.isClosed) throw new CredenceError("the command was closed", -1);
            checkArguments(args);
            const abort = (): void => this.cancel(call, signal?.reason);
            const settle = <T>(then: (value: T) => void) => {
                return (value: T): void => {
                    signal?.removeEventListener("abort", abort);
                    then(value);
                };
            };
            const call: Call = { args: [...args], options, resolve: settle(resolve), reject: settle(reject) };
            signal?.addEventListener("abort", abort);
            this.waiting.push(call);
            void this.next();
        });
    }

    /** Runs the command. Throws a CredenceError if it fails. */
    async succeed(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
        const result = await this.run(args, options);
        if (result.status !== 0) throw CredenceError.of(result.status, result.stderr);
        return result;
    }

    /** Runs the command with --format json and returns the report. Throws a CredenceError if it fails. */
    async json<T>(args: readonly string[], options: RunOptions = {}): Promise<T> {
        const { stdout } = await this.succeed([...args, "--format", "json"], options);
        return JSON.parse(stdout) as T;
    }

    /** Returns the reports of a verb that prints one JSON object per line, such as predict, or its single report of several lines. */
    async jsonLines<T>(args: readonly string[], options: RunOptions = {}): Promise<T[]> {
        const { stdout } = await this.succeed([...args, "--format", "json"], options);
        const texts = stdout.startsWith("{\n") ? [stdout] : stdout.split("\n").filter((line) => line !== "");
        return texts.map((text) => JSON.parse(text) as T);
    }

    /** Ends the worker. Pending calls fail. */
    close(): void {
        this.isClosed = true;
        this.stop();
        const calls = this.active === undefined ? this.waiting : [this.active, ...this.waiting];
        this.active = undefined;
        this.waiting = [];
        for (const call of calls) call.reject(new CredenceError("the command was closed", -1));
    }

    private start(): void {
        const port = this.startWorker(
            (message) => port === this.port && this.take(message),
            (message) => port === this.port && this.fail(message),
        );
        this.port = port;
        this.sent = new Set();
        port.setBusy(false);
        this.module.then(
            (module) => port === this.port && port.post({ kind: "module", module }),
            () => undefined,
        );
    }

    private stop(): void {
        this.port?.terminate();
        this.port = undefined;
    }

    private async next(): Promise<void> {
        if (this.active !== undefined) return;
        const call = this.waiting.shift();
        if (call === undefined) {
            this.port?.setBusy(false);
            return;
        }
        this.active = call;
        if (this.port === undefined) this.start();
        this.port?.setBusy(true);
        try {
            await this.module;
            // The call can be cancelled in the meantime.
            if (this.active === call) this.port?.post({ kind: "run", request: this.request(call) });
        } catch (error) {
            if (this.active === call) this.finish((failed) => failed.reject(error));
        }
    }

    private request({ args, options }: Call): RunRequest {
        const files = Object.entries(options.files ?? {});
        return {
            args,
            files: files.map(([path, content]) => [path, this.send(content)]),
            stdin: compactContent(options.stdin),
            keep: [...(options.keep ?? [])],
            hasProgress: options.onProgress !== undefined,
        };
    }

    private send(content: FileContent | StoredFile): SentFile {
        if (!(content instanceof StoredFile)) return compactContent(content);
        let id = this.ids.get(content);
        if (id === undefined) {
            id = this.nextId++;
            this.ids.set(content, id);
            this.registry.register(content, id);
        }
        if (!this.sent.has(id)) {
            this.port?.post({ kind: "store", id, content: compactContent(content.content) });
            this.sent.add(id);
        }
        return { stored: id };
    }

    private drop(id: number): void {
        if (this.sent.delete(id)) this.port?.post({ kind: "drop", id });
    }

    private take(message: FromWorker): void {
        if (message.kind === "progress") this.report(message.progress);
        else if (message.kind === "result") this.finish((call) => call.resolve(message.result));
        else this.fail(message.message);
    }

    /** An exception in the caller's function ends the call. */
    private report(progress: Progress): void {
        const call = this.active;
        if (call === undefined) return;
        try {
            call.options.onProgress?.(progress);
        } catch (error) {
            this.cancel(call, error);
        }
    }

    /** Handles a failed worker: out of memory, a trap, or a script that could not be loaded. */
    private fail(message: string): void {
        this.stop();
        this.finish((call) => call.reject(new CredenceError(`the command was aborted: ${message}`, -1)));
    }

    private finish(settle: (call: Call) => void): void {
        const call = this.active;
        this.active = undefined;
        if (call !== undefined) settle(call);
        void this.next();
    }

    private cancel(call: Call, reason: unknown): void {
        if (call !== this.active) {
            this.waiting = this.waiting.filter((other) => other !== call);
            call.reject(reason);
            return;
        }
        this.stop();
        // Prepares the worker of the next call.
        this.start();
        this.finish((active) => active.reject(reason));
    }
}
