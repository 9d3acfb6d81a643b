"""scikit-learn's variances move with the size of the chunks that partial_fit is given."""

from sklearn.naive_bayes import GaussianNB

from . import common

ROWS = 2000
SIZES = (1, 10, 100, ROWS)


def by_chunks(values, size):
    model = GaussianNB(var_smoothing=0)
    for at in range(0, len(values), size):
        part = values[at : at + size].reshape(-1, 1)
        model.partial_fit(part, ["a"] * len(part), classes=["a"])
    return model.var_[0, 0]


def ours_by_chunks(folder, values, size):
    """The first chunk is trained, the others are updates."""
    model = folder.path("model")
    common.credence("train", folder.table("part.csv", [values[:size]], ["a"] * size), "--target", "y", "-o", model, "-q")
    for at in range(size, len(values), size):
        part = values[at : at + size]
        common.credence("update", model, folder.table("part.csv", [part], ["a"] * len(part)), "-q")
    return common.moments_of(model)["x1"]["a"]["variance"]


def demonstrate():
    values = 1e8 + common.generator().normal(size=ROWS)
    truth = common.exact_moments(values)[1]
    rows = []
    with common.Folder() as folder:
        for size in SIZES:
            theirs = by_chunks(values, size)
            ours = ours_by_chunks(folder, values, size)
            rows.append((size, repr(float(theirs)), common.units_apart(theirs, truth), repr(ours),
                         common.units_apart(ours, truth)))
    return common.table(("rows in a chunk", "scikit-learn: variance", "units in the last place off",
                         "Credence: variance", "units off"), rows)
