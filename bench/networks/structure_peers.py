#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""structure_peers.py PEER TABLE.csv - hill climbing on BIC by pyAgrum or pgmpy, or tabu search by pyAgrum (pyAgrum-tabu), in a process of its own and by one thread;
prints the seconds of the processor, without those of reading, and the arcs, as a line of JSON."""

import json
import sys
import time


def pyagrum(path, is_tabu=False):
    import pyagrum as gum

    gum.setNumberOfThreads(1)
    learner = gum.BNLearner(path)
    learner.setNumberOfThreads(1)
    learner.useScoreBIC()
    learner.useNoPrior()
    if is_tabu:
        learner.useLocalSearchWithTabuList(100, 100)
    else:
        learner.useGreedyHillClimbing()
    began = time.process_time()
    found = learner.learnDAG()
    seconds = time.process_time() - began
    names = learner.names()
    return seconds, [[names[a], names[b]] for a, b in found.arcs()]


def pgmpy(path):
    import logging

    import pandas
    from pgmpy.estimators import HillClimbSearch

    logging.disable(logging.CRITICAL)
    rows = pandas.read_csv(path, dtype=str, keep_default_na=False).astype("category")
    search = HillClimbSearch(rows)
    began = time.process_time()
    found = search.estimate(scoring_method="bic-d", show_progress=False)
    return time.process_time() - began, [list(arc) for arc in found.edges()]


def main():
    seconds, arcs = {"pyAgrum": pyagrum, "pyAgrum-tabu": lambda path: pyagrum(path, True), "pgmpy": pgmpy}[sys.argv[1]](sys.argv[2])
    print(json.dumps({"seconds": seconds, "arcs": arcs}))


main()
