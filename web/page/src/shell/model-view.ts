// SPDX-License-Identifier: MIT
// Selects the first view for a model by the command's report.
import { core } from "./core";
import type { OpenDocument } from "./store";

interface Shown {
    kind?: string;
    attributes?: { attribute: string; texts?: unknown }[];
}

/** Returns undefined for the usual view, also if the model cannot be read: that view shows the command's message. */
export async function modelView({ name, content }: OpenDocument): Promise<string | undefined> {
    try {
        const { kind, attributes = [] } = await (
            await core
        ).json<Shown>(["show", name], { files: { [name]: content } });
        if (kind === "sequence") return "sequences";
        return attributes.length === 1 && attributes[0]?.texts !== undefined ? "texts" : undefined;
    } catch {
        return undefined;
    }
}
