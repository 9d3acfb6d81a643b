// SPDX-License-Identifier: MIT
// The profile of a table: read once for each way of reading it.
import { CredenceError } from "credence";
import type { Core } from "../../shell/core";
import { markUnreadable, type OpenDocument } from "../../shell/store";
import type { Profile } from "./reports";

export interface ReadProfile {
    report: Profile;
    /** Warnings and hints of the command. */
    notes: string;
}

export async function readProfile(
    core: Core,
    table: OpenDocument,
    reading: string[],
    signal: AbortSignal,
): Promise<ReadProfile> {
    const { status, stdout, stderr } = await core.run(["schema", table.name, ...reading, "--format", "json"], {
        files: { [table.name]: table.content },
        signal,
    });
    markUnreadable(table.name, status !== 0);
    if (status !== 0) throw CredenceError.of(status, stderr);
    return { report: JSON.parse(stdout) as Profile, notes: stderr };
}
