// SPDX-License-Identifier: MIT
// One value of the row: a slider over the densities, a choice, a text, a date. Each can be unknown.
import type { JSX } from "preact";
import { classColor, classDash } from "../../charts/colors";
import { highest, type Curves } from "../../charts/densities";
import { rangeOf, type Field } from "./model-columns";

export interface FieldProps {
    field: Field;
    value: string | undefined;
    classes: string[];
    curves: Curves | undefined;
    /** undefined: unknown. */
    change(value: string | undefined): void;
}

const FEW = 6;
const WIDTH = 300;
const HEIGHT = 44;

/** The densities in the background of a slider, one line for each class. */
function SliderCurves({
    curves,
    classes,
    from,
    to,
}: {
    curves: Curves;
    classes: string[];
    from: number;
    to: number;
}): JSX.Element {
    const top = highest(curves);
    const toX = (x: number): number => ((x - from) / (to - from)) * WIDTH;
    return (
        <svg class="behind" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {curves.regions.map((region, index) => (
                <rect
                    key={index}
                    x={toX(region.from)}
                    width={Math.max(0, toX(region.to) - toX(region.from))}
                    y={HEIGHT - 4}
                    height="4"
                    fill={classColor(classes.indexOf(region.class))}
                />
            ))}
            {classes.map((name, index) => {
                const ys = curves.densities[name];
                if (ys === undefined) return null;
                const points = curves.x.map(
                    (x, i) => `${toX(x).toFixed(1)},${((1 - (ys[i] ?? 0) / top) * (HEIGHT - 6)).toFixed(1)}`,
                );
                return (
                    <polyline
                        key={name}
                        points={points.join(" ")}
                        fill="none"
                        stroke={classColor(index)}
                        stroke-width="2"
                        stroke-dasharray={classDash(index)}
                        vector-effect="non-scaling-stroke"
                    />
                );
            })}
        </svg>
    );
}

/** A number with no more digits than the step of its slider has. */
function plain(value: number, step: number): string {
    return String(Number(value.toFixed(Math.max(0, Math.min(15, -Math.floor(Math.log10(step) + 1e-9))))));
}

function NumericField({ field, value, classes, curves, change }: FieldProps): JSX.Element {
    const range = rangeOf(field, curves);
    const id = `cell-${field.name}`;
    const middle = range === undefined ? "" : plain((range.from + range.to) / 2, range.step);
    return (
        <>
            <input
                id={id}
                class="number-cell"
                type="text"
                inputMode="decimal"
                placeholder="unknown"
                value={value ?? ""}
                onInput={(event) =>
                    change(event.currentTarget.value.trim() === "" ? undefined : event.currentTarget.value.trim())
                }
            />
            {range !== undefined && (
                <div class={value === undefined ? "slider is-unknown" : "slider"}>
                    {curves !== undefined && (
                        <SliderCurves curves={curves} classes={classes} from={range.from} to={range.to} />
                    )}
                    <input
                        type="range"
                        aria-label={`${field.name}, slider`}
                        aria-valuetext={value ?? "unknown"}
                        min={range.from}
                        max={range.to}
                        step={range.step}
                        value={value !== undefined && Number.isFinite(Number(value)) ? value : middle}
                        onInput={(event) => change(plain(event.currentTarget.valueAsNumber, range.step))}
                    />
                </div>
            )}
        </>
    );
}

function CategoricalField({ field, value, change }: FieldProps): JSX.Element {
    const values = field.column.values ?? [];
    const id = `cell-${field.name}`;
    if (values.length > 40)
        return (
            <>
                <input
                    id={id}
                    type="text"
                    list={`${id}-values`}
                    placeholder={`unknown; ${values.length.toLocaleString("en")} values`}
                    value={value ?? ""}
                    onInput={(event) =>
                        change(event.currentTarget.value === "" ? undefined : event.currentTarget.value)
                    }
                />
                <datalist id={`${id}-values`}>
                    {values.slice(0, 5000).map(({ value: name }) => (
                        <option key={name} value={name} />
                    ))}
                </datalist>
            </>
        );
    if (values.length > FEW)
        return (
            <select
                id={id}
                value={value === undefined ? "" : `=${value}`}
                onChange={(event) =>
                    change(event.currentTarget.value === "" ? undefined : event.currentTarget.value.slice(1))
                }
            >
                <option value="">unknown</option>
                {values.map(({ value: name }) => (
                    <option key={name} value={`=${name}`}>
                        {name}
                    </option>
                ))}
            </select>
        );
    return (
        <div class="choices" role="radiogroup" aria-label={field.name}>
            {[undefined, ...values.map(({ value: name }) => name)].map((name) => (
                <label key={name ?? ""} class={name === undefined ? "unknown" : undefined}>
                    <input type="radio" name={id} checked={value === name} onChange={() => change(name)} />
                    <span>{name ?? "unknown"}</span>
                </label>
            ))}
        </div>
    );
}

function OtherField({ field, value, change }: FieldProps): JSX.Element {
    const id = `cell-${field.name}`;
    if (field.type === "text")
        return (
            <textarea
                id={id}
                rows={4}
                placeholder="unknown; type a text"
                value={value ?? ""}
                onInput={(event) => change(event.currentTarget.value === "" ? undefined : event.currentTarget.value)}
            />
        );
    const { format } = field;
    const type = format === "date" ? "date" : format === "datetime" ? "datetime-local" : "text";
    return (
        <input
            id={id}
            type={type}
            placeholder={format}
            value={value ?? ""}
            onInput={(event) => change(event.currentTarget.value === "" ? undefined : event.currentTarget.value)}
        />
    );
}

export function FieldEditor(props: FieldProps): JSX.Element {
    const { field, value, change } = props;
    const isGroup = field.type === "categorical" && (field.column.values?.length ?? 0) <= FEW;
    return (
        <div class={`field field-${field.type}`} data-column={field.name}>
            <div class="field-head">
                {isGroup ? (
                    <span class="field-name">{field.name}</span>
                ) : (
                    <label class="field-name" for={`cell-${field.name}`}>
                        {field.name}
                    </label>
                )}
                {value !== undefined && !isGroup && (
                    <button
                        type="button"
                        class="plain quiet"
                        aria-label={`${field.name}: unknown`}
                        onClick={() => change(undefined)}
                    >
                        unknown
                    </button>
                )}
            </div>
            {field.type === "numeric" ? (
                <NumericField {...props} />
            ) : field.type === "categorical" ? (
                <CategoricalField {...props} />
            ) : (
                <OtherField {...props} />
            )}
        </div>
    );
}
