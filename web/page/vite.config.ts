// SPDX-License-Identifier: MIT
import { defineConfig, type Plugin } from "vite";

/** Loads the compiled command together with the script of the page, not after the script has run. */
function preloadCommand(): Plugin {
    return {
        name: "preload-command",
        transformIndexHtml: {
            order: "post",
            handler: (_, { bundle }) =>
                Object.keys(bundle ?? {})
                    .filter((file) => file.endsWith(".wasm"))
                    .map((file) => ({
                        tag: "link",
                        attrs: {
                            rel: "preload",
                            as: "fetch",
                            type: "application/wasm",
                            crossorigin: "",
                            href: `./${file}`,
                        },
                        injectTo: "head" as const,
                    })),
        },
    };
}

export default defineConfig({
    base: "./",
    plugins: [preloadCommand()],
    esbuild: { jsx: "automatic", jsxImportSource: "preact" },
    worker: { format: "es" },
    // The first browsers with color-mix; they do not know nested rules, which are written out for them.
    build: {
        target: "es2022",
        cssTarget: ["chrome111", "firefox113", "safari16.4"],
        outDir: "../../build/web/page",
        emptyOutDir: true,
        assetsInlineLimit: 0,
    },
    // The module's worker and its WebAssembly are found by their addresses, which pre-bundling would change.
    optimizeDeps: { exclude: ["credence"] },
});
