// SPDX-License-Identifier: MIT
import type { JSX } from "preact";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";
import "../../style/course.css";
import { AllNumbers } from "./all-numbers";
import { BayesFigure } from "./bayes-figure";
import { Contents } from "./contents";
import { examples } from "./data/decks";
import { DistributionFigure } from "./distribution-figure";
import { ExampleCard } from "./example-card";

const FIRST = "tennis";
const cancer = examples.find(({ id }) => id === "cancer")?.bayes;
const areas = examples.find(({ id }) => id === "areas")?.distribution;

function Item({ item, params }: { item: string; params: URLSearchParams }): JSX.Element {
    if (item === "numbers") return <AllNumbers />;
    if (item === "bayes" && cancer !== undefined) return <BayesFigure initial={cancer} params={params} />;
    if (item === "distribution" && areas !== undefined) return <DistributionFigure initial={areas} params={params} />;
    const example = examples.find(({ id }) => id === item);
    if (example === undefined) return <p class="problem">Unknown example: {item}</p>;
    return <ExampleCard key={example.id} example={example} params={params} />;
}

export function Course({ params }: ViewProps): JSX.Element {
    const item = params.get("item") ?? FIRST;
    return (
        <>
            <ViewHead title="Course">Examples from five lectures, with every worked number.</ViewHead>
            <div class="course">
                <Contents item={item} />
                <Item item={item} params={params} />
            </div>
        </>
    );
}
