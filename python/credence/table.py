# SPDX-License-Identifier: MIT
"""A light table of results: named columns of one length, on numpy."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from . import _core
from ._columns import add_column
from ._html import table_html
from ._text import columns_text, number_text

__all__ = ["Table"]

_SHOWN = 20  # rows in a representation


def _imported(package: str, extra: str) -> Any:
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        raise ImportError(f"this needs {package}: pip install {package}, or the extra credence[{extra}]") from error


class _Codes:
    """A categorical column: codes of names; a code below 0 is missing."""

    def __init__(self, codes: Any, names: Any) -> None:
        self.codes = np.asarray(codes, dtype=np.int32)
        self.names = [str(name) for name in names]

    def __len__(self) -> int:
        return len(self.codes)

    def values(self) -> Any:
        names = np.empty(len(self.names) + 1, dtype=object)
        names[:-1] = self.names
        return names[self.codes]


class Table:
    """Named columns of one length.

    Parameters
    ----------
    columns : mapping
        Columns by name: anything that numpy makes an array of, or a pair of codes and names, of which a code below 0 is missing.

    Examples
    --------
    >>> table = Table({"class": ([0, 1], ["no", "yes"]), "probability": [0.75, 0.5]})
    >>> len(table), table.columns
    (2, ['class', 'probability'])
    >>> table["probability"]
    array([0.75, 0.5 ])
    >>> table[1]
    {'class': 'yes', 'probability': 0.5}
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns: dict[str, Any] = {}
        for name, column in columns.items():
            pair = isinstance(column, tuple) and len(column) == 2 and not np.isscalar(column[0])
            made = _Codes(*column) if pair else np.asarray(column)
            self._columns[str(name)] = made
        lengths = {len(column) for column in self._columns.values()}
        if len(lengths) > 1:
            raise ValueError("columns: they have different lengths")
        self._rows = lengths.pop() if lengths else 0

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        return self._rows, len(self._columns)

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, as an array; a row by its number, as a dict; rows by a slice, as a table."""
        if isinstance(key, str):
            if key not in self._columns:
                raise KeyError(f"there is no column {key!r}: the columns are {', '.join(map(repr, self._columns))}")
            column = self._columns[key]
            return column.values() if isinstance(column, _Codes) else column
        if isinstance(key, slice):
            return Table(
                {
                    name: (column.codes[key], column.names) if isinstance(column, _Codes) else column[key]
                    for name, column in self._columns.items()
                }
            )
        if not -self._rows <= key < self._rows:
            raise IndexError(f"row {key} is out of range: there are {self._rows}")
        return {name: _cell(column, key) for name, column in self._columns.items()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[row] for row in range(self._rows))

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns as lists, by name."""
        return {name: self[name].tolist() for name in self._columns}

    def to_numpy(self) -> Any:
        """All columns side by side: doubles where all are numbers, else objects."""
        made = [self[name] for name in self._columns]
        if not made:
            return np.empty((0, 0))
        return np.column_stack(made) if all(c.dtype.kind in "fiub" for c in made) else np.stack(
            [c.astype(object) for c in made], axis=1
        )

    def to_pandas(self) -> Any:
        """A frame of pandas."""
        pd = _imported("pandas", "pandas")

        columns: dict[str, Any] = {}
        for name, column in self._columns.items():
            if isinstance(column, _Codes):
                column = pd.Categorical.from_codes(column.codes, categories=column.names)
            columns[name] = column
        return pd.DataFrame(columns, columns=self.columns)

    def to_polars(self) -> Any:
        """A frame of polars."""
        pl = _imported("polars", "polars")

        series = []
        for name, column in self._columns.items():
            if isinstance(column, _Codes):
                series.append(pl.Series(name, column.values().tolist(), dtype=pl.Enum(column.names)))
            else:
                series.append(pl.Series(name, column))
        return pl.DataFrame(series)

    def to_arrow(self) -> Any:
        """A table of pyarrow."""
        pa = _imported("pyarrow", "arrow")

        arrays = []
        for column in self._columns.values():
            if isinstance(column, _Codes):
                mask = column.codes < 0
                indices = pa.array(column.codes, mask=mask)
                arrays.append(pa.DictionaryArray.from_arrays(indices, pa.array(column.names, pa.string())))
            else:
                arrays.append(pa.array(column))
        return pa.table(arrays, names=self.columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """All rows as an Arrow stream, for polars, pyarrow, DuckDB and others; texts and codes are not copied."""
        made = _core.make_columns(self._rows)
        for name, column in self._columns.items():
            if isinstance(column, _Codes):
                made.add_codes(name, column.codes, "i", column.names)
            else:
                add_column(made, name, column)
        return made.stream()

    def _shown(self) -> tuple[list[list[Any]], int]:
        """The first rows, and how many more there are."""
        rows = [[_cell(column, row) for column in self._columns.values()] for row in range(min(self._rows, _SHOWN))]
        return rows, self._rows - len(rows)

    def __repr__(self) -> str:
        rows, more = self._shown()
        texts = [[_text(cell) for cell in row] for row in rows]
        size = f"Table of {self._rows} row{'' if self._rows == 1 else 's'}"
        body = columns_text(self.columns, texts) if self._columns else ""
        return "\n".join(part for part in (size, body, f"  ... {more} more" if more else "") if part)

    def _repr_html_(self) -> str:
        rows, more = self._shown()
        caption = f"{self._rows} rows, of which these are the first" if more else None
        return table_html(self.columns, rows, caption)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table) or self.shape != other.shape or self.columns != other.columns:
            return NotImplemented if not isinstance(other, Table) else False
        return all(_equal(self[name], other[name]) for name in self._columns)

    __hash__ = None  # type: ignore[assignment]


def _equal(a: Any, b: Any) -> bool:
    if a.dtype.kind == "f" and b.dtype.kind == "f":
        return bool(np.array_equal(a, b, equal_nan=True))
    return bool(np.array_equal(a, b))


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    return number_text(cell) if isinstance(cell, float) else str(cell)


def _cell(column: Any, row: int) -> Any:
    if isinstance(column, _Codes):
        code = int(column.codes[row])
        return None if code < 0 else column.names[code]
    value = column[row]
    return value.item() if isinstance(value, np.generic) else value
