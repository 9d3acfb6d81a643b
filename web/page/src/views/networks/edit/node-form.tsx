// SPDX-License-Identifier: MIT
// The form of a node: its name, type, states and parents.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { NetworkNode, NetworkReport, NodeKind } from "../reports";
import { addArc, addState, removeArc, removeNode, removeState, renameNode, renameState, setKind } from "./changes";
import type { MakeChange } from "./edit-panel";

interface Props {
    network: NetworkReport;
    node: NetworkNode;
    make: MakeChange;
}

export function NodeForm({ network, node, make }: Props): JSX.Element {
    const hasStates = node.kind === "chance" || node.kind === "decision";
    return (
        <>
            <TextForm
                label="Name"
                value={node.name}
                action="Rename"
                onSubmit={(name) => make(renameNode(node.name, name), { node: name })}
            />
            <div class="inline-form">
                <label>
                    <span>Type</span>
                    <select
                        value={node.kind}
                        onChange={(event) => make(setKind(node.name, event.currentTarget.value as NodeKind))}
                    >
                        <option value="chance">chance</option>
                        <option value="decision">decision</option>
                        <option value="utility">utility</option>
                        <option value="gaussian">continuous</option>
                    </select>
                </label>
                <button type="button" onClick={() => make(removeNode(node.name), { node: undefined })}>
                    Remove {node.name}
                </button>
            </div>
            {hasStates && (
                <fieldset>
                    <legend>States</legend>
                    {node.states.map((state, index) => (
                        <div key={index} class="inline-form">
                            <TextForm
                                label={`State ${index + 1}`}
                                isLabelUnseen
                                value={state}
                                action="Rename"
                                onSubmit={(to) => make(renameState(node.name, index, to))}
                            />
                            <button
                                type="button"
                                disabled={node.states.length < 2}
                                aria-label={`Remove the state ${state}`}
                                onClick={() => make(removeState(node.name, index))}
                            >
                                ×
                            </button>
                        </div>
                    ))}
                    <TextForm
                        label="New state"
                        value=""
                        action="Add state"
                        onSubmit={(state) => make(addState(node.name, state))}
                    />
                </fieldset>
            )}
            <fieldset>
                <legend>Arcs</legend>
                {node.parents.map((parent) => (
                    <div key={parent} class="inline-form">
                        <span>
                            {parent} → {node.name}
                        </span>
                        <button
                            type="button"
                            aria-label={`Remove the arc from ${parent} to ${node.name}`}
                            onClick={() => make(removeArc(parent, node.name))}
                        >
                            ×
                        </button>
                    </div>
                ))}
                <AddArc network={network} node={node} make={make} />
            </fieldset>
        </>
    );
}

function AddArc({ network, node, make }: Props): JSX.Element {
    const others = network.nodes.filter(({ name }) => name !== node.name && !node.parents.includes(name));
    const [other, setOther] = useState("");
    const [isTo, setTo] = useState(false);
    return (
        <form
            class="inline-form"
            onSubmit={(event) => {
                event.preventDefault();
                if (other !== "") make(isTo ? addArc(node.name, other) : addArc(other, node.name));
            }}
        >
            <select
                aria-label="Direction of the new arc"
                value={isTo ? "to" : "from"}
                onChange={(event) => setTo(event.currentTarget.value === "to")}
            >
                <option value="from">arc from</option>
                <option value="to">arc to</option>
            </select>
            <select
                aria-label="Other node of the new arc"
                value={other}
                onChange={(event) => setOther(event.currentTarget.value)}
            >
                <option value="">choose …</option>
                {others.map(({ name }) => (
                    <option key={name} value={name}>
                        {name}
                    </option>
                ))}
            </select>
            <button type="submit">Add arc</button>
        </form>
    );
}

interface TextFormProps {
    label: string;
    isLabelUnseen?: boolean;
    value: string;
    action: string;
    onSubmit(text: string): void;
}

function TextForm({ label, isLabelUnseen = false, value, action, onSubmit }: TextFormProps): JSX.Element {
    const [text, setText] = useState(value);
    return (
        <form
            class="inline-form"
            onSubmit={(event) => {
                event.preventDefault();
                if (text !== value) onSubmit(text);
                if (value === "") setText("");
            }}
        >
            <label>
                <span class={isLabelUnseen ? "unseen" : undefined}>{label}</span>
                <input
                    type="text"
                    required
                    value={text}
                    onInput={(event) => setText(event.currentTarget.value)}
                    size={14}
                />
            </label>
            <button type="submit" disabled={text === value} aria-label={`${action}: ${label}`}>
                {action}
            </button>
        </form>
    );
}
