// SPDX-License-Identifier: MIT
// A lesson: the question, a guess by a slider, the answer with the guess marked, a variation, and a check question. The link
// contains the numbers, so a teacher can change and share them.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Busy } from "../../../shell/busy";
import { shownProbability } from "../../../shell/numbers";
import { Problem } from "../../../shell/problem";
import { changeParams, routeAddress } from "../../../shell/route";
import { useAnswer } from "../../../shell/use-answer";
import { percentOf } from "./compute";
import { lessons } from "./list";
import { People } from "./people";
import type { Lesson, LessonNumber, LessonResult, Numbers } from "./types";

function numbersOf(lesson: Lesson, params: URLSearchParams): Numbers {
    return Object.fromEntries(
        lesson.numbers.map(({ id, value, from, to }) => {
            const text = params.get(`n-${id}`);
            const number = text === null ? value : Number(text);
            return [id, Number.isFinite(number) ? Math.min(to, Math.max(from, number)) : value];
        }),
    );
}

/** Changes numbers of the question in the link, and hides the answer. */
function setNumbers(lesson: Lesson, numbers: Record<string, number>): void {
    const changes = lesson.numbers.map(({ id, value }): [string, string | undefined] => {
        const next = numbers[id] ?? value;
        return [`n-${id}`, next === value ? undefined : String(next)];
    });
    changeParams(Object.fromEntries(changes));
}

interface Props {
    lesson: Lesson;
    params: URLSearchParams;
    isCompleted: boolean;
    onComplete(): void;
}

export function LessonPage({ lesson, params, isCompleted, onComplete }: Props): JSX.Element {
    const numbers = numbersOf(lesson, params);
    const text = JSON.stringify(numbers);
    const [guess, setGuess] = useState(50);
    // The answer to these numbers is shown. For others, the reader guesses again.
    const [shown, setShown] = useState<string>();
    const answer = useAnswer(
        async (core) => ({ text, result: await lesson.compute(core, numbers) }),
        [lesson.id, text],
    );
    const result = answer.value?.text === text ? answer.value.result : undefined;
    const at = lessons.indexOf(lesson);
    return (
        <article class="lesson" aria-labelledby="lesson-title">
            <p class="quiet">
                Lesson {at + 1} of {lessons.length}
                {isCompleted ? " · completed ✓" : ""}
            </p>
            <h2 id="lesson-title">{lesson.title}</h2>
            <p class="question">{lesson.question(numbers)}</p>
            <form
                class="guess"
                onSubmit={(event) => {
                    event.preventDefault();
                    setShown(text);
                }}
            >
                <label>
                    <span>
                        Your guess, {lesson.guess}: <strong>{guess} %</strong>
                    </span>
                    <input
                        type="range"
                        min="0"
                        max="100"
                        value={guess}
                        onInput={(event) => setGuess(event.currentTarget.valueAsNumber)}
                    />
                </label>
                <button type="submit" class="primary">
                    Show the answer
                </button>
            </form>
            {answer.error !== undefined && <Problem error={answer.error} />}
            {shown === text && result === undefined && <Busy what="Computing" answer={answer} />}
            {shown === text && result !== undefined && (
                <Reveal lesson={lesson} result={result} guess={guess / 100} onComplete={onComplete} />
            )}
            <details class="lesson-numbers">
                <summary>Change the numbers</summary>
                <div class="figure-controls">
                    {lesson.numbers.map((one) => (
                        <NumberField
                            key={one.id}
                            number={one}
                            value={numbers[one.id] ?? one.value}
                            change={(value) => setNumbers(lesson, { ...numbers, [one.id]: value })}
                        />
                    ))}
                </div>
                <p class="quiet">The link of this page contains your numbers: share it with a class.</p>
            </details>
            <nav class="links" aria-label="Lessons before and after">
                {[lessons[at - 1], lessons[at + 1]].map((other, index) =>
                    other === undefined ? null : (
                        <a key={other.id} class="button" href={routeAddress("course", { lesson: other.id })}>
                            {index === 0 ? `← ${other.title}` : `${other.title} →`}
                        </a>
                    ),
                )}
            </nav>
        </article>
    );
}

interface RevealProps {
    lesson: Lesson;
    result: LessonResult;
    guess: number;
    onComplete(): void;
}

function Reveal({ lesson, result, guess, onComplete }: RevealProps): JSX.Element {
    const [chosen, setChosen] = useState<number>();
    const { check } = lesson;
    useEffect(() => setChosen(undefined), [lesson.id]);
    const choose = (index: number): void => {
        setChosen(index);
        if (index === check.right) onComplete();
    };
    const bar = (name: string, probability: number, isAnswer: boolean): JSX.Element => (
        <div key={name}>
            <dt>{isAnswer ? <strong>{name}</strong> : name}</dt>
            <dd>
                <span class="lesson-track" aria-hidden="true">
                    <span
                        style={{
                            width: `${100 * probability}%`,
                            background: isAnswer ? "var(--series-1)" : "var(--edge)",
                        }}
                    />
                    {isAnswer && <i style={{ left: `${100 * guess}%` }} />}
                </span>
                <data value={probability} data-value={probability} data-name={name} title={String(probability)}>
                    {shownProbability(probability)}
                </data>
            </dd>
        </div>
    );
    return (
        <section class="reveal" aria-label="Answer" aria-live="polite">
            <p class="answer">
                <strong>{shownProbability(result.answer)}</strong>. Your guess was {percentOf(guess)}.
            </p>
            <dl class="posterior-bars lesson-bars">
                {bar(lesson.guess, result.answer, true)}
                {result.facts.map(([name, probability]) => bar(name, probability, false))}
            </dl>
            {result.people !== undefined && <People groups={result.people} />}
            <p>{lesson.because}</p>
            <p>
                <button type="button" onClick={() => setNumbers(lesson, lesson.variation.numbers)}>
                    Variation: {lesson.variation.text}
                </button>
            </p>
            <fieldset class="check">
                <legend>{check.question}</legend>
                {check.answers.map((text, index) => (
                    <label key={text}>
                        <input
                            type="radio"
                            name={`check-${lesson.id}`}
                            checked={chosen === index}
                            onChange={() => choose(index)}
                        />{" "}
                        {text}
                    </label>
                ))}
                {chosen !== undefined && (
                    <p role="status">
                        <strong>{chosen === check.right ? "Right." : "Not quite."}</strong>{" "}
                        {chosen === check.right ? check.because : "Think again."}
                    </p>
                )}
            </fieldset>
        </section>
    );
}

interface NumberProps {
    number: LessonNumber;
    value: number;
    change(value: number): void;
}

function NumberField({ number, value, change }: NumberProps): JSX.Element {
    const { label, from, to, step, isProbability } = number;
    return (
        <label class="lesson-number">
            <span>
                {label}: {isProbability ? percentOf(value) : value}
            </span>
            <input
                type="range"
                min={from}
                max={to}
                step={step}
                value={value}
                onInput={(event) => change(event.currentTarget.valueAsNumber)}
            />
        </label>
    );
}
