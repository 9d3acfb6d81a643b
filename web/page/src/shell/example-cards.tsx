// SPDX-License-Identifier: MIT
// The examples of some kinds, as cards.
import type { JSX } from "preact";
import { examples } from "./examples";
import { homeView } from "./open-file";
import { routeAddress } from "./route";
import type { DocumentKind } from "./store";
import { useAnswer } from "./use-answer";

interface Props {
    kinds: DocumentKind[];
    /** The view of the links; absent: the usual view for each kind of example. */
    view?: string;
}

export function ExampleCards({ kinds, view }: Props): JSX.Element {
    const list = useAnswer(() => examples(), []);
    const shown = (list.value ?? []).filter(({ kind }) => kinds.includes(kind));
    return (
        <ul class="cards">
            {shown.map(({ name, about, kind }) => (
                <li key={name}>
                    <a class="card" href={routeAddress(view ?? homeView[kind], { example: name })}>
                        <strong>{name}</strong>
                        <span>{about}</span>
                    </a>
                </li>
            ))}
        </ul>
    );
}
