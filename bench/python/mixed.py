# SPDX-License-Identifier: MIT
"""Speed of a mixed table from polars beside scikit-learn's pipelines of a ColumnTransformer, and of one row.

    PYTHONPATH=build/dev/python/package python bench/python/mixed.py [--rows N] [--repeats N] [--one-hot]

The table has ten numbers, five columns of texts or categories with gaps, three integers, a truth value and a date. A pipeline scales
numbers, encodes texts by their order (or, slower, one column a value) and fits GaussianNB; before that a user fills gaps and makes
numbers of dates. Every line is the least of several runs, in seconds of the processor, which a busy machine changes least, of one
thread; and how many times as fast as scikit-learn.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from typing import Any

for name in ("OMP_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ[name] = "1"

import numpy as np
import polars as pl
from sklearn.compose import ColumnTransformer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import credence

TEXTS = [f"text{i}" for i in range(5)]


def make_table(rows: int) -> pl.DataFrame:
    random = np.random.default_rng(1)
    labels = random.integers(0, 3, rows)
    columns: dict[str, Any] = {f"x{i}": (i + 1) * random.normal(size=rows) + labels for i in range(10)}
    for name, count in zip(TEXTS, (3, 8, 20, 50, 200), strict=True):
        values = np.array([f"value number {i}" if i % 2 else f"v{i}" for i in range(count)], dtype=object)
        chosen = values[(random.integers(0, count, rows) + labels * (random.random(rows) < 0.3)) % count]
        chosen[random.random(rows) < 0.03] = None
        columns[name] = pl.Series(chosen, dtype=pl.Categorical if count in (8, 50) else pl.String)
    columns |= {f"n{i}": random.integers(0, 10 ** (i + 1), rows) + labels for i in range(3)}
    columns["truth"] = random.random(rows) < 0.4 + 0.1 * labels
    columns["date"] = pl.Series(np.datetime64("2020-01-01") + random.integers(0, 1000, rows).astype("timedelta64[D]"))
    columns["class"] = np.array(["no", "perhaps", "yes"], dtype=object)[labels]
    return pl.DataFrame(columns)


def prepare(table: pl.DataFrame) -> pl.DataFrame:
    """What the encoders and scalers ask for."""
    texts = [pl.col(name).cast(pl.String).fill_null("missing") for name in TEXTS]
    return table.with_columns(pl.col("date").cast(pl.Int32), pl.col("truth").cast(pl.Int8), *texts)


def make_pipeline_of(encoder: Any, table: pl.DataFrame) -> Pipeline:
    numbers = [name for name in table.columns if name not in (*TEXTS, "class")]
    return make_pipeline(ColumnTransformer([("n", StandardScaler(), numbers), ("c", encoder, TEXTS)]), GaussianNB())


def least_time(call: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


def compare(what: str, ours: float, theirs: float) -> None:
    print(f"{what:30} {ours:9.4f} {theirs:9.4f} {theirs / ours:7.1f}", flush=True)


def compare_table(table: pl.DataFrame, encoder: Any, name: str, repeats: int) -> None:
    rows = table.drop("class")
    pipeline = make_pipeline_of(encoder, table)
    model = credence.train(table, target="class")

    def fit() -> None:
        prepared = prepare(table)
        pipeline.fit(prepared.drop("class"), prepared["class"])

    fits = least_time(lambda: credence.train(table, target="class"), repeats), least_time(fit, 1)
    peer = least_time(lambda: pipeline.predict_proba(prepare(rows)), 1)
    answers = least_time(lambda: model.predict_proba(rows), repeats), peer
    compare(f"train, {name}", *fits)
    compare(f"predict_proba, {name}", *answers)
    compare(f"both, {name}", fits[0] + answers[0], fits[1] + answers[1])


def time_one_row(table: pl.DataFrame) -> None:
    table = table.drop("date").head(10_000)  # rows have the parts of a date, which the model is of
    model = credence.train(table, target="class")
    row = table.drop("class").row(0, named=True)
    count = 10_000
    seconds = least_time(lambda: [model.posterior(row) for _ in range(count)], 5)
    print(f"one row by Model.posterior: {1e6 * seconds / count:.2f} us")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--one-hot", action="store_true", help="beside one-hot encoding, too; it takes minutes")
    given = parser.parse_args()
    warnings.simplefilter("ignore", credence.errors.CredenceWarning)
    table = make_table(given.rows)
    print(f"{given.rows} rows{'':18} Credence  scikit-learn  times as fast")
    with credence.options(threads=1):
        ordinal = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        compare_table(table, ordinal, "ordinal", given.repeats)
        if given.one_hot:
            compare_table(table, OneHotEncoder(handle_unknown="ignore", sparse_output=False), "one-hot", given.repeats)
        time_one_row(table)


if __name__ == "__main__":
    main()
