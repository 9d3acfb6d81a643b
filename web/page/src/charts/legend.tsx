// SPDX-License-Identifier: MIT
// The classes in their colors, with the dashes of their lines or the shapes of their points.
import type { JSX } from "preact";
import { classColor, classDash } from "./colors";
import { symbolPath } from "./scatter-canvas";

interface Props {
    classes: string[];
    label?: string;
    mark?: "line" | "area" | "symbol";
}

export function Legend({ classes, label = "Classes", mark = "line" }: Props): JSX.Element {
    const swatch = (index: number): JSX.Element => {
        if (mark === "symbol")
            return <path transform="translate(14 7)" d={symbolPath(index)} fill={classColor(index)} />;
        if (mark === "area") return <rect width="28" height="14" rx="2" fill={classColor(index)} />;
        const dash = classDash(index);
        return <line x2="28" y1="7" y2="7" stroke={classColor(index)} stroke-width="3" stroke-dasharray={dash} />;
    };
    return (
        <ul class="legend" aria-label={label}>
            {classes.map((name, index) => (
                <li key={name}>
                    <svg width="28" height="14" aria-hidden="true">
                        {swatch(index)}
                    </svg>
                    {name}
                </li>
            ))}
        </ul>
    );
}
