#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tagging.py CREDENCE [DATA] - tagging of words beside NLTK's TnT: accuracy and tokens a second.

Trains on DATA/sequences/ewt_pos_train (English Web Treebank), tags its test part, and prints tables in Markdown: accuracy on all
words and on those that training did not have, seconds of training, and tokens tagged in a second, all in seconds of the processor
with one thread, the least of five rounds. Credence's are those of its command, which reads the file and writes a line with all
posteriors for each token, less those of the same command on one sentence, which are for reading the model. NLTK's are of training and
tagging lists in memory, run once by the interpreter of build/bench/venv (bench/setup); without it its rows are left out.
"""
import argparse
import csv
import gzip
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

ROUNDS = 5
TAGS = {"universal tags": ("c2", 1, "c3"), "Penn tags": ("c3", 2, "c2")}
PEER = """
import json, sys, time
from nltk.tag import tnt
import nltk
def read(path, column):
    sentences = [[]]
    for line in open(path, encoding="utf-8"):
        cells = line.rstrip("\\n").split("\\t")
        if len(cells) > 1:
            sentences[-1].append((cells[0], cells[column]))
        elif sentences[-1]:
            sentences.append([])
    return [s for s in sentences if s]
train, test, column = read(sys.argv[1], int(sys.argv[3])), read(sys.argv[2], int(sys.argv[3])), int(sys.argv[3])
begin = time.process_time()
tagger = tnt.TnT()
tagger.train(train)
trained = time.process_time()
answers = [tag for sentence in test for _, tag in tagger.tag([word for word, _ in sentence])]
print(json.dumps([nltk.__version__, trained - begin, time.process_time() - trained, answers]))
"""


def unpack(folder, data, part):
    path = folder / (part + ".tsv")
    path.write_bytes(gzip.open(data / "sequences" / ("ewt_pos_%s.tsv.gz" % part)).read())
    return path


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip()]


def timed(command, rounds=ROUNDS):
    least = float("inf")
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least, out


def score(answers, rows, column, known):
    right = [answer == row[column] for answer, row in zip(answers, rows)]
    new = [hit for hit, row in zip(right, rows) if row[0] not in known]
    return 100 * sum(right) / len(right), 100 * sum(new) / len(new)


def tag(credence, folder, parts, order, target, ignored, options):
    model, one = folder / "model", folder / "one.tsv"
    one.write_text(parts["test"].read_text(encoding="utf-8").split("\n\n")[0] + "\n", encoding="utf-8")
    seconds, _ = timed([credence, "train", parts["train"], "--sequence-break", "empty-line", "--method", "sequence", "--order",
                        str(order), "--target", target, "--ignore", ignored, "--quiet", "-o", model] + options)
    command = [credence, "predict", model, None, "--quiet", "--format", "csv"] + options
    command[3] = parts["test"]
    tagging, out = timed(command)
    command[3] = one
    start, _ = timed(command)
    return seconds, tagging - start, [row["prediction"] for row in csv.DictReader(out.splitlines())]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("credence")
    parser.add_argument("data", nargs="?", default="../shared/data", type=pathlib.Path)
    given = parser.parse_args()
    peer = pathlib.Path("build/bench/venv/bin/python")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        parts = {part: unpack(folder, given.data, part) for part in ("train", "test")}
        rows = rows_of(parts["test"])
        known = {row[0] for row in rows_of(parts["train"])}
        for tags, (target, column, ignored) in TAGS.items():
            print("\n%s, %d tokens of %s\n" % (tags, len(rows), parts["test"].name))
            print("| tagger | accuracy % | of new words % | training s | tokens a second |\n| --- | --- | --- | --- | --- |")
            for order in (1, 2):
                train, seconds, answers = tag(given.credence, folder, parts, order, target, ignored,
                                              ["--threads", "1"])
                print("| Credence, order %d | %.2f | %.2f | %.2f | %.0f |"
                      % (order, *score(answers, rows, column, known), train, len(rows) / seconds))
            if not peer.exists():
                continue
            out = subprocess.run([peer, "-c", PEER, parts["train"], parts["test"], str(column)], check=True,
                                 capture_output=True, text=True).stdout
            version, train, seconds, answers = json.loads(out)
            print("| NLTK %s, TnT | %.2f | %.2f | %.2f | %.0f |"
                  % (version, *score(answers, rows, column, known), train, len(rows) / seconds))


if __name__ == "__main__":
    sys.exit(main())
