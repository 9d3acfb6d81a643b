// SPDX-License-Identifier: MIT
// The types of reports match the command's reports: no member is missing or undeclared.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open } from "credence";
import { dataSet } from "./support.mjs";
import { typeFault } from "./shape.mjs";

const SEQUENCES =
    "id,obs,state\n" +
    Array.from({ length: 48 }, (_, i) => `${i >> 4},${"abc"[(i * 7) % 3]},${"HL"[(i >> 2) & 1]}\n`).join("");
const TEXTS =
    "class\ttext\nspam\tfree money now\nham\tsee you at noon\nspam\tmoney for free\nham\tnoon is fine, see you\n";

const iris = ["iris", "--target", "last"];
const days = ["tennis", "--target", "Play"];
const rows = ["rows", "--target", "state", "--method", "sequence", "--sequence", "id"];
const words = ["sentences", "--target", "c2", "--method", "sequence", "--sequence-break", "empty-line"];
const texts = ["texts", "--target", "class", "--text", "text"];
const titanic = ["titanic.csv", "--target", "survived"];

// Command lines for each type of report.
const cases = {
    Prediction: [
        ["predict", ...iris, "iris"],
        ["predict", ...iris, "iris", "--with-input", "--typicality", "--reject", ".9"],
        ["predict", ...days, "--smoothing", "none", "--given", "Outlook=Overcast"],
        ["predict", ...titanic, "titanic.csv"],
    ],
    SequencePrediction: [["predict", ...rows, "rows"]],
    Explanation: [
        ["explain", ...iris, "--given", "petal_length=4.8"],
        [
            "explain",
            ...iris,
            "--given",
            "petal_length=4.8,petal_width=1.6",
            "--joint",
            "numbers",
            "--calibration",
            "isotonic",
        ],
        ["explain", ...iris, "--given", "petal_length=4.8", "--method", "stacking"],
        ...["auto", "kernel", "mixture", "histogram", "student", "uniform", "exponential"].map((family) => [
            ...["explain", ...iris, "--given", "petal_length=4.8,petal_width=.2", "--family", family],
        ]),
        ["explain", ...days, "--given", "Outlook=Sunny,Wind=nix"],
        ["explain", ...days, "--given", "Outlook=Sunny,Wind=Weak", "--method", "pairwise"],
        ["explain", ...days, "--given", "Outlook=Sunny,Wind=Weak", "--method", "aode"],
        [
            "explain",
            ...days,
            "--smoothing",
            "m:1:marginal",
            "--given",
            "Outlook=Sunny",
            "--threshold",
            "Yes=.6",
            "--typicality",
        ],
        ["explain", ...texts, "--given", "text=free money at seven", "--top", "1"],
        ["explain", ...iris, "--given", "petal_length=4.8,petal_width=1.6", "--top", "1"],
        ["explain", ...titanic, "titanic.csv", "--row", "3", "--attribute-weights", "fitted"],
    ],
    Dependence: [["explain", ...iris, "--data", "iris"]],
    NetworkExplanation: [
        ["explain", "asia", "--of", "cancer", "--given", "visit=yes,dyspnoea=yes,smoking=yes"],
        ["explain", "burglary", "--of", "Burglary", "--given", "Alarm=True,Earthquake=True"],
        ["explain", ...days, "--method", "tan", "--given", "Outlook=Sunny,Wind=Weak"],
    ],
    StepExplanation: [["explain", ...rows, "rows", "--row", "3"]],
    ShownModel: [
        ["show", ...iris, "--curves", "--contrast"],
        ["show", ...iris, "--family", "auto"],
        ["show", ...iris, "--joint", "numbers", "--calibration", "platt"],
        ["show", ...iris, "--calibration", "isotonic"],
        ["show", ...iris, "--method", "stacking"],
        ["show", ...iris, "--method", "qda"],
        ["show", ...iris, "--attribute-weights", "fitted"],
        ["show", ...iris, "--joint", "numbers", "--joint-mixture", "2"],
        ["show", "kept.model"],
        ["show", ...days, "--method", "pairwise"],
        ["show", ...days, "--curves"],
        ["show", ...texts],
        ["show", ...titanic, "--curves"],
    ],
    ShownNetwork: [
        ["show", "asia"],
        ["show", "umbrella"],
        ["show", "numbers", "--method", "network", "--arcs", "x->y,c->y"],
        ["show", ...days, "--method", "tan"],
    ],
    ShownSequences: [
        ["show", ...rows],
        ["show", ...words],
        ["show", ...rows, "--order", "2"],
        ["show", "hidden.model"],
        ["show", "umbrella.json"],
    ],
    Evaluation: [
        ["evaluate", ...iris, "--cross-validate", "3", "--importance"],
        ["evaluate", ...days, "--leave-one-out", "--threshold-curves", "--choose-threshold", "f1,recall:0.9"],
        ["evaluate", ...days, "--holdout", "30%", "--reject", ".9"],
        ["evaluate", ...days, "--cross-validate", "2", "--calibration", "platt", "--smoothing", "none"],
        ["evaluate", ...rows, "--cross-validate", "2"],
    ],
    Comparison: [["evaluate", ...days, "--compare"]],
    Answer: [
        ["query", "asia", "--of", "all", "--given", "visit=yes"],
        ["query", "asia", "--of", "cancer,smoking", "--joint-distribution"],
        ["query", "asia", "--of", "all", "--approximate=weighting,always"],
        ["query", "tennis", "--of", "Outlook,Play", "--joint-distribution"],
        ["query", "iris", "--of", "petal_length"],
        ["query", "numbers", "--as", "model", "--method", "network", "--arcs", "x->y,c->y", "--of", "y"],
        ["query", ...iris, "--as", "model", "--of", "petal_length", "--given", "species=Iris-setosa"],
    ],
    Beliefs: [["query", "asia", "--of", "all"]],
    MostProbable: [
        ["query", "asia", "--mpe", "--given", "visit=yes"],
        ["query", "asia", "--map", "--of", "cancer,smoking"],
    ],
    Separation: [
        ["query", "asia", "--independence", "visit,smoking"],
        ["query", "asia", "--independence", "visit;smoking,bronchitis", "--given", "dyspnoea"],
    ],
    IndependenceTest: [["query", "tennis", "--independence", "Humidity,Play", "--given", "Wind"]],
    Blankets: [["query", "asia", "--markov-blanket", "either"]],
    Decisions: [
        ["query", "umbrella", "--decide"],
        ["query", "wildcatter", "--decide"],
    ],
    Terms: [["query", ...texts, "--as", "model", "--terms", "Free money"]],
    BayesReport: [
        ["bayes", "--prior", "cancer=.008", "--likelihood", "+:cancer=.98,+:no cancer=.03", "--observed", "+,+"],
        ["bayes", "--prior", "a=.4,b=.6", "--predicts", "a=x,b=y"],
    ],
    DistributionReport: [
        ["distribution", "normal", "mean=100", "sd=15", "--at", "90", "--interval", ".9", "--quantile", ".5"],
        ["distribution", "student", "degrees=1"],
    ],
    Profile: [
        ["schema", ...iris],
        ["schema", ...titanic],
        ["schema", "texts"],
        ["schema", "dates"],
        ["schema", ...iris, "--ignore", "sepal_width"],
    ],
    Examples: [["example"]],
    SettingsHelp: [["help", "settings"]],
    ModelProfile: [
        ["schema", "iris.model"],
        ["schema", "texts.model"],
        ["schema", "dates.model"],
        ["schema", "words.model"],
    ],
    NetworkComparison: [["compare", "asia", "burglary"]],
};

let credence;
const DATES =
    "day,fee,y\n" +
    Array.from({ length: 28 }, (_, i) => `${String(i + 1).padStart(2, "0")}.02.2024,${i % 9}%,${i % 2}\n`).join("");
const HMM = JSON.stringify({
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
const files = {
    "umbrella.json": HMM,
    rows: SEQUENCES,
    texts: TEXTS,
    dates: DATES,
    numbers: "x,y,c\n1,2,a\n2,4,b\n3,6.5,a\n4,8,b\n5,9,a\n",
};
before(async () => {
    credence = await open();
    for (const name of ["iris", "tennis", "asia", "burglary", "umbrella", "wildcatter", "sentences"])
        files[name] = (await credence.run(["example", name])).stdout;
    const train = async (path, ...args) => {
        const { files: written } = await credence.run(["train", ...args, "-o", path], { files, keep: [path] });
        files[path] = written[path];
    };
    await train("iris.model", ...iris);
    await train("texts.model", ...texts);
    const statistics = "joint-counts,cross-products,pair-counts,histogram,min-max,rows";
    await train("kept.model", ...iris, "--keep-statistics", statistics);
    await train("dates.model", "dates", "--target", "y");
    await train("words.model", ...words);
    await train(
        "hidden.model",
        "rows",
        "--method",
        "sequence",
        "--states",
        "2",
        "--ignore",
        "state",
        "--sequence",
        "id",
    );
    const table = dataSet("tabular/titanic.csv");
    if (table !== undefined) files["titanic.csv"] = table;
});
after(() => credence.close());

for (const [type, lines] of Object.entries(cases))
    test(`reports are of the type ${type}`, async () => {
        for (const args of lines) {
            if (args.includes("titanic.csv") && files["titanic.csv"] === undefined) continue;
            const needed = Object.fromEntries(Object.entries(files).filter(([path]) => args.includes(path)));
            const isByLine = ["predict", "explain"].includes(args[0]) && !args.includes("--of");
            const reports = await credence[isByLine ? "jsonLines" : "json"](args, { files: needed });
            for (const report of [reports].flat()) assert.equal(typeFault(type, report), undefined, args.join(" "));
        }
    });

test("the list of distributions is of its type", async () => {
    const list = await credence.json(["distribution"]);
    for (const entry of list) assert.equal(typeFault("DistributionEntry", entry), undefined);
});

test("members that do not match the type are found", () => {
    assert.match(typeFault("Terms", { terms: [{ term: "a", text: "a", more: 1 }] }), /more is not declared/);
    assert.match(typeFault("Terms", { terms: [{ term: "a" }] }), /text is not there/);
    assert.match(typeFault("Terms", { terms: [{ term: "a", text: 1 }] }), /no string/);
});
