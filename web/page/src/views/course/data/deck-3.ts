// SPDX-License-Identifier: MIT
import type { BayesProblem, Example, SourceFile } from "./types";

const boxes = (observed: string): BayesProblem => ({
    hypotheses: [
        { name: "red", prior: ".4" },
        { name: "blue", prior: ".6" },
    ],
    outcomes: [{ name: "apple", likelihoods: ["2/8", "3/4"] }],
    observed: [observed],
});

const LIKELIHOOD = ["--prior", "red=.4", "--likelihood", "apple:red=2/8,apple:blue=3/4"];

/** 120 rows of 100 numbers, one class: enough rows for a covariance of full rank. */
const hundred: SourceFile = {
    name: "hundred.txt",
    text: () => {
        const rows: string[] = [];
        for (let r = 1; r <= 120; r++) {
            const cells: number[] = [];
            for (let c = 1; c <= 100; c++) cells.push((r * r * c + 7 * r * c * c) % 251);
            rows.push(`${cells.join(" ")} 1\n`);
        }
        return rows.join("");
    },
    shell: `awk 'BEGIN { for (r = 1; r <= 120; r++) { for (c = 1; c <= 100; c++) printf "%d ", (r*r*c + 7*r*c*c) % 251; print 1 } }' > hundred.txt`,
};

function pictures(from: number, to: number): string {
    const rows: string[] = [];
    for (let r = from; r <= to; r++) {
        const cells: number[] = [];
        for (let j = 1; j <= 30000; j++) cells.push((r * j * j) % 251);
        rows.push(`${cells.join(" ")} ${r % 2}\n`);
    }
    return rows.join("");
}

const picturesFile: SourceFile = {
    name: "pictures.txt",
    text: () => pictures(1, 20),
    shell: `awk 'BEGIN { for (r = 1; r <= 20; r++) { for (j = 1; j <= 30000; j++) printf "%d ", r*j*j % 251; print r % 2 } }' > pictures.txt`,
};

const pictureFile: SourceFile = {
    name: "picture.txt",
    text: () => pictures(1, 1),
    shell: "head -1 pictures.txt > picture.txt",
};

const assignment = (name: string, attributes: string, lecture: string): Example => ({
    id: `assignment-${name}`,
    decks: [3],
    topic: "The assignment",
    title: `The assignment: ${name}`,
    question: `Train Gaussian naive Bayes on ${name}_training.txt (${attributes}), with variances divided by N, no standard deviation below 0.01 and priors by frequency. What is its accuracy on ${name}_test.txt, ties shared?`,
    files: [
        { name: `${name}_training.txt`, own: true },
        { name: `${name}_test.txt`, own: true },
    ],
    steps: [
        {
            command: [
                "evaluate",
                `${name}_training.txt`,
                `${name}_test.txt`,
                "--target",
                "last",
                "--smoothing",
                "none",
                "--min-sd",
                "0.01",
            ],
            numbers: [{ what: "Accuracy", lecture, at: ["accuracy"] }],
        },
    ],
    answer: "You can use files of numbers separated by whitespace, with the class in the last column, unchanged.",
});

export const deck3: Example[] = [
    {
        id: "apple",
        decks: [3],
        topic: "Bayes' rule",
        title: "Boxes and fruit: an apple",
        question:
            "The red box, taken 4 times of 10, has 2 apples and 6 oranges; the blue one has 3 apples and 1 orange. The fruit is an apple. Which box?",
        files: [],
        steps: [
            {
                command: ["bayes", ...LIKELIHOOD, "--observed", "apple"],
                numbers: [
                    { what: "P(apple)", lecture: "0.55", at: ["observations", 0, "evidence"] },
                    { what: "P(red | apple)", lecture: "0.1818", at: ["posterior", "red"] },
                    {
                        what: "P(blue | apple)",
                        lecture: "0.8181",
                        at: ["posterior", "blue"],
                        slip: "9/11 is 0.81818…: truncated to four digits, so the two numbers do not add up to one. The rounded value is 0.8182.",
                    },
                    { what: "MAP", lecture: "blue", at: ["map"] },
                ],
            },
        ],
        answer: "The blue one: it is taken more often, and an apple is three times as likely in it.",
        bayes: boxes("apple"),
    },
    {
        id: "orange",
        decks: [3],
        topic: "Bayes' rule",
        title: "Boxes and fruit: an orange",
        question: "And if the fruit is an orange? How often is the best possible rule right?",
        files: [],
        steps: [
            {
                command: ["bayes", ...LIKELIHOOD, "--observed", "orange"],
                numbers: [
                    { what: "P(orange)", lecture: "0.45", at: ["observations", 0, "evidence"] },
                    { what: "P(red | orange)", lecture: "2/3", at: ["posterior", "red"] },
                    { what: "MAP", lecture: "red", at: ["map"] },
                    { what: "Best possible accuracy", lecture: "0.75", at: ["best_accuracy"] },
                ],
            },
        ],
        answer: "Blue for apples, red for oranges: right in .45 + .30 = .75 of all cases. No rule that uses only the fruit is more accurate: the Bayes classifier is the best possible one, and it still makes errors.",
        bayes: boxes("orange"),
    },
    {
        id: "parameters",
        decks: [3],
        topic: "Why naive",
        title: "200 numbers against 5,150",
        question:
            "An input has 100 dimensions. How many numbers does a class need for naive Gaussians, and how many for one full Gaussian?",
        files: [hundred],
        steps: [
            {
                command: ["show", "hundred.txt", "--target", "last"],
                numbers: [
                    { what: "Means", lecture: "100", at: ["estimated", "means"] },
                    { what: "Standard deviations", lecture: "100", at: ["estimated", "deviations"] },
                ],
            },
            {
                command: ["show", "hundred.txt", "--target", "last", "--joint", "all", "--covariance", "full"],
                numbers: [
                    { what: "Means of the full Gaussian", lecture: "100", at: ["estimated", "means"] },
                    { what: "Covariances, 100 · 101 / 2", lecture: "5050", at: ["estimated", "covariances"] },
                ],
            },
        ],
        answer: "200 against 5,150 (the lecture gives about 5,000): covariances grow with the square of the dimension, and all have to be learned from the same rows.",
    },
    {
        id: "pictures",
        decks: [3],
        topic: "Why naive",
        title: "30,000 dimensions",
        question:
            "A picture of 100 x 100 pixels in three colors has 30,000 numbers. Does a product of 30,000 densities leave a posterior?",
        files: [picturesFile, pictureFile],
        steps: [
            {
                command: ["predict", "pictures.txt", "picture.txt", "--target", "last"],
                numbers: [
                    { what: "Class of the first picture", lecture: "1", at: ["prediction"] },
                    { what: "Its posterior", lecture: "1", at: ["posterior", "1"] },
                ],
            },
        ],
        answer: "The product, about e^-165,000, is far below the smallest number of a computer. Sums of logarithms are not, and the posterior is computed from their differences.",
    },
    assignment("yeast", "8 attributes, 10 classes: 80 means and 80 standard deviations", "0.4504"),
    assignment("pendigits", "16 attributes, 10 classes", "0.8233"),
    assignment("satellite", "36 attributes, 6 classes", "0.7965"),
];
