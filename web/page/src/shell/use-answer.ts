// SPDX-License-Identifier: MIT
// A result of the command as state of a view. The latest query wins, and the last result stays until the next one arrives.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Credence } from "credence";
import { core } from "./core";

export interface Progress {
    done: number;
    /** 0 if unknown. */
    total: number;
    step?: string;
}

export interface Answer<T> {
    value: T | undefined;
    error: Error | undefined;
    /** Whether a query is running. */
    isBusy: boolean;
    progress: Progress | undefined;
    /** Cancels the running query. The last result stays. */
    cancel(): void;
}

type State<T> = Omit<Answer<T>, "cancel">;

/** A query that has run longer than this, in ms, is canceled by the next query. */
const PATIENCE = 400;

/** `ask` is called if one of `inputs` changes. It returns undefined if there is no query. */
export function useAnswer<T>(
    ask: (
        core: Credence,
        signal: AbortSignal,
        onProgress: (progress: Progress) => void,
    ) => Promise<T | undefined> | undefined,
    inputs: unknown[],
): Answer<T> {
    const [answer, setAnswer] = useState<State<T>>({
        value: undefined,
        error: undefined,
        isBusy: true,
        progress: undefined,
    });
    const latest = useRef(0);
    const running = useRef<{ controller: AbortController; since: number }>();
    useEffect(() => {
        const number = ++latest.current;
        const isLatest = (): boolean => number === latest.current;
        const controller = new AbortController();
        const before = running.current;
        if (before !== undefined && performance.now() - before.since > PATIENCE) before.controller.abort();
        const own = { controller, since: performance.now() };
        running.current = own;
        setAnswer((last) => ({ ...last, isBusy: true, progress: undefined }));
        const onProgress = (progress: Progress): void => {
            if (isLatest()) setAnswer((last) => ({ ...last, progress }));
        };
        const end = (state: Partial<State<T>>): void => {
            if (running.current === own) running.current = undefined;
            if (isLatest()) setAnswer((last) => ({ ...last, ...state, isBusy: false, progress: undefined }));
        };
        void core
            .then((credence) => (isLatest() ? ask(credence, controller.signal, onProgress) : undefined))
            .then(
                (value) => end({ value, error: undefined }),
                (error: unknown) => {
                    if (controller.signal.aborted) end({});
                    else end({ value: undefined, error: error instanceof Error ? error : new Error(String(error)) });
                },
            );
    }, inputs);
    useEffect(
        () => () => {
            latest.current++;
            if (running.current !== undefined && performance.now() - running.current.since > PATIENCE)
                running.current.controller.abort();
        },
        [],
    );
    return { ...answer, cancel: () => running.current?.controller.abort() };
}
