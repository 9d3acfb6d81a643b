// SPDX-License-Identifier: MIT
// A named distribution as a figure that moves: its curve, and the probability of an interval as the area under it.
import type { JSX } from "preact";
import { commandLine } from "credence";
import type { Core } from "../../shell/core";
import { Picture } from "../../shell/picture";
import { Problem } from "../../shell/problem";
import { changeParams } from "../../shell/route";
import { useAnswer } from "../../shell/use-answer";
import { Value } from "../../shell/value";
import type { DistributionProblem } from "./data/types";
import { distributionPicture, type Curve } from "./distribution-picture";
import { ShellLines } from "./shell-lines";

interface Listed {
    name: string;
    parameters: { name: string; default: number | null }[];
    summary: string;
}

interface Report {
    mean: number;
    variance: number;
    results: Record<string, number>;
}

const WHOLE = ["binomial", "poisson", "discrete-uniform"];
/** The univariate distributions. */
const isDrawn = ({ name }: Listed): boolean => name !== "multivariate-normal";
const FIRST: Record<string, string> = { n: "10", degrees: "5", shape: "2", a: "2", b: "3", mean: "3", to: "6" };
const POINTS = 160;

function parse(text: string | null): DistributionProblem | undefined {
    if (text === null) return undefined;
    const [name, parameters, from, to] = text.split("|");
    if (name === undefined || parameters === undefined || from === undefined || to === undefined) return undefined;
    return { name, parameters: Object.fromEntries(new URLSearchParams(parameters)), from, to };
}

const written = ({ name, parameters, from, to }: DistributionProblem): string =>
    [name, new URLSearchParams(parameters).toString(), from, to].join("|");

const stated = ({ name, parameters }: DistributionProblem): string[] => [
    "distribution",
    name,
    ...Object.entries(parameters).map(([key, value]) => `${key}=${value}`),
];

/** Values at points between extreme quantiles and around the interval, of one run each. */
async function curveOf(core: Core, problem: DistributionProblem): Promise<Curve> {
    const isWhole = WHOLE.includes(problem.name);
    const ends = await core.json<Report>([...stated(problem), "--quantile", "0.001", "--quantile", "0.999"]);
    const [low = 0, high = 1] = Object.values(ends.results);
    const margin = isWhole ? 1 : (high - low) * 0.08;
    const first = isWhole ? Math.max(0, Math.floor(low)) : low - margin;
    const last = isWhole ? Math.ceil(high) : high + margin;
    const step = isWhole ? Math.max(1, Math.ceil((last - first) / POINTS)) : (last - first) / POINTS;
    const xs: number[] = [];
    for (let x = first, i = 0; i <= POINTS && x <= last + step / 2; i++, x = first + step * i) xs.push(x);
    const at = await core.json<Report>([...stated(problem), ...xs.flatMap((x) => ["--at", String(x)])]);
    const ys = Object.entries(at.results)
        .filter(([key]) => !key.startsWith("ln "))
        .map(([, value]) => value);
    return { isWhole, points: xs.map((x, index) => ({ x, y: ys[index] ?? 0 })) };
}

interface Props {
    initial: DistributionProblem;
    params: URLSearchParams;
}

export function DistributionFigure({ initial, params }: Props): JSX.Element {
    const problem = parse(params.get("distribution")) ?? initial;
    const list = useAnswer((core) => core.json<Listed[]>(["distribution"]), []);
    const between = [...stated(problem), "--between", `${problem.from},${problem.to}`];
    const answer = useAnswer((core) => core.json<Report>(between), [between.join("\0")]);
    const curve = useAnswer((core) => curveOf(core, problem), [stated(problem).join("\0")]);
    const change = (next: Partial<DistributionProblem>): void =>
        changeParams({ distribution: written({ ...problem, ...next }) });
    const choose = (name: string): void => {
        const listed = list.value?.find((one) => one.name === name);
        const parameters = (listed?.parameters ?? []).map((one): [string, string] => [
            one.name,
            one.default === null ? (FIRST[one.name] ?? "1") : String(one.default),
        ]);
        change({ name, parameters: Object.fromEntries(parameters) });
    };
    const summary = list.value?.find(({ name }) => name === problem.name)?.summary;
    const probability = Object.values(answer.value?.results ?? {})[0];
    return (
        <section class="figure" aria-labelledby="distribution-title">
            <h3 id="distribution-title">Probability distribution</h3>
            <div class="figure-controls">
                <label class="field">
                    <span>Distribution</span>
                    <select value={problem.name} onChange={(event) => choose(event.currentTarget.value)}>
                        {(list.value?.filter(isDrawn) ?? [{ name: problem.name }]).map(({ name }) => (
                            <option key={name} value={name}>
                                {name}
                            </option>
                        ))}
                    </select>
                </label>
                {Object.entries(problem.parameters).map(([name, value]) => (
                    <label key={name} class="field">
                        <span>{name}</span>
                        <input
                            type="number"
                            step="any"
                            value={value}
                            onInput={(event) =>
                                change({ parameters: { ...problem.parameters, [name]: event.currentTarget.value } })
                            }
                        />
                    </label>
                ))}
                <label class="field">
                    <span>from</span>
                    <input
                        type="number"
                        step="any"
                        value={problem.from}
                        onInput={(event) => change({ from: event.currentTarget.value })}
                    />
                </label>
                <label class="field">
                    <span>to</span>
                    <input
                        type="number"
                        step="any"
                        value={problem.to}
                        onInput={(event) => change({ to: event.currentTarget.value })}
                    />
                </label>
            </div>
            {summary !== undefined && <p class="quiet">{summary}</p>}
            {(answer.error ?? curve.error) !== undefined && <Problem error={(answer.error ?? curve.error) as Error} />}
            {curve.value !== undefined && (
                <Picture
                    title={`The ${problem.name} distribution`}
                    render={(width) =>
                        distributionPicture(width, curve.value as Curve, Number(problem.from), Number(problem.to))
                    }
                    inputs={[curve.value, problem.from, problem.to]}
                />
            )}
            {answer.value !== undefined && (
                <p aria-live="polite" class="result">
                    P({problem.from} ≤ X ≤ {problem.to}) = <Value of={probability} name="between" />, mean{" "}
                    <Value of={answer.value.mean} name="mean" />, variance{" "}
                    <Value of={answer.value.variance} name="variance" />
                </p>
            )}
            <ShellLines lines={[commandLine(between)]} />
        </section>
    );
}
