#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""unlabeled.py CREDENCE DATA [SEEDS] - what rows without a label are worth.

Of each table in DATA/tabular that has more than 20 rows, 20 keep their label (one of each class at least, more where there are
more classes), the others lose it. Models of the 20 alone (--unlabeled drop) and of all rows (--unlabeled use) are then judged
on the rows that lost theirs. Prints a table in Markdown, means over SEEDS (5) draws.
"""
import csv
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile

LABELED = 20
TARGETS = {
    "adult_train": "income", "car": "class", "contact_lenses": "contact-lenses", "house_votes_84": "class", "iris": "class",
    "letter_recognition": "letter", "mushroom": "class", "nursery": "class", "titanic": "survived", "wdbc": "diagnosis",
    "wine": "class",
}
IDENTIFIERS = {"titanic": "name,ticket,cabin", "wdbc": "id"}


def read(folder, name):
    path = folder / (name + ".csv")
    opened = open(path, newline="") if path.exists() else gzip.open(str(path) + ".gz", "rt", newline="")
    with opened as file:
        rows = [row for row in csv.reader(file) if row]
    return rows[0], rows[1:]


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header] + rows)


def split(rows, target, seed):
    """The labeled rows, and the others."""
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    first = {}
    for i in order:
        first.setdefault(rows[i][target], i)
    chosen = list(first.values())
    taken = set(chosen)
    chosen += [i for i in order if i not in taken][: max(0, LABELED - len(chosen))]
    taken = set(chosen)
    return [rows[i] for i in chosen], [rows[i] for i in order if i not in taken]


def judge(credence, folder, header, target, name, way):
    options = ["--ignore", IDENTIFIERS[name]] if name in IDENTIFIERS else []
    model = str(folder / "model")
    subprocess.run([credence, "train", str(folder / "train.csv"), "--target", header[target], "--categorical",
                    header[target], "--unlabeled", way, "--quiet", "-o", model] + options, check=True)
    answer = subprocess.run([credence, "evaluate", model, str(folder / "test.csv"), "--format", "json", "--quiet"],
                            check=True, capture_output=True, text=True)
    scores = json.loads(answer.stdout)
    return scores["log_loss"], scores["accuracy"]


def main():
    credence, data = sys.argv[1], pathlib.Path(sys.argv[2]) / "tabular"
    seeds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    means = {"drop": [], "use": []}
    print("| table | rows | log loss, 20 labels alone | with the others | accuracy, alone | with the others |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, column in TARGETS.items():
        header, rows = read(data, name)
        target = header.index(column)
        found = {"drop": [], "use": []}
        for seed in range(seeds):
            labeled, others = split(rows, target, seed)
            blank = [row[:target] + [""] + row[target + 1:] for row in others]
            with tempfile.TemporaryDirectory() as work:
                folder = pathlib.Path(work)
                write(folder / "train.csv", header, labeled + blank)
                write(folder / "test.csv", header, others)
                for way in found:
                    found[way].append(judge(credence, folder, header, target, name, way))
        mean = {way: [sum(values) / seeds for values in zip(*scores)] for way, scores in found.items()}
        for way in means:
            means[way].append(mean[way][0])
        print(f"| {name} | {len(rows)} | {mean['drop'][0]:.3f} | {mean['use'][0]:.3f} | {mean['drop'][1]:.3f} | "
              f"{mean['use'][1]:.3f} |", flush=True)
    print(f"| mean | | {sum(means['drop']) / len(TARGETS):.3f} | {sum(means['use']) / len(TARGETS):.3f} | | |")


main()
