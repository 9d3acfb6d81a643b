// SPDX-License-Identifier: MIT
// The frame: navigation, and the view of the route.
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { linkParams, rememberRoute } from "./context";
import { DocumentBar, OpenedAs } from "./document-bar";
import { DropTarget } from "./drop-target";
import { JobLine } from "./job-line";
import { Present } from "./present";
import { Problem } from "./problem";
import { routeAddress, useRoute } from "./route";
import { ThemeSwitch } from "./theme";
import { home, views, type ViewProps } from "./views";

export function App(): JSX.Element {
    const route = useRoute();
    // Before the links are made, which depend on it.
    rememberRoute(route);
    const view = [home, ...views].find(({ id }) => id === route.view);
    const [loaded, setLoaded] = useState<{ id: string; component: ComponentType<ViewProps> }>();
    useEffect(() => {
        document.title = `${view?.title ?? "Unknown view"} · Credence`;
        if (view === undefined) return;
        // A view that arrives after the next one was chosen is not shown.
        let isChosen = true;
        void view.load().then((component) => isChosen && setLoaded({ id: view.id, component }));
        return () => void (isChosen = false);
    }, [view?.id]);
    // On a phone, the bar of views scrolls.
    useEffect(() => {
        const chosen = document.querySelector<HTMLElement>("header.bar [aria-current]");
        const bar = chosen?.parentElement;
        if (chosen !== null && bar) bar.scrollLeft = chosen.offsetLeft - bar.offsetLeft - bar.clientWidth / 3;
    }, [view?.id]);
    const Current = loaded !== undefined && loaded.id === view?.id ? loaded.component : undefined;
    return (
        <>
            <a
                class="skip"
                href="#main"
                onClick={(event) => (event.preventDefault(), document.getElementById("main")?.focus())}
            >
                Skip to the content
            </a>
            <header class="bar">
                <a class="brand" href={routeAddress("home")}>
                    Credence
                </a>
                <nav aria-label="Views">
                    {views.map(({ id, title }) => (
                        <a
                            key={id}
                            href={routeAddress(id, id === view?.id ? route.params : linkParams(id))}
                            aria-current={id === view?.id ? "page" : undefined}
                        >
                            {title}
                        </a>
                    ))}
                </nav>
                <ThemeSwitch />
            </header>
            <DocumentBar view={route.view} params={route.params} />
            {/* The style sheet of a view applies only within its class. */}
            <main id="main" class={`view-${route.view}`} tabIndex={-1}>
                <OpenedAs params={route.params} />
                {view === undefined && (
                    <>
                        <h1>Unknown view</h1>
                        <Problem error={new Error(`unknown view '${route.view}': choose one of the views above`)} />
                    </>
                )}
                {Current !== undefined && <Current params={route.params} />}
            </main>
            <Present />
            <JobLine />
            <DropTarget />
        </>
    );
}
