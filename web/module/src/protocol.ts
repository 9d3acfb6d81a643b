// SPDX-License-Identifier: MIT
// What callers and workers exchange: runs of the command, and their results.

/** What a file holds: bytes, text, or a Blob (a File is one), which a worker of the browser reads in place where it is large. */
export type FileContent = Uint8Array | string | Blob;

/** A file that a worker keeps from run to run, so that it is sent once. Its bytes are not to be changed. */
export class StoredFile {
    constructor(readonly content: FileContent) {}
}

/** How far a run is: bytes of the files that are read, or parts of the step. */
export interface Progress {
    done: number;
    /** 0 where it is not known. */
    total: number;
    /** "read", or what is being done, in the command's words. */
    step: string;
}

export interface RunOptions {
    /** The files that the command finds, by their paths. */
    files?: Record<string, FileContent | StoredFile>;
    /** Standard input; nothing where it is left out. */
    stdin?: FileContent;
    /** Paths of files that the command writes and the result returns, where the run ended well. */
    keep?: readonly string[];
    /** Called while the command works, once it has worked for a second. Standard error is then what a terminal would show. */
    onProgress?: (progress: Progress) => void;
    /** Ends the run: its worker is terminated, and calls that wait go on in a new one. */
    signal?: AbortSignal;
}

export interface RunResult {
    /** The exit status: 0 where all went well, 1 where the data or the operation failed, 2 where the command line is wrong. */
    status: number;
    stdout: string;
    stderr: string;
    /** The files of `keep` that were written. */
    files: Partial<Record<string, Uint8Array>>;
}

/** A file as it is sent: its content, or the number under which the worker has it. */
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
    /** The run broke off, by a trap or for want of memory: the worker is not to be used again. */
    | { kind: "failure"; message: string };
