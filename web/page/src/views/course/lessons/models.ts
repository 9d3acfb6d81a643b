// SPDX-License-Identifier: MIT
// Lessons on models that are trained on examples.
import { classify, count, distribution, percentOf, probability } from "./compute";
import type { Lesson } from "./types";

const DAY = "Outlook=Sunny,Temperature=Cool,Humidity=High,Wind=Strong";

function smoothing(rows: number | undefined): string[] {
    return ["--smoothing", rows === undefined || rows === 0 ? "none" : `m:${rows}`];
}

export const modelLessons: Lesson[] = [
    {
        id: "tennis",
        title: "Naive Bayes: tennis",
        question: () =>
            "On 9 of 14 days somebody played tennis. Today is sunny, cool, humid and windy. How probable is it that tennis is played?",
        guess: "P(Play = Yes | the day)",
        numbers: [count("m", "Smoothing (pseudo-counts)", 0, 0, 10, 0.5)],
        compute: async (core, { m }) => {
            const { posterior } = await classify(core, "tennis", "Play", smoothing(m), DAY);
            const humid = await classify(core, "tennis", "Play", smoothing(m), "Humidity=High");
            return {
                answer: posterior["Yes"] ?? NaN,
                facts: [
                    ["Play, knowing nothing", 9 / 14],
                    ["Play, if only the humidity is known", humid.posterior["Yes"] ?? NaN],
                ],
            };
        },
        because:
            "The prior favors playing, but sunny, humid and windy days were rare among the days with tennis. Four weak pieces of evidence together outweigh the prior.",
        variation: { text: "Smoothing with five pseudo-counts", numbers: { m: 5 } },
        check: {
            question: "What does “naive” mean?",
            answers: [
                "The columns are independent within each class",
                "All classes are equally probable",
                "The columns are independent of the class",
            ],
            right: 0,
            because: "Only within each class: the columns depend on the class, which makes them useful.",
        },
    },
    {
        id: "zero",
        title: "Zero counts and smoothing",
        question: (n) =>
            `On all four overcast days, tennis was played. With ${n.m ?? 0} pseudo-counts of smoothing, how probable is it that nobody plays on the next overcast day?`,
        guess: "P(Play = No | overcast)",
        numbers: [count("m", "Smoothing (pseudo-counts)", 1, 0, 10, 0.5)],
        compute: async (core, { m }) => {
            const { posterior } = await classify(core, "tennis", "Play", smoothing(m), "Outlook=Overcast");
            const none = await classify(core, "tennis", "Play", smoothing(0), "Outlook=Overcast");
            return {
                answer: posterior["No"] ?? NaN,
                facts: [["Without smoothing", none.posterior["No"] ?? NaN]],
            };
        },
        because:
            "Without smoothing, one zero count makes the posterior exactly 0, whatever the other columns are. Pseudo-counts act like rows that you saw before the data.",
        variation: { text: "Ten pseudo-counts", numbers: { m: 10 } },
        check: {
            question: "You collect a million rows. How much does one pseudo-count change?",
            answers: ["Almost nothing", "As much as before", "More than before"],
            right: 0,
            because: "Its weight is one row against a million.",
        },
    },
    {
        id: "gaussian",
        title: "Gaussian densities: iris",
        question: (n) =>
            `A flower's petal is ${n.length ?? 0} cm long. The three species have normal densities of the petal length. How probable is Iris virginica?`,
        guess: "P(virginica | petal length)",
        numbers: [count("length", "Petal length (cm)", 4.9, 1, 7, 0.1)],
        compute: async (core, { length = 0 }) => {
            const only = ["--ignore", "sepal_length,sepal_width,petal_width"];
            const { posterior } = await classify(core, "iris", "species", only, `petal_length=${length}`);
            return {
                answer: posterior["Iris-virginica"] ?? NaN,
                facts: [
                    ["versicolor", posterior["Iris-versicolor"] ?? NaN],
                    ["setosa", posterior["Iris-setosa"] ?? NaN],
                ],
            };
        },
        because:
            "For a number, the likelihood is the height of the density. Near 4.9 cm the densities of two species cross, so a millimeter changes much.",
        variation: { text: "A petal of 4.5 cm", numbers: { length: 4.5 } },
        check: {
            question: "Where does the prediction change from versicolor to virginica?",
            answers: ["Where prior times density is equal", "At the mean of all petals", "At the larger mean"],
            right: 0,
            because: "On the decision boundary, both classes have the same posterior.",
        },
    },
    {
        id: "full",
        title: "One density or many",
        question: (n) =>
            `Two numbers of a flower are correlated. The naive model uses one density for each column, the full model one density for all columns together. The petal is ${n.length ?? 0} cm long and 1.7 cm wide. How probable is virginica in the full model?`,
        guess: "P(virginica), full model",
        numbers: [count("length", "Petal length (cm)", 4.9, 4, 6, 0.1)],
        compute: async (core, { length = 0 }) => {
            const only = ["--ignore", "sepal_length,sepal_width"];
            const row = `petal_length=${length},petal_width=1.7`;
            const joint = [...only, "--joint", "numbers", "--covariance", "full"];
            const naive = await classify(core, "iris", "species", only, row);
            const full = await classify(core, "iris", "species", joint, row);
            return {
                answer: full.posterior["Iris-virginica"] ?? NaN,
                facts: [["virginica, naive model", naive.posterior["Iris-virginica"] ?? NaN]],
            };
        },
        because:
            "The naive model counts correlated columns twice. The full model includes the correlation, but estimates more numbers, and needs more data.",
        variation: { text: "A petal of 4.6 cm", numbers: { length: 4.6 } },
        check: {
            question: "A column is copied, so it occurs twice. Which model becomes overconfident?",
            answers: ["The naive model", "The full model", "Both"],
            right: 0,
            because: "It multiplies the same evidence twice.",
        },
    },
    {
        id: "sampling",
        title: "Sampling",
        question: (n) =>
            `An event has probability ${percentOf(n.p)}. You estimate it by ${n.n ?? 0} random draws. How probable is an estimate that is at most 5 percentage points off?`,
        guess: "P(at most 5 points off)",
        numbers: [probability("p", "Probability of the event", 0.3), count("n", "Draws", 100, 20, 2000, 20)],
        compute: async (core, { p = 0, n = 0 }) => {
            const near = (draws: number): Promise<number> => {
                const low = Math.ceil(draws * (p - 0.05) - 1e-9);
                const high = Math.floor(draws * (p + 0.05) + 1e-9);
                return distribution(core, [
                    ...["binomial", `n=${draws}`, `p=${p}`],
                    ...["--between", `${Math.max(0, low)},${Math.min(draws, high)}`],
                ]);
            };
            return { answer: await near(n), facts: [["With four times as many draws", await near(4 * n)]] };
        },
        because:
            "The standard error falls with the square root of the number of draws: four times as many draws halve it.",
        variation: { text: "A thousand draws", numbers: { n: 1000 } },
        check: {
            question: "To make the standard error ten times smaller, you need",
            answers: ["10 times as many draws", "100 times as many draws", "1000 times as many draws"],
            right: 1,
            because: "The error falls with the square root of the number of draws.",
        },
    },
    {
        id: "calibration",
        title: "Calibration",
        question: (n) =>
            `A forecaster announces rain with probability ${percentOf(n.p)} on 20 days. It rains on at most ${n.days ?? 0} of them. If the forecasts are calibrated, how probable is a result this low?`,
        guess: "P(this few days of rain)",
        numbers: [probability("p", "Announced probability", 0.8), count("days", "Days of rain", 12, 0, 20)],
        compute: async (core, { p = 0, days = 0 }) => {
            const atMost = (most: number): Promise<number> =>
                distribution(core, ["binomial", "n=20", `p=${p}`, "--below", String(most + 1)]);
            return {
                answer: await atMost(days),
                facts: [["Two days more, or fewer", await atMost(Math.min(19, days + 2))]],
            };
        },
        because:
            "Calibrated means: of all days with the forecast 80 %, it rains on 80 %. A few days off are chance; many days off are evidence against the forecaster.",
        variation: { text: "It rains on at most 14 days", numbers: { days: 14 } },
        check: {
            question: "A forecaster announces the mean frequency of rain every day. Are the forecasts calibrated?",
            answers: ["Yes, but not useful", "No"],
            right: 0,
            because: "Calibration is not everything: useful forecasts also differ from day to day.",
        },
    },
    {
        id: "costs",
        title: "Costs",
        question: (n) =>
            `Today is sunny. If you prepare the court and nobody plays, it costs ${n.cost ?? 0}. If you do not and somebody comes, it costs 1. How probable is it that somebody plays, and do you prepare?`,
        guess: "P(Play = Yes | sunny)",
        numbers: [count("cost", "Cost of preparing for nobody", 5, 0.1, 10, 0.1)],
        compute: async (core, { cost = 0 }) => {
            const rule = {
                options: ["--cost", "costs.csv"],
                files: { "costs.csv": `class,Yes,No\nYes,0,1\nNo,${cost},0\n` },
            };
            const { posterior, report } = await classify(core, "tennis", "Play", [], "Outlook=Sunny", rule);
            const prepares = report.decision === "Yes";
            return {
                answer: posterior["Yes"] ?? NaN,
                facts: [
                    [`Nobody plays. The decision: ${prepares ? "prepare" : "do not prepare"}`, posterior["No"] ?? NaN],
                ],
            };
        },
        because:
            "The decision with the smallest expected cost is not always the most probable class. Each cost is weighted by its posterior probability.",
        variation: { text: "Preparing for nobody is cheap", numbers: { cost: 0.2 } },
        check: {
            question: "A missed fire costs 100 times as much as a false alarm. When should the alarm ring?",
            answers: ["From P(fire) of about 1 % on", "From P(fire) of 50 % on", "From P(fire) of 99 % on"],
            right: 0,
            because: "At 1/101, both expected costs are equal.",
        },
    },
];
