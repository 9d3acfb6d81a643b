# SPDX-License-Identifier: MIT
"""Random hidden Markov models for Credence and for hmmlearn, and the program bench_sequences as a server of answers."""

import json
import subprocess
import tempfile
import pathlib

import numpy
from hmmlearn import hmm

numpy.seterr(divide="ignore")


class Case:
    """A model in both programs' terms, and sequences: `columns` is the number of values of each column, 0 for numbers."""

    def __init__(self, peer, stated, columns, data, lengths):
        self.peer, self.stated, self.columns, self.data, self.lengths = peer, stated, columns, data, lengths


def distribution(random, *shape):
    """Probabilities that sum to 1 over the last axis, some of them small."""
    numbers = random.gamma(0.7, size=shape) + 1e-3
    return numbers / numbers.sum(axis=-1, keepdims=True)


def lists(array):
    return numpy.asarray(array).tolist()


def begin(random, states):
    start, transitions = distribution(random, states), distribution(random, states, states)
    stated = {"credence_hmm": 1, "states": [str(k + 1) for k in range(states)], "start": lists(start),
              "transitions": lists(transitions), "observations": []}
    return start, transitions, stated


def finish(peer, start, transitions):
    peer.startprob_, peer.transmat_ = start, transitions
    return peer


def covariance(random, size):
    root = random.normal(size=(size, size))
    return root @ root.T / size + 0.3 * numpy.eye(size)


def gaussian(random, states, size, lengths, kind="diag", implementation="log"):
    start, transitions, stated = begin(random, states)
    means = random.normal(scale=2, size=(states, size))
    peer = finish(hmm.GaussianHMM(states, kind, implementation=implementation), start, transitions)
    peer.n_features, peer.means_ = size, means
    if kind == "diag":
        variances = random.gamma(2, size=(states, size)) / 2 + 0.05
        peer.covars_ = variances
        for d in range(size):
            stated["observations"].append({"name": f"x{d}", "family": "gaussian", "mean": lists(means[:, d]),
                                           "sd": lists(numpy.sqrt(variances[:, d]))})
    else:
        matrices = numpy.array([covariance(random, size) for _ in range(states)])
        peer.covars_ = matrices
        stated["observations"].append({"names": [f"x{d}" for d in range(size)], "family": "normal", "mean": lists(means),
                                       "covariance": lists(matrices)})
    return sampled(random, peer, stated, [0] * size, lengths)


def categorical(random, states, values, lengths, implementation="log"):
    start, transitions, stated = begin(random, states)
    table = distribution(random, states, values)
    peer = finish(hmm.CategoricalHMM(states, implementation=implementation), start, transitions)
    peer.n_features, peer.emissionprob_ = values, table
    stated["observations"].append({"name": "x0", "family": "categorical", "values": [str(v) for v in range(values)],
                                   "probability": lists(table)})
    return sampled(random, peer, stated, [values], lengths)


def poisson(random, states, size, lengths, implementation="log"):
    start, transitions, stated = begin(random, states)
    rates = random.gamma(2, size=(states, size)) * 3
    peer = finish(hmm.PoissonHMM(states, implementation=implementation), start, transitions)
    peer.n_features, peer.lambdas_ = size, rates
    for d in range(size):
        stated["observations"].append({"name": f"x{d}", "family": "poisson", "rate": lists(rates[:, d])})
    return sampled(random, peer, stated, [0] * size, lengths)


def mixture(random, states, components, size, lengths, kind="diag", implementation="log"):
    start, transitions, stated = begin(random, states)
    weights, means = distribution(random, states, components), random.normal(scale=3, size=(states, components, size))
    peer = finish(hmm.GMMHMM(states, components, covariance_type=kind, implementation=implementation), start, transitions)
    peer.n_features, peer.weights_, peer.means_ = size, weights, means
    stated["components"] = lists(weights)
    if kind == "diag":
        variances = random.gamma(2, size=(states, components, size)) / 2 + 0.05
        peer.covars_ = variances
        for d in range(size):
            stated["observations"].append({"name": f"x{d}", "family": "gaussian", "mean": lists(means[:, :, d]),
                                           "sd": lists(numpy.sqrt(variances[:, :, d]))})
    else:
        matrices = numpy.array([[covariance(random, size) for _ in range(components)] for _ in range(states)])
        peer.covars_ = matrices
        stated["observations"].append({"names": [f"x{d}" for d in range(size)], "family": "normal", "mean": lists(means),
                                       "covariance": lists(matrices)})
    return sampled(random, peer, stated, [0] * size, lengths)


def sampled(random, peer, stated, columns, lengths):
    """Sequences of the model itself."""
    seed = int(random.integers(1 << 31))
    data = [peer.sample(length, random_state=seed + i)[0] for i, length in enumerate(lengths)]
    return Case(peer, stated, columns, numpy.concatenate(data), list(lengths))


class Server:
    """bench_sequences with a model and sequences."""

    def __init__(self, program, case, folder=None):
        self.kept = tempfile.TemporaryDirectory() if folder is None else None
        self.folder = pathlib.Path(folder or self.kept.name)
        (self.folder / "model.json").write_text(json.dumps(case.stated))
        with open(self.folder / "sequences", "wb") as file:
            head = [len(case.lengths), len(case.columns), *case.columns, *case.lengths]
            file.write(numpy.array(head, dtype=numpy.int64).tobytes())
            file.write(numpy.asarray(case.data, dtype=float).T.tobytes())
        self.process = subprocess.Popen([program, self.folder / "model.json", self.folder / "sequences"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, question):
        """Seconds, and the greatest resident set in bytes."""
        print(question, file=self.process.stdin, flush=True)
        seconds, kilobytes = self.process.stdout.readline().split()
        return float(seconds), int(kilobytes) * 1024

    def answers(self, question):
        path = self.folder / "answers"
        self.ask(f"{question} {path}")
        return numpy.fromfile(path)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        if self.kept is not None:
            self.kept.cleanup()
