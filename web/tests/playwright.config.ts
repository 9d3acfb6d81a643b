// SPDX-License-Identifier: MIT
import { defineConfig } from "@playwright/test";

const port = Number(process.env.PORT ?? 4179);

export default defineConfig({
    testDir: ".",
    outputDir: "../../build/web/test-results",
    reporter: [["list"]],
    timeout: 60_000,
    workers: 2,
    // A browser on a machine that does other work as well loses a key or a click now and then; what passes only then is listed as flaky.
    retries: process.env.CI === undefined ? 0 : 2,
    use: {
        baseURL: `http://127.0.0.1:${port}/`,
        launchOptions: { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
    },
    webServer: {
        command: `npm run preview -w page -- ${port}`,
        cwd: "..",
        url: `http://127.0.0.1:${port}/`,
        reuseExistingServer: false,
    },
});
