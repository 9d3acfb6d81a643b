// SPDX-License-Identifier: MIT
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { completeParams } from "../../shell/route";
import { ViewHead } from "../../shell/view-head";
import type { ViewProps } from "../../shell/views";
import "../../style/course.css";
import { AllNumbers } from "./all-numbers";
import { BayesFigure } from "./bayes-figure";
import { Contents } from "./contents";
import { examples } from "./data/decks";
import { DistributionFigure } from "./distribution-figure";
import { ExampleCard } from "./example-card";
import { LessonPage } from "./lessons/lesson-page";
import { lessons } from "./lessons/list";
import { useProgress } from "./lessons/progress";

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
    const { completed, complete } = useProgress();
    const item = params.get("item");
    const next = lessons.find(({ id }) => !completed.includes(id)) ?? lessons[0];
    const lesson = lessons.find(({ id }) => id === params.get("lesson")) ?? next;
    const isNamed = item !== null || params.has("lesson");
    // A completed lesson stays until the reader goes on.
    useEffect(() => {
        if (!isNamed) completeParams({ lesson: lesson?.id });
    }, [isNamed]);
    return (
        <>
            <ViewHead title="Course">
                {lessons.length} short lessons: read the question, guess, and see the answer. {completed.length}{" "}
                completed.
            </ViewHead>
            <div class="course">
                <Contents
                    item={item ?? undefined}
                    lesson={item === null ? lesson?.id : undefined}
                    completed={completed}
                />
                {item !== null ? (
                    <Item item={item} params={params} />
                ) : (
                    lesson !== undefined && (
                        <LessonPage
                            key={lesson.id}
                            lesson={lesson}
                            params={params}
                            isCompleted={completed.includes(lesson.id)}
                            onComplete={() => complete(lesson.id)}
                        />
                    )
                )}
            </div>
        </>
    );
}
