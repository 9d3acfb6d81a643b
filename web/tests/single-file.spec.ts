// SPDX-License-Identifier: MIT
// `credence export --as html`: a standalone page, opened from a disk, without any requests.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, native, nativeJson, root, test } from "./support";

const folder = mkdtempSync(join(tmpdir(), "credence-page-"));
const page_file = `${root}build/web/credence.html`;

function exported(document: string, settings: string[] = []): string {
    const to = join(folder, `${document}.html`);
    native(["export", document, ...settings, "--as", "html", "--page", page_file, "-o", to], folder);
    return pathToFileURL(to).href;
}

test("an embedded model predicts, bit-identical to the command", async ({ page }) => {
    writeFileSync(join(folder, "tennis.csv"), native(["example", "tennis"]));
    native(["train", "tennis.csv", "--target", "Play", "-o", "tennis.model", "--quiet"], folder);
    await page.goto(exported("tennis.model"));
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Ask");
    await page.getByRole("radiogroup", { name: "Outlook" }).getByText("Sunny").click();
    const { classes } = nativeJson<{ classes: { posterior: number }[] }>(
        ["explain", "tennis.model", "--given", "Outlook=Sunny"],
        folder,
    );
    expect(classes.length).toBe(2);
    for (const { posterior } of classes)
        await expect(page.locator(`[data-value="${posterior}"]`).first()).toBeVisible();
});

test("a network inside takes evidence", async ({ page }) => {
    writeFileSync(join(folder, "asia.bif"), native(["example", "asia"]));
    await page.goto(exported("asia.bif"));
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Networks");
    await page.locator('[data-node="xray"] [data-state="yes"]').click();
    const { posterior } = nativeJson<{ posterior: Record<string, Record<string, number>> }>(
        ["query", "asia.bif", "--of", "all", "--given", "xray=yes"],
        folder,
    );
    await expect(page.locator('[data-node="cancer"] [data-state="yes"]')).toHaveAttribute(
        "data-value",
        String(posterior.cancer?.yes),
    );
});

test("names that are markup stay text", async ({ page }) => {
    const evil = `</script><img src=x onerror="alert(1)">`;
    writeFileSync(join(folder, "evil.csv"), `"${evil.replaceAll('"', '""')}",class\nred,a\nblue,b\nred,a\n`);
    native(["train", "evil.csv", "--target", "class", "-o", "evil<b>.model", "--quiet"], folder);
    await page.goto(exported("evil<b>.model"));
    await expect(page.getByText(evil).first()).toBeVisible();
    expect(await page.locator("img").count()).toBe(0);
});
