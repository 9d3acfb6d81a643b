// SPDX-License-Identifier: MIT
// Bayes' rule as a figure that moves: priors, likelihoods and observed outcomes are set, the command computes the rest.
import type { JSX } from "preact";
import { Picture } from "../../shell/picture";
import { Problem } from "../../shell/problem";
import { changeParams } from "../../shell/route";
import { useAnswer } from "../../shell/use-answer";
import { Value } from "../../shell/value";
import { bayesPicture, type Update } from "./bayes-picture";
import { bayesArguments, parseProblem, problemText } from "./bayes-problem";
import type { BayesProblem } from "./data/types";
import { Probability } from "./probability-field";
import { ShellLines } from "./shell-lines";
import { commandLine } from "credence";

interface BayesReport {
    prior: Record<string, number>;
    observations: Update[];
    posterior: Record<string, number>;
    map: string;
    ml?: string;
    best_accuracy?: number;
}

interface Props {
    initial: BayesProblem;
    params: URLSearchParams;
}

export function BayesFigure({ initial, params }: Props): JSX.Element {
    const problem = parseProblem(params.get("bayes")) ?? initial;
    const change = (next: Partial<BayesProblem>): void => changeParams({ bayes: problemText({ ...problem, ...next }) });
    const command = bayesArguments(problem);
    const { value, error } = useAnswer((core) => core.json<BayesReport>(command), [command.join("\0")]);
    const { hypotheses, outcomes, observed } = problem;
    const last = value?.observations.at(-1);
    const setPrior = (index: number, prior: string): void =>
        change({ hypotheses: hypotheses.map((one, at) => (at === index ? { ...one, prior } : one)) });
    const setLikelihood = (outcome: number, index: number, text: string): void =>
        change({
            outcomes: outcomes.map((one, at) =>
                at === outcome ? { ...one, likelihoods: one.likelihoods.map((l, i) => (i === index ? text : l)) } : one,
            ),
        });
    const outcomeNames = [...outcomes.map(({ name }) => name)];
    const complement =
        outcomes.length === 1
            ? (observed.find((name) => !outcomeNames.includes(name)) ?? `not ${outcomeNames[0]}`)
            : undefined;
    return (
        <section class="figure" aria-labelledby="bayes-title">
            <h3 id="bayes-title">Bayes' rule</h3>
            <div class="figure-controls">
                {hypotheses.slice(0, -1).map(({ name, prior }, index) => (
                    <Probability
                        key={name}
                        label={`P(${name})`}
                        value={prior}
                        change={(text) => setPrior(index, text)}
                    />
                ))}
                {outcomes.map((outcome, at) =>
                    hypotheses.map(({ name }, index) => (
                        <Probability
                            key={`${outcome.name} ${name}`}
                            label={`P(${outcome.name} | ${name})`}
                            value={outcome.likelihoods[index] ?? ""}
                            change={(text) => setLikelihood(at, index, text)}
                        />
                    )),
                )}
            </div>
            <div class="observed">
                <span>Observed: {observed.length === 0 ? "nothing" : observed.join(", ")}</span>
                {[...outcomeNames, ...(complement === undefined ? [] : [complement])].map((name) => (
                    <button key={name} type="button" onClick={() => change({ observed: [...observed, name] })}>
                        Observe {name}
                    </button>
                ))}
                <button
                    type="button"
                    disabled={observed.length === 0}
                    onClick={() => change({ observed: observed.slice(0, -1) })}
                >
                    Undo the last observation
                </button>
            </div>
            {error !== undefined && <Problem error={error} />}
            {last !== undefined && (
                <Picture
                    title={
                        observed.length > 1
                            ? `The last of ${observed.length} observations`
                            : "Joint and posterior probabilities"
                    }
                    render={(width) => bayesPicture(width, last, "bayes")}
                    inputs={[JSON.stringify(last)]}
                />
            )}
            {value !== undefined && (
                <div aria-live="polite">
                    <table class="bayes-table">
                        <caption class="unseen">Prior and posterior of each hypothesis</caption>
                        <thead>
                            <tr>
                                <th scope="col">Hypothesis</th>
                                <th scope="col" class="number">
                                    Prior
                                </th>
                                <th scope="col" class="number">
                                    Posterior
                                </th>
                            </tr>
                        </thead>
                        <tbody>
                            {Object.entries(value.posterior).map(([name, posterior]) => (
                                <tr key={name}>
                                    <th scope="row">{name}</th>
                                    <td class="number">
                                        <Value of={value.prior[name]} />
                                    </td>
                                    <td class="number">
                                        <Value of={posterior} name={`posterior ${name}`} />
                                    </td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                    <p>
                        Maximum a posteriori: <strong>{value.map}</strong>
                        {value.ml !== undefined && (
                            <>
                                ; maximum likelihood: <strong>{value.ml}</strong>
                            </>
                        )}
                        .
                    </p>
                </div>
            )}
            <ShellLines lines={[commandLine(command)]} />
        </section>
    );
}
