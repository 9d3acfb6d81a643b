// SPDX-License-Identifier: MIT
// The whole arithmetic of Bayes' rule, as the command prints it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OpenDocument } from "../../shell/store";
import { useLatest } from "./use-latest";

interface Props {
    model: OpenDocument;
    args: string[];
    files: Record<string, string>;
}

export function Worksheet({ model, args, files }: Props): JSX.Element {
    const [isOpen, setOpen] = useState(false);
    const text = useLatest(
        (core) =>
            isOpen
                ? core
                      .run(args, { files: { ...files, [model.name]: model.content } })
                      .then(({ stdout, stderr }) => (stdout === "" ? stderr : stdout))
                : undefined,
        [isOpen, args.join("\0"), model.content, JSON.stringify(files)],
        60,
    );
    return (
        <details class="worksheet" onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>Worksheet: the arithmetic of Bayes’ rule, term by term</summary>
            {isOpen && (
                <pre tabIndex={0} role="region" aria-label="Worksheet">
                    {text.value ?? text.error?.message ?? ""}
                </pre>
            )}
        </details>
    );
}
