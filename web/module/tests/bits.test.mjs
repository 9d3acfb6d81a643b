// SPDX-License-Identifier: MIT
// The output of the module is byte-identical to the output of the native command: reports, messages, model files.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open } from "credence";
import { dataSet, native, withoutCommand } from "./support.mjs";

const ROWS =
    "id,obs,state\n" +
    Array.from({ length: 48 }, (_, i) => `${i >> 4},${"abc"[(i * 7) % 3]},${"HL"[(i >> 2) & 1]}\n`).join("");

// Each case has a name, a command and its files: texts of examples, or data sets.
const cases = [
    ["train on iris", ["train", "iris.csv", "--target", "last", "-o", "model"], { "iris.csv": "example:iris" }],
    [
        "families of iris",
        ["show", "iris.csv", "--target", "last", "--family", "auto", "--format", "json"],
        { "iris.csv": "example:iris" },
    ],
    [
        "posteriors of iris",
        ["predict", "iris.csv", "iris.csv", "--target", "last", "--method", "stacking"],
        { "iris.csv": "example:iris" },
    ],
    [
        "folds of iris",
        ["evaluate", "iris.csv", "--target", "last", "--cross-validate", "5", "--format", "json"],
        { "iris.csv": "example:iris" },
    ],
    [
        "methods compared",
        ["evaluate", "days.csv", "--target", "Play", "--compare", "--no-times", "--format", "json"],
        { "days.csv": "example:tennis" },
    ],
    [
        "reasons",
        ["explain", "days.csv", "--target", "Play", "--given", "Outlook=Sunny,Wind=Strong"],
        { "days.csv": "example:tennis" },
    ],
    [
        "draws",
        ["sample", "days.csv", "--target", "Play", "--rows", "50", "--seed", "3"],
        { "days.csv": "example:tennis" },
    ],
    [
        "beliefs of asia",
        ["query", "asia.bif", "--of", "all", "--given", "dyspnoea=yes", "--format", "json"],
        { "asia.bif": "example:asia" },
    ],
    [
        "estimates of asia",
        ["query", "asia.bif", "--of", "all", "--approximate=weighting,always", "--format", "json"],
        { "asia.bif": "example:asia" },
    ],
    ["decisions", ["query", "umbrella.net", "--decide", "--format", "json"], { "umbrella.net": "example:umbrella" }],
    ["structure", ["train", "asia.csv", "--search", "hill-climb", "-o", "model"], { "asia.csv": "sample:asia" }],
    [
        "sequences",
        ["train", "rows.csv", "--target", "state", "--method", "sequence", "--sequence", "id", "-o", "model"],
        { "rows.csv": ROWS },
    ],
    [
        "states",
        ["predict", "rows.csv", "rows.csv", "--target", "state", "--method", "sequence", "--sequence", "id"],
        { "rows.csv": ROWS },
    ],
    [
        "hidden states",
        [
            "train",
            "rows.csv",
            "--states",
            "2",
            "--sequence",
            "id",
            "--ignore",
            "state",
            "--method",
            "sequence",
            "-o",
            "model",
        ],
        { "rows.csv": ROWS },
    ],
    [
        "Bayes' rule",
        ["bayes", "--prior", "cancer=.008", "--likelihood", "+:cancer=.98,+:no cancer=.03", "--observed", "+"],
        {},
    ],
    [
        "a distribution",
        ["distribution", "binomial", "n=10", "p=1/3", "--at", "5", "--interval", "0.9", "--format", "json"],
        {},
    ],
    ["a wrong option", ["train", "--nix"], {}],
    ["a missing file", ["predict", "no.model", "no.csv"], {}],
    ["a broken file", ["train", "broken.csv", "--target", "y"], { "broken.csv": 'x,y\n1,"a\n2,b' }],
    [
        "titanic",
        ["train", "titanic.csv", "--target", "survived", "-o", "model"],
        { "titanic.csv": "data:tabular/titanic.csv" },
    ],
    [
        "profile of titanic",
        ["schema", "titanic.csv", "--target", "survived", "--format", "json"],
        { "titanic.csv": "data:tabular/titanic.csv" },
    ],
    [
        "thresholds of titanic",
        [
            "evaluate",
            "titanic.csv",
            "--target",
            "survived",
            "--cross-validate",
            "3",
            "--threshold-curves",
            "--format",
            "json",
        ],
        { "titanic.csv": "data:tabular/titanic.csv" },
    ],
    [
        "joint densities of wine",
        ["evaluate", "wine.csv", "--target", "class", "--leave-one-out", "--joint", "numbers"],
        { "wine.csv": "data:tabular/wine.csv" },
    ],
    [
        "beliefs of alarm",
        ["query", "alarm.bif", "--of", "all", "--given", "HRBP=HIGH", "--format", "json"],
        { "alarm.bif": "data:networks/alarm.bif" },
    ],
    [
        "texts",
        ["train", "sms.tsv", "--header", "no", "--target", "1", "--text", "2", "-o", "model"],
        { "sms.tsv": "data:text/sms_spam.tsv" },
    ],
    [
        "words",
        ["show", "sms.tsv", "--header", "no", "--target", "1", "--text", "2", "--format", "json"],
        { "sms.tsv": "data:text/sms_spam.tsv" },
    ],
    [
        "a compressed table",
        ["train", "adult.csv.gz", "--target", "last", "-o", "model"],
        { "adult.csv.gz": "data:tabular/adult_train.csv.gz" },
    ],
];

function content(source) {
    const [kind, name] = source.split(":");
    if (kind === "example") return native(["example", name]).stdout;
    if (kind === "sample")
        return native(["sample", "n.bif", "--rows", "500"], { files: { "n.bif": native(["example", name]).stdout } })
            .stdout;
    return kind === "data" ? dataSet(name) : source;
}

let credence;
before(async () => (credence = await open()));
after(() => credence.close());

for (const [name, args, sources] of cases)
    test(`${name}: the bits of the command`, { skip: withoutCommand }, async (t) => {
        const files = Object.fromEntries(Object.entries(sources).map(([path, source]) => [path, content(source)]));
        if (Object.values(files).includes(undefined)) return t.skip("the data sets are not there");
        const options = { files, keep: ["model"] };
        const expected = native(args, options);
        assert.deepEqual(await credence.run(args, options), expected);
        if (args.includes("model")) assert.ok(expected.files.model.length > 0);
    });

test("a model goes both ways", { skip: withoutCommand }, async () => {
    const files = { "iris.csv": native(["example", "iris"]).stdout };
    const train = ["train", "iris.csv", "--target", "last", "-o", "m"];
    const show = ["show", "m", "--format", "json"];
    const [there, here] = [native(train, { files, keep: ["m"] }), await credence.run(train, { files, keep: ["m"] })];
    assert.equal((await credence.run(show, { files: there.files })).stdout, native(show, { files: here.files }).stdout);
});
