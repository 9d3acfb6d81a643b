// SPDX-License-Identifier: MIT
// The profile of a table: read once for each way of reading it.
import { CredenceError, type Credence } from "credence";
import { markUnreadable, type OpenDocument } from "../../shell/store";
import type { Progress } from "../../shell/use-answer";
import type { Profile } from "./reports";

export interface ReadProfile {
    report: Profile;
    /** Warnings and hints of the command. */
    notes: string;
}

export async function readProfile(
    core: Credence,
    table: OpenDocument,
    reading: string[],
    run: { signal: AbortSignal; onProgress: (progress: Progress) => void },
): Promise<ReadProfile> {
    const { status, stdout, stderr } = await core.run(["schema", table.name, ...reading, "--format", "json"], {
        files: { [table.name]: table.content },
        ...run,
    });
    markUnreadable(table.name, status !== 0);
    if (status !== 0) throw CredenceError.of(status, stderr);
    return { report: JSON.parse(stdout) as Profile, notes: stderr };
}
