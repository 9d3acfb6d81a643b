// SPDX-License-Identifier: MIT
// Drawing and changing a network: nodes, states, arcs and tables, by forms.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { changeParams } from "../../../shell/route";
import { Problem } from "../../../shell/problem";
import type { PanelProps } from "../networks";
import type { NodeKind } from "../reports";
import { NodeChoice } from "../panels/node-choice";
import { addNode, freeName, type MakeChange } from "./changes";
import { NodeForm } from "./node-form";
import { SaveForm } from "./save-form";
import { TableGrid } from "./table-grid";

export function EditPanel({ open, state, make, editError, onMarks, onCommand }: PanelProps): JSX.Element {
    const { network } = open;
    const node = network.nodes.find(({ name }) => name === state.node);
    useEffect(() => {
        onMarks(undefined);
        onCommand(undefined);
    }, []);
    return (
        <>
            <h2>Edit</h2>
            <p class="quiet">
                Double-click the drawing to add a node. Drag from the dot of a node to another node to draw an arc.
                Delete removes the selected node or arc.
            </p>
            <div class="edit-tools">
                <AddNode key={freeName(network)} name={freeName(network)} make={make} />
            </div>
            {editError !== undefined && <Problem error={editError} />}
            <div class="choices">
                <NodeChoice
                    label="Node"
                    nodes={network.nodes}
                    value={node?.name}
                    onChange={(name) => changeParams({ node: name })}
                />
            </div>
            {node !== undefined && (
                <div class="card node-panel">
                    <NodeForm
                        key={JSON.stringify([node.name, node.states])}
                        network={network}
                        node={node}
                        make={make}
                    />
                    {node.table !== null && (
                        <TableGrid key={JSON.stringify(node)} network={network} node={node} make={make} />
                    )}
                </div>
            )}
            <SaveForm open={open} />
        </>
    );
}

function AddNode({ name, make }: { name: string; make: MakeChange }): JSX.Element {
    const [text, setText] = useState(name);
    const [kind, setKind] = useState<NodeKind>("chance");
    return (
        <form
            class="inline-form"
            onSubmit={(event) => {
                event.preventDefault();
                make(addNode(text, kind), { node: text });
            }}
        >
            <label>
                <span>New node</span>
                <input
                    type="text"
                    required
                    value={text}
                    onInput={(event) => setText(event.currentTarget.value)}
                    size={12}
                />
            </label>
            <select
                aria-label="Type of the new node"
                value={kind}
                onChange={(event) => setKind(event.currentTarget.value as NodeKind)}
            >
                <option value="chance">chance</option>
                <option value="decision">decision</option>
                <option value="utility">utility</option>
                <option value="gaussian">continuous</option>
            </select>
            <button type="submit">Add</button>
        </form>
    );
}
