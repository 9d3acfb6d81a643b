#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Searches for the structure of a network beside bnlearn, pyAgrum and pgmpy, in one run, one thread against one.

    structure.py CREDENCE [DATA] [--rows N] [--seconds N] [--million N] [--write DOCUMENT]

1. Hill climbing on BIC, on rows sampled from every network of DATA/networks: seconds of the processor, and the score that
   was reached, of all by bnlearn.
2. PC-stable, and a bootstrap of 100 hill climbs on 1,000 rows of alarm.
3. Two threads beside one, by the clock.
4. A million rows of alarm: seconds, and the memory that the command takes at most.

Ours are seconds of the command `credence train`, reading and writing included; the peers' are those of the search alone. A
peer that takes longer than --seconds, or fails, has no number. R finds bnlearn in R_LIBS, or in build/bench/R, where
bench/setup structure puts it. With --write the tables replace what is between the marks of the document."""

import argparse
import csv
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TIMED = "alarm", "insurance", "hailfinder"
BEGIN, END = "<!-- structure.py: begin -->", "<!-- structure.py: end -->"


def run(command, seconds):
    """Output, seconds of the processor and by the clock, and KiB at most; None where it fails or takes too long."""
    with tempfile.TemporaryFile() as out:
        began = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        while True:
            pid, status, used = os.wait4(child.pid, os.WNOHANG)
            if pid != 0:
                break
            if time.monotonic() - began > seconds:
                child.kill()
                os.wait4(child.pid, 0)
                return None
            time.sleep(0.002)
        clock = time.monotonic() - began
        out.seek(0)
        if status != 0:
            return None
        return {"out": out.read().decode(), "seconds": used.ru_utime + used.ru_stime, "clock": clock, "kib": used.ru_maxrss}


class Bench:
    def __init__(self, given, work):
        self.given, self.work = given, pathlib.Path(work)
        library = os.environ.get("R_LIBS", str(ROOT / "build" / "bench" / "R"))
        self.r = ["env", f"R_LIBS={library}", "Rscript", str(HERE / "structure_peers.R")]

    def sample(self, path, rows, seed=1):
        """Rows of a network, columns shuffled: in causal order they help searches that break ties by the order of columns."""
        table = self.work / f"{path.stem}-{rows}.csv"
        if not table.exists():
            command = [self.given.credence, "sample", str(path), "--rows", str(rows), "--seed", str(seed)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child, open(table, "w", newline="") as to:
                lines = csv.reader(child.stdout)
                header = next(lines)
                order = list(range(len(header)))
                random.Random(seed).shuffle(order)
                writer = csv.writer(to, lineterminator="\n")
                writer.writerow([header[i] for i in order])
                writer.writerows([row[i] for i in order] for row in lines)
            if child.returncode != 0:
                sys.exit(f"structure: {' '.join(command)} failed")
        return table

    def ours(self, table, *options, threads=1, seconds=None):
        model = self.work / "found.model"
        done = run([self.given.credence, "train", str(table), "-q", "--method", "network", "--categorical", "*", "--threads", str(threads), "-o",
                    str(model), *options], seconds or self.given.seconds)
        if done is None:
            return None
        shown = run([self.given.credence, "show", str(model), "--graph", "--format", "json"], self.given.seconds)
        done["arcs"] = [[arc["from"], arc["to"]] for arc in json.loads(shown["out"])["arcs"]] if shown else None
        return done

    def bnlearn(self, table, *words):
        done = run([*self.r, str(table), *words], self.given.seconds)
        return None if done is None else json.loads(done["out"])

    def python(self, peer, table):
        done = run([sys.executable, str(HERE / "structure_peers.py"), peer, str(table)], self.given.seconds)
        return None if done is None else json.loads(done["out"])

    def scores(self, table, found):
        """BIC of the arcs that each has found, by bnlearn."""
        files = []
        for name, result in found.items():
            file = self.work / f"{name}.arcs"
            file.write_text("".join(f"{a} {b}\n" for a, b in result["arcs"]))
            files.append(str(file))
        done = self.bnlearn(table, "score", *files) if files else None
        return {} if done is None else dict(zip(found, done["scores"]))


def seconds_of(result):
    return "" if result is None else f"{result['seconds']:.3g}"


def times(peer, own):
    return "" if peer is None or own is None else f"{peer['seconds'] / own['seconds']:.1f}"


def hill_climbing(bench):
    names = "Credence", "bnlearn", "pyAgrum", "pgmpy"
    lines = ["| network | " + " | ".join(f"{name}, s" for name in names) + " | bnlearn / Credence | "
             + " | ".join(f"{name}, BIC" for name in names) + " |", "| --- |" + " ---: |" * 9]
    given_up = set()
    for path in sorted((bench.given.data / "networks").glob("*.bif"), key=lambda path: path.read_text().count("variable ")):
        table = bench.sample(path, bench.given.rows)
        searches = {"Credence": lambda: bench.ours(table, "--search", "hill-climb", "--score", "bic"), "bnlearn": lambda: bench.bnlearn(table, "hc"),
                    "pyAgrum": lambda: bench.python("pyAgrum", table), "pgmpy": lambda: bench.python("pgmpy", table)}
        results = {name: None if name in given_up else search() for name, search in searches.items()}
        given_up.update(name for name, result in results.items() if result is None)
        found = {name: result for name, result in results.items() if result is not None and result.get("arcs") is not None}
        scores = bench.scores(table, found)
        lines.append(f"| {path.stem} | " + " | ".join(seconds_of(results[name]) for name in names)
                     + f" | {times(results['bnlearn'], results['Credence'])} | "
                     + " | ".join(f"{scores[name]:.1f}" if name in scores else "" for name in names) + " |")
        print(lines[-1], flush=True)
    return lines


def constraints(bench):
    lines = ["| work | Credence, s | bnlearn, s | bnlearn / Credence |", "| --- | ---: | ---: | ---: |"]
    for name in TIMED:
        table = bench.sample(bench.given.data / "networks" / f"{name}.bif", bench.given.rows)
        own, peer = bench.ours(table, "--search", "pc"), bench.bnlearn(table, "pc")
        lines.append(f"| PC-stable, {name} | {seconds_of(own)} | {seconds_of(peer)} | {times(peer, own)} |")
        print(lines[-1], flush=True)
    table = bench.sample(bench.given.data / "networks" / "alarm.bif", 1000)
    own = bench.ours(table, "--search", "hill-climb", "--bootstrap", "100")
    peer = bench.bnlearn(table, "bootstrap", "100")
    lines.append(f"| bootstrap of 100, alarm, 1,000 rows | {seconds_of(own)} | {seconds_of(peer)} | {times(peer, own)} |")
    print(lines[-1], flush=True)
    return lines


def threads(bench):
    works = [(f"{search}, {name}", name, bench.given.rows, ["--search", search]) for name in TIMED for search in ("hill-climb", "pc")]
    works.append(("bootstrap of 100, alarm, 1,000 rows", "alarm", 1000, ["--search", "hill-climb", "--bootstrap", "100"]))
    lines = ["| work | one thread, s | two, s | gain |", "| --- | ---: | ---: | ---: |"]
    for label, name, rows, options in works:
        table = bench.sample(bench.given.data / "networks" / f"{name}.bif", rows)
        best = []
        for count in 1, 2:
            done = [bench.ours(table, *options, threads=count) for _ in range(5)]
            best.append(min((one["clock"] for one in done if one is not None), default=None))
        if None in best:
            continue
        lines.append(f"| {label} | {best[0]:.3g} | {best[1]:.3g} | {best[0] / best[1]:.2f} |")
        print(lines[-1], flush=True)
    return lines


def large(bench):
    table = bench.sample(bench.given.data / "networks" / "alarm.bif", bench.given.million)
    lines = ["| work | seconds | memory at most, MB |", "| --- | ---: | ---: |"]
    for search in "hill-climb", "pc":
        done = bench.ours(table, "--search", search, seconds=600)
        if done is not None:
            lines.append(f"| {search}, alarm, {bench.given.million:,} rows ({table.stat().st_size / 1e6:.0f} MB) | {done['seconds']:.3g} "
                         f"| {done['kib'] * 1024 / 1e6:.0f} |")
            print(lines[-1], flush=True)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("credence")
    parser.add_argument("data", nargs="?", type=pathlib.Path, default=pathlib.Path(os.environ.get("CREDENCE_DATA", ROOT.parent / "shared" / "data")))
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--million", type=int, default=1000000)
    parser.add_argument("--write", type=pathlib.Path)
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(given, work)
        parts = [f"Seconds of the processor, one thread, {given.rows:,} rows sampled from each network; a blank is more than "
                 f"{given.seconds:.0f} s by the clock, or a failure, after which a peer is not asked about larger networks. Scores are BIC by bnlearn, larger is better."]
        parts += ["\n".join(part(bench)) for part in (hill_climbing, constraints, threads, large)]
    text = "\n\n".join(parts)
    if given.write:
        document = given.write.read_text()
        before, rest = document.split(BEGIN)
        given.write.write_text(before + BEGIN + "\n\n" + text + "\n\n" + END + rest.split(END)[1])


main()
