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
    const { value, error, isBusy } = useAnswer(
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
    const count = (verdict: string): number => value?.filter((line) => verdictOf(line) === verdict).length ?? 0;
    return (
        <article class="example" aria-labelledby="example-title">
            <h2 id="example-title">All worked numbers</h2>
            <p class="question">
                Each number as its deck prints it, or as it follows from what the deck prints, beside the one that the
                command computes. Where a deck has a graph without numbers, those are of the example's own network, and
                the comparison shows only that the answer has not changed. Numbers agree where the computed one rounds
                to the digits that are given.
            </p>
            {isBusy && <Busy what="Computing" />}
            {error !== undefined && <Problem error={error} />}
            {value !== undefined && (
                <>
                    <p
                        class="answer"
                        data-agree={count("agrees")}
                        data-slips={count("slip")}
                        data-differ={count("differs")}
                    >
                        {count("agrees")} agree, {count("slip")} are slips of the decks, {count("differs")} differ
                        {count("open") > 0 ? `; ${count("open")} need files of the assignment` : ""}.
                    </p>
                    <NumbersTable lines={value} caption="All worked numbers" />
                </>
            )}
        </article>
    );
}
