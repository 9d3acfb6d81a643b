// SPDX-License-Identifier: MIT
import type { Example, SourceFile, WorkedNumber } from "./types";

const tennis: SourceFile = { name: "tennis.csv", example: "tennis" };

const outlook = (value: string, lecture: string): WorkedNumber => ({
    what: `P(${value} | No)`,
    lecture,
    at: ["attributes", { attribute: "Outlook" }, "values", { value }, "probability", "No"],
});

const ask = (smoothing: string): string[] => [
    "explain",
    "tennis.csv",
    "--target",
    "Play",
    "--smoothing",
    smoothing,
    "--given",
    "Outlook=Overcast,Humidity=High,Wind=Strong",
];

export const deck5: Example[] = [
    {
        id: "zero",
        decks: [5, 1],
        topic: "Zero probabilities",
        title: "A zero outweighs everything",
        question: "No day without a game was overcast. What does that do to a day that is overcast, humid and windy?",
        files: [tennis],
        steps: [
            {
                command: ask("none"),
                numbers: [
                    { what: "P(No | x)", lecture: "0", at: ["classes", { class: "No" }, "posterior"] },
                    { what: "Prediction", lecture: "Yes", at: ["prediction"] },
                ],
            },
        ],
        answer: "P(Overcast | No) = 0/5 makes the product of No zero, whatever else is known of the day.",
    },
    {
        id: "m-estimate",
        decks: [5, 1],
        topic: "Zero probabilities",
        title: "The m-estimate",
        question: "Estimate P(Outlook | No) with m = 1 virtual example and p = 1/3: (n_c + m p) / (n + m).",
        files: [tennis],
        steps: [
            {
                command: ["show", "tennis.csv", "--target", "Play", "--smoothing", "m:1", "--of", "Outlook"],
                numbers: [outlook("Overcast", "1/18"), outlook("Sunny", "10/18"), outlook("Rain", "7/18")],
            },
            {
                command: ask("m:1"),
                numbers: [{ what: "Prediction of the day above", lecture: "Yes", at: ["prediction"] }],
            },
        ],
        answer: "1/18, 10/18 and 7/18: a third of a row is added to each value. The day of the example above is now 0.8 a day to play, not a certain one.",
        links: [
            {
                text: "Ask with m = 1",
                view: "ask",
                params: {
                    example: "tennis",
                    target: "Play",
                    options: "--smoothing m:1",
                    given: "Outlook=Overcast,Humidity=High,Wind=Strong",
                },
            },
        ],
    },
];
