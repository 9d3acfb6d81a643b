// SPDX-License-Identifier: MIT
import { defineConfig } from "vite";

export default defineConfig({
    base: "./",
    esbuild: { jsx: "automatic", jsxImportSource: "preact" },
    worker: { format: "es" },
    build: { target: "es2022", outDir: "../../build/web/page", emptyOutDir: true, assetsInlineLimit: 0 },
    // The module's worker and its WebAssembly are found by their addresses, which pre-bundling would change.
    optimizeDeps: { exclude: ["credence"] },
});
