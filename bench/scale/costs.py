# SPDX-License-Identifier: MIT
"""What rows, models, merges, messages and starts cost, and what they add up to in several processes: see measure.py."""

from __future__ import annotations

import argparse
import math
import os
import pathlib
import shutil
import subprocess
import time
from typing import Any

import numpy as np
import pyarrow as pa
from timing import Usage, least, least_cpu, run, write_table

import credence

HERE = pathlib.Path(__file__).parent
WAYS = (1, 2, 4, 8)


def short(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


# ---- Costs ----


def row_costs(own: argparse.Namespace, work: pathlib.Path) -> tuple[list[list[str]], dict[str, float]]:
    """Processor time of reading and learning, one thread, by the difference of two sizes; and what precedes the rows."""
    start = least(lambda: run([own.credence, "--version"]), 10)
    found: list[list[str]] = []
    costs = {"start": start.seconds}
    path, model = work / "rows.csv", work / "rows.model"
    kinds = [(5, False), (19, False), (100, False), (1000, False), (19, True)]
    for columns, is_text in kinds:
        rows, sizes, train, schema = [], [], [], []
        for size in (own.cost_size // 8, own.cost_size):
            rows.append(write_table(path, columns, size, is_text=is_text))
            sizes.append(path.stat().st_size)
            words = [path, "--target", "y", "--threads", "1", "-q"]
            train.append(least(lambda words=words: run([own.credence, "train", *words, "-o", model]), own.turns).cpu)
            words = [path, "--target", "y", "--threads", "1", "-o", work / "rows.schema"]
            schema.append(least(lambda words=words: run([own.credence, "schema", *words]), own.turns).cpu)
        more, seconds = rows[1] - rows[0], train[1] - train[0]
        fixed = max(train[0] - seconds / more * rows[0], 0)
        row, cell = seconds / more * 1e9, seconds / more / columns * 1e9
        name = f"CSV, {columns} {'categories' if is_text else 'numbers'}"
        speed, check = (sizes[1] - sizes[0]) / seconds / 1e6, (schema[1] - schema[0]) / more * 1e9
        numbers = [short(number) for number in (row, cell, speed, check, fixed * 1e3)]
        found.append([name, *numbers, f"{model.stat().st_size:,}"])
        if columns == 19 and not is_text:
            costs |= {"byte": seconds / (sizes[1] - sizes[0]), "model bytes": model.stat().st_size}
    for columns in (19, 100):
        rows = 30_000_000 // columns
        random = np.random.default_rng(1)
        labels = pa.array([f"k{i}" for i in random.integers(0, 3, rows)]).dictionary_encode()
        arrow = pa.table({"y": labels} | {f"x{i}": random.normal(size=rows) for i in range(columns)})
        cpu = least_cpu(lambda arrow=arrow: credence.train(arrow, target="y", threads=1), own.turns)
        per_row, per_cell = short(cpu / rows * 1e9), short(cpu / rows / columns * 1e9)
        found.append([f"Arrow, {columns} numbers", per_row, per_cell, short(arrow.nbytes / cpu / 1e6), "", "", ""])
    return found, costs


def models(work: pathlib.Path) -> list[tuple[str, Any]]:
    """Models of several sizes."""
    made = []
    for columns, classes in ((20, 3), (1000, 10)):
        path = work / "model.csv"
        write_table(path, columns, 2_000_000, classes)
        made.append((f"{columns:,} columns of numbers, {classes} classes", credence.train(path, target="y")))
    words = np.random.default_rng(1).permutation(100_000)
    texts = [" ".join(f"term{w}" for w in words[i : i + 100]) for i in range(0, len(words), 50)]
    path = work / "text.tsv"
    path.write_text("y\ttext\n" + "".join(f"k{i % 2}\t{text}\n" for i, text in enumerate(texts)))
    made.append(("100,000 terms of a text, 2 classes", credence.train(path, target="y", text="text", method="naive")))
    return made


def merge_cost(own: argparse.Namespace, work: pathlib.Path, data: bytes) -> float:
    """Processor time of one more file in `credence merge`: reading, decoding and adding it."""
    path = work / "one.model"
    path.write_bytes(data)
    counts = [20, 20 + min(400, max(20, 20_000_000 // len(data)))]

    def merge(count: int) -> float:
        words = [own.credence, "merge", *[path] * count, "-o", work / "merged.model", "-q"]
        return least(lambda: run(words), own.turns).cpu

    few, many = map(merge, counts)
    return (many - few) / (counts[1] - counts[0])


def model_costs(own: argparse.Namespace, work: pathlib.Path) -> tuple[list[list[str]], dict[str, float]]:
    """Processor time of encoding, decoding and merging."""
    found = []
    costs: dict[str, float] = {}
    for name, model in models(work):
        data = model.to_bytes()
        at_once = max(1, 4_000_000 // len(data))
        encode = least_cpu(model.to_bytes, own.turns, at_once)
        decode = least_cpu(lambda data=data: credence.Model.from_bytes(data), own.turns, at_once)
        merge = merge_cost(own, work, data)
        times = [f"{seconds * 1e6:,.0f}" for seconds in (encode, decode, merge)]
        found.append([name, f"{len(data):,}", *times, f"{merge / len(data) * 1e9:.1f}"])
        if not costs:
            costs = {"encode": encode, "merge": merge}
    return found, costs


def messages(work: pathlib.Path) -> tuple[float, float] | None:
    """Latency and bandwidth between two processes of this machine."""
    compiler = shutil.which("mpicc")
    if compiler is None:
        return None
    subprocess.run([compiler, "-O2", "-o", work / "messages", HERE / "messages.c"], check=True)
    said = subprocess.run([*mpirun(2), work / "messages"], check=True, capture_output=True, text=True).stdout
    latency, bandwidth = map(float, said.split())
    return latency, bandwidth


def mpirun(processes: int) -> list[str]:
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *as_root, "--oversubscribe", "-n", str(processes)]


STARTS = {
    "Dask, two workers, an empty task": [
        "from dask.distributed import Client",
        "client = Client(n_workers=2, threads_per_worker=1, dashboard_address=None)",
        "client.submit(int).result()",
        "client.shutdown()",
    ],
    "Ray, two workers, an empty task": [
        "import ray",
        "ray.init(num_cpus=2, include_dashboard=False, logging_level='error')",
        "ray.get(ray.remote(lambda: 0).remote())",
        "ray.shutdown()",
    ],
    "Spark, two threads, an empty job": [
        "from pyspark.sql import SparkSession",
        "builder = SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false')",
        "session = builder.getOrCreate()",
        "session.range(2).count()",
        "session.stop()",
    ],
}


def starts(own: argparse.Namespace, work: pathlib.Path, costs: dict[str, float]) -> list[list[str]]:
    found = [["`credence`", short(costs["start"])]]
    if own.mpi:
        tiny = work / "tiny.csv"
        write_table(tiny, 19, 1)
        for n in WAYS:
            costs[f"mpi start {n}"] = least(lambda n=n: by_mpi(own, tiny, work, n), own.turns).seconds
            found.append([f"`mpirun -n {n} credence-mpi train`, 20,000 rows", short(costs[f"mpi start {n}"])])
    if own.engines:
        for name, code in STARTS.items():
            begin = time.perf_counter()
            text = "\n    ".join(["if __name__ == '__main__':", *code])
            ended = subprocess.run([own.engines, "-c", text], capture_output=True, timeout=180)
            found.append([name, short(time.perf_counter() - begin) if ended.returncode == 0 else "failed"])
    return found


# ---- N processes ----


def by_shards(own: argparse.Namespace, path: pathlib.Path, work: pathlib.Path, count: int) -> Usage:
    """All shards at once, then one merge."""
    begin = time.perf_counter()
    parts = [work / f"part-{i}.model" for i in range(count)]
    words = [own.credence, "train", path, "--schema", work / "whole.schema", "--no-multiline-fields", "--threads", "1", "-q"]
    children = [
        subprocess.Popen([str(w) for w in [*words, "--shard", f"{i + 1}/{count}", "-o", part]]) for i, part in enumerate(parts)
    ]
    cpu, peak = 0.0, 0
    for child in children:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise RuntimeError("a shard failed")
        cpu, peak = cpu + used.ru_utime + used.ru_stime, max(peak, used.ru_maxrss * 1024)
    merged = run([own.credence, "merge", *parts, "-o", work / "merged.model", "-q"])
    return Usage(time.perf_counter() - begin, cpu + merged.cpu, peak)


def by_mpi(own: argparse.Namespace, path: pathlib.Path, work: pathlib.Path, count: int) -> Usage:
    words = [own.mpi, "train", path, "--target", "y", "--no-multiline-fields", "--threads", "1", "-o", work / "mpi.model", "-q"]
    return run([*mpirun(count), *words])


def processes(own: argparse.Namespace, work: pathlib.Path, costs: dict[str, float]) -> list[list[str]]:
    """Predicted and measured seconds. Turns of all ways alternate, so that what else the machine does hits all alike."""
    path = work / "large.csv"
    write_table(path, 19, own.size)
    size, cores = path.stat().st_size, os.cpu_count() or 1
    run([own.credence, "schema", path, "--target", "y", "-o", work / "whole.schema"])
    learn = costs["byte"] * size
    ways = [("shards", by_shards)] + ([("MPI", by_mpi)] if own.mpi else [])
    times: dict[tuple[str, int], list[float]] = {(name, n): [] for name, _ in ways for n in WAYS}
    for _ in range(own.turns):
        for name, way in ways:
            for n in WAYS:
                times[name, n].append(way(own, path, work, n).seconds)
    found = []
    for name, _ in ways:
        for n in WAYS:
            depth = math.ceil(math.log2(n)) if n > 1 else 0
            at_once = min(n, cores)
            if name == "shards":
                model = costs["start"] * (n / at_once + 1) + learn / at_once + n * (costs["encode"] + costs["merge"])
            else:
                exchange = costs["latency"] + costs["model bytes"] / costs["bandwidth"] + costs["encode"] + costs["merge"]
                model = costs[f"mpi start {n}"] + learn / at_once + depth * exchange
            best = min(times[name, n])
            speed = min(times[name, 1]) / best
            found.append([f"{name}, {n}", short(model), short(best), f"{model / best:.2f}", f"{speed:.2f}"])
    return found
