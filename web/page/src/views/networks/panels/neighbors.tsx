// SPDX-License-Identifier: MIT
// Parents, children and the Markov blanket of a node: each leads to its node.
import type { JSX } from "preact";
import { changeParams } from "../../../shell/route";
import { quotedNode } from "../evidence";
import type { BlanketReport, NetworkNode } from "../reports";
import { useNetworkAnswer, type OpenNetwork } from "../use-network";

export function Neighbors({ open, node }: { open: OpenNetwork; node: NetworkNode }): JSX.Element {
    const children = open.network.nodes.filter(({ parents }) => parents.includes(node.name)).map(({ name }) => name);
    const blanket = useNetworkAnswer<BlanketReport>(open, "query", ["--markov-blanket", quotedNode(node.name)]);
    const found = blanket.value?.blankets[0];
    return (
        <dl class="neighbors">
            <Names title="Parents" names={node.parents} />
            <Names title="Children" names={children} />
            {found !== undefined && found.node === node.name && <Names title="Markov blanket" names={found.blanket} />}
        </dl>
    );
}

function Names({ title, names }: { title: string; names: string[] }): JSX.Element {
    return (
        <div>
            <dt>{title}</dt>
            <dd>
                {names.length === 0
                    ? "none"
                    : names.map((name) => (
                          <button key={name} type="button" class="link" onClick={() => changeParams({ node: name })}>
                              {name}
                          </button>
                      ))}
            </dd>
        </div>
    );
}
