// SPDX-License-Identifier: MIT
// The predictions of all rows of a file, to look at and to save.
import type { JSX } from "preact";
import { CredenceError } from "credence";
import { AskForFile } from "../../shell/ask-for-file";
import { Busy } from "../../shell/busy";
import { parseCsv } from "../../shell/csv";
import { chooseFile, openFile } from "../../shell/open-file";
import { saveBytes } from "../../shell/picture";
import { Problem } from "../../shell/problem";
import { changeParams, goTo, routeAddress } from "../../shell/route";
import { RowTable } from "../../shell/row-table";
import { documentParams, makingOf, useDocuments, type OpenDocument } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import { ViewHead } from "../../shell/view-head";

/** Bytes of the result that are shown as rows; all of them are saved. */
const SHOWN_BYTES = 1_000_000;

function resultName(name: string): string {
    return `${name.replace(/(\.[A-Za-z0-9]+){1,2}$/, "")}-predicted.csv`;
}

/** Lets the user choose a file, and predicts its rows. */
export function PredictButton({ model, isPrimary = false }: { model: OpenDocument; isPrimary?: boolean }): JSX.Element {
    const choose = async (): Promise<void> => {
        const [file] = await chooseFile();
        if (file === undefined) return;
        const { name } = await openFile(file);
        goTo("ask", { ...documentParams(model), rows: name });
    };
    return (
        <button type="button" class={isPrimary ? "primary" : undefined} onClick={() => void choose()}>
            Predict a file…
        </button>
    );
}

interface Predicted {
    bytes: Uint8Array;
    header: string[];
    rows: string[][];
    total: number;
}

function readResult(bytes: Uint8Array): Predicted {
    const text = new TextDecoder().decode(bytes.subarray(0, SHOWN_BYTES));
    const [header = [], ...rows] = parseCsv(bytes.length > SHOWN_BYTES ? text.slice(0, text.lastIndexOf("\n")) : text);
    const isWhole = bytes.length <= SHOWN_BYTES;
    const total = isWhole ? rows.length : bytes.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0) - 1;
    return { bytes, header, rows, total };
}

export function PredictFile({ model, name }: { model: OpenDocument; name: string }): JSX.Element {
    const documents = useDocuments();
    const data = documents.find((document) => document.name === name);
    const result = resultName(name);
    const command = ["predict", model.name, name, "--with-input", "-o", result];
    const answer = useAnswer<Predicted>(
        async (core, signal) => {
            if (data === undefined) return undefined;
            const files = { [model.name]: model.content, [name]: data.content };
            const { status, stderr, files: made } = await core.run(command, { files, keep: [result], signal });
            const bytes = made[result];
            if (status !== 0 || bytes === undefined) throw CredenceError.of(status, stderr);
            return readResult(bytes);
        },
        [model.content, data?.content, name],
    );
    const found = answer.value;
    return (
        <>
            <ViewHead title="Ask" command={command} before={makingOf(model, data)}>
                Predictions of <bdi>{model.name}</bdi> for the rows of <strong>{name}</strong>.
            </ViewHead>
            <div class="actions">
                {found !== undefined && (
                    <button
                        type="button"
                        class="primary"
                        onClick={() => saveBytes(result, found.bytes as BlobPart, "text/csv")}
                    >
                        Save {result}
                    </button>
                )}
                <PredictButton model={model} />
                <label>
                    Open tables{" "}
                    <select value={name} onChange={(event) => changeParams({ rows: event.currentTarget.value })}>
                        {documents
                            .filter((one) => one.kind === "table" || one.name === name)
                            .map((one) => (
                                <option key={one.name}>{one.name}</option>
                            ))}
                    </select>
                </label>
                <a href={routeAddress("ask", documentParams(model))}>Predict one row</a>
            </div>
            {data === undefined && <AskForFile name={name} />}
            {data !== undefined && <Busy what={`Predicting ${name}`} answer={answer} />}
            {answer.error !== undefined && <Problem error={answer.error} />}
            {found !== undefined && (
                <RowTable caption="Predicted rows" header={found.header} rows={found.rows} total={found.total} />
            )}
        </>
    );
}
