"""Comparing settings over tables: what is averaged, its standard error, and the rule that a default is chosen by.

Losses differ by a factor of a hundred between tables, so that their mean is mostly that of one or two tables. Beside
it stands a relative measure: the geometric mean over tables of loss / loss of the reference. Its logarithm is a mean of
differences between the same rows in the same folds, and has a standard error over tables.
"""

import numpy
from scipy.stats import rankdata

from . import grid

REFERENCE = grid.Settings()


class Comparison:
    def __init__(self, scores):
        self.settings = list(scores)
        read = lambda name: numpy.array([[of[name] for of in scores[s]] for s in self.settings])
        self.loss, self.accuracy, self.zero_rows = read("log_loss"), read("accuracy"), read("zero_rows")
        with numpy.errstate(divide="ignore"):
            self.relative = numpy.log(self.loss / self.loss[self.index(REFERENCE)])

    def index(self, settings):
        return self.settings.index(settings)

    def behind(self, settings, other, measure=None, without=None):
        """How far a setting is behind another: the mean over tables of the difference of a measure (of log ratios of
        losses, if none is given), and its standard error. A table, by its number, may be left out."""
        measure = self.relative if measure is None else measure
        difference = measure[self.index(settings)] - measure[self.index(other)]
        if without is not None:
            difference = numpy.delete(difference, without)
        if not numpy.isfinite(difference).all():
            return numpy.inf, numpy.nan
        return difference.mean(), difference.std(ddof=1) / numpy.sqrt(len(difference))

    def ranks(self, group):
        """The mean over tables of the place in a group of settings, 1 for the least loss."""
        of = self.loss[[self.index(settings) for settings in group]]
        return rankdata(of, axis=0).mean(axis=1)

    def best(self, candidates, by):
        means = {settings: by[self.index(settings)].mean() for settings in candidates}
        return min(means, key=means.get)


def assumes_nothing(settings):
    """Whether enough rows overrule the setting. Equal priors, equal spreads and a least deviation are claims about the
    data that no number of rows corrects: they are for people to make, not for a default."""
    return settings.prior != "uniform" and settings.share == "none" and settings.floor == "0"
