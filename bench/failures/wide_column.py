"""One wide column hides a narrow one: scikit-learn adds a share of the largest variance to all."""

import numpy
from sklearn.naive_bayes import GaussianNB

from . import common

ROWS = 2000
WIDTHS = (1, 1e3, 1e5, 1e6, 1e8)


def draw(generator, width):
    """The narrow column tells the classes apart, nine times in ten; the wide one says nothing."""
    target = generator.integers(2, size=ROWS)
    narrow = generator.normal(loc=2.563 * target)
    return numpy.column_stack([narrow, generator.normal(scale=width, size=ROWS)]), target


def demonstrate():
    rows = []
    for width in WIDTHS:
        generator = common.generator()
        known, known_target = draw(generator, width)
        asked, asked_target = draw(generator, width)
        theirs = GaussianNB().fit(known, known_target).score(asked, asked_target)
        with common.Folder() as folder:
            train = folder.table("train.csv", known.T, known_target)
            ours = common.accuracy_of(train, folder.table("test.csv", asked.T, asked_target))
        rows.append(("%g" % width, "%.3f" % theirs, "%.3f" % ours))
    return common.table(("deviation of the wide column", "scikit-learn: accuracy", "Credence: accuracy"), rows)
