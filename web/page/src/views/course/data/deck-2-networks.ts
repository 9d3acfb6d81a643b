// SPDX-License-Identifier: MIT
import { UMBRELLA } from "../../sequences/stated-hmm";
import type { Example, SourceFile, WorkedNumber } from "./types";

const chain: SourceFile = { name: "chain.bif", example: "chain" };
const commonCause: SourceFile = { name: "common-cause.bif", example: "common-cause" };
const commonEffect: SourceFile = { name: "common-effect.bif", example: "common-effect" };
const independent: SourceFile = { name: "independent.bif", example: "independent" };
const burglary: SourceFile = { name: "burglary.bif", example: "burglary" };

const separated = (what: string, isSeparated: boolean): WorkedNumber => ({
    what,
    lecture: isSeparated ? "independent" : "dependent",
    at: ["independence", "independent"],
    words: { true: "independent", false: "dependent" },
});

export const deck2Networks: Example[] = [
    {
        id: "independent",
        decks: [2],
        topic: "Bayesian networks",
        title: "No arcs: independence",
        question: "Three nodes without arcs: p(A,B,C) = p(A) p(B) p(C). Are A and B independent, also given C?",
        files: [independent],
        steps: [
            {
                command: ["query", "independent.bif", "--independence", "A,B"],
                numbers: [separated("A and B", true)],
            },
            {
                command: ["query", "independent.bif", "--independence", "A,B", "--given", "C"],
                numbers: [separated("A and B given C", true)],
            },
        ],
        answer: "Yes, for any evidence: no path connects them.",
        links: [{ text: "Open the network", view: "networks", params: { example: "independent" } }],
    },
    {
        id: "common-cause",
        decks: [2],
        topic: "Bayesian networks",
        title: "A common cause",
        question: "B <- A -> C: p(A,B,C) = p(B | A) p(C | A) p(A). When are the two effects independent?",
        files: [commonCause],
        steps: [
            {
                command: ["query", "common-cause.bif", "--independence", "B,C"],
                numbers: [separated("B and C", false)],
            },
            {
                command: ["query", "common-cause.bif", "--independence", "B,C", "--given", "A"],
                numbers: [separated("B and C given A", true)],
            },
        ],
        answer: "Given their cause: once A is known, one effect has nothing more to add about the other. Naive Bayes is this graph, with the class as the cause.",
        links: [{ text: "Open the network", view: "networks", params: { example: "common-cause" } }],
    },
    {
        id: "common-effect",
        decks: [2],
        topic: "Bayesian networks",
        title: "A common effect",
        question: "A -> C <- B: p(A,B,C) = p(C | A,B) p(A) p(B). When are the two causes independent?",
        files: [commonEffect],
        steps: [
            {
                command: ["query", "common-effect.bif", "--independence", "A,B"],
                numbers: [separated("A and B", true)],
            },
            {
                command: ["query", "common-effect.bif", "--independence", "A,B", "--given", "C"],
                numbers: [separated("A and B given C", false)],
            },
        ],
        answer: "As long as the effect is not known. If it is known, each cause changes the probability of the other.",
        links: [{ text: "Open the network", view: "networks", params: { example: "common-effect" } }],
    },
    {
        id: "explaining-away",
        decks: [2],
        topic: "Bayesian networks",
        title: "Explaining away",
        question:
            "C is there. How probable is its cause A, and how probable once the other cause B is known to be there?",
        files: [commonEffect],
        steps: [
            {
                command: ["explain", "common-effect.bif", "--of", "A", "--given", "C=yes,B=yes"],
                numbers: [
                    { what: "P(A=yes)", lecture: "0.1", at: ["before", "yes"] },
                    { what: "P(A=yes | C=yes)", lecture: "0.3358", at: ["findings", { node: "C" }, "alone", "yes"] },
                    { what: "P(A=yes | C=yes, B=yes)", lecture: "0.1166", at: ["posterior", "yes"] },
                    { what: "B to C", lecture: "explains away", at: ["interplay", 0, "does"] },
                ],
            },
        ],
        answer: "C makes A more probable; B then explains C away, and A is needed less. (The lecture contains the graph; the numbers are the example's own.)",
        links: [
            {
                text: "Open with this evidence",
                view: "networks",
                params: { example: "common-effect", given: "C=yes,B=yes" },
            },
        ],
    },
    {
        id: "chain",
        decks: [2],
        topic: "Bayesian networks",
        title: "A chain",
        question:
            "A -> B -> C: p(A,B,C) = p(C | B) p(B | A) p(A). What is the joint probability, and when are the ends independent?",
        files: [chain],
        steps: [
            {
                command: ["query", "chain.bif", "--of", "A,B,C", "--joint-distribution"],
                numbers: [
                    { what: "0.3 · 0.8 · 0.9", lecture: "0.216", at: ["posterior", "A,B,C", "yes", "yes", "yes"] },
                    { what: "0.7 · 0.9 · 0.7", lecture: "0.441", at: ["posterior", "A,B,C", "no", "no", "no"] },
                ],
            },
            {
                command: ["query", "chain.bif", "--independence", "A,C"],
                numbers: [separated("A and C", false)],
            },
            {
                command: ["query", "chain.bif", "--independence", "A,C", "--given", "B"],
                numbers: [separated("A and C given B", true)],
            },
        ],
        answer: "The product of the probabilities in the node tables. The node in the middle, once known, blocks the path: the Markov property.",
        links: [{ text: "Open the network", view: "networks", params: { example: "chain" } }],
    },
    {
        id: "burglary",
        decks: [2],
        topic: "Bayesian networks",
        title: "Prediction and diagnosis",
        question: "An alarm: how probable is John's call if there is a burglar, and a burglar if John and Mary call?",
        files: [burglary],
        steps: [
            {
                command: ["query", "burglary.bif", "--of", "JohnCalls", "--given", "Burglary=True"],
                numbers: [
                    { what: "P(JohnCalls | Burglary)", lecture: "0.849", at: ["posterior", "JohnCalls", "True"] },
                ],
            },
            {
                command: ["query", "burglary.bif", "--of", "Burglary", "--given", "JohnCalls=True,MaryCalls=True"],
                numbers: [{ what: "P(Burglary | both call)", lecture: "0.284", at: ["posterior", "Burglary", "True"] }],
            },
        ],
        answer: "From cause to symptom and from symptom to cause by the same computation. (The network is Russell and Norvig's; the lecture names the two uses.)",
        links: [
            {
                text: "Open with this evidence",
                view: "networks",
                params: { example: "burglary", given: "JohnCalls=True,MaryCalls=True" },
            },
        ],
    },
    {
        id: "hmm",
        decks: [2],
        topic: "Bayesian networks",
        title: "Hidden Markov model",
        question: "States that follow each other, each with an observation: which were they?",
        files: [
            {
                name: "umbrella.json",
                text: () => UMBRELLA,
                shell: `printf '%s' '${UMBRELLA}' > umbrella.json`,
            },
            {
                name: "week.csv",
                text: () => "umbrella\nyes\nyes\nno\nyes\nyes\n",
                shell: "printf 'umbrella\\nyes\\nyes\\nno\\nyes\\nyes\\n' > week.csv",
            },
        ],
        steps: [
            {
                command: ["explain", "umbrella.json", "week.csv", "--row", "2"],
                numbers: [
                    { what: "Log-likelihood of the week", lecture: "-3.3725", at: ["log_likelihood"] },
                    {
                        what: "P(rain on day 2 | the week)",
                        lecture: "0.8204",
                        at: ["states", { state: "rain" }, "posterior"],
                    },
                ],
            },
        ],
        answer: "Each posterior combines the past, the observation and the future; the work grows linearly with the length of the sequence. (The lecture contains the graph; the umbrella is Russell and Norvig's.)",
        links: [{ text: "Open in Sequences", view: "sequences", params: { case: "umbrella" } }],
    },
];
