// SPDX-License-Identifier: MIT
// Worked numbers next to the computed numbers.
import type { JSX } from "preact";
import { rounded } from "../../shell/numbers";
import { agrees, valueAt, type Found } from "./agreement";
import type { WorkedNumber } from "./data/types";

export interface NumberLine {
    number: WorkedNumber;
    /** The report of its command; undefined: not yet computed. */
    report: unknown;
    /** The example of the number, if several examples are listed. */
    of?: { id: string; title: string };
}

export type Verdict = "agrees" | "slip" | "differs" | "open";

export function verdictOf({ number, report }: NumberLine): Verdict {
    if (report === undefined) return "open";
    if (agrees(number, valueAt(report, number.at))) return "agrees";
    return number.slip !== undefined ? "slip" : "differs";
}

const MARKS: Record<Verdict, [string, string]> = {
    agrees: ["✓", "agrees"],
    slip: ["!", "erratum in the lecture"],
    differs: ["✗", "differs"],
    open: ["…", "not computed"],
};

function shown(number: WorkedNumber, found: Found): string {
    if (typeof found === "number") return rounded(found);
    if (typeof found === "boolean") return number.words?.[found ? "true" : "false"] ?? String(found);
    return found ?? "";
}

export function NumbersTable({ lines, caption }: { lines: NumberLine[]; caption: string }): JSX.Element {
    const hasExamples = lines.some(({ of }) => of !== undefined);
    return (
        <div class="table-scroll" role="region" aria-label={caption} tabIndex={0}>
            <table class="worked">
                <caption class="unseen">{caption}</caption>
                <thead>
                    <tr>
                        {hasExamples && <th scope="col">Example</th>}
                        <th scope="col">Number</th>
                        <th scope="col" class="number">
                            Worked
                        </th>
                        <th scope="col" class="number">
                            Computed
                        </th>
                        <th scope="col">Comparison</th>
                    </tr>
                </thead>
                <tbody>
                    {lines.map((line, index) => {
                        const { number, report, of } = line;
                        const found = report === undefined ? undefined : valueAt(report, number.at);
                        const verdict = verdictOf(line);
                        const [mark, words] = MARKS[verdict];
                        return (
                            <tr key={index} data-verdict={verdict}>
                                {hasExamples && (
                                    <td>{of !== undefined && <a href={`#/course?item=${of.id}`}>{of.title}</a>}</td>
                                )}
                                <th scope="row">{number.what}</th>
                                <td class="number">{number.lecture}</td>
                                <td class="number">
                                    <data
                                        value={String(found ?? "")}
                                        data-value={String(found ?? "")}
                                        title={typeof found === "number" ? String(found) : undefined}
                                    >
                                        {shown(number, found)}
                                    </data>
                                </td>
                                <td>
                                    <span class={`verdict ${verdict}`}>
                                        <span aria-hidden="true">{mark}</span> {words}
                                    </span>
                                    {number.slip !== undefined && <small>{number.slip}</small>}
                                </td>
                            </tr>
                        );
                    })}
                </tbody>
            </table>
        </div>
    );
}
