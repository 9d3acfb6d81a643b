"""Answers to the rows of a cut, whoever gave them, and their scores.

An answer is two numbers: the probability of the true class, no less than CLIP, and whether the class named is true.
The clip is scikit-learn's; it is the same for everybody, so that one row at zero does not make a mean infinite.
"""

import numpy
from study import peers

CLIP = peers.CLIP


def from_probabilities(classes, probabilities, truths):
    """Answers from an array with a row for each truth and a column for each class."""
    truths = numpy.asarray(truths)
    at = {name: column for column, name in enumerate(classes)}
    of_truth = probabilities[numpy.arange(len(truths)), [at[truth] for truth in truths]]
    right = numpy.asarray(classes)[probabilities.argmax(axis=1)] == truths
    return numpy.stack([numpy.clip(of_truth, CLIP, 1), right])


def join(parts):
    return numpy.concatenate(parts, axis=1)


def score(answers):
    loss = -numpy.log(answers[0])
    return {"accuracy": float(answers[1].mean()), "log_loss": float(loss.mean()),
            "error": float(loss.std(ddof=1) / numpy.sqrt(len(loss)))}
