# SPDX-License-Identifier: MIT
"""Training, prediction and evaluation on Dask frames, partition by partition, by the workers of a cluster.

>>> import credence, credence.dask, dask.dataframe, pandas
>>> days = pandas.DataFrame({"outlook": ["sun", "sun", "rain", "rain"], "play": ["no", "no", "yes", "yes"]})
>>> frame = dask.dataframe.from_pandas(days, npartitions=2)
>>> model = credence.dask.train(frame, "play")
>>> model == credence.train(days, "play")
True
>>> credence.dask.predict(frame, model).compute()["prediction"].tolist()
['no', 'no', 'yes', 'yes']
>>> credence.dask.evaluate(frame, model).accuracy
1.0

The model is byte-identical to the model that :func:`credence.train` creates from all rows in one process. This holds for any
partitions and any worker failures, because Dask recomputes lost results. The workers merge parts as a tree and transfer only
their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import dask
import numpy as np
import pandas as pd
from dask.dataframe import DataFrame
from dask.delayed import delayed

from . import _partitions, _sequence_buckets
from .errors import DataError
from .evaluation import Evaluation
from .model import Model

__all__ = ["evaluate", "predict", "train"]

_PLACE, _BUCKET = "__credence_place__", "__credence_bucket__"  # a row's position and the hash of its id, while sequences are collected
#: The default text type of frames in this pandas version, or Dask's text type if the default is object.
_TEXT = pd.Series([""]).dtype if isinstance(pd.Series([""]).dtype, pd.StringDtype) else pd.StringDtype("pyarrow")


def train(data: Any, target: Any = None, **arguments: Any) -> Model:
    """Train a model from a Dask frame.

    Parameters
    ----------
    data
        A ``dask.dataframe.DataFrame``. It is computed once, and again if its partitions disagree on the column types, or for a
        structure search. ``data.persist()`` keeps it in the workers' memory.
    target, arguments
        As in :func:`credence.train`. The rows of a sequence (``sequence``) are collected by their id from all partitions, in
        the order of the frame, or by ``time``.
    """

    _check_frame(data)

    def run(plan: _partitions.Plan) -> bytes:
        with _types_of(data, plan.grouped_by):
            return _reduced(_together(data, plan.grouped_by), plan)

    return _partitions.train_partitions(target, arguments, run)


def predict(data: Any, model: Model, **options: Any) -> Any:
    """Add prediction columns to the frame, lazily.

    The columns are ``prediction``, and ``posterior``, a dict of the probability of each class. A decision rule adds
    ``decision``.

    Parameters
    ----------
    data
        A ``dask.dataframe.DataFrame``. For sequences, the result has another row order: the rows of an id are adjacent. The
        index is kept.
    model
        The model, which is sent to each worker once.
    options
        As in :meth:`Model.predict`, except ``typicality``.
    """
    _check_frame(data)
    _partitions.check_answer_options(model, options)
    rows, options = _together(data, _partitions.grouped_by(model)), _partitions.answer_options(options)
    sent = model.to_bytes()
    return rows.map_partitions(_answered, delayed(sent), options, meta=_answered(rows._meta, sent, options))


def evaluate(data: Any, model: Model, **options: Any) -> Evaluation:
    """Evaluate the model on labeled rows, with the options and the result of :meth:`Model.evaluate`."""
    _check_frame(data)
    ids = _partitions.grouped_by(model)
    rows, sent = _together(data, ids), delayed(model.to_bytes())
    judge = delayed(_partitions.evaluate_part, pure=True)
    with _types_of(data, ids):
        parts = dask.compute(*(judge(partition, sent, options, number) for number, partition in enumerate(rows.to_delayed())))
    return _partitions.merge_evaluations(model, parts, options, data._meta)


def _check_frame(data: Any) -> None:
    if not isinstance(data, DataFrame):
        raise TypeError(f"data: expected a dask.dataframe.DataFrame, got a {type(data).__module__}.{type(data).__name__}")


def _reduced(data: Any, plan: _partitions.Plan) -> bytes:
    """Return the merged part of all partitions, which are merged as a tree."""
    train_part, merge = delayed(_partitions.train_part, pure=True), delayed(_partitions.merge_all, pure=True)
    parts = [train_part(partition, plan, number) for number, partition in enumerate(data.to_delayed())]
    merged: bytes = _partitions.merge_as_tree(parts, lambda groups: [merge(group) for group in groups]).compute()
    return merged


def _answered(rows: pd.DataFrame, model: bytes, options: Mapping[str, Any], partition_info: Mapping[str, int] | None = None) -> pd.DataFrame:
    found = _partitions.model_of(model)
    number = None if _partitions.grouped_by(found) is not None else (partition_info or {}).get("number")
    texts, classes, posteriors = _partitions.answers_for(rows, found, options, _partitions.place_of(number))
    added = {name: pd.Series(column, rows.index, _TEXT) for name, column in texts.items()}
    # Use objects: pandas cannot read back files with a struct that it wrote from a frame.
    dicts = [dict(zip(classes, row, strict=True)) for row in posteriors.tolist()]
    return rows.assign(**added, posterior=pd.Series(dicts, rows.index, object))


# ---- Sequences: collect the rows of an id in one partition, in the order of the frame ----


def _together(data: Any, column: str | None) -> Any:
    if column is None:
        return data
    _partitions.check_ids(column, [str(label) for label in data.columns])
    labels = list(data.columns)
    place = [str(label) for label in labels].index(column)
    placed = data.map_partitions(_placed, labels, place, meta=_placed(data._meta, labels, place))
    return placed.shuffle(on=_BUCKET).map_partitions(_sorted, labels, place, data._meta.index.name, meta=data._meta)


@contextmanager
def _types_of(data: Any, column: str | None) -> Iterator[None]:
    """Name the column with several types if a shuffle fails, because Dask's message does not."""
    try:
        yield
    except RuntimeError as error:
        if column is None or "P2P" not in str(error):
            raise
        found: dict[str, set[str]] = {}
        for kinds in dask.compute(*map(delayed(_kinds_of), data.to_delayed())):
            for name, kind in kinds.items():
                found.setdefault(name, set()).add(kind)
        for name, kinds in found.items():
            several = sorted(kinds - {"empty"})
            if len(several) > 1:
                what = f"column {name!r} has values of several types ({', '.join(several)}) in its partitions"
                raise DataError(f"{what}: a shuffle of sequences takes one; astype() of the frame gives it one") from error
        raise


def _kinds_of(rows: pd.DataFrame) -> dict[str, str]:
    kinds = {str(label): pd.api.types.infer_dtype(rows.iloc[:, i], skipna=True) for i, label in enumerate(rows.columns)}
    return {name: "number" if kind in ("integer", "floating", "mixed-integer-float", "decimal") else kind for name, kind in kinds.items()}


def _placed(rows: pd.DataFrame, labels: list[Any], place: int, partition_info: Mapping[str, int] | None = None) -> pd.DataFrame:
    """Add to each row its position and the hash of its id.

    Columns are renamed to their positions, and the index has no name, because a shuffle does not accept every name.
    """
    first = (partition_info or {"number": 0})["number"] << 40
    if list(rows.columns) != labels:
        differing = sorted(map(str, {*rows.columns}.symmetric_difference(labels)))
        if differing:
            raise DataError(f"column {differing[0]!r} is in some partitions only: give all of them the same columns")
        rows = rows[labels]
    plain = rows.set_axis([str(i) for i in range(len(labels))], axis=1).rename_axis(index=None)
    return plain.assign(**{_PLACE: range(first, first + len(rows)), _BUCKET: _sequence_buckets.hashes_of(rows.iloc[:, place])})


def _sorted(rows: pd.DataFrame, labels: list[Any], place: int, index: Any) -> pd.DataFrame:
    """Sort the rows so that the rows of an id are adjacent. Ids are in the order of their first rows."""
    rows = rows.sort_values(_PLACE).drop(columns=[_PLACE, _BUCKET])
    ids, _ = pd.factorize(_sequence_buckets.keys_of(rows.iloc[:, place]), use_na_sentinel=False)
    return rows.iloc[np.argsort(ids, kind="stable")].set_axis(labels, axis=1).rename_axis(index=index)
