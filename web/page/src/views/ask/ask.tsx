// SPDX-License-Identifier: MIT
import type { JSX } from "preact";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";

export function Ask({ params }: ViewProps): JSX.Element {
    void params;
    return <ViewHead title="Ask">The posterior of a row, with the reasons for it.</ViewHead>;
}
