// SPDX-License-Identifier: MIT
// The output of the command for the model.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OpenDocument } from "../../shell/store";
import { useAnswer } from "../../shell/use-answer";

export function ShowText({ model }: { model: OpenDocument }): JSX.Element {
    const [isOpen, setOpen] = useState(false);
    const text = useAnswer(
        (core) =>
            isOpen
                ? core
                      .run(["show", model.name], { files: { [model.name]: model.content } })
                      .then(({ stdout, stderr }) => (stdout === "" ? stderr : stdout))
                : undefined,
        [isOpen, model.content],
    );
    return (
        <details class="worksheet" onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>Full command output</summary>
            {isOpen && (
                <pre tabIndex={0} role="region" aria-label="Full command output">
                    {text.value ?? ""}
                </pre>
            )}
        </details>
    );
}
