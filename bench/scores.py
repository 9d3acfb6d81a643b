"""Scores of the same predictions by `credence evaluate` and by scikit-learn. See the script scores."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy
import sklearn
from sklearn import metrics

# Sums of up to 16,281 terms, rounded here once and there in every step.
TOLERANCE = 1e-12

# name, training file, test file, target, further options
SETS = [
    ("iris", "tabular/iris.csv", "tabular/iris.csv", "last", []),
    ("votes", "tabular/house_votes_84.csv", "tabular/house_votes_84.csv", "first", []),
    ("mushroom", "tabular/mushroom.csv", "tabular/mushroom.csv", "first", []),
    ("adult", "tabular/adult_train.csv.gz", "tabular/adult_test.csv.gz", "last", []),
    ("yeast", "uta/yeast_training.txt", "uta/yeast_test.txt", "last", ["--min-sd", "0.05"]),
    ("satellite", "uta/satellite_training.txt", "uta/satellite_test.txt", "last", ["--min-sd", "0.01"]),
]


def credence(*words):
    done = subprocess.run([os.environ["CREDENCE"], *words], capture_output=True, text=True, check=True)
    return done.stdout


def predictions(train, test, target, options):
    """Classes, true and predicted class of each row as numbers, and the probabilities that predict writes."""
    rows = csv.reader(io.StringIO(credence("predict", train, test, "--target", target, "--with-input", "--format", "csv",
                                           "-q", *options)))
    heading = next(rows)
    at = heading.index("prediction")
    columns = [i for i in range(at + 2, len(heading)) if heading[i].startswith("P(")]
    classes = [heading[i][2:-1] for i in columns]
    truth, named, probabilities = [], [], []
    for row in rows:
        truth.append(classes.index(row[0 if target == "first" else at - 1]))
        named.append(classes.index(row[at]))
        probabilities.append([float(row[i]) for i in columns])
    return classes, truth, named, numpy.array(probabilities)


def peer_scores(classes, truth, named, probabilities):
    labels = range(len(classes))
    truth = numpy.array(truth)
    of_truth = probabilities[numpy.arange(len(truth)), truth]
    areas = [metrics.roc_auc_score(truth == k, probabilities[:, k]) for k in labels if 0 < sum(truth == k) < len(truth)]
    precision, recall, f1, support = metrics.precision_recall_fscore_support(truth, named, labels=labels,
                                                                             zero_division=numpy.nan)
    return {
        "accuracy": metrics.accuracy_score(truth, named),
        # It takes no probability for less than this; where one is, the two differ by intention.
        "log_loss": metrics.log_loss(truth, probabilities, labels=labels)
        if of_truth.min() > numpy.finfo(float).eps else None,
        "brier": metrics.brier_score_loss(truth, probabilities, labels=labels, scale_by_half=False),
        "auc": areas[1] if len(classes) == 2 else numpy.mean(areas),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, named),
        "macro_f1": metrics.f1_score(truth, named, average="macro"),
        "weighted_f1": metrics.f1_score(truth, named, average="weighted"),
        "mcc": metrics.matthews_corrcoef(truth, named),
        "kappa": metrics.cohen_kappa_score(truth, named),
        "average_precision": metrics.average_precision_score(truth == 1, probabilities[:, 1]),
        "precision": precision, "recall": recall, "f1": f1, "support": support,
        "confusion": metrics.confusion_matrix(truth, named, labels=labels),
    }


def differs(ours, theirs):
    ours = numpy.array(ours, dtype=float)
    theirs = numpy.array(theirs, dtype=float)
    return not numpy.allclose(ours, theirs, rtol=0, atol=TOLERANCE, equal_nan=True)


def compare(name, train, test, target, options):
    """Prints both and returns how many scores differ."""
    found = predictions(train, test, target, options)
    ours = json.loads(credence("evaluate", train, test, "--target", target, "--format", "json", "-q", "--threshold-curves",
                               "--positive", found[0][1], *options))
    theirs = peer_scores(*found)
    ours["average_precision"] = ours["threshold_curves"]["average_precision"]
    for score in ("precision", "recall", "f1", "support"):
        ours[score] = [of[score] for of in ours["per_class"]]
    wrong = [score for score, value in theirs.items() if value is not None and differs(ours[score], value)]
    for score in ("accuracy", "log_loss", "brier", "auc", "balanced_accuracy", "macro_f1", "weighted_f1", "mcc", "kappa",
                  "average_precision"):
        peer = "(less than 2.2e-16 somewhere)" if theirs[score] is None else repr(float(theirs[score]))
        print(f"{name:10} {score:17} {ours[score]!r:22} {peer:30}", "differs" if score in wrong else "")
    print(f"{name:10} precision, recall, F1, support, confusion:", "differ" if wrong else "equal")
    return len(wrong)


def main():
    data = Path(sys.argv[1])
    print(f"{credence('version').strip()}, scikit-learn {sklearn.__version__}, numpy {numpy.__version__}")
    wrong = 0
    for name, train, test, target, options in SETS:
        if not (data / train).exists() or not (data / test).exists():
            print(f"{name:10} is not here")
            continue
        wrong += compare(name, str(data / train), str(data / test), target, options)
    sys.exit(1 if wrong else 0)


main()
