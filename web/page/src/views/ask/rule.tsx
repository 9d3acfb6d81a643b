// SPDX-License-Identifier: MIT
// The decision rule: the largest posterior, a reject option, a threshold for two classes, or the smallest expected cost.
import type { JSX } from "preact";
import { changeParams } from "../../shell/route";

/** The rule of a route as options of explain, and the file of its costs. */
export function ruleOf(params: URLSearchParams): { options: string[]; files: Record<string, string> } {
    const reject = params.get("reject");
    const threshold = params.get("threshold");
    const cost = params.get("cost");
    if (reject !== null) return { options: ["--reject", reject], files: {} };
    if (threshold !== null) return { options: ["--threshold", threshold], files: {} };
    if (cost !== null) return { options: ["--cost", "costs.csv"], files: { "costs.csv": cost } };
    return { options: [], files: {} };
}

function usualCosts(classes: string[]): string {
    const quote = (name: string): string => (/[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
    const names = classes.map(quote);
    const rows = names.map((name, i) => [name, ...names.map((_, k) => (i === k ? "0" : "1"))].join(","));
    return [["class", ...names].join(","), ...rows, ""].join("\n");
}

export function RuleChoice({ params, classes }: { params: URLSearchParams; classes: string[] }): JSX.Element {
    const kind = ["reject", "threshold", "cost"].find((name) => params.has(name)) ?? "";
    const none = { reject: undefined, threshold: undefined, cost: undefined };
    const choose = (next: string): void => {
        const second = classes[1] ?? "";
        changeParams({
            ...none,
            ...(next === "reject" ? { reject: "0.9" } : {}),
            ...(next === "threshold" ? { threshold: `${second}=0.5` } : {}),
            ...(next === "cost" ? { cost: usualCosts(classes) } : {}),
        });
    };
    const threshold = params.get("threshold") ?? "";
    const at = threshold.lastIndexOf("=");
    return (
        <div class="rule">
            <label>
                Decide by{" "}
                <select value={kind} onChange={(event) => choose(event.currentTarget.value)}>
                    <option value="">the largest posterior</option>
                    <option value="reject">a reject option</option>
                    {classes.length === 2 && <option value="threshold">a threshold</option>}
                    <option value="cost">the smallest expected cost</option>
                </select>
            </label>
            {kind === "reject" && (
                <label>
                    unsure below{" "}
                    <input
                        type="number"
                        min="0"
                        max="1"
                        step="0.01"
                        value={params.get("reject") ?? ""}
                        onInput={(event) => changeParams({ reject: event.currentTarget.value || "0" })}
                    />
                </label>
            )}
            {kind === "threshold" && (
                <label>
                    {threshold.slice(0, at)} from{" "}
                    <input
                        type="number"
                        min="0"
                        max="1"
                        step="0.01"
                        value={threshold.slice(at + 1)}
                        onInput={(event) =>
                            changeParams({
                                threshold: `${threshold.slice(0, at)}=${event.currentTarget.value || "0"}`,
                            })
                        }
                    />
                </label>
            )}
            {kind === "cost" && (
                <label class="costs">
                    Cost matrix: classes by actions (CSV)
                    <textarea
                        rows={Math.min(8, classes.length + 2)}
                        spellcheck={false}
                        value={params.get("cost") ?? ""}
                        onInput={(event) => changeParams({ cost: event.currentTarget.value })}
                    />
                </label>
            )}
        </div>
    );
}
