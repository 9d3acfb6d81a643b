# SPDX-License-Identifier: MIT
"""Functions that Spark's workers run on the rows of a partition.

These functions are pickled by name. They are not in ``credence.spark``, so a worker does not import parts of PySpark that it may not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from . import _partitions

__all__ = ["Columns", "answer_rows", "answer_sequences", "evaluate_rows", "merge_parts", "train_rows"]

_Batches = Iterable[pa.RecordBatch]


class Columns:
    """The columns of a DataFrame: their names in the library, and their Arrow types.

    Columns are sent to the workers with numbers as names, because PySpark parses dots and backticks in names as syntax.
    Timestamps are instants in UTC, as in ``DataFrame.toArrow``, not in the time zone of the SparkSession.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)

    def of(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the batch with the column names of the library, and with timestamps in UTC."""
        return pa.RecordBatch.from_arrays([_in_utc(column) for column in batch.columns], names=self.names)

    def without_rows(self) -> pa.Table:
        """Return a table with these columns and no rows."""
        return pa.table({name: pa.nulls(0) for name in self.names})


def _in_utc(column: pa.Array) -> pa.Array:
    kind = column.type
    if pa.types.is_timestamp(kind) and kind.tz not in (None, "UTC"):
        return column.cast(pa.timestamp(kind.unit, "UTC"))
    return column


# ---- Parts of results ----


def _number() -> int | None:
    """Return the number of the partition, for error messages."""
    from pyspark import TaskContext

    task = TaskContext.get()
    return None if task is None else task.partitionId()


def _row(part: bytes | None, error: bytes | None) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([part], pa.binary()), pa.array([error], pa.binary())], names=["part", "error"])


def _result(make: Callable[..., bytes], *arguments: Any) -> Iterator[pa.RecordBatch]:
    """Yield one row with the bytes of the part, or with the exception."""
    yield _row(*_partitions.outcome_of(make, *arguments))


def train_rows(batches: _Batches, columns: Columns, plan: Any) -> Iterator[pa.RecordBatch]:
    """Train a part of a model from the rows of a partition."""
    return _result(_partitions.train_part, map(columns.of, batches), plan, _number())


def evaluate_rows(
    batches: _Batches, columns: Columns, model: bytes, options: Mapping[str, Any]
) -> Iterator[pa.RecordBatch]:
    """Compute the part of an evaluation for the rows of a partition."""
    return _result(_partitions.evaluate_part, map(columns.of, batches), model, options, _number())


def merge_parts(batches: _Batches) -> Iterator[pa.RecordBatch]:
    """Merge parts of a model into one. If a part is an exception, yield the first exception instead."""
    parts = []
    for batch in batches:
        for part, error in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if error is not None:
                yield _row(None, error)
                return
            parts.append(part)
    if parts:
        yield from _result(_partitions.merge_all, parts)


# ---- Predictions ----


def _lists(matrix: np.ndarray[Any, Any]) -> pa.ListArray:
    offsets = np.arange(len(matrix) + 1, dtype=np.int32) * matrix.shape[1]
    return pa.ListArray.from_arrays(offsets, matrix.reshape(-1))


def _answer(batch: pa.RecordBatch, model: bytes, options: Mapping[str, Any], places: list[int] | None) -> pa.StructArray:
    """Return the predictions for rows.

    In addition to the columns of all backends, they contain ``probabilities``: in class order, or at the indices in `places`.
    """
    texts, classes, posteriors = _partitions.answers_for(batch, _partitions.model_of(model), options, "a batch of a partition")
    answers = {name: pa.array(column, pa.string(), from_pandas=True) for name, column in texts.items()}
    lists = _lists(posteriors)
    keys = pa.array(classes, pa.string()).take(pa.array(np.tile(np.arange(len(classes)), len(batch))))
    answers["posterior"] = pa.MapArray.from_arrays(lists.offsets, keys, lists.values)
    if places is not None:
        placed = np.zeros((len(batch), max(places) + 1))
        placed[:, places] = posteriors
        lists = _lists(placed)
    answers["probabilities"] = lists
    answers.setdefault("decision", pa.nulls(len(batch), pa.string()))
    names = ["prediction", "posterior", "decision", "probabilities"]
    return pa.StructArray.from_arrays([answers[name] for name in names], names=names)


def answer_rows(
    structs: Iterable[pa.StructArray], columns: Columns, model: bytes, options: Mapping[str, Any], places: list[int] | None
) -> Iterator[pa.StructArray]:
    """Yield the predictions for rows. Both rows and predictions are structs."""
    for rows in structs:
        yield _answer(columns.of(pa.RecordBatch.from_struct_array(rows)), model, options, places)


def answer_sequences(
    batches: _Batches, columns: Columns, model: bytes, options: Mapping[str, Any], places: list[int] | None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition, which are whole sequences, with the predictions in an additional column."""
    listed = list(batches)
    for batch in pa.Table.from_batches(listed).combine_chunks().to_batches() if listed else ():
        yield batch.append_column("answer", _answer(columns.of(batch), model, options, places))
