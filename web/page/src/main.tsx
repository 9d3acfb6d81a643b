// SPDX-License-Identifier: MIT
import { render } from "preact";
import { App } from "./shell/app";
// Starts the worker while the first view is loaded.
import "./shell/core";
import { embeddedDocument } from "./shell/embedded";
import { presentSteps } from "./shell/present";
import { goTo, parseRoute } from "./shell/route";
import { keepDocuments } from "./shell/session";
import { modelView } from "./shell/model-view";
import { addDocument, type OpenDocument } from "./shell/store";
import { home, views } from "./shell/views";
import "./style/tokens.css";
import "./style/page.css";

const inside = embeddedDocument();
if (inside === undefined) await keepDocuments();
else {
    const kind = inside.name.endsWith(".model") ? "model" : "network";
    const document: OpenDocument = { name: inside.name, kind, content: inside.bytes };
    addDocument(document);
    if (location.hash === "" && kind === "network") goTo("networks", { network: inside.name });
    else if (location.hash === "")
        void modelView(document).then((view) =>
            view === undefined ? goTo("ask", { model: inside.name }) : goTo(view, { file: inside.name }),
        );
}
const asked = parseRoute(location.hash);
if (asked.view === "play") await presentSteps(asked.params.get("steps") ?? "").catch(() => undefined);
// The script of the first view comes while the frame is made.
void [home, ...views].find(({ id }) => id === parseRoute(location.hash).view)?.load();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
