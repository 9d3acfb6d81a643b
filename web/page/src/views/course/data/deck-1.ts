// SPDX-License-Identifier: MIT
import type { Example, SourceFile, WorkedNumber } from "./types";

const pairs: SourceFile = { name: "pairs.csv", example: "pairs" };
const tenRows: SourceFile = { name: "ten-rows.csv", example: "ten-rows" };
const tennis: SourceFile = { name: "tennis.csv", example: "tennis" };

/** Conditional probabilities of `show`: rows of [value, class, fraction]. */
function table(attribute: string, cells: [string, string, string][]): WorkedNumber[] {
    return cells.map(([value, name, lecture]): WorkedNumber => ({
        what: `P(${attribute}=${value} | ${name})`,
        lecture,
        at: ["attributes", { attribute }, "values", { value }, "probability", name],
    }));
}

const prior = (name: string, lecture: string): WorkedNumber => ({
    what: `P(${name})`,
    lecture,
    at: ["classes", { class: name }, "prior"],
});

export const deck1: Example[] = [
    {
        id: "pairs",
        decks: [1, 5],
        topic: "Two ways to learn",
        title: "Four pairs",
        question:
            "The pairs (x, c) are (1,0), (1,0), (2,0), (2,1). What does a generative model learn of them, P(x | c), and what a discriminative one, P(c | x)?",
        files: [pairs],
        steps: [
            {
                command: ["show", "pairs.csv", "--target", "c", "--categorical", "x", "--smoothing", "none"],
                numbers: table("x", [
                    ["1", "0", "2/3"],
                    ["2", "0", "1/3"],
                    ["1", "1", "0"],
                    ["2", "1", "1"],
                ]),
            },
            {
                command: ["query", "pairs.csv", "--of", "c", "--given", "x=1"],
                numbers: [
                    { what: "P(c=0 | x=1)", lecture: "1", at: ["posterior", "c", "0"] },
                    { what: "P(c=1 | x=1)", lecture: "0", at: ["posterior", "c", "1"] },
                ],
            },
            {
                command: ["query", "pairs.csv", "--of", "c", "--given", "x=2"],
                numbers: [
                    { what: "P(c=0 | x=2)", lecture: "1/2", at: ["posterior", "c", "0"] },
                    { what: "P(c=1 | x=2)", lecture: "1/2", at: ["posterior", "c", "1"] },
                ],
            },
        ],
        answer: "Both are relative frequencies of the same rows: within the rows of a class, or within the rows of an x. Bayes' rule leads from the first to the second: class 0 is three times as frequent, x=2 is three times as likely under class 1, and so x=2 is a tie.",
        links: [
            {
                text: "Ask about x",
                view: "ask",
                params: { example: "pairs", target: "c", options: "--categorical x --smoothing none", given: "x=2" },
            },
        ],
    },
    {
        id: "ten-rows",
        decks: [1],
        topic: "Naive Bayes",
        title: "Ten rows, two attributes",
        question: "Ten rows have A, B and a class C. Which class has A=m, B=q?",
        files: [tenRows],
        steps: [
            {
                command: ["show", "ten-rows.csv", "--target", "C", "--smoothing", "none"],
                numbers: [
                    prior("t", "1/2"),
                    prior("f", "1/2"),
                    ...table("A", [
                        ["m", "t", "2/5"],
                        ["g", "t", "2/5"],
                        ["h", "t", "1/5"],
                        ["m", "f", "1/5"],
                    ]),
                    ...table("A", [["g", "f", "1/5"]]).map((number) => ({
                        ...number,
                        slip: "Two of the five rows of class f have A=g: 2/5.",
                    })),
                    ...table("A", [["h", "f", "2/5"]]),
                    ...table("B", [
                        ["b", "t", "1/5"],
                        ["s", "t", "2/5"],
                        ["q", "t", "2/5"],
                        ["b", "f", "2/5"],
                        ["s", "f", "1/5"],
                        ["q", "f", "2/5"],
                    ]),
                ],
            },
            {
                command: ["explain", "ten-rows.csv", "--target", "C", "--smoothing", "none", "--given", "A=m,B=q"],
                numbers: [
                    { what: "P(t) P(m | t) P(q | t)", lecture: "2/25", at: ["classes", { class: "t" }, "joint"] },
                    { what: "P(f) P(m | f) P(q | f)", lecture: "1/25", at: ["classes", { class: "f" }, "joint"] },
                    { what: "P(t | A=m, B=q)", lecture: "2/3", at: ["classes", { class: "t" }, "posterior"] },
                    { what: "Prediction", lecture: "t", at: ["prediction"] },
                ],
            },
        ],
        answer: "Class t. Before the row is seen both classes are as probable; A=m is twice as likely under t, and B=q is as likely under both, so the odds are 2 to 1.",
        links: [
            {
                text: "Ask about A and B",
                view: "ask",
                params: { example: "ten-rows", target: "C", options: "--smoothing none", given: "A=m,B=q" },
            },
        ],
    },
    {
        id: "tennis",
        decks: [1, 2, 5],
        topic: "Naive Bayes",
        title: "PlayTennis",
        question: "Fourteen days, four attributes: is a day that is sunny, cool, humid and windy one to play tennis?",
        files: [tennis],
        steps: [
            {
                command: ["show", "tennis.csv", "--target", "Play", "--smoothing", "none"],
                numbers: [
                    prior("Yes", "9/14"),
                    prior("No", "5/14"),
                    ...table("Outlook", [
                        ["Sunny", "Yes", "2/9"],
                        ["Overcast", "Yes", "4/9"],
                        ["Rain", "Yes", "3/9"],
                        ["Sunny", "No", "3/5"],
                        ["Overcast", "No", "0/5"],
                        ["Rain", "No", "2/5"],
                    ]),
                    ...table("Temperature", [
                        ["Hot", "Yes", "2/9"],
                        ["Mild", "Yes", "4/9"],
                        ["Cool", "Yes", "3/9"],
                        ["Hot", "No", "2/5"],
                        ["Mild", "No", "2/5"],
                        ["Cool", "No", "1/5"],
                    ]),
                    ...table("Humidity", [
                        ["High", "Yes", "3/9"],
                        ["Normal", "Yes", "6/9"],
                        ["High", "No", "4/5"],
                        ["Normal", "No", "1/5"],
                    ]),
                    ...table("Wind", [
                        ["Strong", "Yes", "3/9"],
                        ["Weak", "Yes", "6/9"],
                        ["Strong", "No", "3/5"],
                        ["Weak", "No", "2/5"],
                    ]),
                ],
            },
            {
                command: [
                    "explain",
                    "tennis.csv",
                    "--target",
                    "Play",
                    "--smoothing",
                    "none",
                    "--given",
                    "Outlook=Sunny,Temperature=Cool,Humidity=High,Wind=Strong",
                ],
                numbers: [
                    { what: "Product of Yes", lecture: "0.0053", at: ["classes", { class: "Yes" }, "joint"] },
                    { what: "Product of No", lecture: "0.0206", at: ["classes", { class: "No" }, "joint"] },
                    { what: "P(No | x)", lecture: "0.795417", at: ["classes", { class: "No" }, "posterior"] },
                    { what: "Prediction", lecture: "No", at: ["prediction"] },
                ],
            },
        ],
        answer: "No. Yes is the more frequent class, but a sunny, humid and windy day is 2.7, 2.4 and 1.8 times as likely among days without a game; only the cool temperature is evidence for a game. The products are sufficient for the decision, because both are divided by the same number.",
        links: [
            {
                text: "Ask about a day",
                view: "ask",
                params: {
                    example: "tennis",
                    target: "Play",
                    options: "--smoothing none",
                    given: "Outlook=Sunny,Temperature=Cool,Humidity=High,Wind=Strong",
                },
            },
        ],
    },
    {
        id: "missing",
        decks: [1],
        topic: "Naive Bayes",
        title: "Unknown values",
        question: "Only the outlook and the wind of the day are known. Is it a day to play?",
        files: [tennis],
        steps: [
            {
                command: [
                    "explain",
                    "tennis.csv",
                    "--target",
                    "Play",
                    "--smoothing",
                    "none",
                    "--given",
                    "Outlook=Sunny,Wind=Strong",
                ],
                numbers: [
                    {
                        what: "P(No) P(Sunny | No) P(Strong | No)",
                        lecture: "9/70",
                        at: ["classes", { class: "No" }, "joint"],
                    },
                    {
                        what: "P(Yes) P(Sunny | Yes) P(Strong | Yes)",
                        lecture: "1/21",
                        at: ["classes", { class: "Yes" }, "joint"],
                    },
                    { what: "Prediction", lecture: "No", at: ["prediction"] },
                ],
            },
        ],
        answer: "No. A missing attribute is omitted from the product, because its probabilities sum to one. No value is guessed.",
    },
    {
        id: "assumption",
        decks: [1, 2],
        topic: "Naive Bayes",
        title: "Is the assumption true?",
        question:
            "Naive Bayes takes humidity and temperature for independent within each class. Are they, in the fourteen days?",
        files: [tennis],
        steps: [
            {
                command: ["query", "tennis.csv", "--independence", "Humidity,Temperature", "--given", "Play"],
                numbers: [],
            },
        ],
        answer: "Fourteen days are not enough: the test does not reject independence. In larger tables it often does, and the classifier is often right all the same, since it only has to put the right class first.",
    },
];
