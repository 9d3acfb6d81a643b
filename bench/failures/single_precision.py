"""Sums in single precision: scikit-learn keeps the type of its input, and numpy adds a column of several up one by one."""

import numpy
from sklearn.naive_bayes import GaussianNB

from . import common

ROWS = (1_000_000, 10_000_000, 30_000_000)
PARTS = 100


def demonstrate():
    rows = []
    for count in ROWS:
        # 99.5 and 100.5 in turn, beside a column of zeros.
        columns = numpy.zeros((count, 2), dtype=numpy.float32)
        columns[:, 0] = 100
        columns[::2, 0] += numpy.float32(0.5)
        columns[1::2, 0] -= numpy.float32(0.5)
        model = GaussianNB().fit(columns, numpy.zeros(count, dtype=int))
        with common.Folder() as folder:
            # The rows repeat, so a hundredth of them is written, and read a hundred times.
            some = columns[: count // PARTS]
            part, out = folder.table("part.csv", some.T, ["a"] * len(some)), folder.path("model")
            common.credence("train", *[part] * PARTS, "--target", "y", "-o", out, "-q")
            ours = common.moments_of(out)["x1"]["a"]
        rows.append((count, "%.5g" % model.theta_[0, 0], "%.5g" % model.var_[0, 0], ours["mean"], ours["variance"]))
    return common.table(("rows", "scikit-learn: mean", "variance", "Credence: mean", "variance"), rows)
