"""What of Credence is in the table: a label for each way to learn and answer, and the options that ask for it.

What the command does not take is named in the report with its error, and left out. So is, for one table, what cannot be
on its columns, such as a Poisson of fractions.
"""

# Ways of naive Bayes that differ in the family of numbers alone, without auto.
FAMILIES = ["gaussian", "student", "histogram", "kernel", "mixture", "lognormal", "exponential", "uniform", "poisson"]

AUTO = "naive, auto"
COMPARE = "compare"  # what `evaluate --compare` recommends for the rows learned from

METHODS = [
    *(("naive, " + family, ["--family", family]) for family in FAMILIES),
    (AUTO, ["--family", "auto"]),
    ("naive, auto, exponents", ["--family", "auto", "--exponents", "fitted"]),
    ("naive, auto, isotonic", ["--family", "auto", "--calibration", "isotonic"]),
    ("joint", ["--method", "joint"]),
    ("joint numbers", ["--joint", "numbers"]),
    ("A1DE", ["--method", "a1de"]),
    ("bagging", ["--method", "bagging:20", "--family", "auto"]),
    ("boosting", ["--method", "boosting:20", "--family", "auto"]),
    ("committee", ["--method", "committee"]),
]

LABELS = [label for label, _ in METHODS] + [COMPARE]
