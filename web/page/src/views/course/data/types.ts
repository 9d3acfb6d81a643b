// SPDX-License-Identifier: MIT
// The declarations of the lectures' examples: plain data. Commands are run as they stand here, and numbers are found in their JSON.

/** A file that a command reads. */
export type SourceFile =
    /** A table or network that is built into the command. */
    | { name: string; example: string }
    /** Made by a rule, which is also a line for a shell. */
    | { name: string; text(): string; shell: string }
    /** A file of the reader's own, which the course hands out. */
    | { name: string; own: true };

/** A key of an object, an index of an array, or the element of an array that has these values. */
export type PathStep = string | number | Record<string, string>;

export interface WorkedNumber {
    what: string;
    /** As the deck prints it, or as it follows from what it prints: a fraction, a decimal, or a word. */
    lecture: string;
    /** Where the command's JSON has it. */
    at: PathStep[];
    /** What the deck prints is wrong, and why: the command does not agree. */
    slip?: string;
    /** The word for a yes or no of the command. */
    words?: { true: string; false: string };
}

export interface Step {
    /** The command, without its name and without --format. */
    command: string[];
    numbers: WorkedNumber[];
}

export interface BayesProblem {
    /** Hypotheses and their priors; the last one has what the others leave. */
    hypotheses: { name: string; prior: string }[];
    /** Outcomes, with their likelihoods under each hypothesis. */
    outcomes: { name: string; likelihoods: string[] }[];
    observed: string[];
}

export interface DistributionProblem {
    name: string;
    parameters: Record<string, string>;
    from: string;
    to: string;
}

export interface Example {
    id: string;
    /** The decks that have it, the first one's place is its own. */
    decks: number[];
    topic: string;
    title: string;
    question: string;
    files: SourceFile[];
    steps: Step[];
    /** The answer and its reason. */
    answer: string;
    /** Figures that move: Bayes' rule or a distribution with the numbers of the example. */
    bayes?: BayesProblem;
    distribution?: DistributionProblem;
    /** The same in another view. */
    links?: { text: string; view: string; params: Record<string, string> }[];
}

export interface Deck {
    number: number;
    title: string;
}
