// SPDX-License-Identifier: MIT
import { defineConfig } from "@playwright/test";

const port = Number(process.env.PORT ?? 4179);

export default defineConfig({
    testDir: ".",
    outputDir: "../../build/web/test-results",
    reporter: [["list"]],
    timeout: 60_000,
    workers: 2,
    use: {
        baseURL: `http://127.0.0.1:${port}/`,
        launchOptions: { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
    },
    webServer: {
        command: `npm run preview -w page -- --port ${port} --strictPort`,
        cwd: "..",
        url: `http://127.0.0.1:${port}/`,
        reuseExistingServer: false,
    },
});
