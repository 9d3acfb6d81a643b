"""Numbers whose scale changes from chunk to chunk: scikit-learn's partial_fit adds a share of each chunk's largest variance
to all variances, and takes the next chunk's away again, which is another."""

import warnings

import numpy
from sklearn.naive_bayes import GaussianNB

from . import common

ROWS = 1000
# The scale of the second column in the middle chunk of three.
SCALES = (1, 1e4, 1e6, 1e9, 1e160)


def draw(generator, scale):
    """The first column tells the classes apart, nine times in ten."""
    chunks = []
    for middle in (False, True, False):
        target = generator.integers(2, size=ROWS)
        narrow = generator.normal(loc=2.563 * target)
        other = generator.normal(scale=scale if middle else 1, size=ROWS)
        chunks.append((numpy.column_stack([narrow, other]), target))
    return chunks


def ask_scikit_learn(chunks, rows, target):
    model = GaussianNB()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for chunk, chunk_target in chunks:
            model.partial_fit(chunk, chunk_target, classes=[0, 1])
        answers = model.predict_proba(rows)
    # The first class is named where there is no answer.
    right = (numpy.where(answers[:, 1] > answers[:, 0], 1, 0) == target).mean()
    return model.var_[0, 0], numpy.isnan(answers).any(axis=1).mean(), right


def demonstrate():
    rows = []
    for scale in SCALES:
        generator = common.generator()
        known, asked = draw(generator, scale), draw(generator, scale)
        all_known, known_target = (numpy.concatenate(part) for part in zip(*known))
        all_asked, asked_target = (numpy.concatenate(part) for part in zip(*asked))
        variance, undefined, right = ask_scikit_learn(known, all_asked, asked_target)
        with common.Folder() as folder:
            train = folder.table("train.csv", all_known.T, known_target)
            ours = common.moments(train)["x1"]["0"]["variance"]
            our_right = common.accuracy_of(train, folder.table("test.csv", all_asked.T, asked_target))
        rows.append(("%g" % scale, "%.6g" % variance, common.percent(undefined), "%.3f" % right, "%.6g" % ours,
                     "%.3f" % our_right))
    return common.table(("scale of the other column in the middle", "scikit-learn: variance of the first",
                         "answers that are NaN", "accuracy", "Credence: variance of the first", "accuracy"), rows)
