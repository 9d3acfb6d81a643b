// SPDX-License-Identifier: MIT
import { deck1 } from "./deck-1";
import { deck2Learning } from "./deck-2-learning";
import { deck2Networks } from "./deck-2-networks";
import { deck2Probability } from "./deck-2-probability";
import { deck3 } from "./deck-3";
import { deck4 } from "./deck-4";
import { deck5 } from "./deck-5";
import type { Deck, Example } from "./types";

export const decks: Deck[] = [
    { number: 1, title: "Bayesian classifiers" },
    { number: 2, title: "From probability to learning" },
    { number: 3, title: "Bayes classifiers and generative methods" },
    { number: 4, title: "Classification and naive Bayes" },
    { number: 5, title: "The naive Bayes classifier" },
];

export const examples: Example[] = [
    ...deck1,
    ...deck2Probability,
    ...deck2Learning,
    ...deck2Networks,
    ...deck3,
    ...deck4,
    ...deck5,
];
