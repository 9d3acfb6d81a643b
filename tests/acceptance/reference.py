#!/usr/bin/env python3
"""An independent naive Bayes, for the values that tests/acceptance compares with.

Standard library only: csv for reading, exact fractions for means and variances, decimal with 50 digits for
logarithms. It shares nothing with the product but the definitions, and is slow. Defaults: m-estimate with m = 1 and
p = 1/t, priors by frequency, variances divided by n. Usage: reference.py DATA-FOLDER
"""
import csv
import gzip
import sys
from collections import Counter, defaultdict
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


def variance(values):
    n = len(values)
    total, squares = sum(values), sum(v * v for v in values)
    return (n * squares - total * total) / Fraction(n * n)


class Naive:
    def __init__(self, header, rows, target):
        self.header, self.target = header, header.index(target)
        self.classes = sorted({row[self.target] for row in rows})
        self.rows = Counter(row[self.target] for row in rows)
        self.total = len(rows)
        self.columns = {}
        for i, name in enumerate(header):
            if i == self.target:
                continue
            present = [(row[i], row[self.target]) for row in rows if row[i] not in MISSING]
            by_class = defaultdict(list)
            if all(is_number(cell) for cell, _ in present):
                for cell, label in present:
                    by_class[label].append(Fraction(float(cell)))
                everything = [v for values in by_class.values() for v in values]
                overall = variance(everything)
                parameters = {}
                for label in self.classes:
                    values = by_class[label]
                    n = len(values)
                    parameters[label] = (sum(values) / Fraction(n), (n * variance(values) + overall) / (n + 1))
                self.columns[i] = ("number", parameters)
            else:
                for cell, label in present:
                    by_class[label].append(cell)
                counts = {label: Counter(by_class[label]) for label in self.classes}
                values = {cell for cell, _ in present}
                self.columns[i] = ("category", counts, {c: len(by_class[c]) for c in self.classes}, values)

    def posterior(self, row):
        logs = []
        for label in self.classes:
            log = decimal(Fraction(self.rows[label], self.total)).ln()
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


if __name__ == "__main__":
    folder = sys.argv[1]
    report("adult", f"{folder}/tabular/adult_train.csv.gz", f"{folder}/tabular/adult_test.csv.gz", "income",
           (0, 1, 2, 3, 4, 5), ">50K")
    report("mushroom", f"{folder}/tabular/mushroom.csv", f"{folder}/tabular/mushroom.csv", "class", (0, 1000), "p")
    report("votes", f"{folder}/tabular/house_votes_84.csv", f"{folder}/tabular/house_votes_84.csv", "class", (0, 5),
           "democrat")
    report("titanic", f"{folder}/tabular/titanic.csv", f"{folder}/tabular/titanic.csv", "survived", (0, 1, 5), "1")
    report("wine", f"{folder}/tabular/wine.csv", f"{folder}/tabular/wine.csv", "class", (0, 100), "2")
