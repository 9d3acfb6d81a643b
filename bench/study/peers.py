"""scikit-learn's naive Bayes at its defaults, on the rows and folds that Credence has.

It has no naive Bayes for columns of both kinds. Its users fit GaussianNB to the numbers and CategoricalNB to the
categories; each gives log P(class | its columns), and by Bayes' rule the sum of both less log P(class), normalized, is
the answer from all columns. Neither takes missing cells: a missing number becomes the mean of its column, a missing
category a category of its own. CategoricalNB refuses a category that it has not seen; code 0 is kept for those.
All of it is fitted to the rows learned from, never to those asked about.
"""

import numpy
import sklearn
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import OrdinalEncoder

VERSION = "scikit-learn " + sklearn.__version__
# Where sklearn.metrics.log_loss clips a probability.
CLIP = float(numpy.finfo(float).eps)


class Arrays:
    """The cells of rows, in the shape that scikit-learn takes."""

    def __init__(self, table, rows):
        numbers = [i for i, is_number in enumerate(table.is_number) if is_number]
        others = [i for i, is_number in enumerate(table.is_number) if not is_number]
        self.numbers = numpy.array([[float(row[i] or "nan") for i in numbers] for row in rows])
        self.categories = numpy.array([[row[i] or "missing" for i in others] for row in rows], dtype=object)

    def choose(self, chosen):
        part = object.__new__(Arrays)
        part.numbers, part.categories = self.numbers[chosen], self.categories[chosen]
        return part


def log_posteriors(known, classes, asked):
    """Classes, and the log of P(class | row) for each row asked about."""
    sums, parts = 0, 0
    if known.numbers.shape[1] > 0:
        impute = SimpleImputer().fit(known.numbers)
        model = GaussianNB().fit(impute.transform(known.numbers), classes)
        sums, parts = sums + model.predict_log_proba(impute.transform(asked.numbers)), parts + 1
        prior = numpy.log(model.class_prior_)
    if known.categories.shape[1] > 0:
        encode = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(known.categories)
        values = [len(of) + 1 for of in encode.categories_]
        model = CategoricalNB(min_categories=values).fit(encode.transform(known.categories) + 1, classes)
        sums, parts = sums + model.predict_log_proba(encode.transform(asked.categories) + 1), parts + 1
        prior = model.class_log_prior_
    sums = sums - (parts - 1) * prior
    return model.classes_, sums - numpy.logaddexp.reduce(sums, axis=1, keepdims=True)


def score(classes, logs, truths):
    of_truth = logs[numpy.arange(len(truths)), numpy.searchsorted(classes, truths)]
    return {
        "log_loss": float(-of_truth.mean()),
        "clipped": float(-numpy.log(numpy.maximum(numpy.exp(of_truth), CLIP)).mean()),
        "accuracy": float((classes[logs.argmax(axis=1)] == truths).mean()),
    }


def cross_validate(table):
    rows, truths, every = Arrays(table, table.train), numpy.array(table.train_classes), []
    for dealing in table.dealings:
        folds, logs = numpy.array(dealing), None
        for fold in numpy.unique(folds):
            inside = folds == fold
            classes, part = log_posteriors(rows.choose(~inside), truths[~inside], rows.choose(inside))
            logs = numpy.empty((len(truths), len(classes))) if logs is None else logs
            logs[inside] = part
        every.append(score(classes, logs, truths))
    return {name: sum(of[name] for of in every) / len(every) for name in every[0]}


def test(table):
    classes, logs = log_posteriors(Arrays(table, table.train), table.train_classes, Arrays(table, table.test))
    return score(classes, logs, numpy.array(table.test_classes))
