// SPDX-License-Identifier: MIT

/** An error of the command. The message is the command's message with its hints; `stderr` also contains warnings. */
export class CredenceError extends Error {
    override readonly name = "CredenceError";

    constructor(
        message: string,
        /** The exit status: 1 for an error in the data or the operation, 2 for an invalid command line, -1 if the run was aborted. */
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
