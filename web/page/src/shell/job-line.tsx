// SPDX-License-Identifier: MIT
// The running jobs, in every view: their progress, and a button that cancels them. The style sheet shows a job after 0.4 s.
import type { JSX } from "preact";
import { useJobs, type Job } from "./core";

const TITLES: Record<string, string> = {
    train: "Training",
    evaluate: "Evaluating",
    report: "Writing the report",
    schema: "Reading",
    predict: "Predicting",
    query: "Computing",
    show: "Reading",
};

function titleOf({ args }: Job): string {
    const [verb = "", file = ""] = args;
    const title = args.includes("--compare") ? "Comparing methods" : (TITLES[verb] ?? "Computing");
    return `${title}: ${file}`;
}

export function JobLine(): JSX.Element | null {
    const jobs = useJobs();
    if (jobs.length === 0) return null;
    return (
        <aside aria-label="Running jobs">
            <ul class="jobs">
                {jobs.map((job, index) => {
                    const { progress } = job;
                    const title = titleOf(job);
                    const isKnown = progress !== undefined && progress.total > 0;
                    return (
                        <li key={index}>
                            <span>
                                {title}
                                {progress?.step !== undefined && progress.step !== "" ? `, ${progress.step}` : ""}
                            </span>
                            {isKnown ? (
                                <progress aria-label={title} value={progress.done / progress.total} max={1} />
                            ) : (
                                <progress aria-label={title} />
                            )}
                            <button type="button" aria-label={`Cancel: ${title}`} onClick={() => job.cancel()}>
                                Cancel
                            </button>
                        </li>
                    );
                })}
            </ul>
        </aside>
    );
}
