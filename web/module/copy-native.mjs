// SPDX-License-Identifier: MIT
// Copies the compiled command, the licenses of its libraries and the license of the module into the package.
import { copyFileSync, mkdirSync } from "node:fs";

const native = new URL("../../build/web/native/", import.meta.url);
const licenses = new URL("../../build/web/dependencies/licenses/", import.meta.url);
const dist = new URL("dist/", import.meta.url);
mkdirSync(new URL("licenses/", dist), { recursive: true });
for (const name of ["credence.mjs", "credence.wasm"]) copyFileSync(new URL(name, native), new URL(name, dist));
for (const name of ["libunistring", "libzstd", "snowball", "utf8proc", "zlib"])
    copyFileSync(new URL(name, licenses), new URL(`licenses/${name}`, dist));
copyFileSync(new URL("../../LICENSE", import.meta.url), new URL("LICENSE", import.meta.url));
