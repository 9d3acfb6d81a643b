// SPDX-License-Identifier: MIT
// A rounded number, with full precision in its title and in its data.
import type { JSX } from "preact";
import { rounded } from "./numbers";

export function Value({ of, name }: { of: number | null | undefined; name?: string }): JSX.Element {
    return (
        <data
            value={of ?? ""}
            data-value={of ?? ""}
            data-name={name}
            title={of === null || of === undefined ? undefined : String(of)}
        >
            {rounded(of)}
        </data>
    );
}
