// SPDX-License-Identifier: MIT
// A worker: runs the command for its caller, one run at a time.
import { createInstance, runInstance, type Factory, type Instance, type Run } from "./instance.js";
import type { FileContent, FromWorker, RunRequest, ToWorker } from "./protocol.js";

export function serve(
    factory: Factory,
    post: (message: FromWorker, transfer: ArrayBuffer[]) => void,
): (message: ToWorker) => void {
    const stored = new Map<number, FileContent>();
    let module: WebAssembly.Module | undefined;
    // Made before it is needed.
    let next: Promise<Instance> | undefined;

    const prepare = (): Promise<Instance> => {
        if (module === undefined) throw new Error("the worker has no module");
        const instance = createInstance(module, factory);
        // The error is reported by the run that needs the instance.
        instance.catch(() => undefined);
        return instance;
    };

    const resolve = ({ files, ...request }: RunRequest): Run => ({
        ...request,
        files: files.map(([path, content]) => {
            if (!(typeof content === "object" && "stored" in content)) return [path, content];
            const found = stored.get(content.stored);
            if (found === undefined) throw new Error(`no file is stored for ${path}`);
            return [path, found];
        }),
    });

    const run = async (request: RunRequest): Promise<void> => {
        try {
            const instance = await (next ?? prepare());
            next = undefined;
            const result = await runInstance(instance, resolve(request), (progress) =>
                post({ kind: "progress", progress }, []),
            );
            post(
                { kind: "result", result },
                Object.values(result.files).flatMap((bytes) =>
                    bytes === undefined ? [] : [bytes.buffer as ArrayBuffer],
                ),
            );
            next = prepare();
        } catch (error) {
            post({ kind: "failure", message: error instanceof Error ? error.message : String(error) }, []);
        }
    };

    return (message) => {
        if (message.kind === "module") {
            module = message.module;
            next = prepare();
        } else if (message.kind === "store") stored.set(message.id, message.content);
        else if (message.kind === "drop") stored.delete(message.id);
        else void run(message.request);
    };
}
