"""Asking `credence`: each part of a cut is learned and answered by one command, `predict KNOWN ASKED`."""

import csv
import json
import shlex
import subprocess

import numpy
from study import ours

from . import answers


class Refused(Exception):
    """The command did not take its options, or cannot use them on a table."""


class Command(ours.Command):
    def run(self, *words):
        done = subprocess.run([self.path, *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or ["ended with status %d" % done.returncode]
            raise Refused(lines[-1].removeprefix("credence: "))
        return done.stdout

    def answer(self, cut, part, options):
        """Answers to the rows asked about in a part of a cut."""
        words = ("predict", part.known_file, part.asked_file, *self.reading(cut.table), *options, "--format", "csv")
        heading, *rows = csv.reader(self.run(*words).splitlines())
        columns = [i for i, name in enumerate(heading) if name.startswith("P(")]
        classes = [heading[i][2:-1] for i in columns]
        probabilities = numpy.array([[float(row[i] or 0) for i in columns] for row in rows])
        return answers.from_probabilities(classes, probabilities, part.asked[1])

    def recommended(self, cut, part):
        """The options that `evaluate --compare` recommends for what is learned from, seeing nothing else."""
        words = ("evaluate", part.known_file, *self.reading(cut.table), "--compare", "--format", "json")
        return shlex.split(json.loads(self.run(*words))["recommended"]["options"])
