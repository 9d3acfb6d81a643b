// SPDX-License-Identifier: MIT
// If a view needs a model and the route does not name one: open models, example tables, files.
import type { JSX } from "preact";
import { AskForFile } from "../../shell/ask-for-file";
import { Busy } from "../../shell/busy";
import { Problem } from "../../shell/problem";
import { routeAddress } from "../../shell/route";
import type { FoundModel } from "../../shell/use-document";

const EXAMPLES = [
    { example: "iris", target: "species", about: "150 irises of three species, four measurements each" },
    { example: "tennis", target: "Play", about: "14 days with four categorical columns: is it a day to play tennis?" },
    { example: "temperature", target: "Play", about: "14 days, with numeric temperature" },
];

export function ModelChoice({ found, view }: { found: FoundModel; view: string }): JSX.Element {
    if (found.error !== undefined) return <Problem error={found.error} />;
    if (found.missing !== undefined) return <AskForFile name={found.missing} />;
    if (found.isBusy || found.isCanceled) return <Busy what="Training the model" answer={found} />;
    return (
        <>
            <p>
                Open a model, train one in <a href={routeAddress("learn")}>Learn</a>, or choose an example.
            </p>
            <ul class="cards">
                {EXAMPLES.map(({ about, ...params }) => (
                    <li key={params.example}>
                        <a class="card" href={routeAddress(view, params)}>
                            <strong>{params.example}</strong>
                            <span>{about}</span>
                        </a>
                    </li>
                ))}
            </ul>
        </>
    );
}
