# SPDX-License-Identifier: MIT
"""Results as records. Fields have the names of the command's JSON output, and tables have the frame type of the input."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _tables

__all__ = ["Record", "frame_of", "kind_of", "numbers"]


def kind_of(table: Any) -> Any:
    """Return a frame without rows that has the type of a table, as a template for results; None if the table is not a frame."""
    module = type(table).__module__.partition(".")[0]
    if module == "pandas" and hasattr(table, "iloc"):
        return table.iloc[:0]
    if module == "polars":
        return table.clear() if hasattr(table, "clear") else table.limit(0)
    if module == "pyarrow" and hasattr(table, "slice"):
        return table.slice(0, 0)
    return None


def numbers(values: Iterable[Any]) -> Any:
    """Return an array of numbers, with NaN for None."""
    return np.array([math.nan if value is None else value for value in values], np.float64)


def column_of(values: list[Any]) -> Any:
    """Return a result column as an array of booleans, numbers or texts."""
    if values and all(isinstance(value, bool) for value in values):
        return np.array(values, bool)
    if all(value is None or isinstance(value, (int, float)) for value in values):
        if values and all(isinstance(value, int) for value in values):
            return np.array(values, np.int64)
        return numbers(values)
    return np.array([None if value is None else str(value) for value in values], object)


def frame_of(records: Sequence[Mapping[str, Any]], kind: Any) -> Any:
    """Return records as a frame. If a record lacks a field, its value is missing."""
    names = dict.fromkeys(name for record in records for name in record)
    return _tables.result({name: column_of([record.get(name) for record in records]) for name in names}, kind)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


class Record:
    """A part of a result. Its fields are attributes with the names of the command's JSON output, and its tables are frames."""

    __slots__ = ("_data", "_kind")

    def __init__(self, data: Mapping[str, Any], kind: Any = None) -> None:
        self._data = data
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._data:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._field(name)

    def _field(self, name: str) -> Any:
        value = self._data[name]
        if isinstance(value, Mapping):
            return Record(value, self._kind)
        return frame_of(value, self._kind) if _is_table(value) else value

    def __getitem__(self, name: str | int) -> Any:
        return self._field(str(name))

    def __contains__(self, name: object) -> bool:
        return name in self._data

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def keys(self) -> list[str]:
        """Return the names of the fields."""
        return list(self._data)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self._data if name.isidentifier())]

    def __eq__(self, other: object) -> bool:
        return self._data == other._data if isinstance(other, Record) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._data, self._kind)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain Python objects, as in the command's JSON output. A missing value is None."""
        return {name: _plain(value) for name, value in self._data.items()}

    def __repr__(self) -> str:
        fields = [f"{name}={_shown(value)}" for name, value in self._data.items()]
        return f"{type(self).__name__}({', '.join(fields)})"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, (list, Mapping)) and len(value) > 3:
        return f"<{len(value)} items>"
    return repr(value)
