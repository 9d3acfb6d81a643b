// SPDX-License-Identifier: MIT
import type { JSX } from "preact";
import { nomogram } from "../../charts/nomogram";
import { Picture } from "../../shell/picture";
import { changeParams } from "../../shell/route";
import type { Nomogram } from "../ask/reports";

const MOST = 12;

export function NomogramPicture({
    nomograms,
    params,
}: {
    nomograms: Nomogram[];
    params: URLSearchParams;
}): JSX.Element | null {
    const chosen = nomograms.find((one) => one.class === params.get("nomogram")) ?? nomograms[0];
    if (chosen === undefined) return null;
    const scales = chosen.scales.slice(0, MOST);
    const title = `Nomogram of ${chosen.class} against ${chosen.against}`;
    return (
        <section aria-labelledby="nomogram">
            <h2 id="nomogram">Nomogram</h2>
            <p>Look up the points of each value, add them, and read the probability below the total.</p>
            {nomograms.length > 1 && (
                <label>
                    Class{" "}
                    <select
                        value={chosen.class}
                        onChange={(event) => changeParams({ nomogram: event.currentTarget.value })}
                    >
                        {nomograms.map((one) => (
                            <option key={one.class}>{one.class}</option>
                        ))}
                    </select>{" "}
                    against {chosen.against}
                </label>
            )}
            <Picture title={title} inputs={[chosen]} render={(width) => nomogram(width, title, chosen, scales)} />
            {chosen.scales.length > MOST && (
                <p class="quiet">
                    The {MOST} of {chosen.scales.length} columns whose points differ most.
                </p>
            )}
        </section>
    );
}
