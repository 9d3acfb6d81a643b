// SPDX-License-Identifier: MIT
import type { JSX } from "preact";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";

export function Learn({ params }: ViewProps): JSX.Element {
    void params;
    return <ViewHead title="Learn">Train a classifier on a table that stays in this page.</ViewHead>;
}
