# SPDX-License-Identifier: MIT
"""A shuffle of rows of sequences, for engines that have tasks: blocks are split into buckets by the hash of ids, and the pieces of a bucket joined.

Rows keep their order, so that pieces which are joined in the order of blocks have the rows of each sequence in the order of the table.
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
    """The rows of each of so many buckets, in their order. An id has the same bucket in every block, a number or moment whatever its type is."""
    ids = _ids(block, column).dictionary_encode()
    hashes = _hashes(ids.dictionary)
    of_missing = len(hashes)
    buckets = np.append(hashes % count, np.uint64(0))[ids.indices.fill_null(of_missing).to_numpy()]
    return [block.take(np.flatnonzero(buckets == bucket)) for bucket in range(count)]


def join(column: str, *pieces: pa.Table) -> pa.Table:
    """Rows in their order, those of an id next to each other: ids in the order in which they come first."""
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
    """The hashes of ids by their texts, which are the same for numbers that are equal, and for moments of the same second: of whatever type."""
    kind = ids.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        ids = compute.add(ids.cast(pa.float64(), safe=False), 0.0)  # the zeros are equal
    elif pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        ids = ids.cast(pa.timestamp("s", getattr(kind, "tz", None)), safe=False).cast(pa.int64())
    elif pa.types.is_time(kind):
        ids = ids.cast(pa.time32("s"), safe=False).cast(pa.int32())
    elif pa.types.is_duration(kind):
        ids = ids.cast(pa.duration("s"), safe=False).cast(pa.int64())
    is_text = pa.types.is_string(ids.type) or pa.types.is_binary(ids.type) or pa.types.is_large_string(ids.type) or pa.types.is_large_binary(ids.type)
    return pd.util.hash_array((ids if is_text else ids.cast(pa.string())).to_numpy(zero_copy_only=False))


# ---- Columns of pandas ----


def hashes_of(ids: pd.Series) -> Any:
    """The hash of the id of each row, as :func:`split` has them."""
    codes, different = pd.factorize(keys_of(ids))
    try:
        found = pa.array(different, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        found = pa.array([cell_text(value) for value in different], pa.string())
    return np.append(_hashes(found), np.uint64(0))[codes]


def keys_of(ids: pd.Series) -> Any:
    """The ids, as texts where they are of several types, as the library compares them then."""
    if isinstance(ids.dtype, pd.CategoricalDtype):
        ids = pd.Series(np.asarray(ids), ids.index)
    return ids.map(cell_text) if pd.api.types.infer_dtype(ids, skipna=True) in ("mixed", "mixed-integer") else ids
