#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hidden Markov models beside hmmlearn: the same parameters, the same sequences, the same answers?

    compare.py BENCH_SEQUENCES [--rounds N] [--seed N]

Draws random models of each kind (gaussian with diagonal and full covariance, categorical, Poisson, mixtures of normals) and sequences
of different lengths, states them in JSON files (docs/hmm-file.md), and prints the greatest differences of log-likelihoods
(relative), of posteriors of states, of log probabilities of the most likely paths (relative), how many steps of these paths have another
state, and the greatest difference of parameters after one step of Baum and Welch's algorithm. Fails where one is above 1e-9, or 1e-6 of
that step: the tallies of its model have posteriors that were rounded, so that their sums are exact."""

import argparse
import copy
import json
import sys
import warnings

import hmmlearn
import numpy

import peers

KINDS = {
    "gaussian, diagonal": lambda random, lengths: peers.gaussian(random, 4, 3, lengths),
    "gaussian, full": lambda random, lengths: peers.gaussian(random, 3, 4, lengths, "full"),
    "categorical": lambda random, lengths: peers.categorical(random, 5, 7, lengths),
    "Poisson": lambda random, lengths: peers.poisson(random, 4, 2, lengths),
    "mixture, diagonal": lambda random, lengths: peers.mixture(random, 3, 2, 2, lengths),
    "mixture, full": lambda random, lengths: peers.mixture(random, 2, 3, 2, lengths, "full"),
}
LENGTHS = (1, 2, 17, 300, 1000)


def relative(a, b):
    return float(numpy.max(numpy.abs(numpy.asarray(a) - b) / numpy.maximum(1, numpy.abs(b))))


def split(case, array):
    return numpy.split(array, numpy.cumsum(case.lengths)[:-1])


def parameters(peer):
    """Those of a model of hmmlearn by their names."""
    names = ("startprob_", "transmat_", "means_", "covars_", "lambdas_", "emissionprob_", "weights_")
    return {name: numpy.array(getattr(peer, name)) for name in names if hasattr(peer, name)}


def after_a_step(case):
    """The parameters that one step of hmmlearn's EM leaves, without its priors. Variances of mixtures are taken about the means before
    the step, where the likelihood is greatest about those behind it: the difference is taken out."""
    peer = copy.deepcopy(case.peer)
    peer.n_iter, peer.init_params, peer.params, peer.tol = 1, "", "".join(sorted(set(peer.params))), -numpy.inf
    for name in ("covars_prior", "covars_weight", "lambdas_prior", "lambdas_weight"):
        if hasattr(peer, name) and not hasattr(peer, "weights_"):
            setattr(peer, name, 0)
    before = parameters(case.peer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer.fit(case.data, case.lengths)
    found = parameters(peer)
    if hasattr(peer, "weights_"):
        moved = found["means_"] - before["means_"]
        found["covars_"] = found["covars_"] - (moved ** 2 if peer.covariance_type == "diag"
                                               else moved[..., :, None] * moved[..., None, :])
        # Credence numbers components by their weights.
        order = numpy.argsort(-found["weights_"], axis=1, kind="stable")
        for name in ("weights_", "means_", "covars_"):
            found[name] = numpy.array([values[chosen] for values, chosen in zip(found[name], order)])
    return found


def stated_parameters(stated, like):
    """The same of the text of a model."""
    first = stated["observations"][0]
    stack = lambda key: numpy.moveaxis(numpy.array([column[key] for column in stated["observations"]]), 0, -1)  # noqa: E731
    found = {"startprob_": stated["start"], "transmat_": stated["transitions"]}
    if "weights_" in like:
        found["weights_"] = stated["components"]
    if first["family"] == "categorical":
        order = numpy.argsort([int(value) for value in first["values"]])
        found["emissionprob_"] = numpy.array(first["probability"])[:, order]
    elif first["family"] == "poisson":
        found["lambdas_"] = stack("rate")
    elif first["family"] == "normal":
        found["means_"], found["covars_"] = first["mean"], first["covariance"]
    else:
        found["means_"], found["covars_"] = stack("mean"), stack("sd") ** 2
    return found


def step_difference(server, case):
    expected = after_a_step(case)
    path = server.folder / "fitted"
    server.ask(f"fit 1 1 {path}")
    found = stated_parameters(json.loads(path.read_text()), expected)
    greatest = 0.0
    for name, values in found.items():
        theirs = expected[name]
        if name == "covars_" and theirs.ndim > numpy.ndim(values):  # a matrix of each diagonal
            theirs = numpy.diagonal(theirs, axis1=-2, axis2=-1)
        greatest = max(greatest, relative(values, theirs))
    return greatest


def differences(program, case):
    server = peers.Server(program, case)
    states = case.peer.n_components
    parts = split(case, case.data)
    likelihoods = [case.peer.score(part) for part in parts]
    posteriors = numpy.concatenate([case.peer.predict_proba(part) for part in parts])
    decoded = [case.peer.decode(part) for part in parts]
    path = server.answers("path 1")
    rows = len(case.data)
    found = {
        "likelihood": relative(server.answers("likelihood 1"), likelihoods),
        "posteriors": float(numpy.max(numpy.abs(server.answers("posteriors 1").reshape(rows, states) - posteriors))),
        "path": relative(path[rows:], [log for log, _ in decoded]),
        "other states": int(numpy.sum(path[:rows] != numpy.concatenate([states for _, states in decoded]))),
    }
    found["Baum-Welch"] = step_difference(server, case)
    server.close()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    print(f"hmmlearn {hmmlearn.__version__}, numpy {numpy.__version__}; greatest differences of {words.rounds} models each")
    failed = False
    for name, draw in KINDS.items():
        greatest = {}
        for round_ in range(words.rounds):
            random = numpy.random.default_rng([words.seed, round_])
            for key, value in differences(words.program, draw(random, LENGTHS)).items():
                greatest[key] = max(greatest.get(key, 0), value)
        print(f"{name:20} " + "  ".join(f"{key} {value:.1e}" if isinstance(value, float) else f"{key} {value}"
                                        for key, value in greatest.items()), flush=True)
        failed = failed or any(value > (1e-6 if key == "Baum-Welch" else 1e-9) for key, value in greatest.items())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
