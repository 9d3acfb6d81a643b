# SPDX-License-Identifier: MIT
"""Speed of the classifiers for scikit-learn beside scikit-learn's own, in one run on one machine.

    PYTHONPATH=build/dev/python/package python bench/python/speed.py [--rows N] [--columns N] [--repeats N]

Every line is the least of several runs, in seconds, and how many times as fast as scikit-learn. Memory is what the process grew by
at its greatest, beside rows and answers.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.naive_bayes import GaussianNB

from credence import BayesClassifier


def least_time(call: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def make_rows(rows: int, columns: int, order: str = "C", dtype: Any = np.float64) -> tuple[Any, Any]:
    random = np.random.default_rng(1)
    labels = random.integers(0, 3, rows)
    values = random.normal(size=(rows, columns))
    values += 0.2 * labels[:, np.newaxis]
    return np.asarray(values, dtype=dtype, order=order), labels


def compare(what: str, ours: float, theirs: float) -> None:
    print(f"{what:44} {ours:9.4f} {theirs:9.4f} {theirs / ours:7.1f}", flush=True)


def compare_numbers(rows: int, columns: int, repeats: int) -> None:
    weights = np.random.default_rng(2).uniform(size=rows)
    for order, dtype in (("C", np.float64), ("F", np.float64), ("C", np.float32)):
        values, labels = make_rows(rows, columns, order, dtype)
        peer = GaussianNB().fit(values, labels)
        fit = least_time(lambda: GaussianNB().fit(values, labels), repeats)
        weighted = least_time(lambda: GaussianNB().fit(values, labels, weights), repeats)
        answer = least_time(lambda: peer.predict_proba(values), repeats)
        for threads in (1, 2):
            model = BayesClassifier(n_jobs=threads).fit(values, labels)
            name = f"{np.dtype(dtype).name} {order}, {threads} thread{'s' if threads > 1 else ''}"
            compare(f"fit            {name}", least_time(lambda: clone_fit(model, values, labels), repeats), fit)
            compare(
                f"fit, weighted  {name}",
                least_time(lambda: clone_fit(model, values, labels, weights), repeats),
                weighted,
            )
            compare(f"predict_proba  {name}", least_time(lambda: model.predict_proba(values), repeats), answer)


def clone_fit(model: BayesClassifier, *arguments: Any) -> None:
    BayesClassifier(n_jobs=model.n_jobs).fit(*arguments)


def peak(begins: bool = False) -> float:
    """The greatest memory of the process in MB, since it was asked for with `begins`; of Linux."""
    if begins:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) / 1024


def measure_memory(rows: int, columns: int, order: str) -> None:
    """Prints how many MB the process grew by while it fitted and predicted, the answers not counted."""
    values, labels = make_rows(rows, columns, order)
    BayesClassifier(method="naive").fit(values[:1000], labels[:1000]).predict_proba(values[:1000])
    before = peak(begins=True)
    model = BayesClassifier(method="naive").fit(values, labels)
    fitting = peak() - before
    before = peak(begins=True)
    answers = model.predict_proba(values)
    print(f"memory {order}: fit {fitting:.1f} MB, predict_proba {peak() - before - answers.nbytes / 2**20:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--memory", choices=["C", "F"], help="measure memory alone, in a process of its own")
    given = parser.parse_args()
    if given.memory:
        measure_memory(given.rows, given.columns, given.memory)
        return
    print(f"{given.rows} rows x {given.columns} columns{'':14} Credence  scikit-learn  times as fast")
    compare_numbers(given.rows, given.columns, given.repeats)
    for order in ("C", "F"):
        shape = ["--rows", str(given.rows), "--columns", str(given.columns)]
        subprocess.run([sys.executable, __file__, "--memory", order, *shape], check=True, env=os.environ)


if __name__ == "__main__":
    main()
