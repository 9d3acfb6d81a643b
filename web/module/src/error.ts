// SPDX-License-Identifier: MIT

/** The command failed. The message is the command's own, with its hints; `stderr` has its warnings, too. */
export class CredenceError extends Error {
    override readonly name = "CredenceError";

    constructor(
        message: string,
        /** The exit status: 1 where the data or the operation failed, 2 where the command line is wrong, -1 where the run broke off. */
        readonly status: number,
        readonly stderr: string = message,
    ) {
        super(message);
    }

    static of(status: number, stderr: string): CredenceError {
        const lines = stderr
            .trim()
            .split("\n")
            .map((line) => line.replace(/^credence: /, ""));
        const words = lines.filter((line) => !line.startsWith("warning: "));
        return new CredenceError((words.length === 0 ? lines : words).join("\n"), status, stderr);
    }
}
