#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who reads whose network files: bnlearn, pgmpy, pyAgrum and Credence.

    interchange.py CREDENCE NETWORKS... [--bnlearn R_LIBRARY]

Every network is written by every program in each format that it has, and each file is read by every program. A file
counts where the marginal probabilities of all nodes agree with those of the network, in the order of nodes' states, to 1e-6
(bnlearn and pyAgrum write seven digits). Names need not be the same: where a format or a reader takes identifiers only,
Credence writes such. Printed is a table of the numbers of networks, for docs/network-files.md. Two networks of odd names, as bnlearn
writes them, are added to those given."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ODD = {
    "injuries": """network unknown {
}
variable Severity {
  type discrete [ 3 ] { No injury, Slight (1-2), > 10000 };
}
variable Cost {
  type discrete [ 2 ] { _0_500], [500_1000] };
}
probability ( Severity ) {
  table 0.5, 0.3, 0.2;
}
probability ( Cost | Severity ) {
  (No injury) 0.9, 0.1;
  (Slight (1-2)) 0.4, 0.6;
  (> 10000) 0.05, 0.95;
}
""",
    "age groups": """network unknown {
}
variable Age group {
  type discrete [ 2 ] { below 20%, 20-40 };
}
variable it's {
  type discrete [ 2 ] { a/b, <= 3 };
}
probability ( Age group ) {
  table 0.25, 0.75;
}
probability ( it's | Age group ) {
  (below 20%) 0.125, 0.875;
  (20-40) 0.5, 0.5;
}
""",
}
FORMATS = {"Credence": ["bif", "xmlbif", "net", "uai", "xdsl", "dne"], "bnlearn": ["bif", "net"],
           "pgmpy": ["bif", "xmlbif", "net"], "pyAgrum": ["bif", "xmlbif", "net", "uai", "xdsl"]}
READS = {"Credence": ["bif", "xmlbif", "net", "uai", "xdsl", "dne"], "bnlearn": ["bif", "net"],
         "pgmpy": ["bif", "xmlbif", "net", "uai"], "pyAgrum": ["bif", "xmlbif", "net", "uai", "xdsl"]}
ENDINGS = {"xmlbif": "bifxml"}
SLACK = 1e-6

PGMPY = r"""
import json, logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.CRITICAL)
from pgmpy import readwrite
from pgmpy.inference import VariableElimination
action, kind, path, target = sys.argv[1:5]
names = {"bif": "BIF", "xmlbif": "XMLBIF", "net": "NET", "uai": "UAI"}
model = getattr(readwrite, names[kind] + "Reader")(path).get_model()
if action == "write":
    getattr(readwrite, names[target] + "Writer")(model).write(sys.argv[5]) if target != "bif" else readwrite.BIFWriter(model).write(sys.argv[5])
else:
    asked = VariableElimination(model)
    print(json.dumps([asked.query([node], show_progress=False).values.tolist() for node in model.nodes()]))
"""
PYAGRUM = r"""
import json, sys
import pyagrum as gum
action, path = sys.argv[1:3]
network = gum.loadBN(path)
if action == "write":
    gum.saveBN(network, sys.argv[3])
else:
    engine = gum.LazyPropagation(network)
    engine.makeInference()
    print(json.dumps([engine.posterior(node).tolist() for node in network.nodes()]))
"""
BNLEARN = r"""
arguments <- commandArgs(TRUE)
suppressMessages(library(bnlearn, lib.loc = arguments[1]))
read <- if (arguments[3] == "bif") read.bif else read.net
network <- suppressWarnings(read(arguments[4]))
if (arguments[2] == "write") {
    (if (arguments[5] == "bif") write.bif else write.net)(arguments[6], network)
} else {
    for (node in node.ordering(network)) {
        parents <- network[[node]]$parents
        cat(node, "\t", paste(parents, collapse = "\t"), "\t|\t", paste(format(as.vector(network[[node]]$prob), digits = 17), collapse = "\t"),
            "\n", sep = "")
    }
}
"""


def run(command):
    try:
        done = subprocess.run(command, capture_output=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.decode() if done.returncode == 0 else None


def marginals_of_tables(text):
    """bnlearn has no exact inference of its own here: its tables, multiplied along the network of at most 2^20 cells."""
    import numpy as np

    nodes, joint, order = {}, None, []
    for line in text.splitlines():
        head, numbers = line.split("\t|\t")
        name, *parents = [word for word in head.split("\t") if word]
        shape = [nodes[parent] for parent in parents]
        values = np.array([float(number) for number in numbers.split("\t")])
        own = len(values) // int(np.prod(shape, dtype=int))
        nodes[name] = own
        table = values.reshape([own] + shape, order="F")
        order.append(name)
        if np.prod([nodes[node] for node in order], dtype=float) > 1 << 20:
            return None
        letters = {node: i for i, node in enumerate(order)}
        ours = [letters[name]] + [letters[parent] for parent in parents]
        joint = table if joint is None else np.einsum(joint, list(range(len(order) - 1)), table, ours, list(range(len(order))))
    return [joint.sum(axis=tuple(j for j in range(len(order)) if j != i)).tolist() for i in range(len(order))]


def canonical(marginals):
    """Readers order nodes as they like."""
    return sorted(marginals)


def agree(left, right):
    if left is None or len(left) != len(right):
        return False
    return all(len(a) == len(b) and all(abs(x - y) <= SLACK for x, y in zip(a, b)) for a, b in zip(canonical(left), canonical(right)))


class Programs:
    def __init__(self, credence, r_packages, folder):
        self.credence, self.r_packages, self.folder = credence, r_packages, folder
        for name, text in ("ask_pgmpy.py", PGMPY), ("ask_pyagrum.py", PYAGRUM), ("read.R", BNLEARN):
            (folder / name).write_text(text)

    def write(self, who, kind, source, path):
        """From a BIF file that Credence wrote, which all read."""
        if who == "Credence":
            return run([self.credence, "export", source, "--as", kind, "-o", path]) is not None
        if who == "pyAgrum":
            return run([sys.executable, self.folder / "ask_pyagrum.py", "write", source, path]) is not None
        if who == "pgmpy":
            return run([sys.executable, self.folder / "ask_pgmpy.py", "write", "bif", source, kind, path]) is not None
        return run(["Rscript", self.folder / "read.R", self.r_packages, "write", "bif", source, kind, path]) is not None

    def read(self, who, kind, path):
        if who == "Credence":
            text = run([self.credence, "query", path, "--of", "all", "--format", "json"])
            if text is None:
                return None
            return [list(states.values()) for states in json.loads(text)["posterior"].values()]
        if who == "pyAgrum":
            text = run([sys.executable, self.folder / "ask_pyagrum.py", "read", path])
        elif who == "pgmpy":
            text = run([sys.executable, self.folder / "ask_pgmpy.py", "read", kind, path, "-"])
        else:
            text = run(["Rscript", self.folder / "read.R", self.r_packages, "read", kind, path])
            return None if text is None else marginals_of_tables(text)
        return None if text is None else json.loads(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("credence")
    parser.add_argument("networks", nargs="+", type=pathlib.Path)
    parser.add_argument("--bnlearn", default="", help="library of R that has bnlearn")
    own = parser.parse_args()
    readers = [who for who in READS if who != "bnlearn" or own.bnlearn]
    counts, total = {}, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = Programs(own.credence, own.bnlearn, folder)
        for odd, text in ODD.items():
            (folder / f"{odd}.bif").write_text(text)
        for network in own.networks + [folder / f"{odd}.bif" for odd in ODD]:
            truth, plain = programs.read("Credence", "bif", network), folder / "plain.bif"
            programs.write("Credence", "bif", network, plain)
            total += 1
            for writer in readers:
                for kind in FORMATS[writer]:
                    path = folder / f"written.{ENDINGS.get(kind, kind)}"
                    path.unlink(missing_ok=True)
                    programs.write(writer, kind, network if writer == "Credence" else plain, path)
                    for reader in readers:
                        if kind not in READS[reader]:
                            continue
                        is_read = path.exists() and agree(programs.read(reader, kind, path), truth)
                        counts[writer, kind, reader] = counts.get((writer, kind, reader), 0) + is_read
            print(f"{network.stem}: done", file=sys.stderr)
    print("| written by | format |", " | ".join(f"read by {who}" for who in readers), "|")
    print("| --- | --- |", " | ".join("---" for _ in readers), "|")
    for writer in readers:
        for kind in FORMATS[writer]:
            cells = [str(counts[writer, kind, who]) if kind in READS[who] else "" for who in readers]
            print(f"| {writer} | {kind} |", " | ".join(cells), f"| <!-- of {total} -->")


if __name__ == "__main__":
    main()
