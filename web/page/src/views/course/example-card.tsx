// SPDX-License-Identifier: MIT
// An example of the lectures: its question, its files, its commands, its answer and the worked numbers.
import type { JSX } from "preact";
import { AskForFile } from "../../shell/ask-for-file";
import { Busy } from "../../shell/busy";
import { Problem } from "../../shell/problem";
import { routeAddress } from "../../shell/route";
import { findDocument, useDocuments } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";
import { BayesFigure } from "./bayes-figure";
import { decks } from "./data/decks";
import type { Example } from "./data/types";
import { DistributionFigure } from "./distribution-figure";
import { FileTexts } from "./file-texts";
import { NumbersTable } from "./numbers-table";
import { PosteriorBars, posteriorsOf } from "./posterior-bars";
import { Printed } from "./printed";
import { runExample } from "./run-example";
import { ShellLines, shellLines } from "./shell-lines";

interface Props {
    example: Example;
    params: URLSearchParams;
}

export function ExampleCard({ example, params }: Props): JSX.Element {
    useDocuments();
    const own = (name: string) => findDocument(name)?.content;
    const missing = example.files.find((file) => "own" in file && own(file.name) === undefined);
    const answer = useAnswer(
        (core) => (missing === undefined ? runExample(core, example, own) : undefined),
        [example.id, missing?.name],
    );
    const { value, error, isBusy } = answer;
    const reports = isBusy ? undefined : value;
    const lines = example.steps.flatMap(({ numbers }, step) =>
        numbers.map((number) => ({ number, report: reports?.[step] })),
    );
    const posteriors = (reports ?? []).map(posteriorsOf).filter((list) => list.length > 0);
    const deckNames = example.decks
        .map((number) => `lecture ${number}, ${decks.find((deck) => deck.number === number)?.title ?? ""}`)
        .join("; ");
    return (
        <article class="example" aria-labelledby="example-title" data-item={example.id}>
            <p class="quiet">
                {example.topic} · {deckNames}
            </p>
            <h2 id="example-title">{example.title}</h2>
            <p class="question">{example.question}</p>
            {missing !== undefined && <AskForFile name={missing.name} />}
            {missing === undefined && <Busy what="Computing" answer={answer} />}
            {error !== undefined && <Problem error={error} />}
            <p class="answer">
                <strong>Answer.</strong> {example.answer}
            </p>
            {posteriors.length > 0 && <PosteriorBars posteriors={posteriors.at(-1) ?? []} />}
            {lines.length > 0 && (
                <>
                    <h3>Worked numbers</h3>
                    <NumbersTable lines={lines} caption="Worked numbers" />
                </>
            )}
            {example.bayes !== undefined && <BayesFigure key={example.id} initial={example.bayes} params={params} />}
            {example.distribution !== undefined && (
                <DistributionFigure key={example.id} initial={example.distribution} params={params} />
            )}
            <h3>Commands</h3>
            <ShellLines lines={shellLines(example)} />
            <Printed key={example.id} example={example} own={own} />
            <FileTexts example={example} own={own} />
            {example.links !== undefined && (
                <p class="links">
                    {example.links.map(({ text, view, params: to }) => (
                        <a key={text} href={routeAddress(view, to)}>
                            {text}
                        </a>
                    ))}
                </p>
            )}
        </article>
    );
}
