#!/usr/bin/env python3
"""Asks pyAgrum what bench_networks asked, compares every answer, and prints how long each took.

    compare.py BENCH_NETWORKS CASES NETWORK.bif...

One thread each, in one run. Tables of the peer are normalised, as ours are, since published rows are rounded."""

import json
import math
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyagrum as gum


def parse(path):
    """Variables with their states, and tables by name: pyAgrum's own reader keeps seven digits and refuses some states."""
    text = open(path).read()
    pattern = r"variable\s+(\S+)\s*\{\s*type\s+discrete\s*\[\s*\d+\s*\]\s*\{([^}]*)\}"
    variables = {name: [state.strip() for state in states.split(",")] for name, states in re.findall(pattern, text)}
    tables = {}
    for head, body in re.findall(r"probability\s*\(([^)]*)\)\s*\{([^}]*)\}", text):
        name, *parents = re.split(r"[\s,|]+", head.strip())
        table = np.zeros([len(variables[parent]) for parent in parents] + [len(variables[name])])
        for states, numbers in re.findall(r"(?:\(([^)]*)\)|table)([^;]*);", body):
            words = [state.strip() for state in states.split(",")] if states else []
            at = tuple(variables[parent].index(state) for parent, state in zip(parents, words))
            table[at] = [float(number) for number in numbers.split(",")]
        tables[name] = parents, table / table.sum(axis=-1, keepdims=True)
    return variables, tables


def build(variables, tables):
    net = gum.BayesNet()
    for name, states in variables.items():
        net.add(gum.LabelizedVariable(name, name, [f"s{i}" for i in range(len(states))]))
    for name, (parents, table) in tables.items():
        for parent in parents:
            net.addArc(parent, name)
        # The peer's cells: its own states vary fastest, then those of the first parent, those of the last slowest.
        net.cpt(name).fillWith(table.transpose(*reversed(range(len(parents))), len(parents)).ravel().tolist())
    return net


def compare(bench, cases, path):
    variables, tables = parse(path)
    names = list(variables)
    with tempfile.NamedTemporaryFile("r", suffix=".txt") as answers:
        ours = json.loads(subprocess.run([bench, path, str(cases), answers.name], check=True, capture_output=True).stdout)
        lines = answers.read().splitlines()
    net = build(variables, tables)
    findings = []
    for line in lines[0::2]:
        pairs = (pair.split(":") for pair in line.split())
        findings.append({names[int(node)]: int(state) for node, state in pairs})

    engine = gum.LazyPropagation(net)
    engine.setNumberOfThreads(1)
    taken = 0.0
    worst = worst_evidence = 0.0
    for case, line in zip(findings, lines[1::2]):
        begin = time.perf_counter()
        engine.setEvidence(case)
        engine.makeInference()
        posteriors = [engine.posterior(name) for name in names]
        taken += time.perf_counter() - begin
        numbers = [float(number) for number in line.split()]
        # The cost of the peer's probability of the evidence is not counted: it is not what is timed on our side.
        worst_evidence = max(worst_evidence, abs(math.log(engine.evidenceProbability()) - numbers[0]))
        at = 2
        for posterior in posteriors:
            table = posterior.toarray()
            worst = max(worst, float(np.abs(table - numbers[at:at + len(table)]).max()))
            at += len(table)
    return ours, taken, worst, worst_evidence


def main():
    bench, cases = sys.argv[1], int(sys.argv[2])
    ours_total = theirs_total = 0.0
    print(f"{'network':12} {'cells':>9} {'compile':>9} {'ours':>9} {'pyAgrum':>9} {'ratio':>7} {'worst':>8} {'log P(e)':>8}")
    for path in sys.argv[3:]:
        ours, taken, worst, worst_evidence = compare(bench, cases, path)
        own = ours["compile"] + ours["ask"]
        ours_total += own
        theirs_total += taken
        name = path.rsplit("/", 1)[-1].removesuffix(".bif")
        print(f"{name:12} {ours['cells']:9.0f} {ours['compile']:8.4f}s {ours['ask']:8.4f}s {taken:8.3f}s {taken / own:6.1f}x "
              f"{worst:8.1e} {worst_evidence:8.1e}", flush=True)
    print(f"in total {theirs_total / ours_total:.1f} times")


if __name__ == "__main__":
    main()
