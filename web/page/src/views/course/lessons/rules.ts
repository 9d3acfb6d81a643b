// SPDX-License-Identifier: MIT
// Lessons on Bayes' rule with few hypotheses.
import { bayes, percentOf, probability } from "./compute";
import type { Lesson } from "./types";

export const ruleLessons: Lesson[] = [
    {
        id: "disease",
        title: "A test for a rare disease",
        question: (n) =>
            `${percentOf(n.prior)} of the people have a disease. The test is positive for ${percentOf(n.sensitivity)} of the ill and for ${percentOf(n.alarm)} of the healthy. Your test is positive. How probable is it that you are ill?`,
        guess: "P(ill | positive)",
        numbers: [
            probability("prior", "Ill people", 0.01),
            probability("sensitivity", "Positive if ill", 0.9),
            probability("alarm", "Positive if healthy", 0.05),
        ],
        compute: async (core, { prior = 0, sensitivity = 0, alarm = 0 }) => {
            const report = await bayes(
                core,
                { ill: prior, healthy: 1 - prior },
                { positive: { ill: sensitivity, healthy: alarm } },
                ["positive"],
            );
            const [ill, healthy] = report.observations[0]?.hypotheses ?? [];
            const positive = report.observations[0]?.evidence ?? 0;
            return {
                answer: report.posterior["ill"] ?? NaN,
                facts: [
                    ["Ill, before the test", prior],
                    ["A positive test", positive],
                ],
                people: [
                    { name: "ill and positive", share: ill?.joint ?? 0, isAsked: true },
                    { name: "healthy and positive", share: healthy?.joint ?? 0, isAsked: false },
                    { name: "negative", share: 1 - positive, isAsked: false },
                ],
            };
        },
        because:
            "Most positive tests come from the healthy, because there are so many more of them. The posterior is the share of the ill among the people with a positive test.",
        variation: { text: "A disease that one person in ten has", numbers: { prior: 0.1 } },
        check: {
            question: "The disease becomes rarer. The test stays the same. What happens to P(ill | positive)?",
            answers: ["It becomes smaller", "It stays the same", "It becomes larger"],
            right: 0,
            because: "The false alarms stay, and there are fewer ill people among the positive tests.",
        },
    },
    {
        id: "monty",
        title: "Monty Hall",
        question: (n) =>
            `A car is at one of three doors. You choose door 1. The host always opens another door without a car. If the car is at your door, he opens door 3 with probability ${percentOf(n.habit)}. He opens door 3. How probable is the car at door 2?`,
        guess: "P(car at door 2 | host opens door 3)",
        numbers: [probability("habit", "Host opens 3 if the car is at 1", 0.5)],
        compute: async (core, { habit = 0 }) => {
            const third = 1 / 3;
            const report = await bayes(
                core,
                { door1: third, door2: third, door3: third },
                { opens3: { door1: habit, door2: 1, door3: 0 } },
                ["opens3"],
            );
            return {
                answer: report.posterior["door2"] ?? NaN,
                facts: [
                    ["Car at door 1, your door", report.posterior["door1"] ?? NaN],
                    ["Car at door 3, the open door", report.posterior["door3"] ?? NaN],
                ],
            };
        },
        because:
            "The host must open door 3 if the car is at door 2, but only sometimes if it is at door 1. His choice is evidence for door 2.",
        variation: { text: "A host who always opens door 3 if he can", numbers: { habit: 0.999 } },
        check: {
            question: "The host opens a door at random, and happens to find no car. Should you switch?",
            answers: ["Yes, switching doubles your chance", "It makes no difference", "No, stay"],
            right: 1,
            because: "Then an empty door 3 is as probable under door 1 as under door 2, so both posteriors are 1/2.",
        },
    },
    {
        id: "total",
        title: "Total probability",
        question: (n) =>
            `Machine A makes ${percentOf(n.a)} of all parts, and machine B the others. ${percentOf(n.faultyA)} of the parts of A and ${percentOf(n.faultyB)} of the parts of B are faulty. How probable is a faulty part?`,
        guess: "P(faulty)",
        numbers: [
            probability("a", "Parts of machine A", 0.7),
            probability("faultyA", "Faulty parts of A", 0.02),
            probability("faultyB", "Faulty parts of B", 0.1),
        ],
        compute: async (core, { a = 0, faultyA = 0, faultyB = 0 }) => {
            const report = await bayes(core, { A: a, B: 1 - a }, { faulty: { A: faultyA, B: faultyB } }, ["faulty"]);
            const [first, second] = report.observations[0]?.hypotheses ?? [];
            const faulty = report.observations[0]?.evidence ?? NaN;
            return {
                answer: faulty,
                facts: [
                    ["From A and faulty", first?.joint ?? NaN],
                    ["From B and faulty", second?.joint ?? NaN],
                ],
                people: [
                    { name: "faulty, from A", share: first?.joint ?? 0, isAsked: true },
                    { name: "faulty, from B", share: second?.joint ?? 0, isAsked: true },
                    { name: "good", share: 1 - faulty, isAsked: false },
                ],
            };
        },
        because: "Each machine contributes its share of parts times its rate of faults. The contributions are added.",
        variation: { text: "Machine A makes nine parts of ten", numbers: { a: 0.9 } },
        check: {
            question: "Can P(faulty) be larger than the rate of the worse machine?",
            answers: ["Yes", "No"],
            right: 1,
            because: "It is a weighted mean of the rates, so it lies between them.",
        },
    },
    {
        id: "map",
        title: "MAP and maximum likelihood",
        question: (n) =>
            `A bag has fair coins, and ${percentOf(n.biased)} biased coins that show heads with probability ${percentOf(n.heads)}. You draw a coin and see three heads. How probable is a biased coin?`,
        guess: "P(biased | three heads)",
        numbers: [probability("biased", "Biased coins", 0.1), probability("heads", "Heads of a biased coin", 0.9)],
        compute: async (core, { biased = 0, heads = 0 }) => {
            const report = await bayes(core, { biased, fair: 1 - biased }, { heads: { biased: heads, fair: 0.5 } }, [
                "heads",
                "heads",
                "heads",
            ]);
            return {
                answer: report.posterior["biased"] ?? NaN,
                facts: [["A fair coin", report.posterior["fair"] ?? NaN]],
            };
        },
        because:
            "Three heads are more probable with a biased coin: that is maximum likelihood. The maximum a posteriori (MAP) hypothesis also counts how rare biased coins are.",
        variation: { text: "Half of the coins are biased", numbers: { biased: 0.5 } },
        check: {
            question: "When do MAP and maximum likelihood always choose the same hypothesis?",
            answers: ["If all priors are equal", "If there are two hypotheses", "If the data are certain"],
            right: 0,
            because: "With equal priors, the posterior is proportional to the likelihood.",
        },
    },
    {
        id: "vote",
        title: "The Bayes-optimal vote",
        question: (n) =>
            `Three hypotheses explain the data. The best one has posterior ${percentOf(n.best)} and predicts “yes”. The other two share the rest equally and predict “no”. How probable is “no”?`,
        guess: "P(no)",
        numbers: [probability("best", "Posterior of the best hypothesis", 0.4)],
        compute: async (core, { best = 0 }) => {
            const other = (1 - best) / 2;
            const report = await core.json<{ gibbs: Record<string, number> }>([
                ...["bayes", "--prior", `best=${best},second=${other},third=${other}`],
                ...["--predicts", "best=yes,second=no,third=no"],
            ]);
            return { answer: report.gibbs["no"] ?? NaN, facts: [["“yes”", report.gibbs["yes"] ?? NaN]] };
        },
        because:
            "Every hypothesis votes with its posterior. The single best hypothesis can lose the vote, so the MAP hypothesis does not always make the best prediction.",
        variation: { text: "A best hypothesis of 55 %", numbers: { best: 0.55 } },
        check: {
            question: "From which posterior on does the best hypothesis always win the vote?",
            answers: ["1/3", "1/2", "2/3"],
            right: 1,
            because: "With more than half of all votes, no majority can be against it.",
        },
    },
    {
        id: "spam",
        title: "Two words of a message",
        question: (n) =>
            `${percentOf(n.spam)} of your messages are spam. “money” occurs in ${percentOf(n.moneySpam)} of the spam and ${percentOf(n.moneyHam)} of the rest; “meeting” in ${percentOf(n.meetingSpam)} and ${percentOf(n.meetingHam)}. A message contains both words. How probable is spam?`,
        guess: "P(spam | money, meeting)",
        numbers: [
            probability("spam", "Spam", 0.4),
            probability("moneySpam", "“money” in spam", 0.3),
            probability("moneyHam", "“money” in the rest", 0.02),
            probability("meetingSpam", "“meeting” in spam", 0.01),
            probability("meetingHam", "“meeting” in the rest", 0.1),
        ],
        compute: async (core, { spam = 0, moneySpam = 0, moneyHam = 0, meetingSpam = 0, meetingHam = 0 }) => {
            const report = await bayes(
                core,
                { spam, ham: 1 - spam },
                { money: { spam: moneySpam, ham: moneyHam }, meeting: { spam: meetingSpam, ham: meetingHam } },
                ["money", "meeting"],
            );
            const after = report.observations[0]?.hypotheses[0]?.posterior ?? NaN;
            return {
                answer: report.posterior["spam"] ?? NaN,
                facts: [
                    ["Spam, before reading", spam],
                    ["Spam, after “money”", after],
                ],
            };
        },
        because:
            "Naive Bayes multiplies the likelihoods of the words, as if words were independent within each class. The second word takes back most of the evidence of the first one.",
        variation: { text: "“meeting” is as frequent in spam as in the rest", numbers: { meetingSpam: 0.1 } },
        check: {
            question: "A word is equally frequent in both classes. What does it change?",
            answers: ["Nothing", "It favors spam", "It favors the larger class"],
            right: 0,
            because: "Its likelihood ratio is 1, so the posterior stays the same.",
        },
    },
];
