// SPDX-License-Identifier: MIT
// Calls: their order, ends, errors, progress and files.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { commandLine, Credence, CredenceError, latest, open, optionArguments, StoredFile } from "credence";

let credence;
before(async () => (credence = await open()));
after(() => credence.close());

/** Returns a table of `times` times 10,000 rows. Training on it takes a moment. */
function largeTable(times) {
    const rows = Array.from({ length: 10_000 }, (_, i) => `${i % 7},${Math.sin(i)},${i % 13},${i % 3}\n`).join("");
    return new Blob(["a,b,c,y\n", ...Array.from({ length: times }, () => rows)]);
}
const train = ["train", "large.csv", "--target", "y", "-o", "m"];

test("calls are answered in their order", async () => {
    const order = [];
    const runs = [["example", "iris"], ["version"], ["example", "asia"], ["bad"]].map((args) =>
        credence.run(args).then((result) => (order.push(args[0]), result.status)),
    );
    assert.deepEqual(await Promise.all(runs), [0, 0, 0, 2]);
    assert.deepEqual(order, ["example", "version", "example", "bad"]);
});

test("a run leaves no files for the next one", async () => {
    await credence.run(["example", "iris", "-o", "left"], { keep: ["left"] });
    assert.notEqual((await credence.run(["show", "left", "--target", "last"])).status, 0);
});

test("an aborted call costs no other one", async () => {
    const large = largeTable(40);
    const controller = new AbortController();
    const first = credence.run(train, { files: { "large.csv": large }, signal: controller.signal });
    const second = credence.run(["version"]);
    setTimeout(() => controller.abort(), 50);
    await assert.rejects(first, { name: "AbortError" });
    assert.equal((await second).status, 0);
});

test("calls that wait, and calls that begin, can be aborted", async () => {
    const controller = new AbortController();
    const first = credence.run(["version"]);
    const second = credence.run(["version"], { signal: controller.signal });
    controller.abort(new Error("no more"));
    await assert.rejects(second, /no more/);
    await assert.rejects(credence.run(["version"], { signal: AbortSignal.abort() }), { name: "AbortError" });
    assert.equal((await first).status, 0);
});

test("errors have the command's words", async () => {
    await assert.rejects(credence.json(["query", "no.bif", "--of", "all"]), (error) => {
        assert.ok(error instanceof CredenceError);
        assert.equal(error.status, 1);
        assert.match(error.message, /^no\.bif: cannot be opened/);
        return true;
    });
    await assert.rejects(credence.json(["train", "--targt", "x"]), (error) => {
        assert.equal(error.status, 2);
        assert.match(error.message, /has no option --targt\nhint: did you mean --target/);
        return true;
    });
});

test("arguments that a process cannot have are rejected", async () => {
    await assert.rejects(credence.run(["bayes", "--prior", "a\0b=1"]), /NUL/);
    await assert.rejects(credence.run(["bayes", "--prior", "a".repeat(200_000)]), /too long/);
    await assert.rejects(credence.run(["train", 3]), /an array of strings/);
    await assert.rejects(credence.run("version"), /an array of strings/);
    assert.equal((await credence.run(["version"])).status, 0);
});

test("an exception in the progress callback ends only its call", async () => {
    // A worker that reports progress immediately, and ends only the run of version.
    const start = (onMessage) => ({
        post: ({ kind, request }) =>
            kind === "run" &&
            setTimeout(() =>
                onMessage(
                    request.args[0] === "version"
                        ? { kind: "result", result: { status: 0, stdout: "", stderr: "", files: {} } }
                        : { kind: "progress", progress: { done: 0, total: 1, step: "read" } },
                ),
            ),
        setBusy: () => undefined,
        terminate: () => undefined,
    });
    const calls = new Credence(start, Promise.resolve());
    const onProgress = () => {
        throw new Error("of the caller");
    };
    await assert.rejects(calls.run(["train"], { onProgress }), /of the caller/);
    assert.equal((await calls.run(["version"])).status, 0);
});

test("a file of many megabytes is read, with progress", async () => {
    const steps = [];
    const large = largeTable(250);
    const { status, stderr } = await credence.run(train, {
        files: { "large.csv": large },
        onProgress: (step) => steps.push(step),
    });
    assert.equal(status, 0, stderr);
    assert.match(stderr, /^credence: learned 2500000 rows/);
    // A fast machine is done before the first second.
    for (const { step, done, total } of steps) assert.ok(step === "read" && done <= total && total > 5e7);
});

test("progress of steps comes without its messages", async () => {
    const { stdout } = await credence.run(["example", "tennis"]);
    const { status, stderr } = await credence.run(["evaluate", "days", "--target", "last", "--compare"], {
        files: { days: stdout },
        onProgress: ({ step, done, total }) => assert.ok(step !== "" && done <= total),
    });
    assert.equal(status, 0);
    assert.ok(!stderr.includes("\r"));
});

test("standard input, texts, bytes and blobs are the same", async () => {
    const { stdout: iris } = await credence.run(["example", "iris"]);
    const bytes = new TextEncoder().encode(iris);
    const padded = new Uint8Array(bytes.length + 8).fill(65);
    padded.set(bytes, 4);
    const models = [];
    for (const content of [iris, bytes, padded.subarray(4, -4), new Blob([iris]), new StoredFile(iris)]) {
        const run = { files: { "a/b.csv": content }, keep: ["m"] };
        models.push(await credence.run(["train", "a/b.csv", "--target", "last", "-o", "m"], run));
    }
    models.push(
        await credence.run(["train", "-", "--target", "last", "-o", "m"], { stdin: new Blob([iris]), keep: ["m"] }),
    );
    for (const { files } of models) assert.deepEqual(files.m, models[0].files.m);
    assert.equal(bytes.length, iris.length);
});

test("stored files outlive their worker", async () => {
    const file = new StoredFile((await credence.run(["example", "asia"])).stdout);
    const beliefs = () => credence.json(["query", "asia", "--of", "cancer"], { files: { asia: file } });
    const expected = await beliefs();
    const controller = new AbortController();
    const run = credence.run(train, { files: { "large.csv": largeTable(40) }, signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await assert.rejects(run);
    assert.deepEqual(await beliefs(), expected);
});

test("hostile names are names", async () => {
    const names = [
        "<img src=x onerror=alert(1)>",
        "__proto__",
        "constructor",
        "$(touch x)",
        "a'b\"c",
        "-o",
        "tmp",
        "dev",
        "é😀",
    ];
    for (const name of names) {
        const path = name.startsWith("-") ? `./${name}` : name;
        const args = ["train", path, "--target", "y", "-o", "__proto__.m"];
        const files = Object.fromEntries([[name, "x,y\n1,a\n2,b\n"]]);
        const { status, stderr, files: written } = await credence.run(args, { files, keep: ["__proto__.m"] });
        assert.equal(status, 0, stderr);
        assert.equal(Object.keys(written).length, 1);
    }
    await assert.rejects(credence.run(["version"], { files: { a: "", "a/b": "" } }), /a\/b conflicts with/);
    assert.equal((await credence.run(["version"])).status, 0);
});

test("a command line is safe in a shell", () => {
    assert.equal(
        commandLine(["train", "a b.csv", "--given", "x=1,y=it's"]),
        `credence train 'a b.csv' --given 'x=1,y=it'\\''s'`,
    );
    assert.deepEqual(
        optionArguments({ target: "y", crossValidate: 3, leaveOneOut: true, quiet: false, seed: undefined }),
        ["--target", "y", "--cross-validate", "3", "--leave-one-out"],
    );
    assert.deepEqual(optionArguments({ given: { "a,b": 'c"d', e: 1.5, f: null }, only: ["x", "y,z"] }), [
        ...["--given", '"a,b=c""d",e=1.5'],
        ...["--only", 'x,"y,z"'],
    ]);
    assert.deepEqual(optionArguments({ at: -1 }), ["--at=-1"]);
});

test("of questions that overtake each other, the latest is answered", async () => {
    const asked = [];
    const ask = latest(async (signal, prior) => {
        asked.push(prior);
        return (await credence.json(["bayes", "--prior", `a=${prior}`, "--predicts", "a=x,b=y"], { signal })).posterior
            .a;
    });
    const answers = await Promise.all([0.1, 0.2, 0.3, 0.4].map((prior) => ask(prior)));
    assert.deepEqual(answers, [0.1, undefined, undefined, 0.4]);
    assert.deepEqual(asked, [0.1, 0.4]);
});

test("a long question gives way to the latest", async () => {
    const large = largeTable(250);
    const ask = latest((signal, args) => credence.run(args, { files: { "large.csv": large }, signal }));
    const first = ask(["evaluate", "large.csv", "--target", "y", "--cross-validate", "5"]);
    assert.equal((await ask(["version"])).status, 0);
    assert.equal(await first, undefined);
});

test("calls of a closed command fail", async () => {
    const other = await open();
    const run = other.run(["version"]);
    other.close();
    await assert.rejects(run, /closed/);
    await assert.rejects(other.run(["version"]), /closed/);
});

test("a file that is not WebAssembly is rejected", async () => {
    await assert.rejects(open({ wasm: new Uint8Array([1, 2, 3]) }));
});
