// SPDX-License-Identifier: MIT
// Models, networks and verbs, compared with the command.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as module from "credence";

const { Model, Network } = module;
let credence, iris, model;
before(async () => {
    credence = await module.open();
    iris = await module.example(credence, "iris");
    model = await Model.train(credence, { name: "iris.csv", content: iris }, { target: "species" });
});
after(() => credence.close());

/** Runs the command on the model. */
const answer = async (...args) => {
    const { stdout } = await credence.run([...args, "--format", "json"], {
        files: { m: model.bytes, "iris.csv": iris },
    });
    return JSON.parse(stdout);
};

test("a model returns the reports of the command", async () => {
    const row = { petal_length: 4.8, petal_width: 1.6, sepal_width: null };
    const given = ["--given", "petal_length=4.8,petal_width=1.6"];
    assert.deepEqual(await model.posterior(row), await answer("predict", "m", ...given));
    assert.deepEqual(await model.explain(row), await answer("explain", "m", ...given));
    assert.deepEqual(
        await model.posterior(row, { smoothing: "none" }),
        await answer("predict", "m", ...given, "--smoothing", "none"),
    );
    assert.deepEqual(await model.show({ of: ["petal_length"] }), await answer("show", "m", "--of", "petal_length"));
    assert.deepEqual(await model.query({ of: "petal_width" }), await answer("query", "m", "--of", "petal_width"));
    assert.equal((await model.evaluate(iris)).accuracy, (await answer("evaluate", "m", "iris.csv")).accuracy);
    assert.equal((await model.dependence(iris)).rows, 150);
    assert.equal((await model.predict(iris)).length, 150);
    assert.equal((await model.sample(7, { seed: 2 })).length, 7);
    assert.match(new TextDecoder().decode(await model.export("sql")), /SELECT/i);
    assert.match(model.notes, /learned 150 rows/);
});

test("learning and forgetting give the model of the rows that are left", async () => {
    const [header, ...rows] = iris.trim().split("\n");
    const part = (lines) => `${[header, ...lines].join("\n")}\n`;
    const first = await Model.train(credence, part(rows.slice(0, 140)), { target: "species" });
    const all = await first.update(part(rows.slice(140)));
    assert.deepEqual(all.bytes, model.bytes);
    assert.deepEqual((await all.forget(part(rows.slice(140)))).bytes, first.bytes);
    assert.notDeepEqual(first.bytes, all.bytes);
});

test("rows are a table, with names and values of any form", async () => {
    const rows = [
        { "a,b": "x,1", "<b>": 1, 'q"': 'it"s', y: "yes" },
        { "a,b": " x", "<b>": 2, 'q"': "", y: "no" },
        { "a,b": "x,1", "<b>": 1.5, 'q"': null, y: "yes" },
    ];
    const small = await Model.train(credence, rows, { target: "y" });
    const posterior = await small.posterior({ "a,b": "x,1", "<b>": 1.25 });
    assert.deepEqual(posterior, (await small.predict([{ "a,b": "x,1", "<b>": 1.25 }]))[0]);
    assert.equal(posterior.unseen, 0);
});

test("a long text is passed in a file", async () => {
    const rows = [
        { class: "a", text: "one two three" },
        { class: "b", text: "four five six" },
    ];
    const texts = await Model.train(credence, rows, { target: "class", text: "text" });
    assert.equal((await texts.posterior({ text: "two three ".repeat(50_000) })).prediction, "a");
});

test("a file named as the module's own is another one", async () => {
    const same = await Model.train(credence, { name: "model", content: iris }, { target: "species" });
    assert.deepEqual(same.bytes, model.bytes);
    assert.equal((await same.predict({ name: "model", content: iris })).length, 150);
});

test("a network returns the reports of the command", async () => {
    const text = await module.example(credence, "asia");
    const network = Network.open(credence, text, "asia.bif");
    const ask = (...args) => credence.json(args, { files: { "asia.bif": text } });
    const given = { visit: "yes", dyspnoea: "yes" };
    const typed = ["--given", "visit=yes,dyspnoea=yes"];
    assert.deepEqual(await network.show(), await ask("show", "asia.bif"));
    assert.deepEqual(await network.beliefs(given), await ask("query", "asia.bif", "--of", "all", ...typed));
    assert.deepEqual(
        await network.query({ of: ["cancer", "smoking"], jointDistribution: true, given }),
        await ask("query", "asia.bif", "--of", "cancer,smoking", "--joint-distribution", ...typed),
    );
    assert.deepEqual(await network.mostProbable(given), await ask("query", "asia.bif", "--mpe", ...typed));
    assert.deepEqual(
        await network.mostProbable(given, { of: ["cancer", "smoking"] }),
        await ask("query", "asia.bif", "--map", "--of", "cancer,smoking", ...typed),
    );
    assert.deepEqual(
        await network.explain("cancer", given),
        await ask("explain", "asia.bif", "--of", "cancer", ...typed),
    );
    assert.equal((await network.independent("visit", "smoking")).independent, true);
    assert.equal((await network.independent("visit", ["smoking", "cancer"], ["dyspnoea"])).independent, false);
    assert.deepEqual((await network.markovBlanket("either"))?.blanket.sort(), [
        "bronchitis",
        "cancer",
        "dyspnoea",
        "tuberculosis",
        "xray",
    ]);
    assert.equal((await network.sample(5)).length, 5);
    const again = Network.open(credence, await network.write("xmlbif"), "asia.xml");
    assert.deepEqual((await again.beliefs(given)).posterior, (await network.beliefs(given)).posterior);
    await assert.rejects(network.beliefs({ visit: "maybe" }), /maybe/);
});

test("an influence diagram decides", async () => {
    const umbrella = Network.open(credence, await module.example(credence, "umbrella"), "umbrella.net");
    assert.equal((await umbrella.decide()).expected_utility, 77);
});

test("the other verbs", async () => {
    const { posterior } = await module.bayes(credence, {
        prior: { cancer: 0.008 },
        likelihood: { "+": { cancer: 0.98, "no cancer": 0.03 } },
        observed: ["+"],
    });
    assert.equal(posterior.cancer, 0.20851063829787236);
    const votes = { prior: { a: 0.4, b: 0.6 }, predicts: { a: "x", b: "y" } };
    assert.equal((await module.bayes(credence, votes)).optimal, "y");
    const { results } = await module.distribution(credence, "normal", { mean: 100, sd: 15 }, { between: [85, 115] });
    assert.deepEqual(Object.values(results), [0.6826894921370861]);
    assert.ok((await module.distributions(credence)).some(({ name }) => name === "binomial"));
    assert.equal((await module.schema(credence, iris)).columns.length, 5);
    assert.equal((await module.evaluate(credence, iris, { target: "species", crossValidate: 3 })).rows, 150);
    const days = await module.example(credence, "tennis");
    assert.ok((await module.compareMethods(credence, days, { target: "Play" })).candidates.length > 1);
    const asia = await module.example(credence, "asia");
    assert.equal((await module.compare(credence, asia, asia)).shd, 0);
    assert.deepEqual((await module.examples(credence)).find(({ name }) => name === "asia")?.file, "asia.bif");
    assert.match(await module.version(credence), /^\d+\.\d+/);
});

test("an invalid model or network is rejected with the command's message", async () => {
    await assert.rejects(Model.load(credence, new Uint8Array([1, 2, 3])).show(), module.CredenceError);
    await assert.rejects(Network.open(credence, "network {", "broken.bif").beliefs(), /broken\.bif/);
    await assert.rejects(Model.train(credence, iris, { target: "nix" }), /unknown column 'nix'/);
});

test("spaces at the ends of names and values are kept", async () => {
    const rows = [];
    for (const [x, y] of [
        [" lead", "A"],
        ["k ", "B"],
        ["k", "B"],
    ])
        for (let i = 0; i < 5; i++) rows.push({ " x ": x, y });
    const small = await Model.train(credence, rows, { target: "y" });
    for (const x of [" lead", "k ", "k"]) {
        const [expected] = await small.predict([{ " x ": x }]);
        const { unseen, probabilities } = await small.posterior({ " x ": x });
        assert.deepEqual([unseen, probabilities], [0, expected.probabilities]);
    }
    await assert.rejects(small.posterior({ " x ": { a: 1 } }), TypeError);
});

test("a file that is not a network is rejected, and so is the format html", async () => {
    const table = Network.open(credence, iris, "iris.bif");
    await assert.rejects(table.beliefs(), /iris\.bif: not a network/);
    await assert.rejects(table.write("bif"), /iris\.bif: not a network/);
    await assert.rejects(table.write("html"), /html: not available/);
    await assert.rejects(model.export("html"), /html: not available/);
});
