#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares hill climbing on random networks of many nodes: Credence's default, 10 restarts and tabu, and pyAgrum.

    random_networks.py CREDENCE [--nodes N,...] [--seeds N,...] [--rows N] [--write DOCUMENT]

Each network has nodes of 2 to 4 states with up to 3 parents among the 30 nodes before them, and tables drawn from a Dirichlet
distribution. A network and its rows depend only on the number of nodes and the seed. Columns are shuffled and renamed, so that
neither their order nor their names contain the causal order. All scores are BIC, computed here from the arcs that each program
found: natural logarithms, larger is better. CPU times are Credence's whole command on one thread and pyAgrum's search alone.

Needs numpy and pyAgrum (bench/setup installs both). With --write the table replaces the text between the marks of the document."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- random_networks.py: begin -->", "<!-- random_networks.py: end -->"


def random_network(nodes, seed):
    """State counts, parents and tables, and the generator that rows are drawn with."""
    random = numpy.random.default_rng([seed, nodes])
    states = random.integers(2, 5, nodes)
    parents = []
    for node in range(nodes):
        count, first = min(node, int(random.integers(0, 4))), max(0, node - 30)
        parents.append(sorted(random.choice(numpy.arange(first, node), count, replace=False)) if count else [])
    tables = [random.dirichlet([0.5] * states[node], int(numpy.prod([states[p] for p in parents[node]], dtype=int))) for node in range(nodes)]
    return random, states, parents, tables


def sample_rows(network, rows):
    random, states, parents, tables = network
    cells = numpy.zeros((rows, len(states)), int)
    for node, above in enumerate(parents):
        place = numpy.zeros(rows, int)
        for parent in above:
            place = place * states[parent] + cells[:, parent]
        limits = numpy.cumsum(tables[node], 1)[place]
        cells[:, node] = numpy.minimum((random.random(rows)[:, None] > limits).sum(1), states[node] - 1)
    return cells


def bic(cells, parents):
    """The score of a network over columns, each with the list of its parents' columns."""
    rows, score = len(cells), 0.0
    codes = [numpy.unique(column, return_inverse=True)[1] for column in cells.T]
    states = [int(column.max()) + 1 for column in codes]
    for node, above in enumerate(parents):
        place, combinations = numpy.zeros(rows, int), 1
        for parent in above:
            place, combinations = place * states[parent] + codes[parent], combinations * states[parent]
        place = numpy.unique(place, return_inverse=True)[1]
        counts = numpy.bincount(place * states[node] + codes[node], minlength=(place.max() + 1) * states[node]).reshape(-1, states[node])
        share = counts / counts.sum(1, keepdims=True)
        score += float((counts[counts > 0] * numpy.log(share[counts > 0])).sum()) - numpy.log(rows) / 2 * (states[node] - 1) * combinations
    return score


class Table:
    def __init__(self, nodes, seed, rows, folder):
        network = random_network(nodes, seed)
        order = numpy.random.default_rng(seed).permutation(nodes)
        place = {int(node): i for i, node in enumerate(order)}
        self.cells = sample_rows(network, rows)[:, order]
        self.names = [f"v{i:03d}" for i in range(nodes)]
        self.true_score = bic(self.cells, [[place[int(p)] for p in network[2][int(node)]] for node in order])
        self.path = pathlib.Path(folder) / f"{nodes}-{seed}.csv"
        lines = [",".join(self.names), *(",".join("abcd"[cell] for cell in row) for row in self.cells)]
        self.path.write_text("\n".join(lines) + "\n")

    def score(self, arcs):
        parents = [[] for _ in self.names]
        for above, below in arcs:
            parents[self.names.index(below)].append(self.names.index(above))
        return bic(self.cells, parents)


def by_credence(credence, table, *options):
    with tempfile.TemporaryDirectory() as folder:
        command = [credence, "train", str(table.path), "-q", "--categorical", "*", "--threads", "1", "-o", f"{folder}/model", "--format", "json", *options]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        output = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f"random_networks: {' '.join(command)} failed")
    return used.ru_utime + used.ru_stime, [(arc["from"], arc["to"]) for arc in json.loads(output)["arcs"]]


def by_pyagrum(search, table):
    done = subprocess.run([sys.executable, str(HERE / "structure_peers.py"), search, str(table.path)], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    return found["seconds"], found["arcs"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("credence")
    parser.add_argument("--nodes", default="120,250,500")
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--write", type=pathlib.Path)
    given = parser.parse_args()
    searches = {
        "Credence": lambda table: by_credence(given.credence, table, "--search", "hill-climb"),
        "`--restarts 10`": lambda table: by_credence(given.credence, table, "--search", "hill-climb", "--restarts", "10"),
        "`tabu`": lambda table: by_credence(given.credence, table, "--search", "tabu"),
        "pyAgrum, greedy": lambda table: by_pyagrum("pyAgrum", table),
        "pyAgrum, tabu": lambda table: by_pyagrum("pyAgrum-tabu", table),
    }
    lines = ["| nodes | seed | true network | " + " | ".join(f"{name}, BIC" for name in searches) + " | Credence, s | pyAgrum greedy, s |",
             "| ---: | ---: |" + " ---: |" * (len(searches) + 3)]
    behind = []
    with tempfile.TemporaryDirectory() as folder:
        for nodes in map(int, given.nodes.split(",")):
            for seed in map(int, given.seeds.split(",")):
                table = Table(nodes, seed, given.rows, folder)
                found = {name: search(table) for name, search in searches.items()}
                scores = {name: table.score(arcs) for name, (_, arcs) in found.items()}
                lines.append(f"| {nodes} | {seed} | {table.true_score:.1f} | " + " | ".join(f"{scores[name]:.1f}" for name in searches)
                             + f" | {found['Credence'][0]:.1f} | {found['pyAgrum, greedy'][0]:.1f} |")
                print(lines[-1], flush=True)
                others = max(score for name, score in scores.items() if name not in ("Credence", "`tabu`"))
                if scores["Credence"] < others - 1e-6 or scores["`tabu`"] < scores["Credence"] - 1e-6:
                    behind.append((nodes, seed))
    if given.write:
        before, rest = given.write.read_text().split(BEGIN)
        given.write.write_text(before + BEGIN + "\n\n" + "\n".join(lines) + "\n\n" + END + rest.split(END)[1])
    if behind:
        sys.exit(f"random_networks: behind on {behind}")


main()
