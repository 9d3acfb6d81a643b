#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Training on texts beside scikit-learn: documents a second and the peak of memory, from a label-TAB-text file to a model.

    speed.py CREDENCE [--documents N] [--top-terms N] [--max-terms N] [--classes N] [--rounds N] [--peer-part P] [FILE.tsv ...]

Without files, one is made: documents of random words whose frequencies fall as Zipf's law has it, of which a part depends on the class.
Both programs read the file in processes of their own, in turns, Credence with two threads, scikit-learn (CountVectorizer with
MultinomialNB, one thread, as it has no other way) without the time that importing it takes. Medians of the rounds are printed, and how
many times as fast Credence is; where the peer is slow, --peer-part 0.25 gives it the first quarter of the documents, whose documents a
second are taken."""

import argparse
import bisect
import itertools
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

PEER = """
import resource, sys, time
import sklearn
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
begun = time.perf_counter()
labels, texts = [], []
with open(sys.argv[1], encoding="utf-8", errors="replace", newline="\\n") as rows:
    for row in rows:
        label, text = row.rstrip("\\n").split("\\t", 1)
        labels.append(label)
        texts.append(text)
counts = CountVectorizer().fit_transform(texts)
MultinomialNB().fit(counts, labels)
print(time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, counts.shape[1], sklearn.__version__)
"""


def vocabulary(count, draw):
    """Words that can be spoken, frequent ones shorter."""
    syllables = [c + v for c in "b c d f g h j k l m n p r s t v w z st tr ch sh th".split()
                 for v in "a e i o u ea ou ai".split()]
    words = {}
    while len(words) < count:
        most = 1 if len(words) < 400 else 2 if len(words) < 5000 else 4
        word = "".join(draw.choice(syllables) for _ in range(draw.randint(1 + (len(words) >= 400), most + 1)))
        words[word + draw.choice(["", "", "n", "r", "s", "t", "d"])] = None
    return list(words)


def make(path, options):
    """Word k has frequency 1 / (k + 2.7); a fifth of the frequent words is drawn from an order of the class's own."""
    draw = random.Random(1)
    words = vocabulary(options.vocabulary, draw)
    frequent = words[:min(5000, len(words))]
    orders = []
    for _ in range(options.classes):
        orders.append(frequent[:])
        draw.shuffle(orders[-1])
    sums = list(itertools.accumulate(1 / (k + 2.7) for k in range(len(words))))
    with open(path, "w", encoding="utf-8") as out:
        for _ in range(options.documents):
            label = draw.randrange(options.classes)
            text = []
            for _ in range(options.words):
                k = bisect.bisect_left(sums, draw.random() * sums[-1])
                own = k < len(frequent) and draw.random() < 0.2
                text.append(orders[label][k] if own else words[k])
            text[0] = text[0].capitalize()
            text[len(text) // 2] += ","
            out.write(f"class{label}\t{' '.join(text)}.\n")


def ours(command, path):
    """Seconds and peak of memory of training."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        process = subprocess.Popen([command, "train", path, "--input", "tab", "--header", "no", "--target", "1", "--text", "2",
                                    "--threads", "2", "-q", "-o", os.path.join(folder, "text.model")])
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        if status != 0:
            sys.exit(f"{command} failed with status {status}")
        return seconds, usage.ru_maxrss * 1024


def theirs(path):
    words = subprocess.run([sys.executable, "-c", PEER, path], check=True, capture_output=True, text=True).stdout.split()
    return float(words[0]), float(words[1]), int(words[2]), words[3]


def part_of(path, part, folder):
    """The first part of the rows, and how many there are of all."""
    with open(path, encoding="utf-8", errors="replace", newline="\n") as rows:
        count = sum(1 for _ in rows)
    if part >= 1:
        return path, count, count
    first = os.path.join(folder, "part.tsv")
    with open(path, "rb") as rows, open(first, "wb") as out:
        out.writelines(itertools.islice(rows, int(count * part)))
    return first, count, int(count * part)


def compare(command, path, options, folder):
    peer_path, documents, peer_documents = part_of(path, options.peer_part, folder)
    ours(command, path)  # the file is in memory from here on
    rates, peer_rates, peaks, peer_peaks = [], [], [], []
    for _ in range(options.rounds):
        seconds, peak = ours(command, path)
        rates.append(documents / seconds)
        peaks.append(peak)
        seconds, peak, terms, version = theirs(peer_path)
        peer_rates.append(peer_documents / seconds)
        peer_peaks.append(peak)
    rate, peer_rate = statistics.median(rates), statistics.median(peer_rates)
    peak, peer_peak = statistics.median(peaks), statistics.median(peer_peaks)
    print(f"{os.path.basename(path)}: {documents} documents, {os.path.getsize(path) / 1e6:.0f} MB, {terms} terms of scikit-learn {version}"
          f"{'' if peer_path == path else f' in {peer_documents} documents'}")
    print(f"  Credence      {rate:10.0f} documents a second, peak of memory {peak / 2**20:6.0f} MiB")
    print(f"  scikit-learn  {peer_rate:10.0f} documents a second, peak of memory {peer_peak / 2**20:6.0f} MiB")
    print(f"  {rate / peer_rate:.1f} times as fast, in 1/{peer_peak / peak:.1f} of the memory", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--documents", type=int, default=400_000)
    parser.add_argument("--top-terms", type=int, default=50)
    parser.add_argument("--max-terms", type=int, default=200_000)
    parser.add_argument("--classes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer-part", type=float, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = options.files
        if not files:
            files = [os.path.join(folder, "made.tsv")]
            make(files[0], options)
        for path in files:
            compare(os.path.abspath(options.command), path, options, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
