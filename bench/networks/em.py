#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""EM beside pgmpy and pyAgrum: missing cells and a hidden node of a known network.

    em.py CREDENCE NETWORK.bif [--rows N] [--blank SHARE] [--latent-nodes NODE] [--peer-rows N] [--steps N]

Rows are sampled from the network, and cells of them blanked at random. Printed are, of tables that were counted from complete
rows alone, counted from complete families, and fitted by EM and by gradient ascent: seconds of the processor (one thread), steps,
log-likelihood, whether it ever fell, and the mean log-likelihood of as many other rows, without missing cells. Then the same
with one node hidden, for --peer-rows of the rows and --steps steps, beside pgmpy's EM (whose data may not have missing cells
but in whole columns) and pyAgrum's, each with the seconds of its processor. Peers that are not installed are left out."""

import argparse
import csv
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve()


def run(command):
    """What it printed, and seconds of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header] + rows)


def held_out(own, model, test, node):
    text, _ = run([own.credence, "query", model, test, "--of", node, "--format", "csv", "--threads", "1"])
    values = [float(row["log_evidence"]) if row["log_evidence"] else float("-inf") for row in csv.DictReader(text.splitlines())]
    return sum(values) / len(values)


def train(own, table, *options):
    model = own.folder / "fitted.model"
    _, seconds = run([own.credence, "train", table, "-q", "--threads", "1", "--method", "network", "--arcs-from", own.network,
                      *options, "-o", model])
    fit = json.loads(run([own.credence, "show", model, "--format", "json"])[0]).get("fit")
    return model, seconds, fit


def report(name, seconds, fit, held):
    steps = ("" if fit is None else f"{fit['iterations']:5} steps, log-likelihood {fit['log_likelihood']:.2f}, "
             + ("rises" if all(a["log_posterior"] <= b["log_posterior"] for a, b in zip(fit["steps"], fit["steps"][1:])) else "FALLS"))
    print(f"{name:28} {seconds:8.2f} s   held out {held:9.4f}   {steps}", flush=True)


def missing(own, header, rows, test):
    random.seed(1)
    blanked = [[cell if random.random() >= own.blank else "" for cell in row] for row in rows]
    complete = [row for row in blanked if all(row)]
    write(own.folder / "blanked.csv", header, blanked)
    write(own.folder / "complete.csv", header, complete)
    print(f"{len(rows)} rows, {own.blank:.0%} of the cells blanked: {len(complete)} rows are complete")
    for name, table, options in (("complete rows, counted", "complete.csv", ["--estimator", "counts"]),
                                 ("complete families, counted", "blanked.csv", ["--estimator", "counts"]),
                                 ("EM", "blanked.csv", ["--estimator", "em"]),
                                 ("gradient ascent", "blanked.csv", ["--estimator", "gradient"])):
        if table == "complete.csv" and not complete:
            continue
        model, seconds, fit = train(own, own.folder / table, *options)
        report(name, seconds, fit, held_out(own, model, test, header[0]))


def hidden(own, header, rows, states, test):
    at = header.index(own.hidden)
    names, cells = header[:at] + header[at + 1:], [row[:at] + row[at + 1:] for row in rows]
    write(own.folder / "hidden.csv", names, cells)
    write(own.folder / "few.csv", names, cells[:own.peer_rows])
    option = f"{own.hidden}:{states}"
    print(f"\n{own.hidden} hidden, {states} states")
    observed = own.folder / "observed.csv"
    with open(test) as file:
        test_rows = list(csv.reader(file))
    write(observed, names, [row[:at] + row[at + 1:] for row in test_rows[1:]])
    for name, extra in (("EM, 10 starts", []), ("gradient ascent, 10 starts", ["--estimator", "gradient"])):
        model, seconds, fit = train(own, own.folder / "hidden.csv", "--latent-class", option, *extra)
        report(name, seconds, fit, held_out(own, model, observed, names[0]))
    model, seconds, fit = train(own, own.folder / "few.csv", "--latent-nodes", option, "--estimator", "em", "--em-starts", "1", "--iterations",
                                str(own.steps), "--tolerance", "0", "--smoothing", "none")
    print(f"\n{own.peer_rows} rows, {own.steps} steps from one start")
    print(f"{'Credence':28} {seconds:8.2f} s   reading, writing and {fit['iterations']} steps")
    for peer in "pgmpy", "pyagrum":
        command = [sys.executable, HERE, peer, own.network, "--latent-class", own.hidden, "--rows", str(own.folder / "few.csv"),
                   "--steps", str(own.steps)]
        try:
            text, _ = run(command)
            print(f"{peer:28} {float(text.split()[-1]):8.2f} s", flush=True)
        except subprocess.CalledProcessError as failed:
            print(f"{peer:28} no answer: {(failed.stderr.strip().splitlines() or ['?'])[-1]}")


def ask_pgmpy(own):
    import pandas
    from pgmpy.estimators import ExpectationMaximization
    from pgmpy.models import DiscreteBayesianNetwork
    from pgmpy.readwrite import BIFReader

    truth = BIFReader(own.network).get_model()
    data = pandas.read_csv(own.rows, dtype=str, keep_default_na=False)
    model = DiscreteBayesianNetwork(list(truth.edges()), latents={own.hidden})
    states = truth.get_cpds(own.hidden).cardinality[0]
    estimator = ExpectationMaximization(model, data)
    begun = time.process_time()
    estimator.get_parameters(latent_card={own.hidden: states}, max_iter=own.steps, atol=0, n_jobs=1, show_progress=False)
    print(time.process_time() - begun)


def ask_pyagrum(own):
    import pyagrum

    truth = pyagrum.loadBN(own.network)
    with open(own.rows) as file, open(own.rows + ".all.csv", "w") as out:
        for number, line in enumerate(file):
            out.write(line.rstrip("\r\n") + ("," + own.hidden if number == 0 else ",?") + "\n")
    learner = pyagrum.BNLearner(own.rows + ".all.csv", truth, ["?"])
    learner.useSmoothingPrior(0.01)
    learner.useEM(1e-12)
    learner.EMsetMaxIter(own.steps)
    learner.setNumberOfThreads(1)
    begun = time.process_time()
    learner.learnParameters(truth.dag())
    print(time.process_time() - begun)


def main():
    if len(sys.argv) > 1 and sys.argv[1] in ("pgmpy", "pyagrum"):
        parser = argparse.ArgumentParser()
        parser.add_argument("peer")
        parser.add_argument("network")
        parser.add_argument("--latent-class")
        parser.add_argument("--rows")
        parser.add_argument("--steps", type=int)
        own = parser.parse_args()
        return ask_pgmpy(own) if own.peer == "pgmpy" else ask_pyagrum(own)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("credence")
    parser.add_argument("network")
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--blank", type=float, default=0.2)
    parser.add_argument("--latent-class", default="LVEDVOLUME")
    parser.add_argument("--peer-rows", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=5)
    own = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        own.folder = pathlib.Path(folder)
        tables = [own.folder / "train.csv", own.folder / "test.csv"]
        for seed, table in enumerate(tables):
            run([own.credence, "sample", own.network, "--rows", str(own.rows), "--seed", str(seed + 1), "-o", table])
        with open(tables[0]) as file:
            header, *rows = list(csv.reader(file))
        shown = json.loads(run([own.credence, "show", own.network, "--format", "json"])[0])
        states = {node["name"]: len(node["states"]) for node in shown["nodes"]}
        missing(own, header, rows, tables[1])
        hidden(own, header, rows, states[own.hidden], tables[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
