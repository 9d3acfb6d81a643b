// SPDX-License-Identifier: MIT
// The view that a model is first looked at in, by what the command reports on it.
import { core } from "./core";
import type { OpenDocument } from "./store";

interface Shown {
    kind?: string;
    attributes?: { attribute: string; texts?: unknown }[];
}

/** undefined: the usual one. What cannot be read is left to that view, which shows the command's message. */
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
