// SPDX-License-Identifier: MIT
import { render } from "preact";
import { App } from "./shell/app";
import { embeddedDocument } from "./shell/embedded";
import { goTo } from "./shell/route";
import { addDocument } from "./shell/store";
import "./style/tokens.css";
import "./style/page.css";

const inside = embeddedDocument();
if (inside !== undefined) {
    const kind = inside.name.endsWith(".model") ? "model" : "network";
    addDocument({ name: inside.name, kind, content: inside.bytes });
    if (location.hash === "") goTo(kind === "model" ? "ask" : "networks", { [kind]: inside.name });
}
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
