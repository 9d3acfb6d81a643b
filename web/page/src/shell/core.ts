// SPDX-License-Identifier: MIT
// The command in several workers: one for short queries, others for jobs. No job blocks a query or another job.
//
// A run with a signal is a job. The job line of the frame shows it, wherever the user goes meanwhile. A view that asks again for a
// running or recent job gets the same result.
import { CredenceError, open, type Credence, type Progress, type RunOptions, type RunResult } from "credence";
import { useEffect, useState } from "preact/hooks";
import { embeddedCore } from "./embedded";

export interface Job {
    args: readonly string[];
    files: [path: string, content: unknown][];
    progress: Progress | undefined;
    result: Promise<RunResult>;
    isRunning: boolean;
    cancel(): void;
}

/** Workers that run jobs at the same time. */
const MOST_WORKERS = 3;
/** Jobs whose results are kept. */
const KEPT = 16;

let jobs: Job[] = [];
const listeners = new Set<() => void>();

function change(next: Job[]): void {
    jobs = next;
    for (const listener of listeners) listener();
}

/** Runs the command as the module's Credence does. */
export class Core {
    private readonly workers: { credence: Credence; count: number }[] = [];

    constructor(private readonly first: Credence) {}

    run(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
        const { signal, ...rest } = options;
        return signal === undefined ? this.first.run(args, rest) : this.runJob(args, rest, signal);
    }

    async succeed(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
        const result = await this.run(args, options);
        if (result.status !== 0) throw CredenceError.of(result.status, result.stderr);
        return result;
    }

    async json<T>(args: readonly string[], options: RunOptions = {}): Promise<T> {
        const { stdout } = await this.succeed([...args, "--format", "json"], options);
        return JSON.parse(stdout) as T;
    }

    private runJob(args: readonly string[], options: RunOptions, signal: AbortSignal): Promise<RunResult> {
        signal.throwIfAborted();
        const files = Object.entries(options.files ?? {});
        const known = jobs.find(
            (job) =>
                job.args.join("\0") === args.join("\0") &&
                job.files.length === files.length &&
                files.every(([path, content], at) => job.files[at]?.[0] === path && job.files[at]?.[1] === content),
        );
        const job = known ?? this.start(args, files, options);
        signal.addEventListener("abort", () => job.cancel());
        return job.result;
    }

    private start(args: readonly string[], files: Job["files"], options: RunOptions): Job {
        const controller = new AbortController();
        const worker = this.freeWorker();
        worker.count++;
        const job: Job = {
            args,
            files,
            progress: undefined,
            isRunning: true,
            cancel: () => job.isRunning && controller.abort(),
            result: worker.credence
                .run(args, {
                    ...options,
                    signal: controller.signal,
                    onProgress: (progress) => {
                        job.progress = progress;
                        change([...jobs]);
                    },
                })
                .finally(() => worker.count--),
        };
        job.result.then(
            ({ status }) => {
                job.isRunning = false;
                const ended = jobs.filter(({ isRunning }) => !isRunning);
                const dropped = status === 0 ? ended.slice(0, Math.max(0, ended.length - KEPT)) : [job];
                change(jobs.filter((one) => !dropped.includes(one)));
            },
            () => change(jobs.filter((one) => one !== job)),
        );
        change([...jobs, job]);
        return job;
    }

    private freeWorker(): { credence: Credence; count: number } {
        const free = this.workers.find(({ count }) => count === 0);
        if (free !== undefined) return free;
        if (this.workers.length < MOST_WORKERS) {
            const added = { credence: this.first.fork(), count: 0 };
            this.workers.push(added);
            return added;
        }
        return this.workers.reduce((best, worker) => (worker.count < best.count ? worker : best));
    }
}

export const core: Promise<Core> = (embeddedCore()?.then((inside) => open(inside)) ?? open()).then(
    (credence) => new Core(credence),
);

/** The jobs that are running. */
export function useJobs(): Job[] {
    const [current, setCurrent] = useState(jobs);
    useEffect(() => {
        const changed = (): void => setCurrent(jobs);
        listeners.add(changed);
        changed();
        return () => void listeners.delete(changed);
    }, []);
    return current.filter(({ isRunning }) => isRunning);
}
