// SPDX-License-Identifier: MIT

/** Bytes that are written one part after the other. */
export class Bytes {
    private buffer = new Uint8Array(4096);
    private length = 0;

    append(part: Uint8Array): void {
        const end = this.length + part.length;
        if (end > this.buffer.length) {
            const larger = new Uint8Array(Math.max(end, this.buffer.length * 2));
            larger.set(this.buffer.subarray(0, this.length));
            this.buffer = larger;
        }
        this.buffer.set(part, this.length);
        this.length = end;
    }

    text(): string {
        return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.buffer.subarray(0, this.length));
    }
}
