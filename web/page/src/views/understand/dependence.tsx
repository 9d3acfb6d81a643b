// SPDX-License-Identifier: MIT
// Which pairs of columns depend on each other within classes, measured on the rows of a table.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { heatMap } from "../../charts/heat-map";
import { Busy } from "../../shell/busy";
import { Picture } from "../../shell/picture";
import { Problem } from "../../shell/problem";
import type { OpenDocument } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";

interface DependenceReport {
    pairs: { attributes: [string, string]; bits: number | null }[];
    rows: number;
}

const MOST = 40;

export function Dependence({ model, table }: { model: OpenDocument; table: OpenDocument }): JSX.Element {
    const [isAsked, setAsked] = useState(false);
    const answer = useAnswer(
        (core, signal) =>
            isAsked
                ? core.json<DependenceReport>(["explain", model.name, "--data", table.name], {
                      files: { [model.name]: model.content, [table.name]: table.content },
                      signal,
                  })
                : undefined,
        [isAsked, model.content, table.content],
    );
    const bits = new Map<string, number>();
    const sums = new Map<string, number>();
    for (const { attributes, bits: value } of answer.value?.pairs ?? []) {
        const [a, b] = attributes;
        bits.set(JSON.stringify([a, b]), value ?? 0);
        bits.set(JSON.stringify([b, a]), value ?? 0);
        for (const name of attributes) sums.set(name, (sums.get(name) ?? 0) + Math.max(0, value ?? 0));
    }
    const names = [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
    const title = "Dependence of pairs within classes, in bits";
    return (
        <section aria-labelledby="dependence">
            <h2 id="dependence">Dependent pairs</h2>
            <p>
                Naive Bayes assumes that columns are independent given the class. The mutual information given the
                class, on the rows of {table.name}, shows which columns are not.
            </p>
            {!isAsked && (
                <button type="button" onClick={() => setAsked(true)}>
                    Measure dependence
                </button>
            )}
            {isAsked && <Busy what="Measuring" answer={answer} />}
            {answer.error !== undefined && <Problem error={answer.error} />}
            {answer.value !== undefined && names.length > 0 && (
                <Picture
                    title={title}
                    inputs={[answer.value]}
                    render={(width) =>
                        heatMap(Math.min(width, 900), title, names.slice(0, MOST), (a, b) =>
                            bits.get(JSON.stringify([a, b])),
                        )
                    }
                />
            )}
            {answer.value !== undefined && names.length === 0 && <p>Train with two or more columns to compare them.</p>}
            {names.length > MOST && (
                <p class="quiet">
                    The {MOST} most dependent of {names.length} columns.
                </p>
            )}
        </section>
    );
}
