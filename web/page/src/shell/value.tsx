// SPDX-License-Identifier: MIT
// A number: rounded for people, in full precision in its title and for whoever reads the page by program.
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
