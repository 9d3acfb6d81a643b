// SPDX-License-Identifier: MIT
// Messages between callers and workers: runs of the command, and their results.

/** The content of a file: bytes, text, or a Blob such as a File. A worker of the browser reads a large Blob in place. */
export type FileContent = Uint8Array | string | Blob;

/** A file that a worker keeps between runs, so it is sent only once. Do not change its bytes. */
export class StoredFile {
    constructor(readonly content: FileContent) {}
}

/** The progress of a run: bytes of the input files, or parts of a step. */
export interface Progress {
    done: number;
    /** 0 if unknown. */
    total: number;
    /** "read", or the command's description of the step. */
    step: string;
}

export interface RunOptions {
    /** The files that the command can read, by path. */
    files?: Record<string, FileContent | StoredFile>;
    /** Standard input; empty by default. */
    stdin?: FileContent;
    /** Paths of output files to return with the result, if the run succeeds. */
    keep?: readonly string[];
    /** Called repeatedly after the command has run for a second. Standard error is then formatted as for a terminal. */
    onProgress?: (progress: Progress) => void;
    /** Ends the run: its worker is terminated, and waiting calls continue in a new worker. */
    signal?: AbortSignal;
}

export interface RunResult {
    /** The exit status: 0 for success, 1 for an error in the data or the operation, 2 for an invalid command line. */
    status: number;
    stdout: string;
    stderr: string;
    /** The files of `keep` that were written. */
    files: Partial<Record<string, Uint8Array>>;
}

/** A file in a message: its content, or its number in the worker's store. */
export type SentFile = FileContent | { stored: number };

export interface RunRequest {
    args: readonly string[];
    files: [path: string, content: SentFile][];
    stdin: FileContent | undefined;
    keep: readonly string[];
    hasProgress: boolean;
}

export type ToWorker =
    | { kind: "module"; module: WebAssembly.Module }
    | { kind: "store"; id: number; content: FileContent }
    | { kind: "drop"; id: number }
    | { kind: "run"; request: RunRequest };

export type FromWorker =
    | { kind: "progress"; progress: Progress }
    | { kind: "result"; result: RunResult }
    /** The run was aborted by a trap or lack of memory. The worker must not be used again. */
    | { kind: "failure"; message: string };
