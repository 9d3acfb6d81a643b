// SPDX-License-Identifier: MIT
// The classes in their colours, with the dashes of their lines.
import type { JSX } from "preact";
import { classColour, classDash } from "./colours";

interface Props {
    classes: string[];
    label?: string;
    /** Swatches as areas instead of lines. */
    isArea?: boolean;
}

export function Legend({ classes, label = "Classes", isArea = false }: Props): JSX.Element {
    return (
        <ul class="legend" aria-label={label}>
            {classes.map((name, index) => (
                <li key={name}>
                    <svg width="28" height="12" aria-hidden="true">
                        {isArea ? (
                            <rect width="28" height="12" rx="2" fill={classColour(index)} />
                        ) : (
                            <line
                                x1="0"
                                x2="28"
                                y1="6"
                                y2="6"
                                stroke={classColour(index)}
                                stroke-width="3"
                                stroke-dasharray={classDash(index)}
                            />
                        )}
                    </svg>
                    {name}
                </li>
            ))}
        </ul>
    );
}
