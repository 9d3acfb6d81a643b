"""Densities that underflow: e1071 then gives posterior 1 to a class that is not the likelier one."""

import os
import shutil

import numpy

from . import common

DISTANCES = (10, 20, 30, 38, 40, 60, 100)


def demonstrate():
    if shutil.which("Rscript") is None:
        raise common.Missing("R with e1071 (Debian: r-cran-e1071)")
    generator = common.generator()
    count = 1000
    # Both classes around 0 and 1, b a little wider: far out on either side, b is the likelier one by far.
    values = numpy.concatenate([generator.normal(size=count), generator.normal(loc=1, scale=1.1, size=count)])
    target = ["a"] * count + ["b"] * count
    with common.Folder() as folder:
        train = folder.table("train.csv", [values], target)
        asked = folder.table("asked.csv", [[float(d) for d in DISTANCES]], ["a"] * len(DISTANCES))
        script = os.path.join(os.path.dirname(__file__), "underflow.R")
        lines = common.run("Rscript", "--vanilla", script, train, asked).splitlines()
        theirs = [[float(cell) for cell in line.split(",")] for line in lines]
        ours = common.predictions(train, asked)
    rows = []
    for distance, (their_a, their_b), own in zip(DISTANCES, theirs, ours):
        rows.append((distance, "%.4g" % their_a, "%.4g" % their_b, "%.4g" % float(own["P(a)"]), "%.4g" % float(own["P(b)"])))
    return common.table(("x", "e1071: P(a)", "P(b)", "Credence: P(a)", "P(b)"), rows)
