// SPDX-License-Identifier: MIT
import type { JSX } from "preact";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";

export function Sequences({ params }: ViewProps): JSX.Element {
    void params;
    return <ViewHead title="Sequences">Hidden states along time.</ViewHead>;
}
