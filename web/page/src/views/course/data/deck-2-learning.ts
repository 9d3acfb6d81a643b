// SPDX-License-Identifier: MIT
import type { Example, SourceFile } from "./types";

const tennis: SourceFile = { name: "tennis.csv", example: "tennis" };
const temperature: SourceFile = { name: "temperature.csv", example: "temperature" };

const cancer = [
    { name: "cancer", prior: ".008" },
    { name: "no cancer", prior: ".992" },
];
const test = [{ name: "+", likelihoods: [".98", ".03"] }];

export const deck2Learning: Example[] = [
    {
        id: "cancer",
        decks: [2],
        topic: "Bayesian learning",
        title: "A test for cancer",
        question:
            "A test finds 98 % of those who are ill and clears 97 % of those who are not; .008 of all have the illness. The test is positive. Is the patient ill?",
        files: [],
        steps: [
            {
                command: [
                    "bayes",
                    "--prior",
                    "cancer=.008",
                    "--likelihood",
                    "+:cancer=.98,+:no cancer=.03",
                    "--observed",
                    "+",
                ],
                numbers: [
                    { what: "P(no cancer)", lecture: ".992", at: ["prior", "no cancer"] },
                    {
                        what: "P(+ | cancer) P(cancer)",
                        lecture: ".0078",
                        at: ["observations", 0, "hypotheses", { hypothesis: "cancer" }, "joint"],
                    },
                    {
                        what: "P(+ | no cancer) P(no cancer)",
                        lecture: ".0298",
                        at: ["observations", 0, "hypotheses", { hypothesis: "no cancer" }, "joint"],
                    },
                    { what: "P(+)", lecture: ".0376", at: ["observations", 0, "evidence"] },
                    { what: "P(cancer | +)", lecture: "0.2085", at: ["posterior", "cancer"] },
                    { what: "MAP hypothesis", lecture: "no cancer", at: ["map"] },
                    { what: "ML hypothesis", lecture: "cancer", at: ["ml"] },
                ],
            },
        ],
        answer: "Probably not. With cancer, a positive test is likely, so cancer is the maximum likelihood hypothesis. But most positive tests come from the many healthy people, so the maximum a posteriori hypothesis is no cancer.",
        bayes: { hypotheses: cancer, outcomes: test, observed: ["+"] },
    },
    {
        id: "second-test",
        decks: [2],
        topic: "Bayesian learning",
        title: "A second test",
        question: "A second test, which errs independently of the first, is positive too. What now?",
        files: [],
        steps: [
            {
                command: [
                    "bayes",
                    "--prior",
                    "cancer=.008",
                    "--likelihood",
                    "+:cancer=.98,+:no cancer=.03",
                    "--observed",
                    "+,+",
                ],
                numbers: [
                    {
                        what: "P(cancer | first +)",
                        lecture: "0.2085",
                        at: ["observations", 0, "hypotheses", { hypothesis: "cancer" }, "posterior"],
                    },
                    { what: "MAP hypothesis", lecture: "cancer", at: ["map"] },
                ],
            },
        ],
        answer: "Now cancer is the more probable. The posterior of the first test is the prior of the second.",
        bayes: { hypotheses: cancer, outcomes: test, observed: ["+", "+"] },
    },
    {
        id: "optimal",
        decks: [2],
        topic: "Bayesian learning",
        title: "Averaging over all hypotheses",
        question:
            "Three hypotheses have the posterior .4, .3, .3. The first one predicts +, the others predict -. What is the most probable classification?",
        files: [],
        steps: [
            {
                command: ["bayes", "--prior", "h1=.4,h2=.3,h3=.3", "--predicts", "h1=+,h2=-,h3=-"],
                numbers: [
                    { what: "Weight of +", lecture: ".4", at: ["gibbs", "+"] },
                    { what: "Weight of -", lecture: ".6", at: ["gibbs", "-"] },
                    { what: "MAP hypothesis, which predicts +", lecture: "h1", at: ["map"] },
                    { what: "Bayes optimal classification", lecture: "-", at: ["optimal"] },
                ],
            },
        ],
        answer: "It is -, with .6: the most probable hypothesis need not have the most probable answer. A Gibbs classifier draws one hypothesis by its posterior, and errs at most twice as often.",
    },
    {
        id: "pseudo-counts",
        decks: [2],
        topic: "Naive Bayes",
        title: "Imaginary examples",
        question: "With l = 1 imaginary example of each class and of each value, what are P(Yes) and P(Overcast | No)?",
        files: [tennis],
        steps: [
            {
                command: [
                    "show",
                    "tennis.csv",
                    "--target",
                    "Play",
                    "--smoothing",
                    "laplace:1",
                    "--prior",
                    "laplace:1",
                    "--of",
                    "Outlook",
                ],
                numbers: [
                    { what: "P(Yes)", lecture: "10/16", at: ["classes", { class: "Yes" }, "prior"] },
                    {
                        what: "P(Overcast | No)",
                        lecture: "1/8",
                        at: [
                            "attributes",
                            { attribute: "Outlook" },
                            "values",
                            { value: "Overcast" },
                            "probability",
                            "No",
                        ],
                    },
                ],
            },
        ],
        answer: "(9 + 1) / (14 + 2) and (0 + 1) / (5 + 3): pseudo-counts keep every probability above zero (Laplace).",
    },
    {
        id: "temperature",
        decks: [2, 5],
        topic: "Naive Bayes",
        title: "Temperature as a number",
        question:
            "Nine temperatures of days with a game, five of days without: which normal densities do they have, and between which temperatures are games played?",
        files: [temperature],
        steps: [
            {
                command: ["show", "temperature.csv", "--target", "Play", "--variance", "sample", "--smoothing", "none"],
                numbers: [
                    {
                        what: "Mean of Yes",
                        lecture: "21.64",
                        at: ["attributes", 0, "densities", { class: "Yes" }, "mean"],
                    },
                    {
                        what: "Mean of No",
                        lecture: "23.88",
                        at: ["attributes", 0, "densities", { class: "No" }, "mean"],
                    },
                    {
                        what: "Standard deviation of Yes",
                        lecture: "2.35",
                        at: ["attributes", 0, "densities", { class: "Yes" }, "sd"],
                    },
                    {
                        what: "Standard deviation of No",
                        lecture: "7.09",
                        at: ["attributes", 0, "densities", { class: "No" }, "sd"],
                    },
                ],
            },
            {
                command: ["show", "temperature.csv", "--target", "Play", "--variance", "mle", "--smoothing", "none"],
                numbers: [
                    {
                        what: "Standard deviation of Yes, divided by N",
                        lecture: "2.35",
                        at: ["attributes", 0, "densities", { class: "Yes" }, "sd"],
                        slip: "The lectures print the formula with 1/N, which gives 2.219. The value 2.35 results from 1/(N - 1).",
                    },
                    {
                        what: "Standard deviation of No, divided by N",
                        lecture: "7.09",
                        at: ["attributes", 0, "densities", { class: "No" }, "sd"],
                        slip: "With 1/N it is 6.341. The value 7.09 results from 1/(N - 1).",
                    },
                ],
            },
        ],
        answer: "Between 16.7 and 26.0 degrees: the wide curve of the days without a game is above the narrow one on both sides. In the exponents, the lectures print 11.09 for 2 · 2.35² and 50.25 for 2 · 7.09²; these are 11.08 and 100.52, of the unrounded deviations: the second one lacks the factor 2.",
        links: [
            {
                text: "See both curves",
                view: "understand",
                params: {
                    example: "temperature",
                    target: "Play",
                    options: "--variance sample --smoothing none",
                    column: "Temperature",
                },
            },
            {
                text: "Ask about a temperature",
                view: "ask",
                params: {
                    example: "temperature",
                    target: "Play",
                    options: "--variance sample --smoothing none",
                    given: "Temperature=20",
                },
            },
        ],
    },
    {
        id: "pooled-variance",
        decks: [2],
        topic: "Naive Bayes",
        title: "One variance for all classes",
        question: "If the variance does not depend on the class, how often do the two curves cross?",
        files: [temperature],
        steps: [
            {
                command: [
                    "show",
                    "temperature.csv",
                    "--target",
                    "Play",
                    "--variance",
                    "sample",
                    "--smoothing",
                    "none",
                    "--pool-variance",
                    "classes",
                ],
                numbers: [],
            },
        ],
        answer: "Once: equal widths leave a linear decision rule. The variance can also be pooled over the attributes, or over both.",
    },
];
