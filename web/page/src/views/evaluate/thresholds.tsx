// SPDX-License-Identifier: MIT
// ROC and precision-recall curves with a threshold: drag the point, or move the slider with the arrow keys. The scores and the confusion matrix follow.
import type { JSX } from "preact";
import { chart, Plot } from "../../charts/chart";
import { DragPicture } from "../../charts/drag-picture";
import { changeParams } from "../../shell/route";
import { Value } from "../../shell/value";
import { Confusion } from "./confusion";
import type { CurvePoint, ThresholdCurves } from "./reports";

interface Props {
    of: ThresholdCurves;
    params: URLSearchParams;
}

/** Returns the last point with at least this threshold. */
function indexOf(points: CurvePoint[], threshold: number): number {
    let found = 0;
    points.forEach((point, index) => {
        if (point.threshold === null || point.threshold >= threshold - 1e-12) found = index;
    });
    return found;
}

export function Thresholds({ of, params }: Props): JSX.Element {
    const { points } = of;
    const asked = params.get("threshold");
    const index = Math.min(
        points.length - 1,
        asked === "none" ? 0 : indexOf(points, asked === null ? 0.5 : Number(asked)),
    );
    const point = points[index];
    const choose = (next: number): void => {
        const to = points[next]?.threshold;
        changeParams({ threshold: to === null || to === undefined ? "none" : String(to) });
    };
    const nearest = (distance: (point: CurvePoint) => number): void => {
        let best = 0;
        points.forEach((one, at) => {
            const held = points[best];
            if (held !== undefined && distance(one) < distance(held)) best = at;
        });
        choose(best);
    };
    if (point === undefined) return <p>No threshold available.</p>;
    const others = `not ${of.positive}`;
    const size = (width: number): { width: number; height: number } => {
        const side = Math.min(width, 460);
        return { width: side, height: side };
    };
    const roc = (width: number): ReturnType<typeof Plot.plot> =>
        chart(size(width).width, "ROC curve", {
            ...size(width),
            x: { domain: [0, 1], label: "false positive rate", grid: true },
            y: { domain: [0, 1], label: "true positive rate (recall)", grid: true },
            marks: [
                Plot.line(
                    [
                        [0, 0],
                        [1, 1],
                    ],
                    { stroke: "var(--ink-2)", strokeDasharray: "4 4" },
                ),
                Plot.areaY(points, {
                    x: "false_positive_rate",
                    y1: 0,
                    y2: "recall",
                    fill: "var(--series-1)",
                    fillOpacity: 0.12,
                }),
                Plot.line(points, {
                    x: "false_positive_rate",
                    y: "recall",
                    stroke: "var(--series-1)",
                    strokeWidth: 2.5,
                }),
                Plot.dot([point], {
                    x: "false_positive_rate",
                    y: "recall",
                    r: 9,
                    fill: "var(--series-2)",
                    stroke: "var(--ground)",
                    strokeWidth: 2,
                }),
            ],
        });
    const curve = points.filter(({ precision }) => precision !== null);
    const precisionRecall = (width: number): ReturnType<typeof Plot.plot> =>
        chart(size(width).width, "Precision-recall curve", {
            ...size(width),
            x: { domain: [0, 1], label: "recall", grid: true },
            y: { domain: [0, 1], label: "precision", grid: true },
            marks: [
                Plot.line(curve, { x: "recall", y: "precision", stroke: "var(--series-1)", strokeWidth: 2.5 }),
                ...(point.precision === null
                    ? []
                    : [
                          Plot.dot([point], {
                              x: "recall",
                              y: "precision",
                              r: 9,
                              fill: "var(--series-2)",
                              stroke: "var(--ground)",
                              strokeWidth: 2,
                          }),
                      ]),
            ],
        });
    return (
        <>
            <label class="slider">
                <span>
                    Predict <strong>{of.positive}</strong> if its probability is at least{" "}
                    <output>
                        <Value of={point.threshold} name="threshold" />
                    </output>
                </span>
                <input
                    type="range"
                    min={0}
                    max={points.length - 1}
                    step={1}
                    value={index}
                    aria-valuetext={point.threshold === null ? "never" : `at least ${point.threshold}`}
                    onInput={(event) => choose(Number(event.currentTarget.value))}
                />
            </label>
            <div class="actions">
                {of.best.map((best) => (
                    <button
                        key={best.by}
                        type="button"
                        onClick={() =>
                            changeParams({ threshold: best.threshold === null ? "none" : String(best.threshold) })
                        }
                    >
                        Best by {best.by === "f1" ? "F1" : best.by}
                    </button>
                ))}
            </div>
            <div class="columns">
                <DragPicture
                    title="ROC"
                    inputs={[of, index]}
                    render={roc}
                    onDrag={(x, y) => nearest((one) => (one.false_positive_rate - x) ** 2 + (one.recall - y) ** 2)}
                />
                <DragPicture
                    title="Precision and recall"
                    inputs={[of, index]}
                    render={precisionRecall}
                    onDrag={(x, y) => nearest((one) => (one.recall - x) ** 2 + ((one.precision ?? 2) - y) ** 2)}
                />
                <div aria-live="polite">
                    <Confusion
                        title="Confusion matrix at the threshold"
                        classes={[of.positive, others]}
                        rows={[
                            [point.true_positives, point.false_negatives],
                            [point.false_positives, point.true_negatives],
                        ]}
                    />
                    <dl class="numbers">
                        {(
                            [
                                ["Precision", "precision", point.precision],
                                ["Recall", "recall", point.recall],
                                ["False positive rate", "false_positive_rate", point.false_positive_rate],
                                ["F1", "f1", point.f1],
                                ...(point.cost === undefined ? [] : [["Mean cost", "cost", point.cost]]),
                                ["Area under ROC", "curve_auc", of.auc],
                                ["Average precision", "average_precision", of.average_precision],
                            ] as [string, string, number | null][]
                        ).map(([title, name, value]) => (
                            <div key={name}>
                                <dt>{title}</dt>
                                <dd>
                                    <Value of={value} name={name} />
                                </dd>
                            </div>
                        ))}
                    </dl>
                </div>
            </div>
        </>
    );
}
