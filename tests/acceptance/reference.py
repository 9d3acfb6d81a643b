#!/usr/bin/env python3
"""An independent naive Bayes, for the values that tests/acceptance compares with.

Standard library only: csv for reading, exact fractions for means and variances, decimal with 50 digits for
logarithms. It shares nothing with the product but the definitions, and is slow. Defaults: m-estimate with m = 1 and
p = 1/t, priors by frequency, variances divided by n. A column of weights says how many rows a row stands for: counts
are sums of weights then. Usage: reference.py DATA-FOLDER, or reference.py weights for the table of
tests/unit/model_weight.c.
"""
import csv
import gzip
import sys
from collections import defaultdict
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 50
MISSING = {"", "?", "NA", "NaN", "null"}
PI = Decimal("3.14159265358979323846264338327950288419716939937510582")


def read(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], [[cell.strip() for cell in row] for row in rows[1:]]


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def moments(values):
    """The total weight, mean and variance of pairs of number and weight."""
    n = sum(w for _, w in values)
    total, squares = sum(w * v for v, w in values), sum(w * v * v for v, w in values)
    return n, total / n, (n * squares - total * total) / (n * n)


def tally(pairs):
    counts = defaultdict(Fraction)
    for cell, weight in pairs:
        counts[cell] += weight
    return counts


class Naive:
    def __init__(self, header, rows, target, weight=None):
        self.header, self.target = header, header.index(target)
        at = None if weight is None else header.index(weight)
        weights = [Fraction(1) if at is None else Fraction(float(row[at])) for row in rows]
        weighed = [(row, w) for row, w in zip(rows, weights) if w > 0]
        self.rows = tally((row[self.target], w) for row, w in weighed)
        self.classes = sorted(self.rows)
        self.total = sum(self.rows.values())
        self.columns = {}
        for i, name in enumerate(header):
            if i in (self.target, at):
                continue
            present = [(row[i], row[self.target], w) for row, w in weighed if row[i] not in MISSING]
            by_class = defaultdict(list)
            if all(is_number(cell) for cell, _, _ in present):
                for cell, label, w in present:
                    by_class[label].append((Fraction(float(cell)), w))
                _, _, overall = moments([pair for pairs in by_class.values() for pair in pairs])
                parameters = {}
                for label in self.classes:
                    n, mean, own = moments(by_class[label])
                    parameters[label] = (mean, (n * own + overall) / (n + 1))
                self.columns[i] = ("number", parameters)
            else:
                for cell, label, w in present:
                    by_class[label].append((cell, w))
                counts = {label: tally(by_class[label]) for label in self.classes}
                values = {cell for cell, _, _ in present}
                self.columns[i] = ("category", counts, {c: sum(counts[c].values()) for c in self.classes}, values)

    def posterior(self, row):
        logs = []
        for label in self.classes:
            log = decimal(Fraction(self.rows[label]) / self.total).ln()
            for i, column in self.columns.items():
                cell = row[i]
                if cell in MISSING:
                    continue
                if column[0] == "number":
                    mean, var = column[1][label]
                    x = Fraction(float(cell))
                    log += -(2 * PI * decimal(var)).ln() / 2 - decimal((x - mean) ** 2 / var) / 2
                elif cell in column[3]:
                    t = len(column[3])
                    log += decimal((column[1][label][cell] + Fraction(1, t)) / (column[2][label] + 1)).ln()
            logs.append(log)
        top = max(logs)
        evidence = top + sum((log - top).exp() for log in logs).ln()
        return evidence, {label: (log - evidence).exp() for label, log in zip(self.classes, logs)}


def report(name, train, test, target, shown, class_shown):
    header, rows = read(train)
    model = Naive(header, rows, target)
    _, tests = read(test)
    right = 0
    for number, row in enumerate(tests):
        if number >= 2000:
            break
        evidence, posterior = model.posterior(row)
        right += max(model.classes, key=lambda c: posterior[c]) == row[model.target]
        if number in shown:
            print(f"{name} row {number}: log evidence {evidence:.17g}, P({class_shown}) {posterior[class_shown]:.17g}")
    print(f"{name}: {right} of the first {min(2000, len(tests))} rows right")


WEIGHTED = """size,colour,times,kind
1.5,red,3,apple
2.25,green,0.3333333333333333,apple
?,red,2.5,apple
7,green,1e-3,pear
6.5,?,4,pear
8.125,yellow,0.1,pear
3,violet,0,plum
"""


def report_weighted():
    header, *rows = list(csv.reader(WEIGHTED.splitlines()))
    model = Naive(header, rows, "kind", "times")
    for cells in (["2", "red", "?", "?"], ["5", "yellow", "?", "?"], ["?", "green", "?", "?"]):
        evidence, posterior = model.posterior(cells)
        print(f"{cells[:2]}: log evidence {evidence:.17g}, P(apple) {posterior['apple']:.17g}")


if __name__ == "__main__":
    folder = sys.argv[1]
    if folder == "weights":
        report_weighted()
        sys.exit()
    report("adult", f"{folder}/tabular/adult_train.csv.gz", f"{folder}/tabular/adult_test.csv.gz", "income",
           (0, 1, 2, 3, 4, 5), ">50K")
    report("mushroom", f"{folder}/tabular/mushroom.csv", f"{folder}/tabular/mushroom.csv", "class", (0, 1000), "p")
    report("votes", f"{folder}/tabular/house_votes_84.csv", f"{folder}/tabular/house_votes_84.csv", "class", (0, 5),
           "democrat")
    report("titanic", f"{folder}/tabular/titanic.csv", f"{folder}/tabular/titanic.csv", "survived", (0, 1, 5), "1")
    report("wine", f"{folder}/tabular/wine.csv", f"{folder}/tabular/wine.csv", "class", (0, 100), "2")
