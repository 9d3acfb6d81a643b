# SPDX-License-Identifier: MIT
"""A shuffle of sequence rows, for task-based backends. Blocks are split into buckets by the hash of the ids, and the pieces of a bucket are joined.

Rows keep their order. If you join the pieces in the order of the blocks, the rows of each sequence are in the order of the table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute

from ._columns import cell_text
from .errors import DataError

__all__ = ["hashes_of", "join", "keys_of", "split"]


def split(block: pa.Table, column: str, count: int) -> list[pa.Table]:
    """Split the rows of a block into `count` buckets, in their order.

    An id has the same bucket in every block. The bucket of a number or timestamp does not depend on its type.
    """
    ids = _ids(block, column).dictionary_encode()
    hashes = _hashes(ids.dictionary)
    of_missing = len(hashes)
    buckets = np.append(hashes % count, np.uint64(0))[ids.indices.fill_null(of_missing).to_numpy()]
    return [block.take(np.flatnonzero(buckets == bucket)) for bucket in range(count)]


def join(column: str, *pieces: pa.Table) -> pa.Table:
    """Join pieces, and make the rows of each id adjacent. The rows of an id keep their order, and ids are in the order of their first rows."""
    block = pa.concat_tables(pieces, promote_options="permissive")
    ids = _ids(block, column).dictionary_encode(null_encoding="encode").indices
    return block.take(np.argsort(ids.to_numpy(), kind="stable"))


def _ids(block: pa.Table, column: str) -> pa.Array:
    found = block.column_names.count(column)
    if found != 1:
        raise DataError(
            f"column {column!r} is in some partitions only: give all of them the same columns" if found == 0 else f"{found} columns are called {column!r}"
        )
    ids = block.column(column).combine_chunks()
    ids = ids.dictionary_decode() if pa.types.is_dictionary(ids.type) else ids
    if pa.types.is_nested(ids.type) or isinstance(ids.type, pa.BaseExtensionType):
        raise DataError(f"sequence: column {column!r} has the type {ids.type}, where ids are texts, numbers or moments: make texts of it")
    return ids


def _hashes(ids: pa.Array) -> Any:
    """Return the hashes of the texts of ids. Equal numbers and timestamps of the same second have the same hash, whatever their type."""
    kind = ids.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        ids = compute.add(ids.cast(pa.float64(), safe=False), 0.0)  # makes -0 equal to 0
    elif pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        ids = ids.cast(pa.timestamp("s", getattr(kind, "tz", None)), safe=False).cast(pa.int64())
    elif pa.types.is_time(kind):
        ids = ids.cast(pa.time32("s"), safe=False).cast(pa.int32())
    elif pa.types.is_duration(kind):
        ids = ids.cast(pa.duration("s"), safe=False).cast(pa.int64())
    is_text = pa.types.is_string(ids.type) or pa.types.is_binary(ids.type) or pa.types.is_large_string(ids.type) or pa.types.is_large_binary(ids.type)
    return pd.util.hash_array((ids if is_text else ids.cast(pa.string())).to_numpy(zero_copy_only=False))


# ---- pandas columns ----


def hashes_of(ids: pd.Series) -> Any:
    """Return the hash of each row's id, equal to the hash that :func:`split` uses."""
    codes, different = pd.factorize(keys_of(ids))
    try:
        found = pa.array(different, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        found = pa.array([cell_text(value) for value in different], pa.string())
    return np.append(_hashes(found), np.uint64(0))[codes]


def keys_of(ids: pd.Series) -> Any:
    """Return the ids, converted to texts if they have several types. The library compares such ids as texts too."""
    if isinstance(ids.dtype, pd.CategoricalDtype):
        ids = pd.Series(np.asarray(ids), ids.index)
    return ids.map(cell_text) if pd.api.types.infer_dtype(ids, skipna=True) in ("mixed", "mixed-integer") else ids
