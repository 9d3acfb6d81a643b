// SPDX-License-Identifier: MIT
// The cost of each decision for each true class.
import type { JSX } from "preact";

interface Props {
    classes: string[];
    costs: number[][];
    onChange(costs: number[][]): void;
}

export function CostMatrix({ classes, costs, onChange }: Props): JSX.Element {
    const set = (truth: number, named: number, text: string): void => {
        const value = Number(text);
        if (text === "" || !Number.isFinite(value)) return;
        onChange(costs.map((row, i) => (i === truth ? row.map((old, j) => (j === named ? value : old)) : row)));
    };
    return (
        <div class="table-scroll" role="region" aria-label="Costs" tabIndex={0}>
            <table class="costs">
                <caption>Cost of each decision (column) for each true class (row)</caption>
                <thead>
                    <tr>
                        <th scope="col">true class ╲ decision</th>
                        {classes.map((name) => (
                            <th key={name} scope="col">
                                {name}
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {classes.map((name, truth) => (
                        <tr key={name}>
                            <th scope="row">{name}</th>
                            {classes.map((action, named) => (
                                <td key={action}>
                                    <input
                                        type="number"
                                        step="any"
                                        value={costs[truth]?.[named] ?? 0}
                                        aria-label={`Cost of ${action} if ${name} is true`}
                                        onInput={(event) => set(truth, named, event.currentTarget.value)}
                                    />
                                </td>
                            ))}
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
