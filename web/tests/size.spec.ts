// SPDX-License-Identifier: MIT
import { expect, test } from "./support";

test("the first load is at most 1.3 MB, and files with a hash are loaded once", async ({ page }) => {
    const sizes: Promise<number>[] = [];
    page.on("requestfinished", (request) => {
        if (/^http/.test(request.url())) sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    const wasm = page.waitForResponse(/\.wasm$/);
    await page.goto("/");
    expect((await wasm).headers()).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        "content-encoding": "br",
    });
    await expect(page.getByRole("link", { name: /^iris/ })).toBeVisible();
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    test.info().annotations.push({ type: "first load", description: `${total} bytes` });
    expect(total).toBeGreaterThan(100_000);
    expect(total).toBeLessThanOrEqual(1_300_000);
});
