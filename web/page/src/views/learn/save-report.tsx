// SPDX-License-Identifier: MIT
// The report of a table as one HTML file, made by the command.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { CredenceError } from "credence";
import { core } from "../../shell/core";
import { saveBytes } from "../../shell/picture";
import { Problem } from "../../shell/problem";
import type { OpenDocument } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import { splitWords } from "../../shell/words";

const NAME = "report.html";

export function SaveReport({ model, table }: { model: OpenDocument; table: OpenDocument }): JSX.Element | null {
    const [isRunning, setRunning] = useState(false);
    const [error, setError] = useState<Error>();
    const { target = "", options = "" } = model.trained ?? {};
    const canReport = useAnswer(async (credence) => (await credence.run(["help", "report"])).status === 0, []);
    if (canReport.value !== true) return null;
    const make = async (): Promise<void> => {
        const { signal } = new AbortController();
        setRunning(true);
        setError(undefined);
        try {
            const words = ["report", table.name, "--target", target, ...splitWords(options), "-o", NAME];
            const credence = await core;
            const { status, stderr, files } = await credence.run(words, {
                files: { [table.name]: table.content },
                keep: [NAME],
                signal,
            });
            const content = files[NAME];
            if (status !== 0 || content === undefined) throw CredenceError.of(status, stderr);
            saveBytes(NAME, content as BlobPart, "text/html");
        } catch (reason) {
            const isCanceled = reason instanceof DOMException && reason.name === "AbortError";
            if (!isCanceled) setError(reason instanceof Error ? reason : new Error(String(reason)));
        } finally {
            setRunning(false);
        }
    };
    return (
        <>
            <button type="button" disabled={isRunning} onClick={() => void make()}>
                Save report
            </button>
            {error !== undefined && <Problem error={error} />}
        </>
    );
}
