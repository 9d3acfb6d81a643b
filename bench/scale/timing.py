# SPDX-License-Identifier: MIT
"""Times of commands and calls, and tables to time them with."""

from __future__ import annotations

import os
import pathlib
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

BLOCK_ROWS = 20_000


class Usage(NamedTuple):
    """What a run took: the clock, the processors, the peak of memory."""

    seconds: float
    cpu: float
    peak: int


def run(command: Sequence[Any]) -> Usage:
    """A command, with its output discarded."""
    begin = time.perf_counter()
    child = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read() if child.stderr else b""
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    if child.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {said.decode()}")
    return Usage(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def least(call: Callable[[], Usage], turns: int) -> Usage:
    """The least of several turns, of each number by itself: what else the machine did is left out as far as can be."""
    runs = [call() for _ in range(turns)]
    return Usage(min(r.seconds for r in runs), min(r.cpu for r in runs), max(r.peak for r in runs))


def least_cpu(call: Callable[[], Any], turns: int, at_once: int = 1) -> float:
    """Seconds of this process's processor time that a call takes."""
    times = []
    for _ in range(turns):
        begin = time.process_time()
        for _ in range(at_once):
            call()
        times.append((time.process_time() - begin) / at_once)
    return min(times)


def block(columns: int, classes: int, rows: int, is_text: bool) -> bytes:
    """Rows of a class and columns, numbers with three decimals or categories of 16 values."""
    random = np.random.default_rng(1)
    labels = random.integers(0, classes, rows)
    cells = random.integers(0, 16, (rows, columns)) if is_text else random.normal(size=(rows, columns))
    form = "v%d" if is_text else "%.3f"
    lines = (",".join([f"k{label}", *(form % cell for cell in row)]) for label, row in zip(labels, cells, strict=True))
    return ("\n".join(lines) + "\n").encode()


def write_table(path: pathlib.Path, columns: int, size: int, classes: int = 3, is_text: bool = False) -> int:
    """A CSV of about so many bytes, one block of rows again and again; how many rows it has."""
    rows = max(50, min(BLOCK_ROWS, 4_000_000 // (8 * columns)))
    piece = block(columns, classes, rows, is_text)
    times = max(1, size // len(piece))
    with path.open("wb") as file:
        file.write(("y," + ",".join(f"x{i}" for i in range(columns)) + "\n").encode())
        for _ in range(times):
            file.write(piece)
    return rows * times
