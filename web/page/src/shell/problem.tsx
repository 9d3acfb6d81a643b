// SPDX-License-Identifier: MIT
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** An error message of the command. It is scrolled into view, because the button can be far above. */
export function Problem({ error }: { error: Error }): JSX.Element {
    const place = useRef<HTMLParagraphElement>(null);
    useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), [error]);
    return (
        <p ref={place} class="problem" role="alert">
            {error.message}
        </p>
    );
}
