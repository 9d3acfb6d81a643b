// SPDX-License-Identifier: MIT
// An answer of the command as state of a view: the latest question wins, and the last answer stays until the next is there.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Credence } from "credence";
import { core } from "./core";

export interface Progress {
    done: number;
    /** 0 where it is not known. */
    total: number;
    step?: string;
}

export interface Answer<T> {
    value: T | undefined;
    error: Error | undefined;
    /** A question is being answered. */
    isBusy: boolean;
    progress: Progress | undefined;
    /** Ends the question that is being answered; the last answer stays. */
    cancel(): void;
}

type State<T> = Omit<Answer<T>, "cancel">;

/** A question that has run for longer than this, in ms, is ended by the next one instead of being waited for. */
const PATIENCE = 400;

/** `ask` is called when one of `inputs` changes; it returns undefined where there is nothing to ask. */
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
