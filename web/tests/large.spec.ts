// SPDX-License-Identifier: MIT
// A table of 50 MB is read in place: the page trains on it, stays responsive, and the model is the command's.
import { createWriteStream, mkdtempSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, native, test } from "./support";

test("50 MB are trained on, and the model is the command's", async ({ page }) => {
    test.setTimeout(180_000);
    const folder = mkdtempSync(join(tmpdir(), "credence-large-"));
    const path = join(folder, "large.csv");
    const stream = createWriteStream(path);
    stream.write("a,b,c,d,color,class\n");
    let seed = 1;
    const draw = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
    for (let rows = 0, bytes = 0; bytes < 50e6; rows++) {
        const shift = rows % 2;
        const numbers = [0, 1, 2, 3].map((i) => (draw() + shift * i * 0.1).toFixed(6)).join(",");
        const line = `${numbers},${["red", "green", "blue"][Math.floor(draw() * 3)]},${shift === 0 ? "no" : "yes"}\n`;
        bytes += line.length;
        if (!stream.write(line)) await once(stream, "drain");
    }
    stream.end();
    await once(stream, "finish");

    await page.goto("/");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Open file…" }).click();
    await (await chooser).setFiles(path);
    const train = page.getByRole("button", { name: "Train", exact: true });
    await expect(train).toBeEnabled({ timeout: 60_000 });
    await train.click();
    await expect(page.getByRole("heading", { name: "large.model" })).toBeVisible({ timeout: 90_000 });
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save model" }).click();
    await (await download).saveAs(join(folder, "page.model"));
    native(["train", "large.csv", "--target", "class", "-o", "own.model", "--quiet"], folder);
    expect(readFileSync(join(folder, "page.model")).equals(readFileSync(join(folder, "own.model")))).toBe(true);
});
