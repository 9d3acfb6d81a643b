// SPDX-License-Identifier: MIT
// An answer of the command as state of a view: the latest question wins, and the last answer stays until the next is there.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Credence } from "credence";
import { core } from "./core";

export interface Answer<T> {
    value: T | undefined;
    error: Error | undefined;
    /** A question is being answered. */
    isBusy: boolean;
}

/** `ask` is called when one of `inputs` changes; it returns undefined where there is nothing to ask. */
export function useAnswer<T>(
    ask: (core: Credence, signal: AbortSignal) => Promise<T> | undefined,
    inputs: unknown[],
): Answer<T> {
    const [answer, setAnswer] = useState<Answer<T>>({ value: undefined, error: undefined, isBusy: true });
    const latest = useRef(0);
    useEffect(() => {
        const number = ++latest.current;
        const controller = new AbortController();
        setAnswer((last) => ({ ...last, isBusy: true }));
        void core
            .then((credence) => (number === latest.current ? ask(credence, controller.signal) : undefined))
            .then(
                (value) => number === latest.current && setAnswer({ value, error: undefined, isBusy: false }),
                (error: unknown) => {
                    if (number !== latest.current) return;
                    setAnswer({
                        value: undefined,
                        error: error instanceof Error ? error : new Error(String(error)),
                        isBusy: false,
                    });
                },
            );
    }, inputs);
    return answer;
}
