// SPDX-License-Identifier: MIT
// What the views share: the table and the model that you work on. A view opens with them, and as you left it.
import type { Route } from "./route";
import { findDocument } from "./store";

/** Views of one table and the model of it. The others have documents of their own. */
const SHARING = ["learn", "understand", "ask", "evaluate"];
const SHARED = ["example", "file", "model", "target", "options"];

const left = new Map<string, URLSearchParams>();
let shared = new URLSearchParams();

function sharedPart(params: URLSearchParams): URLSearchParams {
    return new URLSearchParams([...params].filter(([key]) => SHARED.includes(key)));
}

/** Remembers how a view is left. */
export function rememberRoute({ view, params }: Route): void {
    left.set(view, params);
    const part = sharedPart(params);
    if (SHARING.includes(view) && ["example", "file", "model"].some((key) => part.has(key))) shared = part;
}

function isOpen(params: URLSearchParams): boolean {
    return ["file", "model", "test"].every((key) => !params.has(key) || findDocument(params.get(key)) !== undefined);
}

/** The parameters of the link to a view. */
export function linkParams(view: string): URLSearchParams {
    const last = left.get(view) ?? new URLSearchParams();
    const none = new URLSearchParams();
    if (!SHARING.includes(view)) return isOpen(last) ? last : none;
    if (!isOpen(shared)) return none;
    if (sharedPart(last).toString() === shared.toString() && isOpen(last)) return last;
    const isModel = shared.has("model") || findDocument(shared.get("file"))?.kind === "model";
    if (view === "learn" && isModel) return none;
    if ((view === "ask" || view === "understand") && !isModel && !shared.has("target")) return none;
    return shared;
}
