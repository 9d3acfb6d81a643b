// SPDX-License-Identifier: MIT
import type { JSX } from "preact";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";

export function Networks({ params }: ViewProps): JSX.Element {
    void params;
    return <ViewHead title="Networks">Posteriors in a Bayesian network, given evidence.</ViewHead>;
}
