// SPDX-License-Identifier: MIT
import type { Example, SourceFile } from "./types";

const tosses: SourceFile = { name: "tosses.csv", example: "tosses" };
const dice: SourceFile = { name: "dice.csv", example: "dice" };
const tennis: SourceFile = { name: "tennis.csv", example: "tennis" };

export const deck2Probability: Example[] = [
    {
        id: "tosses",
        decks: [2],
        topic: "Probability",
        title: "Three tosses of a coin",
        question: "A coin is tossed three times. How probable are exactly two tails, and at least two heads?",
        files: [tosses],
        steps: [
            {
                command: ["query", "tosses.csv", "--of", "tails=2"],
                numbers: [{ what: "P(exactly two tails)", lecture: "3/8", at: ["posterior", "tails=2", "true"] }],
            },
            {
                command: ["query", "tosses.csv", "--of", "heads>=2"],
                numbers: [{ what: "P(at least two heads)", lecture: "4/8", at: ["posterior", "heads>=2", "true"] }],
            },
        ],
        answer: "The sample space is a table of eight outcomes, and an event is a set of its rows: three of them have two tails, four at least two heads.",
    },
    {
        id: "union",
        decks: [2],
        topic: "Probability",
        title: "Complement and union",
        question:
            "Two dice are thrown. How probable is it that the first is not a six, and that one of them is a six or their sum is seven?",
        files: [dice],
        steps: [
            {
                command: ["query", "dice.csv", "--of", "not first=6"],
                numbers: [{ what: "P(not A) = 1 - P(A)", lecture: "5/6", at: ["posterior", "not first=6", "true"] }],
            },
            {
                command: ["query", "dice.csv", "--of", "first=6 or second=6 or sum=7"],
                numbers: [
                    {
                        what: "P(A or B or C)",
                        lecture: "15/36",
                        at: ["posterior", "first=6 or second=6 or sum=7", "true"],
                    },
                ],
            },
        ],
        answer: "The complement contains the remaining outcomes. A union counts the overlaps once: 6 + 6 + 6 - 1 - 1 - 1 + 0 of 36 outcomes, by inclusion and exclusion.",
    },
    {
        id: "dice",
        decks: [2],
        topic: "Probability",
        title: "The sum of two dice",
        question: "The sum of two dice is a random variable. What are its probabilities, its mean and its variance?",
        files: [dice],
        steps: [
            {
                command: ["query", "dice.csv", "--of", "sum"],
                numbers: [
                    { what: "P(sum = 2)", lecture: "1/36", at: ["posterior", "sum", "2"] },
                    { what: "P(sum = 7)", lecture: "6/36", at: ["posterior", "sum", "7"] },
                    { what: "P(sum = 12)", lecture: "1/36", at: ["posterior", "sum", "12"] },
                    { what: "Mean", lecture: "7", at: ["moments", "sum", "mean"] },
                    { what: "Variance", lecture: "35/6", at: ["moments", "sum", "variance"] },
                ],
            },
        ],
        answer: "Mean 7 and variance 35/6: twice 7/2 and 35/12, the values for one die, because the dice are independent.",
    },
    {
        id: "joint",
        decks: [2],
        topic: "Probability",
        title: "Joint, marginal, conditional",
        question:
            "Of the fourteen days, how are outlook and play distributed together, each alone, and one given the other?",
        files: [tennis],
        steps: [
            {
                command: ["query", "tennis.csv", "--of", "Outlook,Play", "--joint-distribution"],
                numbers: [
                    { what: "P(Rain, Yes)", lecture: "3/14", at: ["posterior", "Outlook,Play", "Rain", "Yes"] },
                    { what: "P(Rain, No)", lecture: "2/14", at: ["posterior", "Outlook,Play", "Rain", "No"] },
                ],
            },
            {
                command: ["query", "tennis.csv", "--of", "Outlook"],
                numbers: [{ what: "P(Rain), the sum of both", lecture: "5/14", at: ["posterior", "Outlook", "Rain"] }],
            },
            {
                command: ["query", "tennis.csv", "--of", "Play", "--given", "Outlook=Rain"],
                numbers: [{ what: "P(Yes | Rain), their quotient", lecture: "3/5", at: ["posterior", "Play", "Yes"] }],
            },
        ],
        answer: "Marginals are the sums in the margins of the joint table (total probability); a conditional probability is a joint one divided by a marginal one.",
    },
    {
        id: "coins",
        decks: [2],
        topic: "Probability",
        title: "Ten coins each",
        question:
            "You and a friend toss ten coins each. How probable is it that you have 5 heads and the friend has 7?",
        files: [],
        steps: [
            {
                command: ["distribution", "binomial", "n=10", "p=1/2", "--at", "5", "--at", "7"],
                numbers: [
                    { what: "P(5 heads)", lecture: "252/1024", at: ["results", "P(X = 5)"] },
                    { what: "P(7 heads)", lecture: "120/1024", at: ["results", "P(X = 7)"] },
                ],
            },
            {
                command: [
                    "bayes",
                    "--prior",
                    "five heads=252/1024",
                    "--likelihood",
                    "seven:five heads=120/1024,seven:any other=120/1024",
                    "--observed",
                    "seven",
                ],
                numbers: [
                    {
                        what: "P(5 heads and 7 heads)",
                        lecture: "0.028839",
                        at: ["observations", 0, "hypotheses", { hypothesis: "five heads" }, "joint"],
                    },
                    {
                        what: "P(5 heads | the friend has 7)",
                        lecture: "252/1024",
                        at: ["posterior", "five heads"],
                    },
                ],
            },
            {
                command: ["distribution", "binomial", "n=10", "p=1/2", "--between", "0,10"],
                numbers: [
                    {
                        what: "Sum over 0 to 10 heads",
                        lecture: "1",
                        at: ["results", "P(0 <= X <= 10)"],
                    },
                ],
            },
        ],
        answer: "The product C(10,5) C(10,7) / 2^20, since the tosses are independent: the friend's seven leave your five where they were. (The deck's sum runs to 50 and 100 heads; ten tosses end at 10, and the further terms are zero.)",
        distribution: { name: "binomial", parameters: { n: "10", p: "0.5" }, from: "5", to: "7" },
    },
    {
        id: "no-heads",
        decks: [2],
        topic: "Probability",
        title: "No heads, given three",
        question: "How probable is it that you have no heads in ten tosses, given that your friend has three?",
        files: [],
        steps: [
            {
                command: [
                    "bayes",
                    "--prior",
                    "no heads=1/1024",
                    "--likelihood",
                    "three:no heads=120/1024,three:any other=120/1024",
                    "--observed",
                    "three",
                ],
                numbers: [{ what: "P(0 heads | the friend has 3)", lecture: "1/1024", at: ["posterior", "no heads"] }],
            },
        ],
        answer: "1/1024 again. An observation that is equally likely under every hypothesis changes none of them: it is independent.",
        bayes: {
            hypotheses: [
                { name: "no heads", prior: "1/1024" },
                { name: "any other", prior: "1023/1024" },
            ],
            outcomes: [{ name: "three", likelihoods: ["120/1024", "120/1024"] }],
            observed: ["three"],
        },
    },
    {
        id: "densities",
        decks: [2],
        topic: "Densities",
        title: "Can a density exceed one?",
        question: "Is f(x) <= 1 for every density? Consider a normal density with standard deviation 0.1.",
        files: [],
        steps: [
            {
                command: ["distribution", "normal", "mean=0", "sd=0.1", "--at", "0", "--between", "-0.1,0.1"],
                numbers: [
                    { what: "f(0)", lecture: "3.9894", at: ["results", "density at 0"] },
                    { what: "P(-0.1 <= X <= 0.1)", lecture: "0.6827", at: ["results", "P(-0.1 <= X <= 0.1)"] },
                ],
            },
        ],
        answer: "It can: only areas under it are probabilities, and a narrow curve has to be high for its area to be one.",
        distribution: { name: "normal", parameters: { mean: "0", sd: "0.1" }, from: "-0.1", to: "0.1" },
    },
    {
        id: "multivariate",
        decks: [2],
        topic: "Densities",
        title: "Several numbers together",
        question:
            "What is the density of a bivariate normal distribution with variances 1 and 2 and covariance 0.5, at (1, 1)?",
        files: [],
        steps: [
            {
                command: ["distribution", "multivariate-normal", "mean=0,0", "covariance=1,.5,.5,2", "--at", "1,1"],
                numbers: [],
            },
        ],
        answer: "The exponent is the squared Mahalanobis distance from the mean, halved; the factor before it is 1 / (2 pi sqrt(det)), with the determinant 1.75.",
    },
];
