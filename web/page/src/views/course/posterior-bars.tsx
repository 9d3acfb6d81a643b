// SPDX-License-Identifier: MIT
// The posterior of each class as bars.
import type { JSX } from "preact";
import { classColor } from "../../charts/colors";
import { Value } from "../../shell/value";

export interface Posterior {
    name: string;
    value: number;
}

/** Returns the posteriors of a report of explain, if it contains any. */
export function posteriorsOf(report: unknown): Posterior[] {
    const classes = (report as { classes?: unknown }).classes;
    if (!Array.isArray(classes)) return [];
    return classes.flatMap((one: { class?: unknown; posterior?: unknown }) =>
        typeof one.class === "string" && typeof one.posterior === "number"
            ? [{ name: one.class, value: one.posterior }]
            : [],
    );
}

export function PosteriorBars({ posteriors }: { posteriors: Posterior[] }): JSX.Element {
    return (
        <dl class="posterior-bars" aria-label="Posterior">
            {posteriors.map(({ name, value }, index) => (
                <div key={name}>
                    <dt>{name}</dt>
                    <dd>
                        <span class="posterior-track" aria-hidden="true">
                            <span style={{ width: `${100 * value}%`, background: classColor(index) }} />
                        </span>
                        <Value of={value} name={name} isProbability />
                    </dd>
                </div>
            ))}
        </dl>
    );
}
