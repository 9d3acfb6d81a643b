#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mail.py - mail beside bogofilter: how fast both learn raw messages and filter one, and how well they tell spam from ham.

    bench/text/mail.py [--credence PATH] [--data FOLDER] [--folds K] [--other FOLDER]... speed quality decisions

speed    learning SpamAssassin's set 1 and Enron1 as folders of files, mbox and Maildir, in messages and megabytes a second, the best of
         three runs; filtering one message with models of a million words, process start included, the median of 300 runs
quality  stratified K-fold cross-validation on the same folds: accuracy at a probability of one half, log loss, and how many ham messages are
         taken for spam where 95 % and 99 % of the spam is found

decisions  training on two thirds of SpamAssassin's set 1: how many messages of the last third, and of each folder of --other, are called spam,
         unsure and ham, with several bounds

Messages are unpacked to a temporary folder. Needs bogofilter."""
import argparse
import csv
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

SETS = {"spamassassin": "spamassassin_set1_raw.tar.gz", "enron1": "enron1_raw.tar.gz"}
CLASSES = ("spam", "ham")


def files_of(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


def unpack(data, work):
    """A folder of files for each set and class."""
    found = {}
    for name, archive in SETS.items():
        with tarfile.open(os.path.join(data, archive)) as tar:
            tar.extractall(os.path.join(work, name))
        for folder, _, _ in os.walk(os.path.join(work, name)):
            if os.path.basename(folder) in CLASSES:
                found.setdefault(name, {})[os.path.basename(folder)] = folder
    return found


def write_mbox(folder, path):
    with open(path, "wb") as out:
        for name in files_of(folder):
            with open(name, "rb") as message:
                lines = message.read().split(b"\n")
            if not lines[0].startswith(b"From "):
                lines.insert(0, b"From a@example.org Mon Nov 16 08:00:00 2026")
            quoted = [b">" + line if line.lstrip(b">").startswith(b"From ") else line for line in lines[1:]]
            out.write(b"\n".join([lines[0]] + quoted).rstrip(b"\n") + b"\n\n")


def write_maildir(folder, path):
    for part in ("cur", "new", "tmp"):
        os.makedirs(os.path.join(path, part))
    for i, name in enumerate(files_of(folder)):
        os.link(name, os.path.join(path, "cur" if i % 2 else "new", f"{i}.host:2,S"))


def run(command, **options):
    done = subprocess.run(command, capture_output=True, **options)
    if done.returncode not in (0, 1, 2) or (done.returncode != 0 and "bogofilter" not in command[0]):
        sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode(errors="replace")


def best_of(times, make, work):
    best = math.inf
    for _ in range(times):
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        begin = time.monotonic()
        make()
        best = min(best, time.monotonic() - begin)
    return best


def train_credence(credence, spam, ham, model, settings=()):
    run([credence, "train", "--mail", f"spam={spam},ham={ham}", "-o", model, "-q", *settings])


def train_bogofilter(spam, ham, folder, how="-B"):
    for flag, path in (("-s", spam), ("-n", ham)):
        run(["bogofilter", "-d", folder, flag] + ([how, path] if how == "-B" else [how, "-I", path]))


# ---- Speed ----

def measure_training(credence, sets, work):
    print("| messages | as | credence | bogofilter | ratio | credence MB/s |\n| --- | --- | --- | --- | --- | --- |")
    for name, folders in sets.items():
        count = sum(len(files_of(folder)) for folder in folders.values())
        size = sum(os.path.getsize(file) for folder in folders.values() for file in files_of(folder))
        forms = {"files": folders}
        for form, write in (("mbox", write_mbox), ("Maildir", write_maildir)):
            forms[form] = {}
            for label, folder in folders.items():
                forms[form][label] = os.path.join(work, f"{name}.{label}.{form}")
                write(folder, forms[form][label])
        for form, paths in forms.items():
            trial = os.path.join(work, "trial")
            ours = best_of(3, lambda: train_credence(credence, paths["spam"], paths["ham"], os.path.join(trial, "m")), trial)
            # Bulk mode takes folders of files and Maildirs; an mbox is read in one stream.
            how = "-M" if form == "mbox" else "-B"
            theirs = best_of(3, lambda: train_bogofilter(paths["spam"], paths["ham"], trial, how), trial)
            print(f"| {name}, {count} | {form} | {count / ours:.0f}/s | {count / theirs:.0f}/s | {theirs / ours:.1f} | {size / ours / 1e6:.1f} |",
                  flush=True)


def write_synthetic(folder, words, seed):
    """Messages that have so many words between them, of which no two are the same."""
    os.makedirs(folder)
    draw = random.Random(seed)
    for i in range(words // 500):
        text = " ".join(f"{''.join(draw.choices('abcdefghijklmnopqrstuvwxyz', k=6))}{i}" for _ in range(500))
        with open(os.path.join(folder, f"{i:05}"), "w") as out:
            out.write(f"From: a@example.org\nSubject: words\n\n{text}\n")


def median_time(command, message, runs=300):
    """Seconds from the start of a process to its end, standard input being the message."""
    path = shutil.which(command[0])
    actions = [(os.POSIX_SPAWN_OPEN, 0, message, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        os.waitpid(os.posix_spawn(path, command, os.environ, file_actions=actions), 0)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def measure_filtering(credence, sets, work):
    folders = {}
    for label, folder in sets["spamassassin"].items():
        folders[label] = os.path.join(work, "large", label)
        write_synthetic(os.path.join(folders[label], "words"), 500000, label)
        for name in files_of(folder):
            os.link(name, os.path.join(folders[label], os.path.basename(name)))
    model, lists = os.path.join(work, "large.model"), os.path.join(work, "lists")
    os.makedirs(lists)
    train_credence(credence, folders["spam"], folders["ham"], model)
    for label, flag in (("spam", "-s"), ("ham", "-n")):
        run(["bogofilter", "-d", lists, flag, "-B", folders[label], os.path.join(folders[label], "words")])
    print("\n| message | bytes | credence | bogofilter | ratio |\n| --- | --- | --- | --- | --- |")
    for label in CLASSES:
        for name in files_of(sets["spamassassin"][label])[::170][:3]:
            times = [median_time([credence, "predict", model, "--mail", "-"], name),
                     median_time(["bogofilter", "-d", lists, "-p", "-e"], name)]
            print(f"| {label} {os.path.basename(name)[:5]} | {os.path.getsize(name)} | {times[0] * 1e3:.2f} ms | {times[1] * 1e3:.2f} ms "
                  f"| {times[1] / times[0]:.2f} |", flush=True)


# ---- Quality ----

def scores_of(rows):
    """Accuracy, log loss, and false positives at recalls, of pairs of P(spam) and the class."""
    spam = sorted((p for p, label in rows if label == "spam"), reverse=True)
    ham = [p for p, label in rows if label == "ham"]
    right = sum((p >= 0.5) == (label == "spam") for p, label in rows)
    loss = sum(-math.log(max(p if label == "spam" else 1 - p, 1e-15)) for p, label in rows)
    caught = []
    for recall in (0.95, 0.99):
        threshold = spam[math.ceil(recall * len(spam)) - 1]
        caught.append(sum(p >= threshold for p in ham))
    return right / len(rows), loss / len(rows), caught, len(ham)


def measure_quality(credence, sets, folds, work, settings):
    print("\n| messages | program | accuracy | log loss | false positives at 95 % recall | at 99 % |\n| --- | --- | --- | --- | --- | --- |")
    for name, folders in sets.items():
        rows = {"credence": [], "bogofilter": []}
        for fold in range(folds):
            parts = {}
            for label in CLASSES:
                shuffled = files_of(folders[label])
                random.Random(1).shuffle(shuffled)
                for i, file in enumerate(shuffled):
                    part = "test" if i % folds == fold else "train"
                    target = parts.setdefault((part, label), os.path.join(work, "folds", name, str(fold), part, label))
                    os.makedirs(target, exist_ok=True)
                    os.link(file, os.path.join(target, os.path.basename(file)))
            model = os.path.join(work, f"{name}.{fold}.model")
            lists = os.path.join(work, f"{name}.{fold}.lists")
            os.makedirs(lists)
            train_credence(credence, parts["train", "spam"], parts["train", "ham"], model, settings)
            train_bogofilter(parts["train", "spam"], parts["train", "ham"], lists)
            for label in CLASSES:
                folder = parts["test", label]
                answers = run([credence, "predict", model, "--mail", folder, "--format", "csv", "-q"])
                table = list(csv.DictReader(answers.splitlines()))
                rows["credence"] += [(float(row["P(spam)"]), label) for row in table]
                for line in run(["bogofilter", "-d", lists, "-TT", "-B", folder]).splitlines():
                    rows["bogofilter"].append((float(line.split()[-1]), label))
        for program, found in rows.items():
            accuracy, loss, caught, ham = scores_of(found)
            print(f"| {name}, {len(found)} | {program} | {accuracy:.4f} | {loss:.4f} | {caught[0]} of {ham} | {caught[1]} of {ham} |", flush=True)


# ---- Decisions ----

def count_decisions(answers):
    return " / ".join(str(sum(answer == label for answer in answers)) for label in ("spam", "unsure", "ham"))


def measure_decisions(credence, sets, others, work):
    train, tests = {}, {}
    for label in CLASSES:
        shuffled = files_of(sets["spamassassin"][label])
        random.Random(1).shuffle(shuffled)
        for part, files in (("train", shuffled[len(shuffled) // 3:]), ("test", shuffled[:len(shuffled) // 3])):
            folder = os.path.join(work, "decisions", part, label)
            os.makedirs(folder)
            for file in files:
                os.link(file, os.path.join(folder, os.path.basename(file)))
            (train if part == "train" else tests)[label] = folder
    tests.update({os.path.basename(os.path.normpath(folder)): folder for folder in others})
    model, lists = os.path.join(work, "decisions.model"), os.path.join(work, "decisions.lists")
    os.makedirs(lists)
    train_credence(credence, train["spam"], train["ham"], model)
    train_bogofilter(train["spam"], train["ham"], lists)
    ways = [["--reject", "0.9", "--calibration", "none"]] + [["--reject", bound] for bound in ("0.9", "0.99", "0.999")]
    print("\n| spam / unsure / ham | " + " | ".join(" ".join(way) for way in ways) + " | bogofilter |\n|" + " --- |" * (len(ways) + 2))
    for name, folder in tests.items():
        cells = []
        for way in ways:
            answers = run([credence, "predict", model, "--mail", folder, "--format", "csv", "-q", *way])
            cells.append(count_decisions([row["decision"] for row in csv.DictReader(answers.splitlines())]))
        words = {"S": "spam", "U": "unsure", "H": "ham"}
        found = run(["bogofilter", "-d", lists, "-T", "-B", folder]).splitlines()
        cells.append(count_decisions([words[line.split()[-2]] for line in found]))
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=["speed", "quality", "decisions"])
    parser.add_argument("--other", action="append", default=[], help="decisions: a further folder of messages")
    parser.add_argument("--credence", default=os.path.join(here, "../../build/release/credence"))
    parser.add_argument("--data", default=os.path.join(here, "../../../shared/data/text"))
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--settings", default="", help="settings to train with, between blanks: '--ngrams 1-2'")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        sets = unpack(given.data, work)
        if "speed" in given.what:
            measure_training(given.credence, sets, work)
            measure_filtering(given.credence, sets, work)
        if "quality" in given.what:
            measure_quality(given.credence, sets, given.folds, work, given.settings.split())
        if "decisions" in given.what:
            measure_decisions(given.credence, sets, given.other, work)


if __name__ == "__main__":
    main()
