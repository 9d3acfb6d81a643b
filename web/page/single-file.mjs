// SPDX-License-Identifier: MIT
// Builds the page as one file, build/web/credence.html: program, style, worker and compiled command are inside, and a place for a document
// (`credence export --as html` fills it). It is allowed to request nothing.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const root = fileURLToPath(new URL(".", import.meta.url));
const outDir = fileURLToPath(new URL("../../build/web/single", import.meta.url));
await build({
    root,
    logLevel: "warn",
    // A page from a disk has no origin, which workers that are modules need.
    worker: { format: "iife" },
    build: {
        outDir,
        emptyOutDir: true,
        cssCodeSplit: false,
        rollupOptions: { output: { inlineDynamicImports: true } },
    },
});

const assets = `${outDir}/assets/`;
const one = (pattern) => {
    const found = readdirSync(assets).filter((name) => pattern.test(name));
    if (found.length !== 1) throw new Error(`${assets}: ${found.length} files are like ${pattern}, not one`);
    return readFileSync(assets + found[0]);
};
const script = one(/^index-.*\.js$/)
    .toString()
    .replaceAll("</script", "<\\/script");
const style = one(/\.css$/)
    .toString()
    .replaceAll("</style", "<\\/style");
const hash = createHash("sha256").update(script).digest("base64");
const policy =
    `default-src 'none'; script-src 'sha256-${hash}' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; ` +
    "img-src data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'";
const data = (id, bytes) => `<script id="${id}" type="application/octet-stream">${bytes.toString("base64")}</script>`;

const page = readFileSync(`${outDir}/index.html`, "utf8")
    .replace(/content="default-src[^"]*"/, () => `content="${policy}"`)
    .replace(/<script type="module"[^>]*><\/script>/, "")
    .replace(/<link rel="(stylesheet|modulepreload|preload)"[^>]*>/g, "")
    .replace("</head>", () => `<style>${style}</style></head>`)
    .replace("</body>", () =>
        [
            data("credence-document", Buffer.alloc(0)),
            data("credence-worker", one(/^worker-.*\.js$/)),
            data("credence-wasm", gzipSync(one(/\.wasm$/), { level: 9 })),
            `<script type="module">${script}</script>`,
            "</body>",
        ].join("\n"),
    );
writeFileSync(new URL("../../build/web/credence.html", import.meta.url), page);
