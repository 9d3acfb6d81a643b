// SPDX-License-Identifier: MIT
// One run of the command: an instance of the WebAssembly module with a file system of its own, as a process is.

/** What a file holds: bytes, text, or a Blob, which a worker of the browser reads in place. */
export type FileContent = Uint8Array | string | Blob;

export interface RunRequest {
    args: string[];
    files?: Record<string, FileContent>;
    /** Files that the run writes and the caller wants back. */
    keep?: string[];
}

export interface RunResult {
    /** The exit status: 0 where all went well. */
    status: number;
    stdout: string;
    stderr: string;
    files: Record<string, Uint8Array>;
}

interface FileSystem {
    writeFile(path: string, data: Uint8Array | string, options?: { canOwn?: boolean }): void;
    readFile(path: string): Uint8Array;
    mkdir(path: string): void;
    mount(type: unknown, options: unknown, at: string): void;
    symlink(target: string, path: string): void;
    filesystems: { WORKERFS: unknown };
}

interface Instance {
    FS: FileSystem;
    callMain(args: string[]): number;
}

type Factory = (overrides: Record<string, unknown>) => Promise<Instance>;

class Bytes {
    private buffer = new Uint8Array(4096);
    private length = 0;

    push(byte: number): void {
        if (this.length === this.buffer.length) {
            const larger = new Uint8Array(this.length * 2);
            larger.set(this.buffer);
            this.buffer = larger;
        }
        this.buffer[this.length++] = byte;
    }

    text(): string {
        return new TextDecoder().decode(this.buffer.subarray(0, this.length));
    }
}

function place(fs: FileSystem, files: Record<string, FileContent>): void {
    const blobs: { name: string; data: Blob }[] = [];
    for (const [name, content] of Object.entries(files))
        if (content instanceof Blob) blobs.push({ name, data: content });
        else fs.writeFile(name, content);
    if (blobs.length === 0) return;
    fs.mkdir("/blobs");
    fs.mount(fs.filesystems.WORKERFS, { blobs }, "/blobs");
    for (const { name } of blobs) fs.symlink(`/blobs/${name}`, name);
}

export async function run(module: WebAssembly.Module, factory: Factory, request: RunRequest): Promise<RunResult> {
    const stdout = new Bytes();
    const stderr = new Bytes();
    const instance = await factory({
        instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
            void WebAssembly.instantiate(module, imports).then(done);
            return {};
        },
        stdin: () => null,
        stdout: (byte: number) => stdout.push(byte & 255),
        stderr: (byte: number) => stderr.push(byte & 255),
    });
    place(instance.FS, request.files ?? {});
    let status: number;
    try {
        status = instance.callMain(request.args);
    } catch (thrown) {
        const exit = thrown as { status?: number };
        if (typeof exit.status !== "number") throw thrown;
        status = exit.status;
    }
    const files: Record<string, Uint8Array> = {};
    for (const name of request.keep ?? []) if (status === 0) files[name] = instance.FS.readFile(name).slice();
    return { status, stdout: stdout.text(), stderr: stderr.text(), files };
}
