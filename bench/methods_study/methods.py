"""What of Credence is in the table: a label for each way to learn and answer, and the options that ask for it.

What the command does not take is named in the report with its error, and left out. So is, for one table, what cannot be
on its columns, such as a Poisson of fractions.
"""

# Ways of naive Bayes that differ in the family of numbers alone, without auto.
FAMILIES = ["gaussian", "student", "histogram", "kernel", "mixture", "lognormal", "exponential", "uniform", "poisson"]

AUTO = "naive, auto"
COMMITTEE = "committee"
COMPARE = "compare"  # what `evaluate --compare` recommends for the rows learned from

FITTED = ["--family", "auto", "--attribute-weights", "fitted"]
SCALED = ["--calibration", "platt"]

METHODS = [
    *(("naive, " + family, ["--family", family]) for family in FAMILIES),
    (AUTO, ["--family", "auto"]),
    ("naive, auto, exponents", FITTED),
    ("naive, auto, scaling", ["--family", "auto", *SCALED]),
    ("naive, auto, isotonic", ["--family", "auto", "--calibration", "isotonic"]),
    ("joint numbers, exponents", ["--joint", "numbers", *FITTED]),
    ("joint numbers, mixture, exponents", ["--joint", "numbers", "--joint-mixture", "auto", *FITTED]),
    ("joint", ["--method", "joint"]),
    ("TAN", ["--method", "tan"]),
    ("k-dependence, 2", ["--method", "kdb:2"]),
    ("A1DE", ["--method", "aode"]),
    ("A1DE, scaling", ["--method", "aode", *SCALED]),
    ("pairs", ["--method", "pairwise"]),
    ("pairs, scaling", ["--method", "pairwise", *SCALED]),
    ("bagging, gaussian", ["--method", "bagging:20"]),
    ("boosting, gaussian, scaling", ["--method", "boosting:20", *SCALED]),
    (COMMITTEE, ["--method", "stacking"]),
]

LABELS = [label for label, _ in METHODS] + [COMPARE]

# What is slow answers only the first folds of tables that have more than so many rows: {label: (rows, folds)}. It is marked in
# the tables, and held against what others answered in these folds.
LARGE = 2000
FIRST_FOLDS = {
    **{label: (LARGE, 3) for label in ("naive, auto, exponents", "naive, auto, scaling", "naive, auto, isotonic",
                                       "joint numbers, exponents", "A1DE, scaling", "pairs", "boosting, gaussian, scaling")},
    **{label: (LARGE, 1) for label in ("joint numbers, mixture, exponents", "pairs, scaling", COMMITTEE)},
    COMPARE: (500, 1),
}

# Of large tables --compare holds out a part of the rows, rather than dealing them into folds, and it is not asked about the largest.
HELD_OUT = ["--holdout", "20%"]
MOST_COMPARED = 15000


def is_large(cut):
    return cut.size > LARGE


def folds_of(label, cut):
    """How many of a cut's folds, from the first, a method is asked about."""
    rows, folds = FIRST_FOLDS.get(label, (cut.size, len(cut.parts)))
    if label == COMPARE and cut.size > MOST_COMPARED:
        return 0
    return min(folds, len(cut.parts)) if cut.size > rows else len(cut.parts)
