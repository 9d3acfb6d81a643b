// SPDX-License-Identifier: MIT
// The place of a result that is being computed, or was canceled. The job line shows the progress.
import type { JSX } from "preact";
import type { Answer } from "./use-answer";

interface Props {
    what: string;
    answer: Pick<Answer<unknown>, "isBusy" | "isCanceled" | "repeat">;
}

export function Busy({ what, answer }: Props): JSX.Element | null {
    if (answer.isBusy)
        return (
            <p class="busy" role="status">
                {what} …
            </p>
        );
    if (!answer.isCanceled) return null;
    return (
        <p class="canceled">
            {what}: canceled.{" "}
            <button type="button" onClick={answer.repeat}>
                Run again
            </button>
        </p>
    );
}
