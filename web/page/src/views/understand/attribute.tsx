// SPDX-License-Identifier: MIT
// One column of a model, large: its densities, its conditional table, its words.
import type { JSX } from "preact";
import { bars } from "../../charts/bars";
import { classColor } from "../../charts/colors";
import { densities } from "../../charts/densities";
import { Legend } from "../../charts/legend";
import { tableBars } from "../../charts/table-bars";
import { rounded } from "../../shell/numbers";
import { Picture } from "../../shell/picture";
import { Value } from "../../shell/value";
import type { ModelColumn, ShownAttribute, ShownModel } from "../ask/reports";
import { NodeTable } from "./node-table";

const MOST_VALUES = 30;
const MAX_CLASSES = 8;
const MOST_WORDS = 15;

interface Props {
    column: ModelColumn;
    shown: ShownAttribute | undefined;
    model: ShownModel | undefined;
    classes: string[];
    target: string;
}

function Densities({ shown, classes }: { shown: ShownAttribute; classes: string[] }): JSX.Element | null {
    const { attribute, curves, densities: rows = [], family } = shown;
    if (curves === undefined) return null;
    const keys = Object.keys(rows[0] ?? {}).filter((key) => key !== "class");
    return (
        <>
            <Legend classes={classes} />
            <Picture
                title={`Densities of ${attribute} (${family}), with decision regions`}
                render={(width) => densities(width, `Densities of ${attribute} by class`, curves, classes)}
                inputs={[curves, classes]}
            />
            {curves.cut_points.length > 0 && (
                <p>
                    Cut points:{" "}
                    {curves.cut_points.map((at, index) => (
                        <span key={at}>
                            {index > 0 ? ", " : ""}
                            <Value of={at} name={`cut ${index}`} />
                        </span>
                    ))}
                </p>
            )}
            <div class="table-scroll" role="region" aria-label="Parameters" tabIndex={0}>
                <table>
                    <caption>Parameters of each class</caption>
                    <thead>
                        <tr>
                            <th scope="col">class</th>
                            {keys.map((key) => (
                                <th key={key} scope="col" class="number">
                                    {key.replaceAll("_", " ")}
                                </th>
                            ))}
                        </tr>
                    </thead>
                    <tbody>
                        {rows.map((row) => (
                            <tr key={row.class}>
                                <th scope="row">{row.class}</th>
                                {keys.map((key) => (
                                    <td key={key} class="number">
                                        {typeof row[key] === "number" ? (
                                            <Value of={row[key]} name={`${key} ${row.class}`} />
                                        ) : (
                                            String(row[key] ?? "-")
                                        )}
                                    </td>
                                ))}
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </>
    );
}

function Table({ column, shown, classes }: Pick<Props, "column" | "shown" | "classes">): JSX.Element | null {
    const values = shown?.values?.filter(({ probability }) => probability !== undefined) ?? [];
    if (values.length === 0) return null;
    const counts = new Map(column.values?.map(({ value, count }) => [value, count]));
    const listed =
        values.length <= MOST_VALUES
            ? values
            : [...values].sort((a, b) => (counts.get(b.value) ?? 0) - (counts.get(a.value) ?? 0)).slice(0, MOST_VALUES);
    const some = classes.slice(0, MAX_CLASSES);
    const rows = listed.map(({ value, probability = {} }) => ({ value, probability }));
    const title = `P(${column.column} | class)`;
    return (
        <>
            <Legend classes={some} mark="area" />
            <Picture title={title} render={(width) => tableBars(width, title, rows, some)} inputs={[shown, some]} />
            {(listed.length < values.length || some.length < classes.length) && (
                <p class="quiet">
                    {listed.length < values.length && `The ${MOST_VALUES} most frequent of ${values.length} values. `}
                    {some.length < classes.length && `The first ${MAX_CLASSES} of ${classes.length} classes.`}
                </p>
            )}
        </>
    );
}

function Words({ shown, classes }: { shown: ShownAttribute; classes: string[] }): JSX.Element {
    return (
        <>
            {classes.map((name, index) => {
                const words = (shown.informative_words ?? []).filter((one) => one.class === name).slice(0, MOST_WORDS);
                const most = Math.max(1e-12, ...words.map(({ divergence }) => divergence));
                const title = `Most informative words of ${name}, by divergence in nats`;
                if (words.length === 0) return null;
                return (
                    <Picture
                        key={name}
                        title={title}
                        inputs={[shown]}
                        render={(width) =>
                            bars(
                                width,
                                title,
                                words.map(({ word, divergence }) => ({
                                    name: word,
                                    value: divergence,
                                    text: rounded(divergence),
                                    color: classColor(index),
                                    data: `${name} ${word}`,
                                })),
                                most,
                            )
                        }
                    />
                );
            })}
        </>
    );
}

/** The values of the training rows, if the model has no table of the column. */
function Counts({ column }: { column: ModelColumn }): JSX.Element {
    const values = [...(column.values ?? [])].sort((a, b) => b.count - a.count).slice(0, MOST_VALUES);
    const most = Math.max(1, ...values.map(({ count }) => count));
    const title = `Rows with each value of ${column.column}`;
    return values.length === 0 ? (
        <p>
            Mean <Value of={column.mean} name="mean" />, standard deviation <Value of={column.sd} name="sd" />.
        </p>
    ) : (
        <Picture
            title={title}
            inputs={[column]}
            render={(width) =>
                bars(
                    width,
                    title,
                    values.map(({ value, count }) => ({
                        name: value,
                        value: count,
                        text: rounded(count),
                        color: "var(--accent)",
                    })),
                    most,
                )
            }
        />
    );
}

export function Attribute({ column, shown, model, classes, target }: Props): JSX.Element {
    const joints = model?.joints?.filter(({ attributes }) => attributes.includes(column.column)) ?? [];
    const node = model?.nodes?.find(({ name }) => name === column.column);
    const hasOwn =
        shown?.curves !== undefined ||
        (shown?.informative_words?.length ?? 0) > 0 ||
        (shown?.values?.some((v) => v.probability) ?? false);
    return (
        <section aria-label={column.column} aria-live="polite">
            <h2>{column.column}</h2>
            <p class="quiet">
                {column.type}
                {shown !== undefined && `, ${shown.family}`}
                {(column.missing ?? 0) > 0 && `, missing in ${column.missing} rows`}
            </p>
            {joints.map(({ joint, attributes, description }) => (
                <p key={attributes.join()}>
                    Joint model with {attributes.filter((name) => name !== column.column).join(", ")} ({joint}):{" "}
                    {description}.
                </p>
            ))}
            {node !== undefined && (
                <p>
                    {node.parents.length === 0 ? "It has no parents." : `Its parents are ${node.parents.join(", ")}.`}
                </p>
            )}
            {shown !== undefined && <Densities shown={shown} classes={classes} />}
            <Table column={column} shown={shown} classes={classes} />
            {shown !== undefined && <Words shown={shown} classes={classes} />}
            {node !== undefined && (
                <NodeTable
                    node={node}
                    nodes={model?.nodes ?? []}
                    target={target}
                    classes={classes.slice(0, MAX_CLASSES)}
                />
            )}
            {!hasOwn && node?.table === undefined && column.type !== "text" && <Counts column={column} />}
        </section>
    );
}
