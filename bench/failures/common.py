"""What the demonstrations share: asking `credence`, counting units in the last place, writing tables."""

import csv
import fractions
import io
import json
import os
import struct
import subprocess
import tempfile

import numpy


class Missing(Exception):
    """A peer that is not installed here."""


def run(*words, text=None):
    done = subprocess.run([str(word) for word in words], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError("%s\n%s" % (" ".join(map(str, words)), done.stderr))
    return done.stdout


def credence(*words, text=None):
    return run(os.environ.get("CREDENCE", "credence"), *words, text=text)


class Folder(tempfile.TemporaryDirectory):
    def __enter__(self):
        return self

    def path(self, name):
        return os.path.join(self.name, name)

    def table(self, name, columns, target):
        """Writes columns of numbers, with all of their digits, and the column y of classes."""
        path = self.path(name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*("x%d" % (i + 1) for i in range(len(columns))), "y"])
            for row in zip(*columns, target):
                writer.writerow([*(repr(float(value)) for value in row[:-1]), row[-1]])
        return path


def moments(path):
    """What Credence counts of the numbers under each class: {attribute: {class: {"mean": ..., "variance": ...}}}."""
    with Folder() as folder:
        model = folder.path("model")
        credence("train", path, "--target", "y", "-o", model, "-q")
        return moments_of(model)


def moments_of(model):
    exported = json.loads(credence("export", model, "--as", "json"))
    return {attribute["attribute"]: {of["class"]: of for of in attribute["moments"]} for attribute in exported["attributes"]}


def exact_moments(values):
    """Mean and variance (divided by n) in rational numbers, rounded once."""
    exact = [fractions.Fraction(float(value)) for value in values]
    mean = sum(exact) / len(exact)
    return float(mean), float(sum((value - mean) ** 2 for value in exact) / len(exact))


def accuracy_of(train, test):
    """Credence's accuracy on `test` at its defaults."""
    return json.loads(credence("evaluate", train, test, "--target", "y", "--format", "json", "-q"))["accuracy"]


def predictions(train, rows, *words):
    """What Credence answers, a dictionary a row."""
    answers = credence("predict", train, rows, "--target", "y", "--format", "csv", "-q", *words)
    return list(csv.DictReader(io.StringIO(answers)))


def units_apart(a, b):
    """How many doubles lie between two of one sign."""
    def place(value):
        return struct.unpack("<q", struct.pack("<d", float(value)))[0]
    return abs(place(a) - place(b))


def percent(share):
    return "%.1f %%" % (100 * share)


def table(heading, rows):
    lines = ["| " + " | ".join(heading) + " |", "|" + " --- |" * len(heading)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def generator():
    """The same draws in every demonstration and every run."""
    return numpy.random.Generator(numpy.random.PCG64(1))
