// SPDX-License-Identifier: MIT
// The choice of a node.
import type { JSX } from "preact";
import type { NetworkNode } from "../reports";

interface Props {
    label: string;
    nodes: NetworkNode[];
    value: string | undefined;
    onChange(name: string | undefined): void;
}

export function NodeChoice({ label, nodes, value, onChange }: Props): JSX.Element {
    return (
        <label class="node-choice">
            <span>{label}</span>
            <select value={value ?? ""} onChange={(event) => onChange(event.currentTarget.value || undefined)}>
                <option value="">choose …</option>
                {nodes.map(({ name }) => (
                    <option key={name} value={name}>
                        {name}
                    </option>
                ))}
            </select>
        </label>
    );
}
