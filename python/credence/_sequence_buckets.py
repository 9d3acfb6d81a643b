# SPDX-License-Identifier: MIT
"""A shuffle of rows of sequences, for engines that have tasks: blocks are split into buckets by the hash of ids, and the pieces of a bucket joined.

Rows keep their order, so that pieces which are joined in the order of blocks have the rows of each sequence in the order of the table.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

__all__ = ["join", "split"]


def split(block: pa.Table, column: str, count: int) -> list[pa.Table]:
    """The rows of each of so many buckets, in their order. An id has the same bucket in every block, a number whatever its type is."""
    ids = _ids(block, column).dictionary_encode()
    values = ids.dictionary
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_decimal(values.type):
        values = values.cast(pa.float64(), safe=False)
    hashes = pd.util.hash_array(values.to_numpy(zero_copy_only=False))
    of_missing = len(hashes)
    buckets = np.append(hashes % count, np.uint64(0))[ids.indices.fill_null(of_missing).to_numpy()]
    return [block.take(np.flatnonzero(buckets == bucket)) for bucket in range(count)]


def join(column: str, *pieces: pa.Table) -> pa.Table:
    """Rows in their order, those of an id next to each other: ids in the order in which they come first."""
    block = pa.concat_tables(pieces, promote_options="permissive")
    ids = _ids(block, column).dictionary_encode(null_encoding="encode").indices
    return block.take(np.argsort(ids.to_numpy(), kind="stable"))


def _ids(block: pa.Table, column: str) -> pa.Array:
    ids = block.column(column).combine_chunks()
    return ids.dictionary_decode() if pa.types.is_dictionary(ids.type) else ids
