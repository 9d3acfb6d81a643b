#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the likelihoods that EM for hidden Markov models reaches in Credence and in hmmlearn.

    likelihoods.py CREDENCE [--kind categorical|full] [--sets N] [--starts N] [--cache FILE] [--auto]

Draws random models (2 to 5 states; 2 to 8 symbols, or 2 to 4 numbers with full covariance), samples 200 to 3,000 steps in 1 to 6
sequences from each, and fits the true number of states without smoothing: `credence train --smoothing none` with its default number of
starts, and hmmlearn from N random starts (10), each until a step gains less than 1e-4. Prints one line per data set: the
log-likelihoods of Credence, of hmmlearn's best start and of its median start, Credence's lead over the best, and the CPU seconds
of both. The full covariances of hmmlearn have no prior, and its starts are its own (k-means).

With `--auto`, also runs `--states auto` and checks that the log-likelihood never falls when a state is added.

Marks sets on which Credence ends more than 0.01 below hmmlearn's best start. Fails if it ends below the median start of any set, or if
the log-likelihood falls. `--cache` stores what hmmlearn
reached in a JSON file, and reads it from there if it exists."""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import warnings

import numpy

import peers

SHORTFALL = 0.01


def drawn(kind, number):
    """The data set of this number: a case of peers.py."""
    random = numpy.random.default_rng([2026, number])
    states = int(random.integers(2, 6))
    steps, count = int(random.integers(200, 3001)), int(random.integers(1, 7))
    cuts = numpy.sort(random.choice(numpy.arange(1, steps // 10), count - 1, replace=False)) * 10
    lengths = numpy.diff(numpy.concatenate([[0], cuts, [steps]])).tolist()
    if kind == "categorical":
        return peers.categorical(random, states, int(random.integers(2, 9)), lengths)
    return peers.gaussian(random, states, int(random.integers(2, 5)), lengths, "full")


def fitted_by_peer(kind, case, starts):
    """The log-likelihoods from so many starts, and CPU seconds."""
    begun, found = time.process_time(), []
    for seed in range(starts):
        states = case.peer.n_components
        if kind == "categorical":
            peer = peers.hmm.CategoricalHMM(states, n_iter=2000, tol=1e-4, random_state=seed, n_features=case.columns[0])
        else:
            peer = peers.hmm.GaussianHMM(states, "full", n_iter=2000, tol=1e-4, random_state=seed, covars_prior=0,
                                         covars_weight=0, min_covar=1e-9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                peer.fit(case.data, case.lengths)
                found.append(float(peer.score(case.data, case.lengths)))
            except ValueError:  # a covariance that is not positive definite
                found.append(-numpy.inf)
    return found, time.process_time() - begun


def write(kind, case, path):
    ends = numpy.repeat(numpy.arange(len(case.lengths)), case.lengths)
    with open(path, "w") as file:
        print("id", *(f"x{c}" for c in range(case.data.shape[1])), sep=",", file=file)
        for end, row in zip(ends, case.data):
            cells = (f"v{int(v)}" for v in row) if kind == "categorical" else (repr(float(v)) for v in row)
            print(end, *cells, sep=",", file=file)


def trained(program, kind, path, states):
    """What the command says of a fit, and CPU seconds."""
    joint = [] if kind == "categorical" else ["--joint", "numbers", "--covariance", "full"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, "train", path, "--sequence", "id", "--states", str(states), "--smoothing", "none", *joint,
                           "--format", "json", "-o", path.with_suffix(".model")], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(done.stdout), after.ru_utime - before.ru_utime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--kind", choices=("categorical", "full"), default="categorical")
    parser.add_argument("--sets", type=int, default=30)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--auto", action="store_true")
    words = parser.parse_args()
    cache = json.loads(words.cache.read_text()) if words.cache and words.cache.exists() else {}
    short = worse = fallen = 0
    print("set states values steps  Credence     best         median       lead      seconds: Credence, hmmlearn")
    for number in range(words.sets):
        case = drawn(words.kind, number)
        key = f"{words.kind} {number} {words.starts}"
        if key not in cache:
            cache[key] = fitted_by_peer(words.kind, case, words.starts)
            if words.cache:
                words.cache.write_text(json.dumps(cache))
        theirs, their_seconds = cache[key]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "steps.csv"
            write(words.kind, case, path)
            found, seconds = trained(words.program, words.kind, path, case.peer.n_components)
            tried = trained(words.program, words.kind, path, "auto")[0]["choices"] if words.auto else []
        ours = found["log_likelihood"]
        lead = ours - max(theirs)
        falls = sum(after["log_likelihood"] < before["log_likelihood"] - SHORTFALL for before, after in zip(tried, tried[1:]))
        short += lead < -SHORTFALL
        worse += ours < numpy.median(theirs) - SHORTFALL
        fallen += falls > 0
        print(f"{number:3} {case.peer.n_components:6} {len(case.columns) if case.columns[0] == 0 else case.columns[0]:6} "
              f"{len(case.data):5} {ours:12.4f} {max(theirs):12.4f} {numpy.median(theirs):12.4f} {lead:9.4f} "
              f"{seconds:8.2f} {their_seconds:8.2f}{'  SHORT' if lead < -SHORTFALL else ''}{'  FALLS' if falls else ''}", flush=True)
    print(f"{short} of {words.sets} sets end below hmmlearn's best of {words.starts}, {worse} below its median start, {fallen} fall when a state is added")
    return 1 if worse or fallen else 0


if __name__ == "__main__":
    sys.exit(main())
