// SPDX-License-Identifier: MIT
// A result of the command as state of a view. The latest query wins, and the last result stays until the next one arrives.
import { useEffect, useRef, useState } from "preact/hooks";
import { core, type Core } from "./core";

export interface Answer<T> {
    value: T | undefined;
    error: Error | undefined;
    /** Whether a query is running. */
    isBusy: boolean;
    /** Whether the user canceled the last query. */
    isCanceled: boolean;
    repeat(): void;
}

type State<T> = Omit<Answer<T>, "repeat">;

/** A job that has run longer than this, in ms, is canceled by the next one: a canceled job costs a new worker. */
const PATIENCE = 400;

/** `ask` is called if one of `inputs` changes. It returns undefined if there is no query. */
export function useAnswer<T>(
    ask: (core: Core, signal: AbortSignal) => Promise<T | undefined> | undefined,
    inputs: unknown[],
): Answer<T> {
    const [answer, setAnswer] = useState<State<T>>({
        value: undefined,
        error: undefined,
        isBusy: true,
        isCanceled: false,
    });
    const [attempt, setAttempt] = useState(0);
    const latest = useRef<AbortController>();
    const since = useRef(0);
    useEffect(() => {
        if (performance.now() - since.current > PATIENCE) latest.current?.abort();
        since.current = performance.now();
        const controller = new AbortController();
        latest.current = controller;
        const end = (state: Partial<State<T>>): void => {
            if (latest.current === controller)
                setAnswer((last) => ({ ...last, isCanceled: false, ...state, isBusy: false }));
        };
        setAnswer((last) => ({ ...last, isBusy: true, isCanceled: false }));
        void core
            .then((credence) => (latest.current === controller ? ask(credence, controller.signal) : undefined))
            .then(
                (value) => end({ value, error: undefined }),
                (error: unknown) => {
                    if (error instanceof DOMException && error.name === "AbortError") end({ isCanceled: true });
                    else end({ value: undefined, error: error instanceof Error ? error : new Error(String(error)) });
                },
            );
    }, [...inputs, attempt]);
    // The jobs of a view that is left go on: the job line shows them, and the view finds their results.
    useEffect(() => () => void (latest.current = undefined), []);
    return { ...answer, repeat: () => setAttempt((last) => last + 1) };
}
