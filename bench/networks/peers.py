#!/usr/bin/env python3
"""Asks a peer what bench_networks asked, in a process of its own, and prints a line of JSON.

    peers.py ENGINE NETWORK.bif ANSWERS CASES [--times-only]

ENGINE is one of pyAgrum's exact engines, or pgmpy. ANSWERS is what bench_networks wrote; its first CASES are asked, by
one thread. Printed are the seconds of the processor for all of them, the greatest differences from our answers (posteriors, logarithm of
the probability of the findings, logarithm of that of the most probable explanation), and the memory in KiB that the
process took at most, once the network was there and once it was asked. Tables are normalized, as ours are, since
published rows are rounded."""

import argparse
import json
import math
import re
import resource
import time

import numpy as np


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
    """pyAgrum's network."""
    import pyagrum as gum

    net = gum.BayesNet()
    for name, states in variables.items():
        net.add(gum.LabelizedVariable(name, name, [f"s{i}" for i in range(len(states))]))
    for name, (parents, table) in tables.items():
        for parent in parents:
            net.addArc(parent, name)
        # The peer's cells: its own states vary fastest, then those of the first parent, those of the last slowest.
        net.cpt(name).fillWith(table.transpose(*reversed(range(len(parents))), len(parents)).ravel().tolist())
    return net


def log_most(variables, tables, findings):
    """The logarithm of the probability of the most probable explanation, by eliminating variables from the logarithms of
    tables: pyAgrum 3.3.1 fails here on most networks."""
    factors = []
    for name, (parents, table) in tables.items():
        scope = [*parents, name]
        with np.errstate(divide="ignore"):
            cells = np.log(table[tuple(findings.get(variable, slice(None)) for variable in scope)])
        factors.append(([variable for variable in scope if variable not in findings], cells))

    def meeting(variable):
        return sorted({other for scope, _ in factors if variable in scope for other in scope} - {variable})

    left = [variable for variable in variables if variable not in findings]
    while left:
        variable = min(left, key=lambda one: math.prod(len(variables[other]) for other in meeting(one)))
        scope, product = [*meeting(variable), variable], 0.0
        for own, cells in factors:
            if variable in own:
                ordered = cells.transpose([own.index(other) for other in scope if other in own])
                product = product + ordered.reshape([len(variables[other]) if other in own else 1 for other in scope])
        factors = [(own, cells) for own, cells in factors if variable not in own] + [(scope[:-1], product.max(axis=-1))]
        left.remove(variable)
    return float(sum(cells for _, cells in factors))


class PyAgrum:
    def __init__(self, engine, variables, tables):
        import pyagrum as gum

        self.names, self.net = list(variables), build(variables, tables)
        self.engine = getattr(gum, engine)(self.net)
        if hasattr(self.engine, "setNumberOfThreads"):
            self.engine.setNumberOfThreads(1)

    def ask(self, findings):
        self.engine.setEvidence(findings)
        self.engine.makeInference()
        return [self.engine.posterior(name) for name in self.names]

    @staticmethod
    def numbers(posterior):
        return posterior.toarray()

    def log_evidence(self, findings):
        return math.log(self.engine.evidenceProbability()) if findings and hasattr(self.engine, "evidenceProbability") else None


class Pgmpy:
    def __init__(self, _, variables, tables):
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.inference import VariableElimination
        from pgmpy.models import DiscreteBayesianNetwork

        self.names = list(variables)
        net = DiscreteBayesianNetwork()
        net.add_nodes_from(self.names)
        net.add_edges_from((parent, name) for name, (parents, _) in tables.items() for parent in parents)
        for name, (parents, table) in tables.items():
            sizes = [len(variables[parent]) for parent in parents]
            net.add_cpds(TabularCPD(name, len(variables[name]), table.reshape(-1, len(variables[name])).T, parents, sizes))
        self.engine = VariableElimination(net)

    def ask(self, findings):
        return [None if name in findings else self.engine.query([name], findings, show_progress=False) for name in self.names]

    @staticmethod
    def numbers(posterior):
        return posterior.values

    def log_evidence(self, findings):
        return None


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in "engine", "network", "answers":
        parser.add_argument(name)
    parser.add_argument("cases", type=int)
    parser.add_argument("--times-only", action="store_true")
    own = parser.parse_args()

    variables, tables = parse(own.network)
    names, sizes = list(variables), [len(states) for states in variables.values()]
    peer = (Pgmpy if own.engine == "pgmpy" else PyAgrum)(own.engine, variables, tables)
    if own.times_only:
        del tables
    before, taken, worst = peak(), 0.0, {"posterior": 0.0, "evidence": 0.0, "most": 0.0}
    with open(own.answers) as lines:
        for _ in range(own.cases):
            pairs = [pair.split(":") for pair in lines.readline().split()]
            numbers = lines.readline().split()
            findings = {names[int(node)]: int(state) for node, state in pairs}
            begin = time.process_time()
            posteriors = peer.ask(findings)
            taken += time.process_time() - begin
            if own.times_only:
                continue
            at = 2
            for size, posterior in zip(sizes, posteriors):
                if posterior is not None:
                    ours = np.array(numbers[at:at + size], dtype=float)
                    worst["posterior"] = max(worst["posterior"], float(np.abs(peer.numbers(posterior) - ours).max()))
                at += size
            theirs = peer.log_evidence(findings)
            if theirs is not None:
                worst["evidence"] = max(worst["evidence"], abs(theirs - float(numbers[0])))
            worst["most"] = max(worst["most"], abs(log_most(variables, tables, findings) - float(numbers[1])))
    print(json.dumps({"seconds": taken, "worst": worst, "peak_read": before, "peak": peak()}))


if __name__ == "__main__":
    main()
