// SPDX-License-Identifier: MIT
import type { JSX } from "preact";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";

export function Understand({ params }: ViewProps): JSX.Element {
    void params;
    return <ViewHead title="Understand">What the model has learned: densities, tables, cut points.</ViewHead>;
}
