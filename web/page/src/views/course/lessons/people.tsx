// SPDX-License-Identifier: MIT
// Groups of people as dots: a thousand people, the groups of the question first.
import type { JSX } from "preact";
import { classColor } from "../../../charts/colors";
import type { PeopleGroup } from "./types";

const ALL = 1000;
const ACROSS = 50;

/** The group of each dot. Roundings go to the last group. */
function dotsOf(groups: PeopleGroup[]): number[] {
    const dots = groups.flatMap(({ share }, index) => Array.from({ length: Math.round(ALL * share) }, () => index));
    while (dots.length < ALL) dots.push(groups.length - 1);
    return dots.slice(0, ALL);
}

function colorOf(groups: PeopleGroup[], index: number): string {
    return index === groups.length - 1 ? "var(--line)" : classColor(index);
}

export function People({ groups }: { groups: PeopleGroup[] }): JSX.Element {
    const counts = groups.map(({ share }) => Math.round(ALL * share));
    return (
        <figure class="people">
            <svg viewBox={`0 0 ${ACROSS * 10} ${(ALL / ACROSS) * 10}`} role="img" aria-label={`${ALL} people as dots`}>
                {dotsOf(groups).map((group, at) => (
                    <circle
                        key={at}
                        cx={(at % ACROSS) * 10 + 5}
                        cy={Math.floor(at / ACROSS) * 10 + 5}
                        r={4}
                        fill={colorOf(groups, group)}
                    />
                ))}
            </svg>
            <figcaption>
                <ul class="legend" aria-label="Groups">
                    {groups.map(({ name, isAsked }, index) => (
                        <li key={name}>
                            <svg width="14" height="14" aria-hidden="true">
                                <circle cx="7" cy="7" r="6" fill={colorOf(groups, index)} />
                            </svg>
                            {isAsked ? <strong>{name}</strong> : name}: {counts[index]} of {ALL.toLocaleString("en")}
                        </li>
                    ))}
                </ul>
            </figcaption>
        </figure>
    );
}
