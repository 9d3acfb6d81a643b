// SPDX-License-Identifier: MIT
// Writes compressed copies beside the files of the built web app: .br and .gz, which web servers can send instead of compressing.
// Compressing the command takes seconds: its copies are kept in build/web/compressed under the name that contains its hash.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../../build/web/page/", import.meta.url));
const kept = fileURLToPath(new URL("../../build/web/compressed/", import.meta.url));
mkdirSync(kept, { recursive: true });

const encodings = {
    br: (bytes) =>
        brotliCompressSync(bytes, {
            params: {
                [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
                [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
                [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
            },
        }),
    gz: (bytes) => gzipSync(bytes, { level: 9 }),
};

for (const name of readdirSync(root, { recursive: true })) {
    const path = root + name;
    if (!/\.(html|js|css|wasm)$/.test(name) || statSync(path).isDirectory()) continue;
    for (const [ending, compress] of Object.entries(encodings)) {
        const cached = `${kept}${name.replace(/.*\//, "")}.${ending}`;
        if (name.endsWith(".wasm") && existsSync(cached)) {
            copyFileSync(cached, `${path}.${ending}`);
            continue;
        }
        const bytes = compress(readFileSync(path));
        writeFileSync(`${path}.${ending}`, bytes);
        if (name.endsWith(".wasm")) writeFileSync(cached, bytes);
    }
}
