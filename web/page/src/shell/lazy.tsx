// SPDX-License-Identifier: MIT
// A component whose script is loaded when it is first shown, which keeps the initial load small.
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => JSX.Element | null {
    let loaded: ComponentType<P> | undefined;
    return (props) => {
        const [, setLoaded] = useState(loaded !== undefined);
        useEffect(() => {
            if (loaded !== undefined) return;
            void load().then((component) => {
                loaded = component;
                setLoaded(true);
            });
        }, []);
        const Current = loaded;
        return Current === undefined ? null : <Current {...props} />;
    };
}
