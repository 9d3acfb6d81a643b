# SPDX-License-Identifier: MIT
"""A lightweight result table: named columns of equal length, based on numpy."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._columns import add_column
from ._html import table_html
from ._label_types import LabelType
from ._text import columns_text, number_text

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["LabelColumn", "Table", "label_column"]

_SHOWN = 20  # rows in a representation


def _imported(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        raise ImportError(f"this needs {package}: pip install {package}") from error


class _Codes:
    """A categorical column: codes that index names; a code below 0 is missing."""

    def __init__(self, codes: Any, names: Any) -> None:
        self.codes = np.asarray(codes, dtype=np.int32)
        self.names = [str(name) for name in names]

    def __len__(self) -> int:
        return len(self.codes)

    def values(self) -> Any:
        names = np.empty(len(self.names) + 1, dtype=object)
        names[:-1] = self.names
        return names[self.codes]

    def sliced(self, rows: slice) -> _Codes:
        return type(self)(self.codes[rows], self.names)

    def to_pandas(self, pd: Any) -> Any:
        return pd.Categorical.from_codes(self.codes, categories=self.names)

    def to_polars(self, pl: Any, name: str) -> Any:
        return pl.Series(name, self.values().tolist(), dtype=pl.Enum(self.names))

    def to_arrow(self, pa: Any) -> Any:
        indices = pa.array(self.codes, mask=self.codes < 0)
        return pa.DictionaryArray.from_arrays(indices, pa.array(self.names, pa.string()))

    def add_to(self, columns: Any, name: str) -> None:
        columns.add_codes(name, self.codes, "i", self.names)


class LabelColumn(_Codes):
    """A column of class labels in the type of the training target; a code below 0 is missing."""

    def __init__(self, codes: Any, labels: Any, dtype: Any) -> None:
        self.codes = np.asarray(codes, dtype=np.int32)
        self.names = list(labels)
        self.dtype = dtype

    def sliced(self, rows: slice) -> LabelColumn:
        return type(self)(self.codes[rows], self.names, self.dtype)

    def _of(self, module: str) -> bool:
        return type(self.dtype).__module__.partition(".")[0] == module

    def _has_all(self) -> bool:
        """Return whether all labels are categories of the dtype, if it has any, because later rows may have further labels."""
        categories = getattr(self.dtype, "categories", None)
        return categories is None or set(self.names) <= set(categories)

    def _array(self) -> Any:
        """Return the labels as a numpy array."""
        if isinstance(self.dtype, np.dtype) and self.dtype.kind != "O":
            return np.array(self.names, dtype=self.dtype)
        if all(isinstance(label, (bool, int, float)) for label in self.names):
            return np.array(self.names)
        made = np.empty(len(self.names), dtype=object)
        made[:] = self.names
        return made

    def _listed(self) -> list[Any]:
        names = [*(label.item() if isinstance(label, np.generic) else label for label in self.names), None]
        return [names[code] for code in self.codes]

    def values(self) -> Any:
        labels = self._array()
        if len(self.codes) == 0 or self.codes.min() >= 0:
            return labels[self.codes]
        padded = np.empty(len(labels) + 1, dtype=object)
        padded[:-1] = labels
        return padded[self.codes]

    def to_pandas(self, pd: Any) -> Any:
        if self._of("pandas"):
            return pd.array(self._listed(), dtype=self.dtype) if self._has_all() else pd.Categorical(self._listed())
        if len(self.codes) == 0 or self.codes.min() >= 0:
            return self.values()
        nullable = {"b": "boolean", "i": "Int64", "u": "UInt64", "f": "Float64"}.get(self._array().dtype.kind)
        return pd.array(self._listed(), dtype=nullable) if nullable else self.values()

    def to_polars(self, pl: Any, name: str) -> Any:
        return pl.Series(name, self._listed(), dtype=self.dtype if self._of("polars") and self._has_all() else None)

    def to_arrow(self, pa: Any) -> Any:
        if self._of("pyarrow") and not pa.types.is_dictionary(self.dtype):
            return pa.array(self._listed(), self.dtype)
        made = pa.array(self._listed())
        return made.dictionary_encode() if self._of("pyarrow") else made

    def add_to(self, columns: Any, name: str) -> None:
        add_column(columns, name, self.values())


def label_column(codes: Any, texts: Sequence[str], type_: LabelType) -> _Codes:
    """Create a label column of this type from codes of label texts. Texts that are not labels of the type stay texts."""
    if type_.is_text:
        return _Codes(codes, texts)
    labels = type_.labels(texts)
    if labels is not None:
        return LabelColumn(codes, labels, type_.dtype)
    mixed = [found[0] if (found := type_.labels([text])) else text for text in texts]
    return LabelColumn(codes, mixed, np.dtype(object))


class Table:
    """A table: named columns of equal length.

    Parameters
    ----------
    columns : mapping
        Columns by name: anything that numpy converts to an array, or a pair of codes and names. A code below 0 is missing.

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
            is_made = isinstance(column, _Codes)
            self._columns[str(name)] = column if is_made else _Codes(*column) if pair else np.asarray(column)
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
        """The number of rows and columns."""
        return self._rows, len(self._columns)

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, key: Any) -> Any:
        """Return a column by name as an array, a row by number as a dict, or rows by slice as a table."""
        if isinstance(key, str):
            if key not in self._columns:
                raise KeyError(f"there is no column {key!r}: the columns are {', '.join(map(repr, self._columns))}")
            column = self._columns[key]
            return column.values() if isinstance(column, _Codes) else column
        if isinstance(key, slice):
            return Table(
                {
                    name: column.sliced(key) if isinstance(column, _Codes) else column[key]
                    for name, column in self._columns.items()
                }
            )
        if not -self._rows <= key < self._rows:
            raise IndexError(f"row {key} is out of range: there are {self._rows}")
        return {name: _cell(column, key) for name, column in self._columns.items()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[row] for row in range(self._rows))

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists, by name."""
        return {name: self[name].tolist() for name in self._columns}

    def to_numpy(self) -> NDArray[Any]:
        """Return all columns as a two-dimensional array: of doubles if all columns are numeric, else of objects."""
        made = [self[name] for name in self._columns]
        if not made:
            return np.empty((0, 0))
        return np.column_stack(made) if all(c.dtype.kind in "fiub" for c in made) else np.stack(
            [c.astype(object) for c in made], axis=1
        )

    def to_pandas(self) -> pandas.DataFrame:
        """Convert the table to a pandas frame."""
        pd = _imported("pandas")

        columns: dict[str, Any] = {}
        for name, column in self._columns.items():
            columns[name] = column.to_pandas(pd) if isinstance(column, _Codes) else column
        return pd.DataFrame(columns, columns=self.columns)

    def to_polars(self) -> polars.DataFrame:
        """Convert the table to a polars frame."""
        pl = _imported("polars")

        series = []
        for name, column in self._columns.items():
            series.append(column.to_polars(pl, name) if isinstance(column, _Codes) else pl.Series(name, column))
        return pl.DataFrame(series)

    def to_arrow(self) -> pyarrow.Table:
        """Convert the table to a pyarrow table."""
        pa = _imported("pyarrow")

        arrays = []
        for column in self._columns.values():
            arrays.append(column.to_arrow(pa) if isinstance(column, _Codes) else pa.array(column))
        return pa.table(arrays, names=self.columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Export all rows as an Arrow stream, for polars, pyarrow, DuckDB and others. Texts and codes are not copied."""
        made = _core.make_columns(self._rows)
        for name, column in self._columns.items():
            if isinstance(column, _Codes):
                column.add_to(made, name)
            else:
                add_column(made, name, column)
        return made.stream()

    def _shown(self) -> tuple[list[list[Any]], int]:
        """Return the first rows, and the number of further rows."""
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
