#!/usr/bin/env python3
"""Writes the table of tests/acceptance/infer_peers.c: what pyAgrum answers, from tables read and normalized here.

    reference.py NETWORK.bif... > rows

Findings are those of every fifth node, from the third on, in the state that is most probable given those of its parents,
chosen likewise; so they are possible. For each network, without and with findings: the sums over all nodes of the
probability of the first state and of the squares of all posteriors, the posterior of the middle node's first state, and
the logarithm of the probability of the findings."""

import math
import sys

import numpy as np
import pyagrum as gum
from peers import build, parse


def likely_states(variables, tables):
    states = {}
    while len(states) < len(variables):
        for name, (parents, table) in tables.items():
            if name not in states and all(parent in states for parent in parents):
                states[name] = int(np.argmax(table[tuple(states[parent] for parent in parents)]))
    return states


def main():
    for path in sys.argv[1:]:
        variables, tables = parse(path)
        net, names, states = build(variables, tables), list(variables), likely_states(variables, tables)
        for findings in {}, {name: states[name] for name in names[2::5]}:
            engine = gum.LazyPropagation(net)
            engine.setEvidence(findings)
            engine.makeInference()
            posteriors = [engine.posterior(name).toarray() for name in names]
            log_evidence = math.log(engine.evidenceProbability()) if findings else 0.0
            print(f'    {{"{path.rsplit("/", 1)[-1].removesuffix(".bif")}", {"true" if findings else "false"}, '
                  f"{math.fsum(p[0] for p in posteriors)!r}, {math.fsum((p * p).sum() for p in posteriors)!r}, "
                  f"{float(posteriors[len(names) // 2][0])!r}, {log_evidence!r}}},")


if __name__ == "__main__":
    main()
