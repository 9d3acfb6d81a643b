// SPDX-License-Identifier: MIT
import { goTo } from "../../shell/route";
import { addDocument, freeName } from "../../shell/store";
import { NEW_NETWORK } from "./edit/new-network";

/** Opens a new network for drawing. */
export function drawNetwork(): void {
    const name = freeName("new.bif", () => false);
    addDocument({ name, kind: "network", content: NEW_NETWORK, isEdited: true });
    goTo("networks", { file: name, mode: "edit", node: "A" });
}
