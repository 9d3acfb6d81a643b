// SPDX-License-Identifier: MIT
// Detects the kind of a file by its first bytes, then by its name. This only selects the view: the command detects formats, too.
import type { DocumentKind } from "./store";

const HEAD_BYTES = 65_536;
const COMPRESSED = /\.(gz|zst)$/i;

async function gunzipHead(head: Blob): Promise<Uint8Array> {
    const reader = head.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    try {
        const { value } = await reader.read();
        return (value as Uint8Array | undefined) ?? new Uint8Array();
    } catch {
        return new Uint8Array();
    } finally {
        void reader.cancel().catch(() => undefined);
    }
}

async function firstBytes(content: Blob): Promise<Uint8Array> {
    const head = content.slice(0, HEAD_BYTES);
    const bytes = new Uint8Array(await head.arrayBuffer());
    return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipHead(head) : bytes;
}

function isModel(bytes: Uint8Array): boolean {
    return [0x8d, 0x43, 0x52, 0x44].every((byte, index) => bytes[index] === byte);
}

function kindOfText(text: string): DocumentKind | undefined {
    const start = text
        .replace(/^\uFEFF/, "")
        .replace(/^(\s+|\/\/[^\n]*\n|\/\*[^]*?\*\/)+/, "")
        .slice(0, 2000);
    if (/^(network|variable)\b[^,;\t\n]*\{/.test(start) || /^net\s*\{/.test(start) || /^net\s*\n/.test(start))
        return "network";
    if (/^(BAYES|MARKOV)\s+\d/.test(start) || /^bnet\b/.test(start) || /~->\[DNET/.test(text.slice(0, 200)))
        return "network";
    if (/^<[?!]xml|^<!DOCTYPE|^<(BIF|smile)\b/i.test(start) && /<(BIF|smile|VARIABLE)\b/i.test(text)) return "network";
    if (/^(credence|hmm)\b.*\bhmm\b|^hmm\b/i.test(start.split("\n", 1)[0] ?? "")) return "model";
    if (/^\{\s*"credence_hmm"/.test(start)) return "model";
    // A table with empty lines between rows contains sequences.
    if (/[^\n\r]\r?\n\r?\n[^\n\r]+\r?\n[^\n\r]+/.test(text) && !/^\s*[@%]/.test(text)) return "sequences";
    return undefined;
}

function kindOfName(name: string): DocumentKind {
    const plain = name.replace(COMPRESSED, "").toLowerCase();
    if (/\.(bif|xmlbif|xbif|net|uai|xdsl|dne)$/.test(plain)) return "network";
    if (/\.(model|crd|hmm)$/.test(plain)) return "model";
    if (/\.(txt|eml|mbox)$/.test(plain)) return "texts";
    return "table";
}

export async function kindOf(name: string, content: Blob): Promise<DocumentKind> {
    const bytes = await firstBytes(content);
    if (isModel(bytes)) return "model";
    const byName = kindOfName(name);
    const byText = kindOfText(new TextDecoder().decode(bytes));
    // A text with several paragraphs has empty lines, too.
    return byText === "sequences" && byName === "texts" ? "texts" : (byText ?? byName);
}
