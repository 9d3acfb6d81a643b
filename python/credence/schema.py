# SPDX-License-Identifier: MIT
"""Schemas: the columns of a table, their types and roles, and profiles of their values."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Unpack

from . import _core, _settings, _tables
from ._html import card_html, table_html
from ._text import columns_text, number_text, shown
from ._types import ColumnName, ColumnOptions, TableInput
from .table import Table

__all__ = ["Schema", "schema"]

_SUMMARIZED = ("type", "role", "format", "missing", "distinct", "min", "median", "max", "mean", "looks_like")


class Schema:
    """The columns of a table: names, types, roles and values; and a profile of the values, if it was created from rows.

    :func:`schema` creates a schema from a table, :meth:`Model.schema` from a model. If you pass a schema to :func:`train`, it
    fixes the column types. Shards of a table on several machines are then read in the same way.

    Attributes
    ----------
    rows : int or None
        The number of rows read; None if the schema was created from a model or a file.
    """

    __slots__ = ("_profile", "_text", "rows")

    def __init__(self, text: str | bytes, profile: dict[str, Any] | None = None) -> None:
        self._text: str = _core.check_schema(text)
        self._profile: list[dict[str, Any]] = [] if profile is None else profile["columns"]
        self.rows: int | None = None if profile is None else profile["rows"]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Schema:
        """Read a schema from a file."""
        return cls(Path(path).read_bytes())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the schema to a file, in the format of the command."""
        Path(path).write_text(self._text, encoding="utf-8", errors="surrogateescape")

    def to_json(self) -> str:
        """Return the text of the schema file."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """Return the contents of the schema file, and the profile of the rows, if any, under the keys of the command's JSON."""
        content: dict[str, Any] = json.loads(self._text)
        if self.rows is not None:
            content["profile"] = {"rows": self.rows, "columns": self._profile}
        return content

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [column["name"] for column in json.loads(self._text)["columns"] if "name" in column]

    @property
    def profile(self) -> Table:
        """Summarize the columns in a table: type, role, missing values, distinct values; for numbers also quantiles and moments."""
        keys = dict.fromkeys(key for column in self._profile for key in column if key != "most_frequent")
        return Table({key: [column.get(key) for column in self._profile] for key in keys})

    def most_frequent(self, column: str) -> Table:
        """Return the most frequent values of a column, at most ten, with their counts and shares."""
        for found in self._profile:
            if found["column"] == column:
                rows = found.get("most_frequent", [])
                return Table({key: [row[key] for row in rows] for key in ("value", "count", "share")})
        raise KeyError(f"no column {column!r} in the profile")

    @property
    def is_part(self) -> bool:
        """Whether the schema describes a part of a table, and contains the statistics to decide on the whole table."""
        return "part" in json.loads(self._text)

    def merge(self, other: Schema) -> Schema:
        """Merge the schemas of two parts of a table.

        The result is still the schema of a part, until :meth:`complete` finishes it.
        """
        return Schema(_core.merge_schemas(self._text, other._text))

    def complete(self) -> Schema:
        """Return the schema of the whole table, after all of its parts are merged."""
        return Schema(_core.complete_schema(self._text))

    @classmethod
    def merge_all(cls, schemas: Iterable[Schema]) -> Schema:
        """Create the schema of a whole table from the schemas of all its parts, in any order.

        Examples
        --------
        >>> import credence
        >>> rows = b"x,y\\n1,a\\n2,b\\nmany,a\\n"
        >>> parts = [credence.schema(rows, target="y", shard=(i, 2)) for i in (1, 2)]
        >>> credence.Schema.merge_all(parts).to_json() == credence.schema(rows, target="y").to_json()
        True
        """
        schemas = list(schemas)
        for schema in schemas:
            if not isinstance(schema, Schema):
                raise TypeError(f"schemas: expected Schemas, as Schema.load reads them from files, got a {type(schema).__name__}")
        texts = [schema._text for schema in schemas]
        if not texts:
            raise ValueError("schemas: expected those of all parts, got none")
        return cls(_core.complete_schema(functools.reduce(_core.merge_schemas, texts)))

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, Schema) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        profile = None if self.rows is None else {"rows": self.rows, "columns": self._profile}
        return Schema, (self._text, profile)

    def _cells(self) -> tuple[list[str], list[list[Any]]]:
        if not self._profile:
            columns = json.loads(self._text)["columns"]
            keys = list(dict.fromkeys(key for column in columns for key in column if key != "values"))
            return keys, [[column.get(key) for key in keys] for column in columns]
        keys = ["column", *(key for key in _SUMMARIZED if any(key in column for column in self._profile))]
        return keys, [[column.get(key) for key in keys] for column in self._profile]

    def __repr__(self) -> str:
        head, rows = self._cells()
        texts = [
            [
                number_text(cell) if isinstance(cell, float) else "" if cell is None else shown(str(cell))
                for cell in row
            ]
            for row in rows
        ]
        counted = "" if self.rows is None else f"{self.rows} rows\n"
        return counted + columns_text([name.replace("_", " ") for name in head], texts)

    def _repr_html_(self) -> str:
        head, rows = self._cells()
        facts = {} if self.rows is None else {"rows": self.rows}
        return card_html("Schema", facts, table_html([name.replace("_", " ") for name in head], rows))


def schema(
    table: TableInput,
    target: ColumnName | None = None,
    *,
    weight: ColumnName | None = None,
    values: bool = False,
    **reading: Unpack[ColumnOptions],
) -> Schema:
    """Profile the columns of a table, and create a schema.

    Every row is read, because the whole table determines the column types.

    Parameters
    ----------
    table
        Rows, as in :func:`train`.
    target, weight
        The column to predict, and the weight column.
    values
        Whether to declare the values of categorical columns. A model trained with the schema then includes these values, even
        if its rows do not contain them.
    reading
        Column types and reading options, as in :func:`train`. With ``shard``, the result is the schema of a part of the rows,
        without a profile, for :meth:`Schema.merge_all`. For a table that is already a part, use ``shard="1/1"``.

    Examples
    --------
    >>> import credence
    >>> credence.schema({"x": [1.0, 2.0, None], "y": ["a", "b", "a"]}, target="y")
    3 rows
      column  type         role       missing  distinct  min  median  max  mean
      x       numeric      attribute        1         2    1     1.5    2   1.5
      y       categorical  target           0         2
    """
    _settings.check_names("schema", reading, list(ColumnOptions.__annotations__))
    reader = _tables.open_reader(table, target=target, weight=weight, **reading)
    if reading.get("shard") is not None:
        return Schema(_core.schema_of_rows(reader, values))
    profile, text = _core.profile_table(reader, values)
    return Schema(text, profile)
