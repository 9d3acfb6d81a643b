// SPDX-License-Identifier: MIT
// The views of the page, in the order of the navigation. Each is loaded when it is first opened.
import type { ComponentType } from "preact";

export interface ViewProps {
    params: URLSearchParams;
}

export interface View {
    id: string;
    title: string;
    load(): Promise<ComponentType<ViewProps>>;
}

/** The first page, which the name of the app in the bar leads to. */
export const home: View = { id: "home", title: "Start", load: () => import("../views/home/home").then((m) => m.Home) };

export const views: View[] = [
    { id: "learn", title: "Learn", load: () => import("../views/learn/learn").then((m) => m.Learn) },
    {
        id: "understand",
        title: "Understand",
        load: () => import("../views/understand/understand").then((m) => m.Understand),
    },
    { id: "ask", title: "Ask", load: () => import("../views/ask/ask").then((m) => m.Ask) },
    { id: "evaluate", title: "Evaluate", load: () => import("../views/evaluate/evaluate").then((m) => m.Evaluate) },
    { id: "networks", title: "Networks", load: () => import("../views/networks/networks").then((m) => m.Networks) },
    {
        id: "sequences",
        title: "Sequences",
        load: () => import("../views/sequences/sequences").then((m) => m.Sequences),
    },
    { id: "texts", title: "Texts", load: () => import("../views/texts/texts").then((m) => m.Texts) },
    { id: "course", title: "Course", load: () => import("../views/course/course").then((m) => m.Course) },
];
