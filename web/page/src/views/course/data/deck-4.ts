// SPDX-License-Identifier: MIT
import type { Example, SourceFile } from "./types";

const iris: SourceFile = { name: "iris.csv", example: "iris" };
const temperature: SourceFile = { name: "temperature.csv", example: "temperature" };

const predictAt27 = (...prior: string[]): string[] => [
    "predict",
    "temperature.csv",
    "--target",
    "Play",
    "--given",
    "Temperature=27",
    "--smoothing",
    "none",
    "--prior",
    ...prior,
];

export const deck4: Example[] = [
    {
        id: "petals",
        decks: [4],
        topic: "A decision rule",
        title: "Irises by one measurement",
        question:
            "The lecture chooses the thresholds 2.5 and 4.7 for the petal length by eye. Which thresholds do normal densities with equal priors give?",
        files: [iris],
        steps: [
            {
                command: [
                    "show",
                    "iris.csv",
                    "--target",
                    "species",
                    "--of",
                    "petal_length",
                    "--variance",
                    "sample",
                    "--smoothing",
                    "none",
                    "--prior",
                    "uniform",
                ],
                numbers: [
                    {
                        what: "Setosa below, versicolor above",
                        lecture: "2.2467",
                        at: ["attributes", 0, "cuts", { below: "Iris-setosa" }, "at"],
                    },
                    {
                        what: "Versicolor below, virginica above",
                        lecture: "4.8863",
                        at: ["attributes", 0, "cuts", { above: "Iris-virginica" }, "at"],
                    },
                    {
                        what: "Versicolor below, setosa above",
                        lecture: "-0.2015",
                        at: ["attributes", 0, "cuts", { above: "Iris-setosa" }, "at"],
                    },
                ],
            },
        ],
        answer: "At 2.2467 and 4.8863. Two normal densities of different widths cross twice, and the widest one wins far out on both sides: the other cut points are below zero, where there are no petals.",
        links: [
            {
                text: "See the curves and regions",
                view: "understand",
                params: {
                    example: "iris",
                    target: "species",
                    options: "--variance sample --smoothing none --prior uniform",
                    column: "petal_length",
                },
            },
        ],
    },
    {
        id: "priors",
        decks: [4],
        topic: "Priors",
        title: "Equal, by frequency, from knowledge",
        question:
            "It has 27 degrees. Is there a game: with equal priors, with the priors of the fourteen days, and if nine of ten days have a game?",
        files: [temperature],
        steps: [
            {
                command: predictAt27("uniform"),
                numbers: [{ what: "Equal priors", lecture: "No", at: ["prediction"] }],
            },
            {
                command: predictAt27("frequency"),
                numbers: [{ what: "By frequency", lecture: "No", at: ["prediction"] }],
            },
            {
                command: predictAt27("Yes=.9,No=.1"),
                numbers: [{ what: "P(Yes) = .9", lecture: "Yes", at: ["prediction"] }],
            },
        ],
        answer: "The likelihoods are the same in all three; the prior decides how much evidence is needed. You choose it when you predict.",
    },
    {
        id: "areas",
        decks: [4],
        topic: "Areas",
        title: "Areas under the normal curve",
        question: "How much of a normal distribution is within 1, 2 and 3 standard deviations of its mean?",
        files: [],
        steps: [
            {
                command: ["distribution", "normal", "--between", "-1,1", "--between", "-2,2", "--between", "-3,3"],
                numbers: [
                    { what: "Within 1", lecture: "0.6827", at: ["results", "P(-1 <= X <= 1)"] },
                    { what: "Within 2", lecture: "0.9545", at: ["results", "P(-2 <= X <= 2)"] },
                    { what: "Within 3", lecture: "0.9973", at: ["results", "P(-3 <= X <= 3)"] },
                ],
            },
        ],
        answer: "0.6827, 0.9545 and 0.9973, for any mean and standard deviation. (The lecture writes the density with 1/√(2πσ), twice; it is 1/(σ√(2π)).)",
        distribution: { name: "normal", parameters: { mean: "0", sd: "1" }, from: "-1", to: "1" },
    },
    {
        id: "testing",
        decks: [4],
        topic: "Testing",
        title: "Training and testing apart",
        question: "How good is the classifier on irises that it was not trained on, each by a model of the other 149?",
        files: [iris],
        steps: [
            {
                command: ["evaluate", "iris.csv", "--target", "species", "--leave-one-out"],
                numbers: [],
            },
        ],
        answer: "143 of 150 are right. Accuracy on training rows is too optimistic, so the classifier is tested on other rows.",
        links: [
            {
                text: "Open in Evaluate",
                view: "evaluate",
                params: { example: "iris", target: "species", folds: "loo" },
            },
        ],
    },
];
