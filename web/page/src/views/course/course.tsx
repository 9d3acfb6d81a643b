// SPDX-License-Identifier: MIT
import type { JSX } from "preact";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";

export function Course({ params }: ViewProps): JSX.Element {
    void params;
    return <ViewHead title="Course">The examples of the lectures, with every worked number.</ViewHead>;
}
