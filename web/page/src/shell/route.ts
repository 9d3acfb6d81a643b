// SPDX-License-Identifier: MIT
// The route is the fragment: #/view?key=value&... It contains everything that restores the view.
import { useEffect, useState } from "preact/hooks";

export interface Route {
    view: string;
    params: URLSearchParams;
}

export function parseRoute(fragment: string): Route {
    const [path = "", query = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
    return { view: path === "" ? "learn" : path, params: new URLSearchParams(query) };
}

export function routeAddress(view: string, params: Record<string, string | undefined> | URLSearchParams = {}): string {
    const query = new URLSearchParams();
    const entries = params instanceof URLSearchParams ? [...params] : Object.entries(params);
    for (const [key, value] of entries) if (value !== undefined && value !== "") query.append(key, value);
    const text = query.toString();
    return `#/${view}${text === "" ? "" : `?${text}`}`;
}

/** Changes parameters of the present view without a new entry in the history: for sliders and choices. */
export function replaceParams(changes: Record<string, string | undefined>): void {
    const { view, params } = parseRoute(location.hash);
    for (const [key, value] of Object.entries(changes))
        if (value === undefined || value === "") params.delete(key);
        else params.set(key, value);
    history.replaceState(null, "", routeAddress(view, params));
    dispatchEvent(new HashChangeEvent("hashchange"));
}

export function goTo(view: string, params: Record<string, string | undefined> = {}): void {
    location.hash = routeAddress(view, params);
}

export function useRoute(): Route {
    const [route, setRoute] = useState(() => parseRoute(location.hash));
    useEffect(() => {
        const changed = (): void => setRoute(parseRoute(location.hash));
        addEventListener("hashchange", changed);
        return () => removeEventListener("hashchange", changed);
    }, []);
    return route;
}
