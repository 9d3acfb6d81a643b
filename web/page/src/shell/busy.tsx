// SPDX-License-Identifier: MIT
// The progress of a long query, with a button that cancels it. The style sheet shows it after 150 ms.
import type { JSX } from "preact";
import type { Progress } from "./use-answer";

interface Props {
    what: string;
    progress?: Progress | undefined;
    cancel?: (() => void) | undefined;
}

export function Busy({ what, progress, cancel }: Props): JSX.Element {
    const share = progress !== undefined && progress.total > 0 ? progress.done / progress.total : undefined;
    return (
        <div class="busy" role="status">
            <span>
                {what}
                {progress?.step !== undefined && progress.step !== "" ? `: ${progress.step}` : ""}
            </span>
            {share === undefined ? (
                <progress aria-label={what} />
            ) : (
                <progress aria-label={what} value={share} max={1}>{`${Math.round(100 * share)} %`}</progress>
            )}
            {cancel !== undefined && (
                <button type="button" onClick={cancel}>
                    Cancel
                </button>
            )}
        </div>
    );
}
