"""Asking `credence`: each part of a cut is learned and answered by one command, `predict KNOWN ASKED`."""

import csv
import hashlib
import json
import pathlib
import re
import shlex
import shutil
import subprocess

import numpy
from study import ours

from . import answers, methods


BUDGET = "inf"


class Refused(Exception):
    """The command did not take its options, or cannot use them on a table."""


def what_is_wrong(said):
    """The error in what a command said, without warnings, hints, and the file that it was about."""
    errors = [line.removeprefix("credence: ") for line in said.splitlines() if line.startswith("credence: ")]
    errors = [line for line in errors if not line.startswith(("warning:", "hint:"))]
    return re.sub(r"^\S*/\S+\.csv: ", "", errors[0]) if errors else said.strip()


class Command(ours.Command):
    def __init__(self):
        super().__init__()
        self.digest = hashlib.sha256(pathlib.Path(shutil.which(self.path) or self.path).read_bytes()).hexdigest()

    def run(self, *words):
        done = subprocess.run([self.path, *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Refused(what_is_wrong(done.stderr) or "ended with status %d" % done.returncode)
        return done.stdout

    def reading(self, table):
        # A thread for each command: two run side by side.
        return [*super().reading(table), "--threads", "1"]

    def answer(self, cut, part, options):
        """Answers to the rows asked about in a part of a cut."""
        words = ("predict", part.known_file, part.asked_file, *self.reading(cut.table), *options, "--format", "csv")
        heading, *rows = csv.reader(self.run(*words).splitlines())
        columns = [i for i, name in enumerate(heading) if name.startswith("P(")]
        classes = [heading[i][2:-1] for i in columns]
        probabilities = numpy.array([[float(row[i] or 0) for i in columns] for row in rows])
        return answers.from_probabilities(classes, probabilities, part.asked[1])

    def recommended(self, cut, part):
        """The options that `evaluate --compare` recommends for what is learned from, seeing nothing else. It waits for
        every candidate, so that what is recommended does not depend on how busy the machine is."""
        way = methods.HELD_OUT if methods.is_large(cut) else []
        words = ("evaluate", part.known_file, *self.reading(cut.table), "--compare", *way, "--budget", BUDGET)
        return shlex.split(json.loads(self.run(*words, "--format", "json"))["recommended"]["options"])
