// SPDX-License-Identifier: MIT
// Results while a slider is dragged: one query at a time, then the latest. The last result stays until then.
import { latest } from "credence";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { core, type Core } from "../../shell/core";

export interface LatestAnswer<T> {
    value: T | undefined;
    error: Error | undefined;
    /** The duration of the last query, in ms. */
    took: number | undefined;
}

type Ask<T> = (core: Core, signal: AbortSignal) => Promise<T> | undefined;

export function useLatest<T>(ask: Ask<T>, inputs: unknown[], wait = 0): LatestAnswer<T> {
    const [answer, setAnswer] = useState<LatestAnswer<T>>({ value: undefined, error: undefined, took: undefined });
    const current = useRef(0);
    const queue = useMemo(
        () => latest(async (signal: AbortSignal, question: Ask<T>) => question(await core, signal)),
        [],
    );
    useEffect(() => {
        const number = ++current.current;
        const start = (): void => {
            const since = performance.now();
            queue(ask).then(
                (value) => {
                    if (value !== undefined) setAnswer({ value, error: undefined, took: performance.now() - since });
                    else if (number === current.current)
                        setAnswer((last) => ({ ...last, value: undefined, error: undefined }));
                },
                (error: unknown) => {
                    if (number !== current.current) return;
                    const reason = error instanceof Error ? error : new Error(String(error));
                    setAnswer({ value: undefined, error: reason, took: undefined });
                },
            );
        };
        if (wait === 0) {
            start();
            return;
        }
        const timer = setTimeout(start, wait);
        return () => clearTimeout(timer);
    }, inputs);
    return answer;
}
