// SPDX-License-Identifier: MIT
// Saves the network in the formats of other programs, as the command writes them.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { commandLine } from "credence";
import { core } from "../../../shell/core";
import { saveBytes } from "../../../shell/picture";
import { Problem } from "../../../shell/problem";
import type { OpenNetwork } from "../use-network";

const FORMATS = [
    { id: "bif", title: "BIF", ending: "bif" },
    { id: "xmlbif", title: "XMLBIF", ending: "xml" },
    { id: "net", title: "NET (Hugin)", ending: "net" },
    { id: "uai", title: "UAI", ending: "uai" },
    { id: "xdsl", title: "XDSL (GeNIe)", ending: "xdsl" },
    { id: "dne", title: "DNE (Netica)", ending: "dne" },
    { id: "dot", title: "DOT (Graphviz)", ending: "dot" },
];

export function SaveForm({ open }: { open: OpenNetwork }): JSX.Element {
    const hasNumbers = open.network.nodes.some(({ kind }) => kind === "gaussian");
    const [chosen, setChosen] = useState(hasNumbers ? "net" : "bif");
    const [error, setError] = useState<Error>();
    const format = FORMATS.find(({ id }) => id === chosen) ?? FORMATS[0];
    if (format === undefined) return <></>;
    const { document, options } = open;
    const name = `${document.name.replace(/\.[A-Za-z]+$/, "")}.${format.ending}`;
    const command = ["export", document.name, ...options, "--as", format.id];
    const save = async (): Promise<void> => {
        const { status, stdout, stderr } = await (
            await core
        ).run(command, { files: { [document.name]: document.content } });
        setError(status === 0 ? undefined : new Error(stderr.trim().replace(/^credence: /, "")));
        if (status === 0) saveBytes(name, stdout, "text/plain");
    };
    return (
        <>
            <h2>Save</h2>
            <form
                class="inline-form"
                onSubmit={(event) => {
                    event.preventDefault();
                    void save();
                }}
            >
                <label>
                    <span>Format</span>
                    <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
                        {FORMATS.map(({ id, title }) => (
                            <option key={id} value={id}>
                                {title}
                            </option>
                        ))}
                    </select>
                </label>
                <button type="submit">Save {name}</button>
            </form>
            <p>
                <code class="save-command">{commandLine([...command, "-o", name])}</code>
            </p>
            {error !== undefined && <Problem error={error} />}
        </>
    );
}
