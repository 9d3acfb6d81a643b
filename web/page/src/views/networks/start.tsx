// SPDX-License-Identifier: MIT
// The start of the view Networks: open a file, draw a new network, or choose an open model or an example.
import type { JSX } from "preact";
import { AskForFile } from "../../shell/ask-for-file";
import { DropZone } from "../../shell/drop-zone";
import { ExampleCards } from "../../shell/example-cards";
import { routeAddress } from "../../shell/route";
import { useDocuments } from "../../shell/store";
import { drawNetwork } from "./draw";

export function Start({ missing }: { missing: string | undefined }): JSX.Element {
    const documents = useDocuments().filter(({ kind }) => kind === "network" || kind === "model");
    if (missing !== undefined) return <AskForFile name={missing} />;
    return (
        <>
            <DropZone>
                Open a network: BIF, XMLBIF, NET (Hugin), UAI, XDSL (GeNIe), DNE (Netica), or a network model.
            </DropZone>
            <p class="start-draw">
                <button type="button" onClick={drawNetwork}>
                    Draw a new network
                </button>
            </p>
            {documents.length > 0 && (
                <>
                    <h2>Open documents</h2>
                    <ul class="cards">
                        {documents.map(({ name, kind }) => (
                            <li key={name}>
                                <a class="card" href={routeAddress("networks", { file: name })}>
                                    <strong>{name}</strong>
                                    <span>{kind}</span>
                                </a>
                            </li>
                        ))}
                    </ul>
                </>
            )}
            <h2>Examples</h2>
            <ExampleCards kinds={["network"]} view="networks" />
        </>
    );
}
