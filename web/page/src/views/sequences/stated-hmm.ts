// SPDX-License-Identifier: MIT
// Hidden Markov models from textbooks, as files for the command (docs/hmm-file.md).

/** Whether it rains, seen from indoors by umbrellas (Russell and Norvig). */
export const UMBRELLA = JSON.stringify({
    credence_hmm: 1,
    states: ["rain", "dry"],
    start: [0.5, 0.5],
    transitions: [
        [0.7, 0.3],
        [0.3, 0.7],
    ],
    observations: [
        {
            name: "umbrella",
            family: "categorical",
            values: ["yes", "no"],
            probability: [
                [0.9, 0.1],
                [0.2, 0.8],
            ],
        },
    ],
});

/** A casino that now and then takes a loaded die, which shows six every other time (Durbin, Eddy, Krogh and Mitchison). */
export const CASINO = JSON.stringify({
    credence_hmm: 1,
    states: ["fair", "loaded"],
    start: [0.5, 0.5],
    transitions: [
        [0.95, 0.05],
        [0.1, 0.9],
    ],
    observations: [
        {
            name: "roll",
            family: "categorical",
            values: ["1", "2", "3", "4", "5", "6"],
            probability: [
                [1 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6],
                [0.1, 0.1, 0.1, 0.1, 0.1, 0.5],
            ],
        },
    ],
});
