// SPDX-License-Identifier: MIT
// Lessons on Bayesian networks.
import { network, percentOf, probability, query } from "./compute";
import type { Lesson } from "./types";

export const networkLessons: Lesson[] = [
    {
        id: "explaining-away",
        title: "Explaining away and d-separation",
        question: (n) =>
            `A burglary (${percentOf(n.burglary)}) or an earthquake (${percentOf(n.earthquake)}) can set off an alarm. The alarm rings, and the radio reports an earthquake. How probable is a burglary?`,
        guess: "P(burglary | alarm, earthquake)",
        numbers: [
            probability("burglary", "Burglary", 0.01),
            probability("earthquake", "Earthquake", 0.02),
            probability("shaken", "Alarm in an earthquake", 0.3),
        ],
        compute: async (core, { burglary = 0, earthquake = 0, shaken = 0 }) => {
            const text = network([
                ["Burglary", [], [burglary]],
                ["Earthquake", [], [earthquake]],
                ["Alarm", ["Burglary", "Earthquake"], [0.95, 0.94, shaken, 0.001]],
            ]);
            const yes = async (given: string): Promise<number> =>
                (await query(core, text, "Burglary", given))["yes"] ?? NaN;
            return {
                answer: await yes("Alarm=yes,Earthquake=yes"),
                facts: [
                    ["Burglary, before", burglary],
                    ["Burglary, if the alarm rings", await yes("Alarm=yes")],
                    ["Burglary, if there is an earthquake, and the alarm is unknown", await yes("Earthquake=yes")],
                ],
            };
        },
        because:
            "The earthquake explains the alarm, so a burglary becomes less probable again. Without the alarm, both causes are independent: a common effect connects its causes only if it is observed.",
        variation: { text: "An alarm that earthquakes hardly set off", numbers: { shaken: 0.01 } },
        check: {
            question: "When are burglary and earthquake d-separated?",
            answers: ["If nothing is observed", "If the alarm is observed", "Never"],
            right: 0,
            because: "The path through the common effect is blocked until the alarm, or an effect of it, is observed.",
        },
    },
    {
        id: "simpson",
        title: "Simpson's paradox",
        question: (n) =>
            `A new treatment heals more mild cases (90 % instead of 80 %) and more severe cases (40 % instead of 30 %). Doctors give it to ${percentOf(n.severe)} of the severe and ${percentOf(n.mild)} of the mild cases, and both are equally frequent. How probable is recovery among all who received it?`,
        guess: "P(recovery | new treatment)",
        numbers: [
            probability("severe", "New treatment for severe cases", 0.8),
            probability("mild", "New treatment for mild cases", 0.2),
        ],
        compute: async (core, { severe = 0, mild = 0 }) => {
            const recovery: [string, string[], number[]] = ["Recovery", ["Mild", "Treated"], [0.9, 0.8, 0.4, 0.3]];
            const observed = network([["Mild", [], [0.5]], ["Treated", ["Mild"], [mild, severe]], recovery]);
            const assigned = network([["Mild", [], [0.5]], ["Treated", [], [0.5]], recovery]);
            const yes = async (text: string, given: string): Promise<number> =>
                (await query(core, text, "Recovery", given))["yes"] ?? NaN;
            return {
                answer: await yes(observed, "Treated=yes"),
                facts: [
                    ["Recovery with the old treatment", await yes(observed, "Treated=no")],
                    ["New treatment, assigned by chance", await yes(assigned, "Treated=yes")],
                    ["Old treatment, assigned by chance", await yes(assigned, "Treated=no")],
                ],
            };
        },
        because:
            "The new treatment is better in both groups, and looks worse in all, because the severe cases receive it. Severity is a common cause of treatment and recovery. If chance assigns the treatment, the paradox is gone.",
        variation: { text: "Doctors treat both groups equally", numbers: { severe: 0.5, mild: 0.5 } },
        check: {
            question: "Which comparison answers whether the treatment helps?",
            answers: ["All patients together", "Within mild and within severe cases"],
            right: 1,
            because: "Severity influences both the treatment and the recovery, so it must be held fixed.",
        },
    },
    {
        id: "umbrella",
        title: "The umbrella world",
        question: (n) =>
            `You work underground. Rain today follows rain yesterday with probability ${percentOf(n.stay)}, and a dry day a dry day. With rain, your colleague carries an umbrella with probability ${percentOf(n.wet)}, otherwise with ${percentOf(n.dry)}. You see the umbrella on two days. How probable is rain on the second day?`,
        guess: "P(rain on day 2 | two umbrellas)",
        numbers: [
            probability("stay", "The weather stays", 0.7),
            probability("wet", "Umbrella with rain", 0.9),
            probability("dry", "Umbrella without rain", 0.2),
        ],
        compute: async (core, { stay = 0, wet = 0, dry = 0 }) => {
            const text = network([
                ["Rain1", [], [0.5]],
                ["Rain2", ["Rain1"], [stay, 1 - stay]],
                ["Rain3", ["Rain2"], [stay, 1 - stay]],
                ["Umbrella1", ["Rain1"], [wet, dry]],
                ["Umbrella2", ["Rain2"], [wet, dry]],
            ]);
            const rain = async (node: string, given: string): Promise<number> =>
                (await query(core, text, node, given))["yes"] ?? NaN;
            const both = "Umbrella1=yes,Umbrella2=yes";
            return {
                answer: await rain("Rain2", both),
                facts: [
                    ["Rain on day 1, after its umbrella (filtering)", await rain("Rain1", "Umbrella1=yes")],
                    ["Rain on day 1, after both umbrellas (smoothing)", await rain("Rain1", both)],
                    ["Rain on day 3 (prediction)", await rain("Rain3", both)],
                ],
            };
        },
        because:
            "Each day, the belief first moves with the weather and is then updated by the observation. Later observations also change what you believe about earlier days.",
        variation: { text: "Weather without memory", numbers: { stay: 0.5 } },
        check: {
            question: "Prediction for a day far ahead tends to",
            answers: ["the long-run share of rain", "the last observation", "certainty"],
            right: 0,
            because: "Without observations, every step forgets a part of the present.",
        },
    },
];
