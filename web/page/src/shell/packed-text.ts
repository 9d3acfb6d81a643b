// SPDX-License-Identifier: MIT
// A text inside a permalink, such as a small network: compressed, in the letters of base64url.

/** Longer ones make links that mail programs break. */
export const LONGEST_LINK = 6000;

async function through(bytes: BlobPart, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
    const result = new Blob([bytes]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, BufferSource>);
    return new Uint8Array(await new Response(result).arrayBuffer());
}

export async function packText(text: string): Promise<string> {
    const bytes = await through(text, new CompressionStream("deflate-raw"));
    let letters = "";
    for (const byte of bytes) letters += String.fromCharCode(byte);
    return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The maximum size of an unpacked text, because a link can contain anything. */
const MOST_BYTES = 4_000_000;

export async function unpackText(code: string): Promise<string> {
    try {
        return await unpack(code);
    } catch (error) {
        if (error instanceof RangeError) throw error;
        throw new Error("the link is damaged: a part of it is missing or was changed", { cause: error });
    }
}

async function unpack(code: string): Promise<string> {
    const letters = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const reader = stream.getReader();
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (let length = 0; ;) {
        const { done, value } = await reader.read();
        if (done) break;
        length += value.length;
        if (length > MOST_BYTES) throw new RangeError("the content of the link is too large");
        parts.push(value);
    }
    return new Blob(parts).text();
}
