// SPDX-License-Identifier: MIT
import type { JSX } from "preact";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";

export function Evaluate({ params }: ViewProps): JSX.Element {
    void params;
    return <ViewHead title="Evaluate">How well the classifier does on rows that it has not seen.</ViewHead>;
}
