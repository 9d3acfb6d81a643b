// SPDX-License-Identifier: MIT
// Example sequences: built-in tables, and models from textbooks.
import { CASINO, UMBRELLA } from "./stated-hmm";

export interface SequenceCase {
    id: string;
    title: string;
    about: string;
    /** A specified model; absent: it is trained. */
    model?: { name: string; text: string };
    data: { name: string; example: string } | { name: string; text: string };
    /** The options of train. */
    train: string[];
}

/** Drawn from the model: credence sample casino.json --sequences 1 --rows 120 --seed 3. */
const ROLLS =
    "166341666264666162565643424153133622654253435441156366665665656616266664266414562541233552543423266225524341161135316664";

export const cases: SequenceCase[] = [
    {
        id: "umbrella",
        title: "Umbrella",
        about: "Does it rain? Only umbrellas are seen (Russell and Norvig).",
        model: { name: "umbrella.json", text: UMBRELLA },
        data: { name: "week.csv", text: "umbrella\nyes\nyes\nno\nyes\nyes\n" },
        train: [],
    },
    {
        id: "casino",
        title: "Dishonest casino",
        about: "When was the die loaded? Only rolls are seen (Durbin, Eddy, Krogh and Mitchison).",
        model: { name: "casino.json", text: CASINO },
        data: { name: "rolls.csv", text: `roll\n${[...ROLLS].join("\n")}\n` },
        train: [],
    },
    {
        id: "weather",
        title: "Weather",
        about: "The sky of 40 days at three places, by humidity and wind; states are labeled.",
        data: { name: "weather.csv", example: "weather" },
        train: ["--target", "sky", "--sequence", "place", "--time", "day"],
    },
    {
        id: "hidden-weather",
        title: "Weather, hidden",
        about: "The same days without labels: three states found by EM (Baum-Welch).",
        data: { name: "weather.csv", example: "weather" },
        train: ["--states", "3", "--sequence", "place", "--time", "day", "--ignore", "sky"],
    },
    {
        id: "nile",
        title: "Nile",
        about: "When did the yearly flow fall? Two states, one after the other (Cobb 1978).",
        data: { name: "nile.csv", example: "nile" },
        train: ["--states", "2", "--topology", "left-to-right", "--time", "year"],
    },
    {
        id: "sentences",
        title: "Parts of speech",
        about: "The tag of each word in 30 sentences; states are labeled.",
        data: { name: "sentences.tsv", example: "sentences" },
        train: ["--target", "c2", "--sequence-break", "empty-line"],
    },
];
