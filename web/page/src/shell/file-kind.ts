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
    return undefined;
}

function kindOfName(name: string): DocumentKind {
    const plain = name.replace(COMPRESSED, "").toLowerCase();
    if (/\.(bif|xmlbif|xbif|net|uai|xdsl|dne)$/.test(plain)) return "network";
    if (/\.(model|crd|hmm)$/.test(plain)) return "model";
    if (/\.(txt|eml|mbox)$/.test(plain)) return "texts";
    return "table";
}

/** Lines that are looked at. The last one can be cut off. */
const MOST_LINES = 500;

/** Guesses the kind of text without a format of its own by its shape: steady columns, blocks of lines, or sentences. */
function guessedKind(text: string, byName: DocumentKind): DocumentKind {
    const lines = text.trim().split(/\r?\n/).slice(0, MOST_LINES);
    const filled = lines.filter((line) => line.trim() !== "");
    if (/^\s*[@%{]/.test(text) || filled.length < 2) return byName;
    const isSteady = ["\t", ";", ","].some((sign) => {
        const counts = filled.slice(0, -1).map((line) => line.split(sign).length);
        const first = counts[0] ?? 1;
        return first > 1 && counts.filter((count) => count === first).length >= 0.95 * counts.length;
    });
    // Sequences are separated by empty lines again and again; a stray empty line separates nothing.
    const breaks = lines.filter((line, at) => at > 0 && line.trim() === "" && lines[at - 1]?.trim() !== "").length;
    const isBroken = breaks >= 2 && filled.length / breaks < 100;
    const areTokens = filled.every((line) => line.trim().split(/\s+/).length <= 6);
    if (byName === "texts") return isSteady && !isBroken ? "table" : "texts";
    return byName === "table" && isBroken && areTokens ? "sequences" : byName;
}

export async function kindOf(name: string, content: Blob): Promise<{ kind: DocumentKind; isGuessed: boolean }> {
    const bytes = await firstBytes(content);
    const text = new TextDecoder().decode(bytes);
    const byName = kindOfName(name);
    const known = isModel(bytes) ? "model" : kindOfText(text);
    const kind = known ?? guessedKind(text, byName);
    return { kind, isGuessed: known === undefined && (kind === "sequences" || byName === "texts") };
}
