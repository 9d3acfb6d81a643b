// SPDX-License-Identifier: MIT
// Serves the built web app on 127.0.0.1 as a good web server does: compressed, and files with a hash in their name only once.
//
//   node serve.mjs PORT
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../build/web/page/", import.meta.url));
const port = Number(process.argv[2] ?? 4173);
const types = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".wasm": "application/wasm",
};
const encodings = [
    ["br", ".br"],
    ["gzip", ".gz"],
];

createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    const file = join(root, normalize(path), path.endsWith("/") ? "index.html" : "");
    const type = types[extname(file)];
    if (!file.startsWith(root) || type === undefined || !existsSync(file) || !statSync(file).isFile()) {
        response.writeHead(404, { "Content-Type": "text/plain" }).end("not found\n");
        return;
    }
    const accepted = String(request.headers["accept-encoding"] ?? "");
    const [encoding, ending] = encodings.find(([name, end]) => accepted.includes(name) && existsSync(file + end)) ?? [];
    response.writeHead(200, {
        "Content-Type": type,
        "Cache-Control": path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
        "X-Content-Type-Options": "nosniff",
        Vary: "Accept-Encoding",
        ...(encoding === undefined ? {} : { "Content-Encoding": encoding }),
    });
    response.end(request.method === "HEAD" ? undefined : readFileSync(file + (ending ?? "")));
})
    .on("error", (error) => {
        console.error(`web: ${error.message}`);
        process.exitCode = 1;
    })
    .listen(port, "127.0.0.1");
