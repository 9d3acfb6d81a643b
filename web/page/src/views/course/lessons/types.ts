// SPDX-License-Identifier: MIT
// A lesson: a question, a guess, the answer that the command computes, a variation, and a question to check what was understood.
import type { Core } from "../../../shell/core";

export type Numbers = Readonly<Record<string, number>>;

/** A number of the question, which a teacher can change. */
export interface LessonNumber {
    id: string;
    label: string;
    value: number;
    from: number;
    to: number;
    step: number;
    /** Whether it is a probability, shown as a percentage. */
    isProbability: boolean;
}

/** Groups of people, as shares of all. */
export interface PeopleGroup {
    name: string;
    share: number;
    /** Whether the question asks about them. */
    isAsked: boolean;
}

export interface LessonResult {
    /** The probability that the question asks for. */
    answer: number;
    /** Probabilities that are shown next to it. */
    facts: [name: string, probability: number][];
    people?: PeopleGroup[];
}

export interface Lesson {
    id: string;
    title: string;
    question(numbers: Numbers): string;
    /** The probability to guess. */
    guess: string;
    numbers: LessonNumber[];
    compute(core: Core, numbers: Numbers): Promise<LessonResult>;
    because: string;
    variation: { text: string; numbers: Record<string, number> };
    check: { question: string; answers: string[]; right: number; because: string };
}
