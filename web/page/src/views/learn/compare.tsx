// SPDX-License-Identifier: MIT
// Methods compared on the same folds: by log loss, with the interval of two standard errors.
import type { JSX } from "preact";
import { chart, Plot } from "../../charts/chart";
import { Busy } from "../../shell/busy";
import { DataTable, type TableColumn } from "../../shell/data-table";
import { counted } from "../../shell/numbers";
import { Picture } from "../../shell/picture";
import { Problem } from "../../shell/problem";
import type { OpenDocument } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import { Value } from "../../shell/value";
import type { Candidate, Comparison } from "./reports";
import { commandLine } from "credence";

interface Props {
    table: OpenDocument;
    target: string;
    /** How columns are read. */
    reading: string[];
    onUse(options: string): void;
}

export function Compare({ table, target, reading, onUse }: Props): JSX.Element {
    const command = ["evaluate", table.name, "--target", target, ...reading, "--compare"];
    const answer = useAnswer(
        (core, signal) => core.json<Comparison>(command, { files: { [table.name]: table.content }, signal }),
        [table.content, command.join("\0")],
    );
    const found = answer.value;
    const columns: TableColumn<Candidate>[] = [
        { title: "Method", cell: ({ name }) => name, by: ({ name }) => name },
        {
            title: "Log loss",
            cell: (of) => <Value of={of.log_loss} name={`log loss ${of.name}`} />,
            by: (of) => of.log_loss,
            isNumber: true,
        },
        {
            title: "± SE",
            cell: (of) => <Value of={of.log_loss_error} />,
            by: (of) => of.log_loss_error,
            isNumber: true,
        },
        { title: "Accuracy", cell: (of) => <Value of={of.accuracy} />, by: (of) => of.accuracy, isNumber: true },
        { title: "ECE", cell: (of) => <Value of={of.ece} />, by: (of) => of.ece, isNumber: true },
        { title: "Parameters", cell: (of) => <Value of={of.parameters} />, by: (of) => of.parameters, isNumber: true },
        {
            title: "Use",
            cell: (of) => (
                <button type="button" aria-label={`Train ${of.name}`} onClick={() => onUse(of.options)}>
                    Train
                </button>
            ),
        },
    ];
    return (
        <section aria-labelledby="compare" aria-live="polite">
            <h2 id="compare">Method comparison</h2>
            <Busy what="Comparing methods" answer={answer} />
            {answer.error !== undefined && <Problem error={answer.error} />}
            {found !== undefined && (
                <>
                    <p>
                        {found.recommended !== null && found.recommended !== undefined && (
                            <>
                                Recommended: <strong>{found.recommended.name}</strong>.{" "}
                            </>
                        )}
                        Cross-validation of {counted(found.tried, "candidate")}. Baseline log loss (prior only):{" "}
                        <Value of={found.baseline_log_loss} name="baseline log loss" />. {found.recommended?.why}
                    </p>
                    {found.left_out.length > 0 && (
                        <p class="quiet">
                            Not tried: {found.left_out.map(({ name }) => name).join("; ")}. To try them, use the command
                            with <code>--budget</code>.
                        </p>
                    )}
                    <Picture
                        title="Log loss of the best methods, with intervals of two standard errors"
                        inputs={[found]}
                        render={(width) => intervals(width, found.candidates.slice(0, 12))}
                    />
                    <DataTable
                        caption="Methods by log loss"
                        isCaptionUnseen
                        columns={columns}
                        rows={found.candidates}
                    />
                    <p class="quiet">
                        <code>{commandLine(command)}</code>
                    </p>
                </>
            )}
        </section>
    );
}

function intervals(width: number, candidates: Candidate[]): Element {
    const low = (of: Candidate): number => Math.max(0, of.log_loss - 2 * of.log_loss_error);
    const high = (of: Candidate): number => of.log_loss + 2 * of.log_loss_error;
    return chart(width, "Log loss of methods", {
        height: 60 + 26 * candidates.length,
        marginLeft: Math.min(230, Math.round(width * 0.45)),
        x: { label: "log loss", grid: true, zero: true },
        y: { label: null, domain: candidates.map(({ name }) => name), tickSize: 0 },
        marks: [
            Plot.ruleY(candidates, { y: "name", x1: low, x2: high, stroke: "var(--ink-2)", strokeWidth: 2 }),
            Plot.dot(candidates, { y: "name", x: "log_loss", r: 5, fill: "var(--accent)" }),
        ],
    });
}
