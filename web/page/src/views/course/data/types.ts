// SPDX-License-Identifier: MIT
// Types of the examples of the lectures. The commands are run unchanged, and the numbers are read from their JSON reports.

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
    /** The number of the lecture, printed or derived: a fraction, a decimal, or a word. */
    lecture: string;
    /** Its path in the JSON report. */
    at: PathStep[];
    /** The reason why the number of the lecture is wrong. */
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
    /** Hypotheses and their priors; the last prior is the remainder. */
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
    /** The answer, with its reason. */
    answer: string;
    /** Figures that move: Bayes' rule or a distribution with the numbers of the example. */
    bayes?: BayesProblem;
    distribution?: DistributionProblem;
    /** Links to the example in other views. */
    links?: { text: string; view: string; params: Record<string, string> }[];
}

export interface Deck {
    number: number;
    title: string;
}
