// SPDX-License-Identifier: MIT
// From data and options to a model, its report, and the states of every step.
import { CredenceError, type FileContent } from "credence";
import type { Core } from "../../shell/core";
import { jsonLines, type Cell, type HmmReport, type Step, type TrainReport } from "./reports";

export interface Setup {
    data: { name: string; content: FileContent };
    /** A model that is there; absent: it is trained by these options. */
    model?: { name: string; content: FileContent };
    train: string[];
}

export interface Trained {
    model: { name: string; content: FileContent };
    /** undefined for a model that was opened. */
    report: TrainReport | undefined;
    command: string[] | undefined;
    shown: HmmReport;
}

/** The name of the model file differs from the name of the table. */
const modelName = (table: string): string => `${table.replace(/\.[^.]*(\.(gz|zst))?$/, "")}.model`;

export async function trainSequences(core: Core, setup: Setup, signal: AbortSignal): Promise<Trained> {
    let { model } = setup;
    let report: TrainReport | undefined;
    let command: string[] | undefined;
    if (model === undefined) {
        const name = modelName(setup.data.name);
        command = ["train", setup.data.name, "--method", "sequence", ...setup.train, "-o", name];
        const run = await core.run([...command, "--format", "json"], {
            files: { [setup.data.name]: setup.data.content },
            keep: [name],
            signal,
        });
        const content = run.files[name];
        if (run.status !== 0 || content === undefined)
            throw new CredenceError(run.stderr.trim().replace(/^credence: /, ""), run.status);
        model = { name, content };
        report = run.stdout === "" ? undefined : (JSON.parse(run.stdout) as TrainReport);
    }
    const shown = await core.json<HmmReport & { kind?: string }>(["show", model.name], {
        files: { [model.name]: model.content },
        signal,
    });
    if (shown.kind !== "sequence") throw new Error(`${model.name} is not a sequence model`);
    return { model, report, command, shown };
}

interface Line {
    sequence: string | number;
    step: number;
    prediction: string | null;
    probability: number | null;
    posterior: Record<string, number>;
    log_evidence: number | null;
    row?: Record<string, Cell>;
}

/** Returns the states of every row, with the values of the row in the file, in the order of the sequences. */
export async function decode(
    core: Core,
    trained: Trained,
    data: Setup["data"],
    decoding: string[],
    signal: AbortSignal,
): Promise<Step[]> {
    const files = { [trained.model.name]: trained.model.content, [data.name]: data.content };
    const command = ["predict", trained.model.name, data.name, ...decoding];
    const lines = await jsonLines<Line>(core, command, files, signal);
    const kept = await jsonLines<Line>(core, [...command, "--with-input"], files, signal);
    return lines.map((line, index) => ({
        row: kept[index]?.row ?? {},
        sequence: String(line.sequence),
        step: line.step,
        number: index + 1,
        prediction: line.prediction,
        probability: line.probability,
        posterior: line.posterior ?? {},
        log_evidence: line.log_evidence,
    }));
}

export type Edit = [row: number, column: string, value: string];

/** Parses the edits of a permalink. Invalid edits are ignored. */
export function parseEdits(text: string | null): Edit[] {
    if (text === null) return [];
    try {
        const parsed = JSON.parse(text) as unknown;
        if (!Array.isArray(parsed)) return [];
        return parsed.filter(
            (edit): edit is Edit =>
                Array.isArray(edit) &&
                typeof edit[0] === "number" &&
                typeof edit[1] === "string" &&
                typeof edit[2] === "string",
        );
    } catch {
        return [];
    }
}

const quoted = (cell: Cell | undefined): string => {
    const text = cell === null || cell === undefined ? "" : String(cell);
    return /[",\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** The rows as a file again, with the edits: comma-separated, or tokens between empty lines. */
export function editedData(steps: Step[], edits: Edit[], hasEmptyLines: boolean): Setup["data"] {
    const columns = Object.keys(steps[0]?.row ?? {});
    const changed = new Map(edits.map(([row, column, value]) => [`${row} ${column}`, value]));
    const cells = (step: Step): (Cell | undefined)[] =>
        columns.map((column) => changed.get(`${step.number} ${column}`) ?? step.row[column]);
    if (!hasEmptyLines) {
        const lines = [columns.map(quoted), ...steps.map((step) => cells(step).map(quoted))];
        return { name: "edited.csv", content: `${lines.map((line) => line.join(",")).join("\n")}\n` };
    }
    const lines: string[] = [];
    steps.forEach((step, index) => {
        if (index > 0 && steps[index - 1]?.sequence !== step.sequence) lines.push("");
        lines.push(
            cells(step)
                .map((cell) => String(cell ?? ""))
                .join("\t"),
        );
    });
    return { name: "edited.tsv", content: `${lines.join("\n")}\n` };
}
