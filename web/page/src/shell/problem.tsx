// SPDX-License-Identifier: MIT
import type { JSX } from "preact";

/** An error, in the command's own words. */
export function Problem({ error }: { error: Error }): JSX.Element {
    return (
        <p class="problem" role="alert">
            {error.message}
        </p>
    );
}
