// SPDX-License-Identifier: MIT
// The lines of progress that the command shows on a terminal, apart from its messages. Such a line begins by erasing the last one and
// has no end; a message erases it first.
import { Bytes } from "./bytes.js";
import type { Progress } from "./protocol.js";

const ERASE = "\r\x1b[K";

/** "read 1.2 MB of 3.4 MB (35 %), ...", "3 of 36: naive, kernel", or the name of a step. */
export function parseProgress(line: string): Progress {
    const read = /^read ([\d.]+) (MB|GB)(?: of ([\d.]+) (MB|GB))?/.exec(line);
    if (read !== null) {
        const bytes = (number = "0", unit = "MB"): number => Math.round(Number(number) * (unit === "MB" ? 1e6 : 1e9));
        return { done: bytes(read[1], read[2]), total: bytes(read[3], read[4]), step: "read" };
    }
    const part = /^(\d+) of (\d+): (.*)$/s.exec(line);
    // The command counts the part that it is at.
    if (part !== null) return { done: Number(part[1]) - 1, total: Number(part[2]), step: part[3] ?? "" };
    return { done: 0, total: 0, step: line };
}

/** Collects the output for a terminal: reports progress, and returns the messages at the end. */
export class TerminalBytes {
    private readonly all = new Bytes();
    private readonly decoder = new TextDecoder();
    /** From the last erasure, or the last end of a line. */
    private line = "";

    constructor(private readonly report: (progress: Progress) => void) {}

    append(part: Uint8Array): void {
        if (part.length === 0) return;
        this.all.append(part);
        this.line += this.decoder.decode(part, { stream: true });
        this.line = this.line.slice(Math.max(0, this.line.lastIndexOf(ERASE), this.line.lastIndexOf("\n")));
        if (this.line.startsWith(ERASE) && this.line.length > ERASE.length)
            this.report(parseProgress(this.line.slice(ERASE.length).replace(/^credence: /, "")));
    }

    text(): string {
        const [first, ...others] = this.all.text().split(ERASE);
        return (first ?? "") + others.filter((line) => line.includes("\n")).join("");
    }
}
