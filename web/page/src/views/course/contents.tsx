// SPDX-License-Identifier: MIT
// The examples by deck, each a link; the one that is shown is marked.
import type { JSX } from "preact";
import { routeAddress } from "../../shell/route";
import { lessons } from "./lessons/list";
import { decks, examples } from "./data/decks";

export const FIGURES = [
    { id: "bayes", title: "Bayes' rule" },
    { id: "distribution", title: "Distributions" },
    { id: "numbers", title: "All worked numbers" },
];

interface Props {
    /** The example or the lesson that is shown. */
    item: string | undefined;
    lesson: string | undefined;
    completed: string[];
}

export function Contents({ item, lesson, completed }: Props): JSX.Element {
    const link = ({ id, title }: { id: string; title: string }): JSX.Element => (
        <li key={id}>
            <a href={routeAddress("course", { item: id })} aria-current={id === item ? "true" : undefined}>
                {title}
            </a>
        </li>
    );
    return (
        <nav class="course-contents" aria-label="Examples of the course">
            <details open={innerWidth > 800}>
                <summary>Contents</summary>
                <h2>Lessons</h2>
                <ol>
                    {lessons.map(({ id, title }) => (
                        <li key={id}>
                            <a
                                href={routeAddress("course", { lesson: id })}
                                aria-current={id === lesson ? "true" : undefined}
                            >
                                {title}
                                {completed.includes(id) && <span aria-label="completed"> ✓</span>}
                            </a>
                        </li>
                    ))}
                </ol>
                <h2>Interactive figures</h2>
                <ul>{FIGURES.map(link)}</ul>
                {decks.map(({ number, title }) => (
                    <section key={number}>
                        <h2>Worked examples: {title}</h2>
                        <ul>{examples.filter(({ decks: of }) => of[0] === number).map(link)}</ul>
                    </section>
                ))}
            </details>
        </nav>
    );
}
