// SPDX-License-Identifier: MIT
// The report of a table as one HTML file, made by the command.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { CredenceError } from "credence";
import { Busy } from "../../shell/busy";
import { core } from "../../shell/core";
import { saveBytes } from "../../shell/picture";
import { Problem } from "../../shell/problem";
import type { OpenDocument } from "../../shell/store";
import { useAnswer, type Progress } from "../../shell/use-answer";
import { splitWords } from "../../shell/words";

const NAME = "report.html";

export function SaveReport({ model, table }: { model: OpenDocument; table: OpenDocument }): JSX.Element | null {
    const [running, setRunning] = useState<AbortController>();
    const [progress, setProgress] = useState<Progress>();
    const [error, setError] = useState<Error>();
    const { target = "", options = "" } = model.trained ?? {};
    const canReport = useAnswer(async (credence) => (await credence.run(["help", "report"])).status === 0, []);
    if (canReport.value !== true) return null;
    const make = async (): Promise<void> => {
        const controller = new AbortController();
        setRunning(controller);
        setError(undefined);
        try {
            const words = ["report", table.name, "--target", target, ...splitWords(options), "-o", NAME];
            const { status, stderr, files } = await (
                await core
            ).run(words, {
                files: { [table.name]: table.content },
                keep: [NAME],
                signal: controller.signal,
                onProgress: setProgress,
            });
            const content = files[NAME];
            if (status !== 0 || content === undefined) throw CredenceError.of(status, stderr);
            saveBytes(NAME, content as BlobPart, "text/html");
        } catch (reason) {
            if (!controller.signal.aborted) setError(reason instanceof Error ? reason : new Error(String(reason)));
        } finally {
            setRunning(undefined);
            setProgress(undefined);
        }
    };
    return (
        <>
            <button type="button" disabled={running !== undefined} onClick={() => void make()}>
                Save report
            </button>
            {running !== undefined && (
                <Busy what="Making the report" progress={progress} cancel={() => running.abort()} />
            )}
            {error !== undefined && <Problem error={error} />}
        </>
    );
}
