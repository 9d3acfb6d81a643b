// SPDX-License-Identifier: MIT
// The form of a node: its name, type, states and parents.
import type { JSX } from "preact";
import { listItem } from "credence";
import { useState } from "preact/hooks";
import { splitList } from "../../learn/choices";
import type { NetworkNode, NetworkReport, NodeKind } from "../reports";
import { addArc, removeArc, removeNode, renameNode, setKind, setStates, type MakeChange } from "./changes";

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
                <TextForm
                    label="States"
                    value={node.states.map(listItem).join(", ")}
                    action="Set"
                    onSubmit={(text) =>
                        make(
                            setStates(
                                node.name,
                                splitList(text).filter((state) => state !== ""),
                            ),
                        )
                    }
                />
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
    value: string;
    action: string;
    onSubmit(text: string): void;
}

/** A text that is set by Enter, the button, or going elsewhere. */
function TextForm({ label, value, action, onSubmit }: TextFormProps): JSX.Element {
    const [text, setText] = useState(value);
    const submit = (): void => {
        if (text.trim() !== "" && text !== value) onSubmit(text);
    };
    return (
        <form class="inline-form" onSubmit={(event) => (event.preventDefault(), submit())}>
            <label>
                <span>{label}</span>
                <input
                    type="text"
                    required
                    value={text}
                    onInput={(event) => setText(event.currentTarget.value)}
                    onBlur={submit}
                    size={20}
                />
            </label>
            <button type="submit" disabled={text === value} aria-label={`${action}: ${label}`}>
                {action}
            </button>
        </form>
    );
}
