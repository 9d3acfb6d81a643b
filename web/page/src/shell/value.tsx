// SPDX-License-Identifier: MIT
// A rounded number, with full precision in its title and in its data.
import type { JSX } from "preact";
import { rounded, shownProbability } from "./numbers";

interface Props {
    of: number | null | undefined;
    name?: string;
    /** Whether it is shown as a percentage. */
    isProbability?: boolean;
}

export function Value({ of, name, isProbability = false }: Props): JSX.Element {
    return (
        <data
            value={of ?? ""}
            data-value={of ?? ""}
            data-name={name}
            title={of === null || of === undefined ? undefined : String(of)}
        >
            {isProbability ? shownProbability(of) : rounded(of)}
        </data>
    );
}
