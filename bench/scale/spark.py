#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What training costs on Spark over what Spark's own reading does.

    bench/scale/spark.py [--rows N] [--partitions N] [--repeats N] [--seconds N] [--merged PARTITIONS...] [--folder FOLDER]

Rows of 20 columns (twelve numbers, seven categories, a class) are written once as Parquet and as CSV. Then, in turns, on a local cluster of
two executors with a core each:

    read    every column of every row, for nothing (the format noop)
    arrow   the same rows as Arrow to workers of Python, which count them (mapInArrow)
    train   credence.spark.train

The least time of each counts. After two turns a format that has taken --seconds gets no more of them. Then, for parts of 50 rows,
how long they take to be trained and merged by

    grouped   what credence.spark.train does: a shuffle to as many tasks as the size of parts is worth, which merge (mapInArrow)
    tree      RDD.treeReduce

and the processor time of all processes, which does not depend on what else the machine does. PYTHONPATH has to name the package.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as sql

import credence.spark
from credence import _partitions, _spark_parts
from credence.spark import _frames


def session() -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    found = (
        SparkSession.builder.master("local-cluster[2,1,2048]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.executor.memory", "2g")
        .config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", ""))
        .getOrCreate()
    )
    found.sparkContext.setLogLevel("ERROR")
    return found


def columns_of(frame):
    """Twenty columns for rows that have an id."""
    numbers = [(sql.randn(seed) + sql.col("id") % 3 * (seed % 4)).alias(f"x{seed}") for seed in range(12)]
    categories = [sql.concat(sql.lit("v"), (sql.rand(50 + seed) * (seed + 2)).cast("int")).alias(f"c{seed}") for seed in range(7)]
    return frame.select(*numbers, *categories, sql.concat(sql.lit("k"), sql.col("id") % 3).alias("y"))


def make(spark: SparkSession, folder: Path, rows: int, partitions: int) -> None:
    frame = columns_of(spark.range(0, rows, 1, partitions))
    if not (folder / "parquet").exists():
        frame.write.parquet(str(folder / "parquet"))
        frame.write.option("header", True).csv(str(folder / "csv"))


def small_rows(spark: SparkSession, partitions: int):
    """Fifty rows of 20 columns a partition."""
    return columns_of(spark.range(0, 50 * partitions, 1, partitions))


def documents(spark: SparkSession, partitions: int):
    """Fifty documents of 200 words a partition, of 50,000 words."""
    words = sql.expr("concat_ws(' ', transform(sequence(1, 200), place -> concat('w', pmod(hash(id, place), 50000))))")
    frame = spark.range(0, 50 * partitions, 1, partitions)
    return frame.select(words.alias("text"), sql.concat(sql.lit("k"), sql.col("id") % 3).alias("y"))


def processor_seconds() -> float:
    """What this process, the driver, the executors and their workers have used: all of this session."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[3]) == os.getsid(0):
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def compare_merges(name: str, partitions: int, frame, arguments) -> None:
    rows, columns = _frames._rows(frame, "y", arguments)
    plan = _partitions.make_plan("y", arguments)
    parts = rows.mapInArrow(_frames._for_workers(_spark_parts.train_rows, columns=columns, plan=plan), _frames._PART)
    work = {
        "grouped": lambda: _frames._merged(rows, columns, plan),
        "tree": lambda: parts.rdd.map(lambda row: bytes(row.part)).treeReduce(_partitions.merge),
    }
    said, merged = [], set()
    for how, run in work.items():
        used, start = processor_seconds(), time.perf_counter()
        merged.add(run())
        said.append(f"{how} {time.perf_counter() - start:.1f} s, {processor_seconds() - used:.1f} s of processors")
    assert len(merged) == 1
    print(f"{partitions} parts of {name}, of {len(merged.pop()) / 1e3:.0f} kB together: {'; '.join(said)}", flush=True)


def count(batches):
    import pyarrow

    yield pyarrow.RecordBatch.from_pydict({"rows": [sum(batch.num_rows for batch in batches)]})


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_500_000)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--merged", type=int, nargs="*", default=[8, 200, 1000], metavar="PARTITIONS")
    parser.add_argument("--folder", type=Path, default=Path("build/bench/spark"))
    given = parser.parse_args()
    spark = session()
    make(spark, given.folder, given.rows, given.partitions)
    for kind in ("parquet", "csv"):
        files = given.folder / kind
        if kind == "parquet":
            frame = spark.read.parquet(str(files))
            schema = frame.schema
        else:
            frame = spark.read.schema(schema).option("header", True).csv(str(files))
        work = {
            "read": lambda: frame.write.format("noop").mode("overwrite").save(),
            "arrow": lambda: frame.mapInArrow(count, "rows long").collect(),
            "train": lambda: credence.spark.train(frame, "y"),
        }
        times = {name: [] for name in work}
        begin = time.perf_counter()
        for turn in range(given.repeats + 1):  # the first warms up
            if turn > 1 and time.perf_counter() - begin > given.seconds:
                break
            for name, run in work.items():
                start = time.perf_counter()
                run()
                times[name].append(time.perf_counter() - start)
        least = {name: min(found[1:]) for name, found in times.items()}
        size = sum(file.stat().st_size for file in files.glob("part-*")) / 1e6
        print(
            f"{kind:8} {size:6.0f} MB  read {least['read']:.2f} s  arrow {least['arrow']:.2f} s  train {least['train']:.2f} s"
            f"  train/read {least['train'] / least['read']:.2f}  train/arrow {least['train'] / least['arrow']:.2f}",
            flush=True,
        )
    for partitions in given.merged:
        for name, frame, arguments in (("columns", small_rows(spark, partitions), {}), ("words", documents(spark, partitions), {"text": ["text"]})):
            compare_merges(name, partitions, frame, arguments)
    spark.stop()


if __name__ == "__main__":
    main()
