#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hidden Markov models beside hmmlearn: seconds of forward-backward, of the most likely path, and of Baum and Welch's algorithm.

    speed.py BENCH_SEQUENCES [--rounds N] [--states K,K,...] [--sequences N] [--steps T] [--dimensions D] [--iterations N]
                             [--long T]

Baum and Welch's algorithm is timed from the model for a number of iterations, and then with the exact tallies of every step, by its
posterior, that a model of it keeps, which are made once. Sequences of normal densities with diagonal covariance, in arrays. All are given to both programs in one run, one thread each, in
turns, and the medians of the rounds are printed, with how many times as fast Credence is as the faster of hmmlearn's two
implementations; then what a second thread gains. Last, one sequence of --long steps (10 million) with 5 states: seconds and the peak of
memory beside that of the arrays themselves."""

import argparse
import os
import statistics
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import hmmlearn  # noqa: E402
import numpy  # noqa: E402

import peers  # noqa: E402


def timed(work):
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def twins(random, states, size, lengths):
    """The same model for both implementations of hmmlearn."""
    made = peers.gaussian(random, states, size, lengths, "diag", "log")
    scaling = peers.hmm.GaussianHMM(states, "diag", implementation="scaling")
    for name in ("startprob_", "transmat_", "means_"):
        setattr(scaling, name, getattr(made.peer, name))
    scaling.n_features = size
    scaling._covars_ = made.peer._covars_
    return made, {"log": made.peer, "scaling": scaling}


def fitted(peer, case, iterations):
    """A fit of so many steps from the model."""
    made = peers.hmm.GaussianHMM(peer.n_components, "diag", n_iter=iterations, tol=-numpy.inf, init_params="",
                                 implementation=peer.implementation, covars_prior=0, covars_weight=0)
    for name in ("startprob_", "transmat_", "means_"):
        setattr(made, name, getattr(peer, name).copy())
    made.n_features = peer.n_features
    made._covars_ = peer._covars_.copy()
    made.fit(case.data, case.lengths)


def works(iterations):
    return {
        "forward-backward": ("posteriors {threads}", lambda peer, case: peer.score_samples(case.data, case.lengths)),
        "most likely path": ("path {threads}", lambda peer, case: peer.decode(case.data, case.lengths)),
        "Baum-Welch": (f"find {iterations} {{threads}}", lambda peer, case: fitted(peer, case, iterations)),
        "with its model": (f"fit {iterations} {{threads}}", lambda peer, case: fitted(peer, case, iterations)),
    }


def beside(words, states):
    random = numpy.random.default_rng(states)
    case, both = twins(random, states, words.dimensions, [words.steps] * words.sequences)
    server = peers.Server(words.program, case)
    for name, (question, theirs) in works(words.iterations).items():
        seconds = {key: [] for key in ("one", "two", *both)}
        for _ in range(words.rounds):
            for key, threads in (("one", 1), ("two", 2)):
                seconds[key].append(server.ask(question.format(threads=threads))[0])
            for key, peer in both.items():
                seconds[key].append(timed(lambda: theirs(peer, case)))
        median = {key: statistics.median(values) for key, values in seconds.items()}
        fastest = min(median[key] for key in both)
        print(f"{states:3} states  {name:17} Credence {median['one']:8.4f} s   hmmlearn log {median['log']:8.4f} s, scaling "
              f"{median['scaling']:8.4f} s   {fastest / median['one']:6.1f} times   two threads {median['one'] / median['two']:5.2f}",
              flush=True)
    server.close()


def long(words):
    random = numpy.random.default_rng(7)
    states, size = 5, 2
    case = peers.gaussian(random, states, size, [1000])
    steps = words.long
    case.data = numpy.tile(case.data, (steps // 1000 + 1, 1))[:steps]
    case.lengths = [steps]
    server = peers.Server(words.program, case)
    for question in ("likelihood 1", "path 1", "posteriors 1"):
        seconds, peak = server.ask(question)
        print(f"{steps} steps, {states} states: {question:13} {seconds:7.2f} s, peak of memory {peak / 2**20:6.0f} MiB", flush=True)
    print(f"(of which arrays: {steps * size * 8 / 2**20:.0f} MiB of observations, {steps * 12 / 2**20:.0f} MiB of states, "
          f"{steps * states * 8 / 2**20:.0f} MiB of posteriors)")
    server.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--states", default="5,20,50")
    parser.add_argument("--sequences", type=int, default=200)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--dimensions", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--long", type=int, default=10_000_000)
    words = parser.parse_args()
    print(f"hmmlearn {hmmlearn.__version__}, numpy {numpy.__version__}; {words.sequences} sequences of {words.steps} steps, "
          f"{words.dimensions} dimensions; medians of {words.rounds} rounds", flush=True)
    for states in words.states.split(","):
        beside(words, int(states))
    if words.long > 0:
        long(words)
    return 0


if __name__ == "__main__":
    sys.exit(main())
