// SPDX-License-Identifier: MIT
// Puts the compiled command beside the module.
import { copyFileSync, mkdirSync } from "node:fs";

const native = new URL("../../build/web/native/", import.meta.url);
const dist = new URL("dist/", import.meta.url);
mkdirSync(dist, { recursive: true });
for (const name of ["credence.mjs", "credence.wasm"]) copyFileSync(new URL(name, native), new URL(name, dist));
