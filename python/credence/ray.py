# SPDX-License-Identifier: MIT
"""Training, prediction and evaluation on Ray datasets, block by block, by the workers of a cluster.

>>> import credence, credence.ray, ray.data
>>> days = [{"outlook": "sun", "play": "no"}, {"outlook": "rain", "play": "yes"}] * 2
>>> data = ray.data.from_items(days, override_num_blocks=2)
>>> model = credence.ray.train(data, "play")
>>> model == credence.train(days, "play")
True
>>> [row["prediction"] for row in credence.ray.predict(data, model).take(2)]
['no', 'yes']
>>> credence.ray.evaluate(data, model).accuracy
1.0

The model is byte-identical to the model that :func:`credence.train` creates from all rows in one process. This holds for any
blocks and any worker failures, because Ray recomputes lost results. The workers merge parts as a tree and transfer only their
bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import pyarrow as pa
import ray
import ray.data

from ray.data.extensions import ArrowPythonObjectType

from . import _partitions, _sequence_buckets
from ._columns import _NESTED, _is_number, _missing_types, cell_text
from .evaluation import Evaluation
from .model import Model

__all__ = ["evaluate", "predict", "train"]

_BLOCKS = {"batch_size": None, "batch_format": "pyarrow", "zero_copy_batch": True}  # one call for each block
_BUCKET_BYTES = 64 << 20  # of sequence rows that one task collects


def train(data: Any, target: Any = None, **arguments: Any) -> Model:
    """Train a model from a Ray dataset.

    Parameters
    ----------
    data
        A ``ray.data.Dataset``. It is executed once, and again if its blocks disagree on the column types, or for a structure
        search. ``data.materialize()`` keeps it in the object store.
    target, arguments
        As in :func:`credence.train`. The rows of a sequence (``sequence``) are collected by their id from all blocks, in the
        order of the dataset, or by ``time``.
    """
    _check_dataset(data)
    merge = ray.remote(_partitions.outcome_of)

    def merge_groups(groups: list[Any]) -> list[bytes]:
        return _partitions.parts_of(ray.get([merge.remote(_partitions.merge_all, group) for group in groups]))

    def run(plan: _partitions.Plan) -> bytes:
        merged: bytes = _partitions.merge_as_tree(_parts(_together(data, plan.grouped_by), _partitions.train_part, plan), merge_groups)
        return merged

    return _partitions.train_partitions(target, arguments, run)


def predict(data: Any, model: Model, **options: Any) -> Any:
    """Add prediction columns to the dataset, lazily.

    The columns are ``prediction``, and ``posterior``, a struct of the probability of each class. A decision rule adds
    ``decision``.

    Parameters
    ----------
    data
        A ``ray.data.Dataset``. A dataset of sequences is executed immediately, and the result has another row order: the rows
        of an id are adjacent.
    model
        The model, which is sent to each node of the cluster once.
    options
        As in :meth:`Model.predict`, except ``typicality``.
    """
    _check_dataset(data)
    ids, options = _partitions.grouped_by(model), _partitions.answer_options(options)
    _partitions.check_answer_options(model, options)
    _partitions.check_columns(data.columns(fetch_if_missing=False) or ())
    sent = ray.put(model.to_bytes())
    return _together(data, ids).map_batches(_answered, fn_args=(sent, options), **_BLOCKS)


def evaluate(data: Any, model: Model, **options: Any) -> Evaluation:
    """Evaluate the model on labeled rows, with the options and the result of :meth:`Model.evaluate`."""
    _check_dataset(data)
    rows, sent = _together(data, _partitions.grouped_by(model)), ray.put(model.to_bytes())
    parts = _parts(rows, _partitions.evaluate_part, sent, options)
    return _partitions.merge_evaluations(model, parts, options)


def _check_dataset(data: Any) -> None:
    if not isinstance(data, ray.data.Dataset):
        raise TypeError(f"data: expected a ray.data.Dataset, got a {type(data).__module__}.{type(data).__name__}")


def _parts(data: Any, make: Callable[..., bytes], *arguments: Any) -> list[bytes]:
    """Return the bytes that a function creates from each nonempty block, in block order."""
    made = data.map_batches(_made, fn_args=(make, *arguments), **_BLOCKS)
    with _in_order(made), closing(iter(made.iter_rows())) as rows:  # closed after an error, so no further block is read
        return _partitions.parts_of((row["part"], row["fault"]) for row in rows)


@contextmanager
def _in_order(data: Any) -> Iterator[None]:
    """Keep the blocks in order inside the ``with`` block, which Ray does not do by default.

    The option is restored at the end, because a dataset shares its options with the datasets that it is derived from.
    """
    options = data.context.execution_options
    before, options.preserve_order = options.preserve_order, True
    try:
        yield
    finally:
        options.preserve_order = before


def _made(block: pa.Table, make: Callable[..., bytes], *arguments: Any) -> pa.Table:
    fetched = [ray.get(given) if isinstance(given, ray.ObjectRef) else given for given in arguments]
    part, fault = _partitions.outcome_of(lambda: make(_readable(block), *fetched))
    return pa.table({"part": pa.array([part], pa.large_binary()), "fault": pa.array([fault], pa.large_binary())})


def _readable(block: pa.Table) -> pa.Table:
    """Convert columns of Python objects, which Ray stores pickled, as in frames: to numbers if all values are numbers, else to texts."""
    for index, field in enumerate(block.schema):
        if isinstance(field.type, ArrowPythonObjectType):
            block = block.set_column(index, field.name, _column_of(block.column(index).to_pylist()))
    return block


def _column_of(cells: list[Any]) -> pa.Array:
    types = {type(cell) for cell in cells}
    missing = _missing_types(types)
    present = types - missing
    if all(_is_number(kind) for kind in present):
        return pa.array([None if type(cell) in missing else float(cell) for cell in cells], pa.float64())
    if any(issubclass(kind, _NESTED) for kind in present):
        return pa.array([[]] * len(cells), pa.list_(pa.null()))  # an error unless the column is ignored
    return pa.array(map(cell_text, cells), pa.string())


def _answered(block: pa.Table, model: Any, options: Mapping[str, Any]) -> pa.Table:
    try:
        texts, classes, posteriors = _partitions.answers_for(_readable(block), _partitions.model_of(ray.get(model)), options)
    except (ValueError, TypeError):
        # Set for this task only: otherwise Ray raises its own exception and drops this one.
        ray.data.DataContext.get_current().raise_original_map_exception = True
        raise
    for name, column in texts.items():
        block = block.append_column(name, pa.array(column, pa.string(), from_pandas=True))
    return block.append_column("posterior", pa.StructArray.from_arrays(list(posteriors.T), classes))


# ---- Sequences: collect the rows of an id in one block, in the order of the dataset ----


def _together(data: Any, column: str | None) -> Any:
    """Collect whole sequences in blocks, by the hash of their ids.

    The number of blocks depends on the CPU cores and the size of the data. The tasks are plain Ray tasks. The tasks of Ray's
    own shuffle run in separate workers, which take seconds to start, and do not keep the row order.
    """
    if column is None:
        return data
    columns = data.columns()  # None if there is no block
    if columns is not None:
        _partitions.check_ids(column, columns)
    with _in_order(data):
        whole = data.materialize()
    blocks = whole.to_arrow_refs()
    count = min(len(blocks), max(int(ray.cluster_resources().get("CPU", 1)), whole.size_bytes() // _BUCKET_BYTES))
    if count == 0:
        return data
    split, join = ray.remote(_sequence_buckets.split).options(num_returns=count), ray.remote(_sequence_buckets.join)
    pieces = [split.remote(block, column, count) for block in blocks] if count > 1 else [[block] for block in blocks]
    try:
        return ray.data.from_arrow_refs([join.remote(column, *bucket) for bucket in zip(*pieces, strict=True)])
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
