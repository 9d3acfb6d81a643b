// SPDX-License-Identifier: MIT
// Every worked number of the decks, computed at once.
import type { JSX } from "preact";
import { Busy } from "../../shell/busy";
import { Problem } from "../../shell/problem";
import { findDocument, useDocuments } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import { examples } from "./data/decks";
import { NumbersTable, verdictOf, type NumberLine } from "./numbers-table";
import { runExample } from "./run-example";

export function AllNumbers(): JSX.Element {
    const documents = useDocuments();
    const own = (name: string) => findDocument(name)?.content;
    const answer = useAnswer(
        async (core) => {
            const lines: NumberLine[] = [];
            for (const example of examples) {
                const reports = await runExample(core, example, own);
                example.steps.forEach(({ numbers }, step) =>
                    lines.push(...numbers.map((number) => ({ number, report: reports?.[step], of: example }))),
                );
            }
            return lines;
        },
        [documents],
    );
    const { value, error } = answer;
    const count = (verdict: string): number => value?.filter((line) => verdictOf(line) === verdict).length ?? 0;
    return (
        <article class="example" aria-labelledby="example-title">
            <h2 id="example-title">All worked numbers</h2>
            <p class="question">
                Each number is printed in its lecture, or follows from printed numbers, and is compared with the number
                that the command computes. If a lecture contains a graph without numbers, the example uses its own
                numbers, and the comparison only shows that the result has not changed. Two numbers agree if the
                computed number rounds to the printed digits.
            </p>
            <Busy what="Computing" answer={answer} />
            {error !== undefined && <Problem error={error} />}
            {value !== undefined && (
                <>
                    <p
                        class="answer"
                        data-agree={count("agrees")}
                        data-slips={count("slip")}
                        data-differ={count("differs")}
                    >
                        {count("agrees")} agree, {count("slip")} are errata of the lectures, {count("differs")} differ
                        {count("open") > 0 ? `; ${count("open")} need the assignment files` : ""}.
                    </p>
                    <NumbersTable lines={value} caption="All worked numbers" />
                </>
            )}
        </article>
    );
}
