// SPDX-License-Identifier: MIT
// Queries that follow each other faster than results, for example while a slider is dragged.

// In milliseconds. Ending a run terminates its worker, which takes longer than a short run.
const ABORTED_AFTER = 500;

/**
 * Makes one call of `ask` at a time. A waiting call is replaced by a newer one, and a long call is aborted; both resolve to undefined.
 * Results arrive in the order of the queries.
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
