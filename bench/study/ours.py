"""Asking the command `credence`: dealing folds, and scoring a setting on them or on a test part."""

import csv
import json
import math
import os
import subprocess
import tempfile

from . import sets


class Command:
    def __init__(self):
        self.path = os.environ.get("CREDENCE", "credence")

    def run(self, *words):
        done = subprocess.run([self.path, *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit("defaults: %s\n%s" % (" ".join(map(str, words)), done.stderr))
        return done.stdout

    def version(self):
        return self.run("version").split("\n")[0]

    # ---- Parting rows ----

    def written_folds(self, file, *way):
        """What `evaluate` writes with --write-folds: the part or fold of each row."""
        with tempfile.TemporaryDirectory() as folder:
            folds = os.path.join(folder, "folds.csv")
            self.run("evaluate", file, "--target", sets.TARGET, *way, "--write-folds", folds, "--quiet")
            with open(folds, encoding="utf-8", newline="") as lines:
                return [row["fold"] for row in csv.DictReader(lines)]

    def hold_out(self, file, share):
        return self.written_folds(file, "--holdout", share, "--seed", 1)

    def deal(self, table, folds, seed):
        way = ("--cross-validate", folds, "--seed", seed)
        return [int(fold) for fold in self.written_folds(table.plain_train_file, *way)]

    # ---- Scoring ----

    @staticmethod
    def reading(table):
        """Options that settle target and kinds, so that they are the same for every part of the rows."""
        words = ["--target", sets.TARGET, "--quiet"]
        for option, wanted in (("--numeric", True), ("--categorical", False)):
            for name, is_number in zip(table.columns, table.is_number):
                if is_number == wanted:
                    words += [option, '"%s"' % name]
        return words

    def score(self, *words):
        report = json.loads(self.run("evaluate", *words, "--format", "json"))
        loss = math.inf if report["log_loss"] is None else report["log_loss"]
        return {"log_loss": loss, "accuracy": report["accuracy"], "zero_rows": report["zero_rows"]}

    def cross_validate(self, table, settings):
        """Scores over the training part, the mean of all dealings of its folds."""
        columns = [sets.fold_column(d) for d in range(len(table.dealings))]
        every = []
        for column in columns:
            others = [word for other in columns if other != column for word in ("--ignore", other)]
            way = ("--folds", column, *others)
            every.append(self.score(table.folded_train_file, *way, *self.reading(table), *settings))
        return {name: sum(score[name] for score in every) / len(every) for name in every[0]}

    def test(self, table, settings):
        """Scores over the test part of the model of the training part."""
        return self.score(table.plain_train_file, table.test_file, *self.reading(table), *settings)

    # ---- Probabilities, row by row ----

    def ask(self, table, known, asked, truths, settings):
        """P(true class) of each row of a file, by the model of another."""
        words = ("predict", known, asked, *self.reading(table), *settings, "--format", "csv")
        rows = csv.DictReader(self.run(*words).splitlines())
        return [float(row["P(%s)" % truth] or 0) for row, truth in zip(rows, truths, strict=True)]

    def ask_folds(self, table, settings):
        """P(true class) of each training row under each dealing, by a model trained anew on the other folds: needed
        where a loss is to be clipped, and a second way to the losses that `evaluate` gives without training again."""
        every = []
        for dealing, folds in enumerate(table.dealings):
            for fold in sorted(set(folds)):
                known, asked, truths = table.fold_files(dealing, fold)
                every += self.ask(table, known, asked, truths, settings)
        return every

    def ask_test(self, table, settings):
        return self.ask(table, table.plain_train_file, table.test_file, table.test_classes, settings)
