// SPDX-License-Identifier: MIT
// Exports of the module in the browser and in Node.js, except `open`.
export { Credence } from "./credence.js";
export { CredenceError } from "./error.js";
export { StoredFile, type FileContent, type Progress, type RunOptions, type RunResult } from "./protocol.js";
export {
    commandLine,
    shellWord,
    findings,
    listItem,
    optionArguments,
    type Options,
    type OptionValue,
    type Row,
    type Value,
} from "./command-line.js";
export { latest } from "./latest.js";
export { Model } from "./model.js";
export { Network } from "./network.js";
export * from "./reports.js";
export {
    bayes,
    compare,
    compareMethods,
    distribution,
    distributions,
    evaluate,
    example,
    examples,
    schema,
    version,
    type BayesProblem,
    type CallOptions,
    type Table,
} from "./verbs.js";
