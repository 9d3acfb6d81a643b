// SPDX-License-Identifier: MIT
// The parts of a model beyond single columns: nodes of a network, members of an ensemble, weights of attributes and pairs.
import type { JSX } from "preact";
import { DataTable } from "../../shell/data-table";
import { rounded } from "../../shell/numbers";
import { routeAddress } from "../../shell/route";
import { documentParams, type OpenDocument } from "../../shell/store";
import type { ShownModel } from "../ask/reports";

export function Structure({ shown, model }: { shown: ShownModel; model: OpenDocument }): JSX.Element | null {
    const members: { name: string; weight: number }[] =
        shown.members?.map(({ settings, weight }) => ({ name: settings.method ?? "", weight })) ??
        shown.models?.map(({ model: name, weight }) => ({ name, weight })) ??
        [];
    return (
        <>
            {shown.nodes !== undefined && (
                <section aria-labelledby="structure">
                    <h2 id="structure">Structure</h2>
                    <p>
                        The model is a Bayesian network of {shown.nodes.length} nodes.{" "}
                        <a href={routeAddress("networks", documentParams(model))}>Networks</a> draws its graph and
                        tables.
                    </p>
                    <DataTable
                        caption="Nodes and their parents"
                        rows={shown.nodes}
                        columns={[
                            { title: "node", cell: ({ name }) => name, by: ({ name }) => name },
                            { title: "parents", cell: ({ parents }) => parents.join(", ") || "none" },
                            {
                                title: "states",
                                cell: ({ states }) => states?.length ?? "numeric",
                                by: ({ states }) => states?.length,
                                isNumber: true,
                            },
                        ]}
                    />
                </section>
            )}
            {members.length > 0 && (
                <section aria-labelledby="members">
                    <h2 id="members">Members</h2>
                    <DataTable
                        caption={`Members, pooled by ${shown.pool ?? shown.rule ?? ""}`}
                        rows={members}
                        columns={[
                            {
                                title: "member",
                                cell: ({ name }) => name,
                            },
                            {
                                title: "weight",
                                cell: ({ weight }) => rounded(weight),
                                by: ({ weight }) => weight,
                                isNumber: true,
                            },
                        ]}
                    />
                </section>
            )}
            {(shown.pairs?.length ?? 0) > 0 && (
                <section aria-labelledby="pairs">
                    <h2 id="pairs">Weights of attributes and pairs</h2>
                    <DataTable
                        caption="Weights of attributes and pairs"
                        isCaptionUnseen
                        most={20}
                        rows={shown.pairs ?? []}
                        columns={[
                            { title: "attributes", cell: ({ attributes }) => attributes.join(" with ") },
                            {
                                title: "weight",
                                cell: ({ attribute_weight }) => rounded(attribute_weight),
                                by: ({ attribute_weight }) => attribute_weight,
                                isNumber: true,
                            },
                        ]}
                    />
                </section>
            )}
        </>
    );
}
