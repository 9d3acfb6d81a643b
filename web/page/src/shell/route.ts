// SPDX-License-Identifier: MIT
// The route is the fragment: #/view?key=value&... It contains everything that restores the view.
import { useEffect, useState } from "preact/hooks";

export interface Route {
    view: string;
    params: URLSearchParams;
}

export function parseRoute(fragment: string): Route {
    const [path = "", query = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
    return { view: path === "" ? "home" : path, params: new URLSearchParams(query) };
}

export function routeAddress(view: string, params: Record<string, string | undefined> | URLSearchParams = {}): string {
    const query = new URLSearchParams();
    const entries = params instanceof URLSearchParams ? [...params] : Object.entries(params);
    for (const [key, value] of entries) if (value !== undefined && value !== "") query.append(key, value);
    const text = query.toString();
    return `#/${view}${text === "" ? "" : `?${text}`}`;
}

/** The place of an entry in the history of this page, which Undo does not leave. */
let place = 0;
/** The addresses of the steps of this page, by their places. */
let trail: string[] = [];

/** The last place that the browser's history has. Further steps of the trail are those of a link. */
let furthest = 0;

function recordStep(address: string): void {
    trail = [...trail.slice(0, place), address];
    furthest = place;
}

/** The last change. A drag, and typing without a pause, change the same parameters again and again, and are one step. */
let last: { keys: string; time: number; press: number; field: Element | null } | undefined;
const PAUSE = 1000;
/** The number of the press of a pointer; 0 between presses. */
let press = 0;
let presses = 0;
addEventListener("pointerdown", () => (press = ++presses), true);
addEventListener("pointerup", () => (press = 0), true);
addEventListener("pointercancel", () => (press = 0), true);

function isContinued(keys: string): boolean {
    const field = document.activeElement?.matches("input, textarea") === true ? document.activeElement : null;
    const now = { keys, time: performance.now(), press, field };
    const before = last;
    last = now;
    if (before?.keys !== keys) return false;
    return (
        (press > 0 && before.press === press) ||
        (field !== null && before.field === field && now.time - before.time < PAUSE)
    );
}

function placeOf(state: unknown): number | undefined {
    const at = (state as { place?: unknown } | null)?.place;
    return typeof at === "number" ? at : undefined;
}

function changed(changes: Record<string, string | undefined>): string {
    const { view, params } = parseRoute(location.hash);
    for (const [key, value] of Object.entries(changes))
        if (value === undefined || value === "") params.delete(key);
        else params.set(key, value);
    return routeAddress(view, params);
}

/** Changes parameters of the present view: a choice of the user, which can be undone. */
export function changeParams(changes: Record<string, string | undefined>): void {
    const address = changed(changes);
    if (address === location.hash) return;
    const isSameStep = isContinued(Object.keys(changes).sort().join());
    if (!isSameStep) place++;
    history[isSameStep ? "replaceState" : "pushState"]({ place }, "", address);
    recordStep(address);
    dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Completes parameters of the present view, as part of the last step of the user. */
export function completeParams(changes: Record<string, string | undefined>): void {
    const address = changed(changes);
    history.replaceState({ place }, "", address);
    trail[place] = address;
    dispatchEvent(new HashChangeEvent("hashchange"));
}

export function goTo(view: string, params: Record<string, string | undefined> = {}): void {
    location.hash = routeAddress(view, params);
}

export function undo(): void {
    if (place > 0) history.back();
}

export function redo(): void {
    const next = trail[place + 1];
    if (place < furthest || next === undefined) {
        history.forward();
        return;
    }
    furthest = ++place;
    history.pushState({ place }, "", next);
    dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Numbers the entries of the history, also those of links. */
function follow(): void {
    last = undefined;
    const known = placeOf(history.state);
    if (known === undefined) history.replaceState({ place: place + 1 }, "");
    place = known ?? place + 1;
    if (known === undefined) recordStep(location.hash);
}
place = placeOf(history.state) ?? 0;
history.replaceState({ place }, "");
trail[place] = location.hash;
addEventListener("popstate", follow);

/** The addresses of the steps in the present view, up to the present one. */
export function stepsHere(): string[] {
    const { view } = parseRoute(location.hash);
    let first = place;
    while (first > 0 && parseRoute(trail[first - 1] ?? "").view === view) first--;
    return trail.slice(first, place + 1);
}

/** Starts at the first of some steps; Redo goes through the others. */
export function playSteps(steps: string[]): void {
    const [first, ...others] = steps.filter((step) => step.startsWith("#/"));
    if (first === undefined) return;
    history.replaceState({ place }, "", first);
    furthest = place;
    trail = [...trail.slice(0, place), first, ...others];
    dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Whether there is a step to undo. */
export function canUndo(): boolean {
    return place > 0;
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
