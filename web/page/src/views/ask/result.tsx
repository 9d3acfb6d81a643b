// SPDX-License-Identifier: MIT
// The prediction for a row: posterior, decision, weights of evidence.
import type { JSX } from "preact";
import { bars, evidence } from "../../charts/bars";
import { classColor } from "../../charts/colors";
import { MarkedText } from "../../charts/marked-text";
import { rounded, shownProbability } from "../../shell/numbers";
import { Picture } from "../../shell/picture";
import { Value } from "../../shell/value";
import type { Reason, RowAnswer } from "./answer";
import type { Row } from "./given";

const MAX_CLASSES = 12;
const MOST_REASONS = 12;

export function Posterior({ answer, classes }: { answer: RowAnswer; classes: string[] }): JSX.Element {
    const all = answer.posterior.map((one) => ({ ...one, index: classes.indexOf(one.name) }));
    const shown =
        all.length <= MAX_CLASSES ? all : [...all].sort((a, b) => b.probability - a.probability).slice(0, MAX_CLASSES);
    const others = all.length - shown.length;
    const render = (width: number): Element =>
        bars(
            width,
            `Posterior: ${shown.map(({ name, probability }) => `${name} ${rounded(probability)}`).join(", ")}`,
            shown.map(({ name, probability, index }) => ({
                name,
                value: probability,
                text: shownProbability(probability),
                color: classColor(Math.max(0, index)),
                data: `posterior ${name}`,
                isStrong: name === answer.prediction,
            })),
            1,
        );
    return (
        <>
            <Picture title="Posterior" render={render} inputs={[answer, classes]} />
            {others > 0 && (
                <p class="quiet">
                    The {MAX_CLASSES} most probable of {all.length} classes.
                </p>
            )}
        </>
    );
}

/** The prediction and the decision, with a warning if the row is atypical. */
export function Decision({
    answer,
    typicality,
}: {
    answer: RowAnswer;
    typicality: number | null | undefined;
}): JSX.Element {
    const best = answer.posterior.find(({ name }) => name === answer.prediction);
    const tied = answer.posterior.filter(({ probability }) => probability === best?.probability);
    return (
        <div class="decision" aria-live="polite">
            {answer.impossible !== undefined ? (
                <p class="problem">{answer.impossible}</p>
            ) : answer.prediction === undefined ? (
                <p>No prediction: every class has probability 0.</p>
            ) : (
                <p class="verdict">
                    {tied.length > 1 && `A tie of ${tied.length} classes; the first is `}
                    <strong data-name="prediction">{answer.prediction}</strong>, with probability{" "}
                    <Value of={best?.probability} name="probability" isProbability />
                    {answer.uncertainty !== undefined && (
                        <span class="quiet">
                            {" "}
                            (<Value of={answer.uncertainty} name="uncertainty" /> bits of uncertainty)
                        </span>
                    )}
                </p>
            )}
            {answer.decision !== undefined && (
                <p>
                    Decision: <strong data-name="decision">{answer.decision}</strong>
                    {answer.costs !== undefined && (
                        <span class="quiet">
                            {" "}
                            — expected cost{" "}
                            {Object.entries(answer.costs).map(([action, cost], index) => (
                                <span key={action}>
                                    {index > 0 ? ", " : ""}
                                    {action} <Value of={cost} name={`cost ${action}`} />
                                </span>
                            ))}
                        </span>
                    )}
                </p>
            )}
            {typicality !== undefined && typicality !== null && typicality < 0.05 && (
                <p class="warning" role="status">
                    Unlike the training rows: typicality <Value of={typicality} name="typicality" />. The prediction may
                    be unreliable.
                </p>
            )}
            {answer.unseen > 0 && (
                <p class="warning">
                    {answer.unseen === 1 ? "One value or word was" : `${answer.unseen} values or words were`} not seen
                    in training and ignored.
                </p>
            )}
        </div>
    );
}

/** "+1.2", or which way a zero decides. */
function weightText({ weight, sign }: Reason): string {
    if (weight !== null) return `${weight > 0 ? "+" : ""}${rounded(weight)}`;
    return sign === undefined ? "-" : sign > 0 ? "+∞" : "-∞";
}

export function Reasons({ answer, classes }: { answer: RowAnswer; classes: string[] }): JSX.Element | null {
    const { reasons, pair, total } = answer;
    if (pair === undefined || reasons.length === 0) return null;
    const shown = reasons.slice(0, MOST_REASONS + 1);
    const index = (name: string): number => Math.max(0, classes.indexOf(name));
    const colors: [string, string] = [
        classColor(index(pair[0])),
        classes.includes(pair[1]) ? classColor(index(pair[1])) : "var(--ink-2)",
    ];
    const title = `Weight of evidence for ${pair[0]} against ${pair[1]}, in nats`;
    const render = (width: number): Element =>
        evidence(
            width,
            title,
            shown.map((reason) => ({
                name: reason.name,
                weight: reason.weight,
                ...(reason.sign === undefined ? {} : { sign: reason.sign }),
                text: weightText(reason),
                data: `weight ${reason.attribute ?? reason.name}`,
            })),
            colors,
        );
    return (
        <>
            <Picture title={title} render={render} inputs={[answer]} />
            <p class="quiet">
                Bars to the right favor {pair[0]}, to the left {pair[1]}.
                {reasons.length > shown.length &&
                    ` ${reasons.length - shown.length} terms with smaller weights are not shown.`}
                {total !== undefined && (
                    <>
                        {" "}
                        Total <Value of={total} name="total" />.
                    </>
                )}
            </p>
        </>
    );
}

export function Words({ answer, row, classes }: { answer: RowAnswer; row: Row; classes: string[] }): JSX.Element {
    return (
        <>
            {answer.texts.map(({ attribute, words, places, unknown_words: unknown, for: a = "", against: b = "" }) => (
                <section key={attribute}>
                    <h3>Words of {attribute}</h3>
                    <MarkedText
                        text={row.get(attribute) ?? ""}
                        words={words}
                        places={places}
                        pair={[a, b]}
                        colors={[
                            classColor(Math.max(0, classes.indexOf(a))),
                            classColor(Math.max(0, classes.indexOf(b))),
                        ]}
                    />
                    {unknown.length > 0 && (
                        <p class="quiet">
                            Not seen in training: {unknown.slice(0, 20).join(", ")}
                            {unknown.length > 20 ? ", …" : ""}
                        </p>
                    )}
                </section>
            ))}
        </>
    );
}

export function Members({ answer }: { answer: RowAnswer }): JSX.Element | null {
    if (answer.members.length === 0) return null;
    const names = answer.posterior.map(({ name }) => name).slice(0, MAX_CLASSES);
    return (
        <div class="table-scroll" role="region" aria-label="Members" tabIndex={0}>
            <table>
                <caption>Members and their class probabilities</caption>
                <thead>
                    <tr>
                        <th scope="col">member</th>
                        <th scope="col" class="number">
                            weight
                        </th>
                        {names.map((name) => (
                            <th key={name} scope="col" class="number">
                                {name}
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {answer.members.map(({ name, weight, probabilities }) => (
                        <tr key={name}>
                            <th scope="row">{name}</th>
                            <td class="number">
                                <Value of={weight} />
                            </td>
                            {names.map((one) => (
                                <td key={one} class="number">
                                    <Value of={probabilities[one]} />
                                </td>
                            ))}
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
