#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""families.py CREDENCE DATA [CORPUS] - predictions of the text families beside scikit-learn's on the same tokens and smoothing.

DATA is the folder of the corpora (sms_spam.tsv, r8_train.tsv.gz, ...), label TAB text. Tokens are what stands between
blanks, as written, of ASCII characters and at most 64 of them. Each line has the number of texts, of predictions that differ, and the greatest difference of the
posterior probabilities. Differences count where scikit-learn's two best classes are further apart than rounding.
Exits with 1 where there is one."""
import csv, gzip, io, os, subprocess, sys, tempfile
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

CORPORA = [("sms", "sms_spam.tsv", None), ("r8", "r8_train.tsv.gz", "r8_test.tsv.gz"),
           ("20news", "20news_bydate_train.tsv.gz", "20news_bydate_test.tsv.gz")]
PEERS = [("multinomial", [], lambda a: MultinomialNB(alpha=a)), ("bernoulli", [], lambda a: BernoulliNB(alpha=a)),
         ("complement", ["--complement-weights", "plain"], lambda a: ComplementNB(alpha=a)),
         ("complement", [], lambda a: ComplementNB(alpha=a, norm=True))]


def rows_of(path):
    opened = gzip.open(path, "rt", newline="\n") if path.endswith(".gz") else open(path, newline="\n")
    with opened as lines:
        for line in lines:
            label, _, text = line.rstrip("\n").partition("\t")
            tokens = text.encode("ascii", "replace").decode().replace('"', "'").replace("\0", " ").split()
            yield label, " ".join(token[:64] for token in tokens)


def write(path, rows):
    with open(path, "w", newline="") as out:
        for label, text in rows:
            out.write(label + "\t" + text + "\n")


def compare(credence, work, name, train, test):
    write(os.path.join(work, "train.tsv"), train)
    write(os.path.join(work, "test.tsv"), test)
    table = ["--input", "tab", "--header", "no"]
    model = os.path.join(work, "model")
    subprocess.run([credence, "train", "train.tsv", *table, "--target", "1", "--text", "2", "--tokens", "whitespace",
                    "--letter-case", "keep", "-o", model, "-q"], cwd=work, check=True)
    words = CountVectorizer(tokenizer=str.split, token_pattern=None, lowercase=False)
    x = words.fit_transform([text for _, text in train])
    unknown = words.transform([text for _, text in test])
    wrong = 0
    for smoothing in (1, 0.1):
        for family, options, make in PEERS:
            peer = make(smoothing).fit(x, [label for label, _ in train])
            joint = peer.predict_joint_log_proba(unknown)
            best = peer.classes_[joint.argmax(1)]
            order = np.sort(joint, axis=1)
            near = order[:, -1] - order[:, -2] <= 1e-9 * np.abs(order[:, -1])
            found = subprocess.run([credence, "predict", model, "test.tsv", *table, "--format", "csv", "-q", "--family", family,
                                    "--term-smoothing", str(smoothing), "--tf", "count", "--length-normalization", "none", *options], cwd=work, check=True,
                                   capture_output=True, text=True).stdout
            answers = list(csv.DictReader(io.StringIO(found)))
            differ = sum(a["prediction"] != b and not n for a, b, n in zip(answers, best, near))
            gap = float("nan")
            if not getattr(peer, "norm", False):
                theirs = peer.predict_proba(unknown)
                ours = np.array([[float(a["P(%s)" % c]) for c in peer.classes_] for a in answers])
                gap = np.abs(ours - theirs).max()
            wrong += differ > 0 or len(answers) != len(test)
            label = family + (" normalized" if getattr(peer, "norm", False) else "")
            print(f"{name:8} {label:24} {smoothing:<5} {len(answers):6} texts  {differ:3} differ  {gap:.1e}", flush=True)
    return wrong


def main():
    credence, data = os.path.abspath(sys.argv[1]), sys.argv[2]
    wrong = 0
    for name, train, test in CORPORA:
        if len(sys.argv) > 3 and sys.argv[3] != name:
            continue
        rows = list(rows_of(os.path.join(data, train)))
        held = list(rows_of(os.path.join(data, test))) if test else rows[::5]
        rows = rows if test else [row for i, row in enumerate(rows) if i % 5]
        with tempfile.TemporaryDirectory() as work:
            wrong += compare(credence, work, name, rows, held)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
