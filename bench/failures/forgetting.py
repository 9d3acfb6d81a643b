"""Taking rows out again: Credence gives back the file from before; of the peers none has a way to."""

import warnings

import numpy
from sklearn.naive_bayes import GaussianNB

from . import common


def weigh_minus_one(values):
    """scikit-learn has no call to forget; what a weight of -1 gives for the variance of the first two thirds."""
    column, target = values.reshape(-1, 1), ["a"] * len(values)
    kept = len(values) * 2 // 3
    model = GaussianNB(var_smoothing=0).fit(column, target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.partial_fit(column[kept:], target[kept:], sample_weight=-numpy.ones(len(values) - kept))
    return model.var_[0, 0], common.exact_moments(values[:kept])[1]


def demonstrate():
    values = 1e6 + common.generator().normal(size=300)
    target = ["a", "b", "c"] * 100
    with common.Folder() as folder:
        first = folder.table("first.csv", [values[:200]], target[:200])
        more = folder.table("more.csv", [values[200:]], target[200:])
        before, model = folder.path("before"), folder.path("model")
        for path in (before, model):
            common.credence("train", first, "--target", "y", "-o", path, "-q")
        common.credence("update", model, more, "-q")
        common.credence("forget", model, more, "-q")
        with open(before, "rb") as one, open(model, "rb") as other:
            same = one.read() == other.read()
    found, truth = weigh_minus_one(values)
    return common.table(("asked to learn 200 rows, then 100 more, and to forget these", "what comes out"), [
        ("Credence: `update`, `forget`", "the file from before, byte for byte" if same else "another file"),
        ("scikit-learn: no call for it; `partial_fit` takes a weight of -1, which its documentation does not speak of",
         "a variance %d units in the last place off" % common.units_apart(found, truth)),
        ("e1071, Weka", "no call for it"),
    ])
