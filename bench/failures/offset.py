"""A number far from zero: Weka's sums lose the variance in their rounding."""

import os
import re
import shutil

import numpy

from . import common

JAR = "/usr/share/java/weka.jar"
OFFSETS = (0, 1e6, 1e7, 1e8, 3e8, 1e9)
ROWS = 2000


def write_arff(path, values, target):
    with open(path, "w", encoding="utf-8") as file:
        file.write("@relation shifted\n@attribute x1 numeric\n@attribute y {a,b}\n@data\n")
        for value, which in zip(values, target):
            file.write("%r,%s\n" % (float(value), which))


def demonstrate():
    if shutil.which("java") is None or not os.path.exists(JAR):
        raise common.Missing("Weka (Debian: weka)")
    rows = []
    for offset in OFFSETS:
        generator = common.generator()
        target = numpy.where(numpy.arange(2 * ROWS) % 2 == 0, "a", "b")
        values = offset + generator.normal(size=2 * ROWS) + 4 * (target == "b")
        with common.Folder() as folder:
            train, test = folder.path("train.arff"), folder.path("test.arff")
            write_arff(train, values[:ROWS], target[:ROWS])
            write_arff(test, values[ROWS:], target[ROWS:])
            words = ("-t", train, "-T", test, "-v", "-o")
            printed = common.run("java", "-cp", JAR, "weka.classifiers.bayes.NaiveBayes", *words)
            theirs = float(re.search(r"Correctly Classified Instances\s+\d+\s+([\d.]+)\s+%", printed).group(1)) / 100
            ours = common.accuracy_of(train, test)
        rows.append(("%g" % offset, common.percent(theirs), common.percent(ours)))
    return common.table(("offset", "Weka: accuracy", "Credence: accuracy"), rows)
