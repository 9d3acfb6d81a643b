// SPDX-License-Identifier: MIT
// Questions that follow each other faster than answers, as while a slider is dragged.

// In milliseconds. Ending a run costs its worker; a shorter run is sooner at its end.
const ABORTED_AFTER = 500;

/**
 * Makes one call of `ask` at a time. A call that waits gives way to a newer one, and a call that has worked for long is aborted; either
 * resolves to undefined. Answers come in the order of their questions, so that each may be shown.
 */
export function latest<A extends unknown[], T>(
    ask: (signal: AbortSignal, ...args: A) => Promise<T>,
): (...args: A) => Promise<T | undefined> {
    let running: { since: number; controller: AbortController; end: Promise<unknown> } | undefined;
    let newest = 0;

    return async (...args) => {
        const number = ++newest;
        while (running !== undefined) {
            const { since, controller, end } = running;
            const timer = setTimeout(() => controller.abort(), Math.max(0, since + ABORTED_AFTER - Date.now()));
            await end;
            clearTimeout(timer);
            if (number !== newest) return undefined;
        }
        const controller = new AbortController();
        const answer = ask(controller.signal, ...args);
        const end = answer.then(
            () => undefined,
            () => undefined,
        );
        running = { since: Date.now(), controller, end };
        try {
            return await answer;
        } catch (error) {
            if (controller.signal.aborted) return undefined;
            throw error;
        } finally {
            running = undefined;
        }
    };
}
