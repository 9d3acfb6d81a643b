// SPDX-License-Identifier: MIT
// A histogram, or the shares of values, as small as a word.
import type { JSX } from "preact";

export function SmallHistogram({ counts, label }: { counts: number[]; label: string }): JSX.Element {
    const most = Math.max(...counts, 1);
    const width = 120 / Math.max(counts.length, 1);
    return (
        <svg class="small-histogram" viewBox="0 0 120 32" width="120" height="32" role="img" aria-label={label}>
            {counts.map((count, index) => {
                const height = count === 0 ? 0 : Math.max(1, (30 * count) / most);
                return (
                    <rect
                        key={index}
                        x={index * width}
                        y={31 - height}
                        width={Math.max(width - 1, 0.5)}
                        height={height}
                    />
                );
            })}
            <line x1="0" x2="120" y1="31.5" y2="31.5" />
        </svg>
    );
}
