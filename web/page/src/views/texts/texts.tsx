// SPDX-License-Identifier: MIT
import type { JSX } from "preact";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";

export function Texts({ params }: ViewProps): JSX.Element {
    void params;
    return <ViewHead title="Texts">Which words are evidence for which class.</ViewHead>;
}
