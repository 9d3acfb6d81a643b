// SPDX-License-Identifier: MIT
// The parts of a web app in a single file: the worker, the compiled command, and an optional document that `credence export --as html`
// adds.
import type { OpenOptions } from "credence";

/** The bytes of Base64 text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

function contentOf(id: string): string {
    return document.getElementById(id)?.textContent?.trim() ?? "";
}

async function readCore(compressed: string): Promise<OpenOptions> {
    const script = new Blob([fromBase64(contentOf("credence-worker"))], { type: "text/javascript" });
    const address = URL.createObjectURL(script);
    const stream = new Blob([fromBase64(compressed)]).stream().pipeThrough(new DecompressionStream("gzip"));
    const wasm = new Uint8Array(await new Response(stream).arrayBuffer());
    return { worker: () => new Worker(address), wasm };
}

/** Returns the embedded worker and command; undefined, immediately, if there are none. */
export function embeddedCore(): Promise<OpenOptions> | undefined {
    const compressed = contentOf("credence-wasm");
    return compressed === "" ? undefined : readCore(compressed);
}

/** Returns the embedded document, if there is one. */
export function embeddedDocument(): { name: string; bytes: Uint8Array } | undefined {
    const [name, bytes] = contentOf("credence-document").split(" ", 2);
    if (name === undefined || bytes === undefined) return undefined;
    return { name: new TextDecoder().decode(fromBase64(name)), bytes: fromBase64(bytes) };
}
