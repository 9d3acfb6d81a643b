// SPDX-License-Identifier: MIT
// One run of the command: an instance of the WebAssembly module with a file system of its own, as a process is.
import { Bytes } from "./bytes.js";
import { TerminalBytes } from "./progress.js";
import type { FileContent, Progress, RunRequest, RunResult } from "./protocol.js";

interface Stream {
    tty: boolean;
    stream_ops: {
        read(stream: Stream, buffer: Int8Array, offset: number, length: number): number;
        write(stream: Stream, buffer: Int8Array, offset: number, length: number): number;
    };
}

interface FileSystem {
    writeFile(path: string, data: Uint8Array | string, options?: { canOwn?: boolean }): void;
    readFile(path: string): Uint8Array;
    open(path: string, flags: string): Stream;
    read(stream: Stream, buffer: Int8Array, offset: number, length: number): number;
    analyzePath(path: string): { exists: boolean };
    mkdir(path: string): void;
    mkdirTree(path: string): void;
    chdir(path: string): void;
    mount(type: unknown, options: unknown, at: string): void;
    symlink(target: string, path: string): void;
    getStream(descriptor: number): Stream;
    filesystems: { WORKERFS: unknown };
}

/** The command as compiled by emscripten. */
export interface Instance {
    FS: FileSystem;
    ENV: Record<string, string>;
    callMain(args: readonly string[]): number;
}

export type Factory = (overrides: Record<string, unknown>) => Promise<Instance>;

/** A request with the contents of its stored files. */
export type Run = Omit<RunRequest, "files"> & { files: [path: string, content: FileContent][] };

// The folder for the files of a run, apart from the folders that every instance has.
const FOLDER = "/work";

/** Creates an instance. This takes a millisecond or two, because the module is already compiled. */
export function createInstance(module: WebAssembly.Module, factory: Factory): Promise<Instance> {
    return new Promise((resolve, reject) => {
        // Without this, emscripten's code would wait forever for an instance that cannot be created.
        const overrides = {
            noInitialRun: true,
            // Not used, because the module is compiled; by default, it fails in a script that is a Blob.
            locateFile: (path: string) => path,
            instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
                try {
                    const instance = new WebAssembly.Instance(module, imports);
                    done(instance);
                    return instance.exports;
                } catch (error) {
                    reject(error);
                    throw error;
                }
            },
            // The command shows progress only on a terminal that can erase a line. Each run decides whether there is a terminal.
            preRun: [({ ENV }: Partial<Instance>) => Object.assign(ENV ?? {}, { TERM: "xterm" })],
            // Devices that replace the devices for the console; their operations are replaced below.
            stdin: () => null,
            stdout: () => undefined,
            stderr: () => undefined,
        };
        factory(overrides).then(resolve, reject);
    });
}

function writeTo(fs: FileSystem, descriptor: number, to: { append(part: Uint8Array): void }): Stream {
    const stream = fs.getStream(descriptor);
    stream.stream_ops = {
        ...stream.stream_ops,
        write(_stream, buffer, offset, length) {
            to.append(new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length));
            return length;
        },
    };
    return stream;
}

function readFrom(fs: FileSystem, descriptor: number, path: string): void {
    const file = fs.open(path, "r");
    const stream = fs.getStream(descriptor);
    stream.stream_ops = {
        ...stream.stream_ops,
        read: (_stream, buffer, offset, length) => fs.read(file, buffer, offset, length),
    };
}

/** Blobs up to this many bytes are read at once, which is faster than in parts. */
const AT_ONCE = 128 * 1024 * 1024;

/** Adds files to the file system. Larger Blobs are read in place, which works only in workers of browsers. */
class Placer {
    private mounts = 0;

    constructor(private readonly fs: FileSystem) {}

    async place(path: string, content: FileContent): Promise<void> {
        const data =
            content instanceof Blob && (content.size <= AT_ONCE || !("FileReaderSync" in globalThis))
                ? await content.arrayBuffer()
                : content;
        try {
            this.fs.mkdirTree(path.slice(0, path.lastIndexOf("/")));
            if (data instanceof Blob) this.mount(path, data);
            // The file system uses the bytes without a copy: a run never changes a file, it only replaces files.
            else this.fs.writeFile(path, data instanceof ArrayBuffer ? new Uint8Array(data) : data, { canOwn: true });
        } catch (error) {
            if (!(error instanceof Error && "errno" in error)) throw error;
            throw new Error(`${path} conflicts with the path of another file`);
        }
    }

    private mount(path: string, data: Blob): void {
        const at = `/blobs/${this.mounts++}`;
        this.fs.mkdirTree(at);
        this.fs.mount(this.fs.filesystems.WORKERFS, { blobs: [{ name: "content", data }] }, at);
        this.fs.symlink(`${at}/content`, path);
    }
}

export async function runInstance(
    instance: Instance,
    run: Run,
    onProgress: (progress: Progress) => void,
): Promise<RunResult> {
    const fs = instance.FS;
    const stdout = new Bytes();
    const stderr = run.hasProgress ? new TerminalBytes(onProgress) : new Bytes();
    writeTo(fs, 1, stdout);
    writeTo(fs, 2, stderr).tty = run.hasProgress;
    const placer = new Placer(fs);
    if (run.stdin !== undefined) {
        await placer.place("/stdin", run.stdin);
        readFrom(fs, 0, "/stdin");
    }
    fs.mkdir(FOLDER);
    fs.chdir(FOLDER);
    for (const [path, content] of run.files)
        await placer.place(path.startsWith("/") ? path : `${FOLDER}/${path}`, content);
    const status = instance.callMain(run.args);
    const written = run.keep.filter((path) => status === 0 && fs.analyzePath(path).exists);
    return {
        status,
        stdout: stdout.text(),
        stderr: stderr.text(),
        files: Object.fromEntries(written.map((path) => [path, fs.readFile(path)])),
    };
}
