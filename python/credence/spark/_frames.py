# SPDX-License-Identifier: MIT
"""Trains models from Spark DataFrames, and adds predictions as columns."""

from __future__ import annotations

import functools
import io
import json
import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sql
from pyspark.sql.types import ArrayType, MapType, StringType, StructType, UserDefinedType

from .. import _core, _evaluation_parts, _partitions, _spark_parts, _tables
from .._spark_parts import Columns
from ..errors import DataError
from ..evaluation import Evaluation
from ..model import Model
from ..sequences import _where

__all__ = ["evaluate", "predict", "train"]

_PART = "part binary, error binary"
_ANSWER = "prediction string, posterior map<string, double>, decision string, probabilities array<double>"
_RULES = ("cost", "reject", "threshold")
_SHUFFLE = re.compile(r"^\W*(\(\d+\) )?((?!\w*Broadcast)\w*Exchange|TakeOrderedAndProject)\b", re.MULTILINE)


def train(df: DataFrame, target: Any = None, **arguments: Any) -> Model:
    """Train a model from a DataFrame.

    The model is byte-identical to the model that ``credence.train(df.toArrow(), target, ...)`` makes, however the rows are
    partitioned. Each executor trains a part of the model from its partition (``mapInArrow``), and the parts are merged as a tree.

    Parameters
    ----------
    df
        Rows. The type of a column decides how it is used. Numbers and decimals are numeric. Strings, booleans and binaries are
        categorical. Dates and timestamps (in UTC) have calendar attributes. Ignore arrays, maps, structs and vectors, or convert
        them to columns. Spark computes the DataFrame once. It computes it again if string columns contain dates or amounts in some
        partitions only, or if arcs are learned. Use ``df.cache()`` to avoid that.
    target
        The column to predict.
    arguments
        Arguments of :func:`credence.train`. Arguments that need all rows at once are an error: hidden states, latent classes,
        ``method="auto"``. The rows of a sequence are collected by their id (``sequence``) from all partitions and sorted by
        ``time``. Without ``time``, they keep the order of the partitions. After a shuffle (a join, ``groupBy``, ``repartition``,
        ``orderBy``) that order depends on the run, which is a ValueError.
    """

    _check_frame(df)

    @functools.cache
    def prepared() -> tuple[DataFrame, Columns]:
        return _rows(df, target, arguments)

    def run(plan: _partitions.Plan) -> bytes:
        rows, columns = prepared()
        return _merged(_together(rows, columns, plan.grouped_by, arguments.get("time")), columns, plan)

    return _partitions.train_partitions(target, arguments, run)


def predict(df: DataFrame, model: Model, **options: Any) -> DataFrame:
    """Add the columns ``prediction`` and ``posterior`` to a DataFrame.

    ``posterior`` is a map from classes to probabilities. With a decision rule (cost, reject, threshold), the result also has the
    column ``decision``.

    Parameters
    ----------
    df
        Rows with the attributes of the model. Other columns stay unchanged and are not sent to the Python workers.
    model
        The model.
    options
        Options of :meth:`credence.Model.predict`, except ``typicality``.
    """
    decided = ("decision",) if any(options.get(name) is not None for name in _RULES) else ()
    return answered(df, model, options, {name: name for name in ("prediction", "posterior", *decided)})


def evaluate(df: DataFrame, model: Model, **options: Any) -> Evaluation:
    """Evaluate a model on labeled rows, and return the same result as ``model.evaluate(df.toArrow(), ...)``.

    The rows should not be training rows of the model.
    """
    _check_frame(df)
    ids, time = _sequence_columns(model, options)
    columns = columns_of(df)
    rows = _numbered(df)
    if options.get("true_labels") is not None:  # it can be a position among all columns
        options["true_labels"] = columns.names[_tables._one(_reader_of(columns), "true_labels", options["true_labels"])]
    if not options.get("strict") and (time is None or time in columns.names):  # `time` can be a position too
        used = _read_by(model, columns, {model.target, model.weight, time, options.get("true_labels")})
        rows, columns = rows.select(*(f"c{index}" for index in used)), Columns(columns.names[index] for index in used)
        rows = _numbered(rows)
    if ids is None:  # raises errors about options and columns here, and issues warnings, which nobody would see on a worker
        _evaluation_parts.evaluate_part(model, columns.without_rows(), **options)
    rows = _together(rows, columns, ids, time, in_order=True)
    work = _for_workers(_spark_parts.evaluate_rows, columns=columns, model=model.to_bytes(), options=options)
    return _partitions.merge_evaluations(model, _collected(rows.mapInArrow(work, _PART)), options, pa.table({}))


# ---- Rows ----


def _check_frame(data: Any) -> None:
    if not isinstance(data, DataFrame):  # also true for DataFrames of Spark Connect
        raise TypeError(f"data: expected a pyspark.sql.DataFrame, got a {type(data).__module__}.{type(data).__name__}")


def columns_of(df: DataFrame) -> Columns:
    """Return the column names that the library uses.

    A column without a name is called c1, c2, ... after its position among all columns. It keeps that name if other columns are
    dropped.
    """
    for name in (names := df.columns):
        if name and names.count(name) > 1:
            raise ValueError(f"table: the column name {name!r} occurs {names.count(name)} times: names must be unique")
    none = pa.Table.from_arrays([pa.nulls(0)] * len(names), names=names)
    return Columns(_tables.open_reader(none, detect_formats=False).column_names())


def _reader_of(columns: Columns, **arguments: Any) -> Any:
    """Return a reader without rows, which resolves the columns that the arguments select."""
    return _tables.open_reader(columns.without_rows(), detect_formats=False, **arguments)


def _numbered(df: DataFrame) -> DataFrame:
    return df.toDF(*(f"c{index}" for index in range(len(df.columns))))


def _rows(df: DataFrame, target: Any, arguments: Mapping[str, Any]) -> tuple[DataFrame, Columns]:
    """Return the training rows and their columns.

    Errors about columns are raised here, before any row is read. Ignored columns are not read at all.
    """
    columns = columns_of(df)
    rows = _numbered(df)
    names = ("weight", "ignore", "only", "column_types", "schema")
    chosen = {name: arguments[name] for name in names if arguments.get(name) is not None}
    if "schema" not in chosen:
        reader = _reader_of(columns, target=target, **chosen)
        kept = {column["name"] for column in json.loads(reader.schema())["columns"] if column["type"] != "ignored"}
        where = _where(arguments)
        kept.add(where["sequence"])
        kept.update(columns.names[index] for index in ([] if where["time"] is None else reader.select(where["time"])))
        empty = sql.lit(None).cast("string")
        rows = rows.select(
            *(sql.col(name) if shown in kept else empty.alias(name) for name, shown in zip(rows.columns, columns.names, strict=True))
        )
        nested = [
            f"{shown!r} is {field.dataType.simpleString()}"
            for field, shown in zip(rows.schema.fields, columns.names, strict=True)
            if isinstance(field.dataType, (ArrayType, MapType, StructType, UserDefinedType))
        ]
        if nested:
            raise DataError(f"neither a number nor a category: {', '.join(nested)}: ignore them, or make columns of numbers or texts of them")
    none = rows.limit(0).toArrow().rename_columns(columns.names)
    _core.profile_table(_tables.open_reader(none, target=target, **chosen), False)
    return rows, columns


def _together(rows: DataFrame, columns: Columns, ids: str | None, time: Any, in_order: bool = False) -> DataFrame:
    """Collect the rows of each sequence in one partition, next to each other.

    Without a time that sorts them, the rows of a sequence keep their order. With `in_order`, the partitions are in the order of the
    first rows of the sequences. After a shuffle, rows have no such order, so a time is required.
    """
    if ids is None:
        return rows
    _partitions.check_ids(ids, columns.names)
    by = sql.col(f"c{columns.names.index(ids)}")
    if isinstance(rows.schema[columns.names.index(ids)].dataType, StringType):
        by = by.cast("binary")  # binary values have no collation, which can make different texts equal
    placed = rows.withColumn("place", sql.monotonically_increasing_id())
    if _is_shuffled(placed):
        if time is None:
            raise ValueError(
                "sequence: the rows come out of a shuffle (a join, groupBy, repartition, orderBy), which leaves them in an order that depends"
                " on the run: train with time=, a column that sorts the rows of each sequence"
            )
        return rows.repartition(by).sortWithinPartitions(by)
    if in_order:
        placed = placed.withColumn("first", sql.min("place").over(Window.partitionBy(by)))
        return placed.repartitionByRange("first").sortWithinPartitions("first", "place").drop("first", "place")
    return placed.repartition(by).sortWithinPartitions(by, "place").drop("place")


def _is_shuffled(rows: DataFrame) -> bool:
    """Return whether the plan contains a shuffle: tasks fetch rows from other tasks, in the order in which those finish.

    A broadcast does not count, because it keeps the order of the rows that are joined with it.
    """
    with redirect_stdout(io.StringIO()) as plan:
        rows.explain()
    return _SHUFFLE.search(plan.getvalue()) is not None


def _sequence_columns(model: Model, options: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the column of sequence ids, and the column that sorts the rows of each sequence."""
    ids = _partitions.grouped_by(model)
    if ids is None:
        return None, None
    where = _where(options, _core.sequence_source(model._core))
    if where["sequence"] != ids:
        raise ValueError(f"sequence: rows in partitions are brought together by {ids!r}, the column of ids that the model has: rename the other one")
    return ids, where["time"]


# ---- Workers ----


def _for_workers(function: Callable[..., Iterator[Any]], **arguments: Any) -> Callable[[Iterator[pa.Array]], Iterator[pa.Array]]:
    """Return a wrapper that Python workers can run.

    The function is pickled separately. A worker without the package therefore raises the error below, instead of an error of Spark
    that suggests no remedy.
    """
    pickled = pickle.dumps(functools.partial(function, **arguments))

    def run(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        try:
            work = pickle.loads(pickled)
        except ImportError as fault:
            import platform
            import sys

            raise ImportError(
                f"{fault}: {sys.executable} on {platform.node()} runs the tasks and lacks the package: install credence there, or name a Python"
                " that has it (PYSPARK_PYTHON, spark.pyspark.python), or send an environment (spark.archives)"
            ) from fault
        return work(batches)

    return run


# ---- Predictions ----


def answered(
    df: DataFrame,
    model: Model,
    options: Mapping[str, Any],
    names: Mapping[str, str],
    places: list[int] | None = None,
    conversions: Mapping[str, Callable[[Column], Column]] | None = None,
) -> DataFrame:
    """Add prediction columns to a DataFrame.

    `names` maps the parts of the prediction to column names: ``prediction``, ``posterior``, ``decision``, ``probabilities``. The
    probabilities are in class order, or at the indices in `places`.
    """
    _check_frame(df)
    ids, time = _sequence_columns(model, options)
    columns = columns_of(df)
    _check_names(df.columns, list(names.values()))
    given = _partitions.answer_options(options)
    common: dict[str, Any] = {"model": model.to_bytes(), "options": given, "places": places}
    if ids is None:
        used = _asked_of(model, columns, given)
        sent = Columns(columns.names[index] for index in used)
        # Raises errors about options and columns here, not at the first action, and issues warnings, which nobody would see on a worker.
        _partitions.answers_for(sent.without_rows(), model, given, "the data")
        answer = sql.arrow_udf(_for_workers(_spark_parts.answer_rows, columns=sent, **common), _ANSWER)
        rows = _numbered(df).withColumn("answer", answer(sql.struct(*(f"c{index}" for index in used))))
    else:
        _partitions.check_answer_options(model, given)
        rows = _together(_numbered(df), columns, ids, time)
        schema = StructType([*rows.schema.fields]).add("answer", StructType.fromDDL(_ANSWER))
        rows = rows.mapInArrow(_for_workers(_spark_parts.answer_sequences, columns=columns, **common), schema)
    parts = []
    for part in names:
        found = sql.col(f"answer.{part}")
        parts.append((conversions or {}).get(part, lambda column: column)(found).alias(f"answer {part}"))
    return rows.select("*", *parts).drop("answer").toDF(*df.columns, *names.values())


def _check_names(columns: Iterable[str], answers: list[str]) -> None:
    """Reject names of prediction columns that other columns have. Spark compares column names without regard to case."""
    taken = {name.lower() for name in columns}
    for number, name in enumerate(answers):
        if name.lower() in taken:
            raise ValueError(f"data: it has a column {name!r} already, as answers have it: drop or rename it")
        if name.lower() in (other.lower() for other in answers[:number]):
            raise ValueError(f"the columns of answers need names of their own, got {name!r} for two of them: {', '.join(map(repr, answers))}")


def _asked_of(model: Model, columns: Columns, options: Mapping[str, Any]) -> list[int]:
    """Return the indices of the columns that predictions need."""
    if (options.get("reading") or {}).get("strict"):  # columns that the model does not have are an error
        return list(range(len(columns.names)))
    node = options.get("target")
    # If the query is for another node of a network, the target is evidence.
    return _read_by(model, columns, () if node in (None, model.target) else (model.target,))


def _read_by(model: Model, columns: Columns, further: Iterable[str | None] = ()) -> list[int]:
    """Return the indices of the columns that the model reads.

    The target and the weight are included only if `further` contains them. The result contains all columns if the model reads none
    of them, or if it was trained without column names, because it then identifies columns by position.
    """
    schema = json.loads(_core.schema_of_model(model._core, False))
    if schema.get("header") is False:
        return list(range(len(columns.names)))
    known = {column["name"] for column in schema["columns"] if column["type"] != "ignored"} - {model.target, model.weight}
    source = _core.sequence_source(model._core) or {}
    known |= {*further, source.get("sequence"), source.get("time")}
    return [index for index, name in enumerate(columns.names) if name in known] or list(range(len(columns.names)))


# ---- Parts ----


def _merged(rows: DataFrame, columns: Columns, plan: _partitions.Plan) -> bytes:
    """Train a part from each partition, and merge all parts into one.

    Spark collects the parts in a number of partitions that depends on their size, and merges them there. The rest is merged here. The
    tree has two levels.
    """
    parts = rows.mapInArrow(_for_workers(_spark_parts.train_rows, columns=columns, plan=plan), _PART)
    grouped = parts.withColumn("group", sql.spark_partition_id()).repartition("group").drop("group")
    return _partitions.merge_all(_collected(grouped.mapInArrow(_for_workers(_spark_parts.merge_parts), _PART)))


def _collected(parts: DataFrame) -> list[bytes]:
    """Return the parts in the order of their partitions. Raise the first exception that a worker returned."""
    return _partitions.parts_of(zip(*(column.to_pylist() for column in parts.toArrow().columns), strict=True))
