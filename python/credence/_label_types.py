# SPDX-License-Identifier: MIT
"""Class labels in the type of the training target: the library stores classes as texts, this module converts them back."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from . import _core
from ._columns import cell_text, columns_in, is_pandas, module_of

__all__ = ["Label", "LabelType", "label_text", "label_type"]

#: A class label: str, int, float, bool, or any other value that a target column can contain.
Label = Any


def label_text(label: Label) -> str:
    """The text of a label, by which a model knows the class.

    >>> label_text("ham"), label_text(3), label_text(2.0), label_text(True)
    ('ham', '3', '2', 'true')
    """
    if isinstance(label, str):
        return str(label)
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label)).lower()
    if isinstance(label, numbers.Integral):
        return str(int(label))
    if isinstance(label, numbers.Real):
        number = float(label)
        return str(int(number)) if number.is_integer() and abs(number) < 1e16 else repr(number)
    if isinstance(label, bytes):
        return label.decode(errors="surrogateescape")
    return str(label)


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _whole(text: str) -> int:
    number = int(text)
    if str(number) != text:
        raise ValueError(text)
    return number


#: Reads a text as a label, by the kind letter of the target's numpy dtype.
_PARSERS: dict[str, Callable[[str], Label]] = {"b": _truth, "i": _whole, "u": _whole, "f": float}


class LabelType:
    """The type of a target column.

    Parameters
    ----------
    kind
        The kind letter of a numpy dtype if texts can be parsed: b, i, u or f; else an empty text.
    values
        Labels by their texts, for targets whose texts cannot be parsed.
    dtype
        The dtype of the target: of numpy, pandas, polars or pyarrow.
    """

    __slots__ = ("dtype", "kind", "values")

    def __init__(self, kind: str, values: Mapping[str, Label], dtype: Any) -> None:
        self.kind = kind
        self.values = dict(values)
        self.dtype = dtype

    def labels(self, texts: Iterable[str]) -> list[Label] | None:
        """The labels of classes; None if one of the texts is not a label of this type."""
        parse = _PARSERS.get(self.kind)
        made = []
        for text in texts:
            if text in self.values:
                made.append(self.values[text])
            elif parse is None:
                return None
            else:
                try:
                    made.append(parse(text))
                except ValueError:
                    return None
        return made

    def extend(self, other: LabelType | None) -> None:
        """Adds the labels of further rows."""
        if other is not None:
            self.values = {**other.values, **self.values}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kind, self.values, self.dtype)


def _number_text(value: Any) -> str:
    return str(_core.number_text(float(value)))


def _of_values(values: Iterable[Any], dtype: Any) -> LabelType | None:
    """The type of a column with these distinct values; None if all are texts."""
    present = [value for value in values if isinstance(value, np.timedelta64) or cell_text(value) is not None]
    if not present or all(isinstance(value, str) for value in present):
        return None
    is_number = all(isinstance(value, numbers.Number) or hasattr(value, "as_tuple") for value in present)
    is_truth = any(isinstance(value, (bool, np.bool_)) for value in present)
    if all(isinstance(value, (datetime.timedelta, np.timedelta64)) for value in present):
        return LabelType("", {_number_text(value / np.timedelta64(1, "s")): value for value in present}, dtype)
    if all(hasattr(value, "start_time") for value in present):  # periods of pandas
        return LabelType("", {str(cell_text(value.start_time)): value for value in present}, dtype)
    plain = [value.item() if isinstance(value, (np.number, np.bool_)) else value for value in present]
    kinds = {type(value) for value in plain}
    kind = {bool: "b", int: "i", float: "f"}.get(kinds.pop(), "") if len(kinds) == 1 else ""
    if is_number and not is_truth:
        return LabelType(kind, {_number_text(value): value for value in plain}, dtype)
    return LabelType(kind, {str(cell_text(value)): value for value in plain}, dtype)


def _of_objects(cells: Any) -> LabelType | None:
    objects = np.asarray(cells, dtype=object)
    if all(issubclass(kind, str) for kind in _core.object_types(objects) if kind is not type(None)):
        return None
    try:
        return _of_values(dict.fromkeys(objects.tolist()), np.dtype(object))
    except TypeError:  # a cell that cannot be hashed is not a label
        return None


def _of_array(array: Any) -> LabelType | None:
    if array.dtype.kind in _PARSERS:
        return LabelType(array.dtype.kind, {}, array.dtype)
    if array.dtype.kind == "M":
        return LabelType("", {str(cell_text(v.astype("M8[us]").item())): v for v in np.unique(array) if v == v}, array.dtype)
    if array.dtype.kind == "m":
        return _of_values([v for v in np.unique(array) if v == v], array.dtype)
    return _of_objects(array) if array.dtype.kind == "O" else None


def _of_pandas(series: Any) -> LabelType | None:
    dtype = series.dtype
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        found = _of_values(categories.tolist(), dtype)
        return found or LabelType("", {str(value): value for value in categories}, dtype)
    if getattr(dtype, "kind", "O") in _PARSERS:
        return LabelType(dtype.kind, {}, dtype)
    if isinstance(dtype, np.dtype) and dtype.kind == "O":
        return _of_objects(series.to_numpy())
    if type(dtype).__name__ == "PeriodDtype":
        return _of_values(series.dropna().unique(), dtype)
    if getattr(dtype, "kind", "O") == "M":
        return LabelType("", {str(cell_text(v)): v for v in series.dropna().unique()}, dtype)
    return _of_values(series.dropna().unique(), dtype) if getattr(dtype, "kind", "O") == "m" else None


def _of_arrow(column: Any, dtype: Any) -> LabelType | None:
    """Columns of polars and pyarrow."""
    name = str(dtype).lower()
    if name.startswith(("int", "uint", "float", "double", "halffloat", "bool")):
        return LabelType(name[0] if name[0] in "iub" else "f", {}, dtype)
    if hasattr(dtype, "storage_type"):  # an extension type
        return None
    values = column.unique()
    if hasattr(values, "dictionary_decode"):
        values = values.dictionary_decode()
    listed = values.to_pylist() if hasattr(values, "to_pylist") else values.to_list()
    found = _of_values(listed, dtype)
    if found is None and name.startswith(("enum", "categorical")):
        return LabelType("", {value: value for value in listed if value is not None}, dtype)
    return found


def label_type(table: Any, target: str, names: Any = None) -> LabelType | None:
    """The type of a table's target; None if its labels are texts, or the table is a file or has no such column."""
    module = module_of(table)
    if is_pandas(table):
        columns = columns_in(table)
        found = columns.columns.get(target) if columns is not None else None
        return None if found is None else _of_pandas(found)
    if module == "polars":
        if hasattr(table, "collect"):
            table = table.select(target).collect() if target in table.collect_schema().names() else None
        return _of_arrow(table[target], table[target].dtype) if table is not None and target in table.columns else None
    if module == "pyarrow":
        if not hasattr(table, "column") or target not in table.column_names:
            return None
        column = table.column(target)
        return _of_arrow(column, column.type)
    if isinstance(table, Mapping):
        return _of_any(table.get(target))
    if isinstance(table, (list, tuple)) and table:
        if all(isinstance(row, Mapping) for row in table):
            return _of_any([row.get(target) for row in table])
        if not all(isinstance(row, (list, tuple, np.ndarray)) for row in table):
            return None
    elif not isinstance(table, np.ndarray):
        return None
    columns = columns_in(table, names)
    found = columns.columns.get(target) if columns is not None else None
    return _of_any(found)


def _of_any(column: Any) -> LabelType | None:
    """The type of a column of any kind."""
    module = module_of(column)
    if column is None:
        return None
    if module == "pandas" and hasattr(column, "dtype"):
        import pandas

        return _of_pandas(pandas.Series(column))
    if module == "polars":
        return _of_arrow(column, column.dtype)
    if module == "pyarrow":
        return _of_arrow(column, column.type)
    if isinstance(column, np.ndarray):
        return _of_array(column)
    if isinstance(column, Iterable) and not isinstance(column, (str, bytes)):
        cells = list(column)
        made = np.empty(len(cells), dtype=object)
        made[:] = cells
        return _of_objects(made)
    return None
