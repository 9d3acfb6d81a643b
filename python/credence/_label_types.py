# SPDX-License-Identifier: MIT
"""Class labels in the type of the training target. The library stores classes as texts, and this module converts them back.

Contents: label texts; LabelType and types inferred from texts; the type of a column; the type of a table's target.
"""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._columns import cell_text, columns_in, is_pandas, module_of

__all__ = ["TEXTS", "Label", "LabelType", "class_text", "column_type", "inferred_type", "label_text", "label_type"]

#: A class label: str, int, float, bool, or any other value that a target column can contain.
Label = Any


def label_text(label: Label) -> str:
    """Return the text of a label, which is the name of the class in a model.

    >>> label_text("ham"), label_text(3), label_text(2.0), label_text(True)
    ('ham', '3', '2', 'true')
    """
    if isinstance(label, str):
        return str(label)
    if isinstance(label, (datetime.timedelta, np.timedelta64)):
        return _number_text(label / np.timedelta64(1, "s"))
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label)).lower()
    if isinstance(label, numbers.Integral):
        return str(int(label))
    if isinstance(label, numbers.Real):
        number = float(label)
        return str(int(number)) if number.is_integer() and abs(number) < 1e16 else repr(number)
    if hasattr(label, "as_tuple"):  # a Decimal
        return _number_text(label)
    if isinstance(label, bytes):
        return label.decode(errors="surrogateescape")
    if isinstance(label, np.datetime64):
        return str(cell_text(label.astype("M8[us]").item()))
    if hasattr(label, "start_time"):  # a pandas Period
        label = label.start_time
    return str(cell_text(label))


def class_text(label: Label, classes: Sequence[str]) -> str:
    """Return the class in `classes` that a label matches. For example, the label ``True`` matches the class ``"TRUE"`` of a file.

    If no class matches, the result is the text of the label.

    >>> class_text(True, ["FALSE", "TRUE"]), class_text(1, ["0.5", "1.0"]), class_text("a", ["b"])
    ('TRUE', '1.0', 'a')
    """
    text = label_text(label)
    if text in classes or isinstance(label, str):
        return text
    labels = inferred_type(classes).labels(classes) or ()
    return next((name for name, one in zip(classes, labels, strict=False) if one == label), text)


def _truth(text: str) -> bool:
    if text not in ("true", "false", "True", "False", "TRUE", "FALSE"):
        raise ValueError(text)
    return text.lower() == "true"


def _whole(text: str) -> int:
    number = int(text)
    if str(number) != text:
        raise ValueError(text)
    return number


#: Functions that parse a text as a label, by the kind letter of the target's numpy dtype. "U" leaves the text unchanged.
_PARSERS: dict[str, Callable[[str], Label]] = {"b": _truth, "i": _whole, "u": _whole, "f": float, "U": str}
_NUMERIC = "biuf"


class LabelType:
    """The type of a target column.

    Parameters
    ----------
    kind
        The kind letter of a numpy dtype if texts can be parsed: b, i, u, f or U; else an empty text.
    values
        A mapping from texts to labels, for targets whose texts cannot be parsed.
    dtype
        The numpy, pandas, polars or pyarrow dtype of the target.
    """

    __slots__ = ("dtype", "kind", "values")

    def __init__(self, kind: str, values: Mapping[str, Label], dtype: Any = None) -> None:
        self.kind = kind
        self.values = dict(values)
        self.dtype = dtype

    def labels(self, texts: Iterable[str]) -> list[Label] | None:
        """Return the labels of classes; None if one of the texts is not a label of this type."""
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

    @property
    def is_text(self) -> bool:
        """True if all labels are texts."""
        return self.kind == "U" and not self.values

    def with_rows(self, other: LabelType | None) -> LabelType:
        """Return the type after additional rows with the type `other`. It can parse or stores the labels of both."""
        if other is None or not other.values:
            return self
        return LabelType(self.kind, {**other.values, **self.values}, self.dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kind, self.values, self.dtype)


#: The type of text labels.
TEXTS = LabelType("U", {})
_TRUTHS = ({"true": True, "false": False}, {"True": True, "False": False}, {"TRUE": True, "FALSE": False})


def _is_number(text: str) -> bool:
    """Return whether a text is a number as Python prints it. Texts such as ``007`` and ``3.10`` are names."""
    try:
        return text.lstrip("-").isdecimal() and str(int(text)) == text or repr(float(text)) == text and np.isfinite(float(text))
    except (ValueError, OverflowError):
        return False


def inferred_type(texts: Iterable[str]) -> LabelType:
    """Infer the label type of classes that were read as texts from a file. Numbers and booleans get the types of ``pandas.read_csv``.

    >>> [inferred_type(texts).labels(texts) for texts in (["0", "1"], ["0", "0.5"], ["False", "True"], ["01", "02"])]
    [[0, 1], [0.0, 0.5], [False, True], ['01', '02']]
    """
    listed = list(texts)
    for truths in _TRUTHS:
        if listed and set(listed) <= truths.keys():
            return LabelType("b", truths, np.dtype(bool))
    for kind, dtype in (("i", np.int64), ("f", np.float64)):
        type_ = LabelType(kind, {}, np.dtype(dtype))
        labels = type_.labels(listed) if listed and all(map(_is_number, listed)) else None
        is_small = labels is not None and all(abs(label) < 2**63 for label in labels)
        if labels is not None and is_small and len(set(labels)) == len(labels):
            return type_
    return TEXTS


def _number_text(value: Any) -> str:
    return str(_core.number_text(float(value)))


def _of_values(values: Iterable[Any], dtype: Any) -> LabelType | None:
    """Return the type of a column with these distinct values; None if there are no values."""
    present = [value for value in values if isinstance(value, np.timedelta64) or cell_text(value) is not None]
    if not present:
        return None
    if all(isinstance(value, str) for value in present):
        return TEXTS
    is_number = all(isinstance(value, numbers.Number) or hasattr(value, "as_tuple") for value in present)
    is_truth = any(isinstance(value, (bool, np.bool_)) for value in present)
    if all(isinstance(value, (datetime.timedelta, np.timedelta64)) for value in present):
        return LabelType("", {_number_text(value / np.timedelta64(1, "s")): value for value in present}, dtype)
    if all(hasattr(value, "start_time") for value in present):  # pandas Periods
        return LabelType("", {str(cell_text(value.start_time)): value for value in present}, dtype)
    plain = [value.item() if isinstance(value, (np.number, np.bool_)) else value for value in present]
    kinds = {type(value) for value in plain}
    kind = {bool: "b", int: "i", float: "f"}.get(kinds.pop(), "") if len(kinds) == 1 else ""
    if is_number and not is_truth:
        return LabelType(kind, {_number_text(value): value for value in plain}, dtype)
    return LabelType(kind, {str(cell_text(value)): value for value in plain}, dtype)


def _of_objects(cells: Any) -> LabelType | None:
    objects = np.asarray(cells, dtype=object)
    types = [kind for kind in _core.object_types(objects) if kind is not type(None)]
    if types and all(issubclass(kind, str) for kind in types):
        return TEXTS
    try:
        return _of_values(dict.fromkeys(objects.tolist()), np.dtype(object))
    except TypeError:  # a cell that cannot be hashed is not a label
        return None


def _of_array(array: Any) -> LabelType | None:
    if array.dtype.kind in _NUMERIC:
        return LabelType(array.dtype.kind, {}, array.dtype)
    if array.dtype.kind in "UST":
        return TEXTS
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
        return LabelType("", {str(value): value for value in categories}, dtype) if found is None or found is TEXTS else found
    if getattr(dtype, "kind", "O") in _NUMERIC:
        return LabelType(dtype.kind, {}, dtype)
    if isinstance(dtype, np.dtype) and dtype.kind == "O":
        return _of_objects(series.to_numpy())
    if type(dtype).__name__ == "PeriodDtype":
        return _of_values(series.dropna().unique(), dtype)
    if getattr(dtype, "kind", "O") == "M":
        return LabelType("", {str(cell_text(v)): v for v in series.dropna().unique()}, dtype)
    if getattr(dtype, "kind", "O") == "m":
        return _of_values(series.dropna().unique(), dtype)
    return TEXTS if "str" in str(dtype) else None


def _of_arrow(column: Any, dtype: Any) -> LabelType | None:
    """Return the type of a polars or pyarrow column."""
    name = str(dtype).lower()
    if name.startswith(("int", "uint", "float", "double", "halffloat", "bool")):
        return LabelType(name[0] if name[0] in "iub" else "f", {}, dtype)
    if hasattr(dtype, "storage_type"):  # an extension type
        return None
    if name.startswith(("str", "utf8", "large_string", "large_utf8")):
        return TEXTS
    values = column.unique()
    if hasattr(values, "dictionary_decode"):
        values = values.dictionary_decode()
    listed = values.to_pylist() if hasattr(values, "to_pylist") else values.to_list()
    found = _of_values(listed, dtype)
    if found in (None, TEXTS) and name.startswith(("enum", "categorical")):
        return LabelType("", {value: value for value in listed if value is not None}, dtype)
    return found


def _place_of(columns: list[Any], target: str) -> int | None:
    """Return the position of a column in a pandas frame. The columns of a frame without names are called c1, c2, ..."""
    has_names = columns != list(range(len(columns)))
    names = [str(name) for name in columns] if has_names else [f"c{place + 1}" for place in range(len(columns))]
    return names.index(target) if target in names else None


def label_type(table: Any, target: str, names: Any = None) -> LabelType | None:
    """Return the type of a table's target; None if the table is a file, lacks the column, or has no values in it."""
    module = module_of(table)
    if is_pandas(table):
        place = _place_of(list(table.columns), target)
        return None if place is None else _of_pandas(table.iloc[:, place])
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


def column_type(kind: Any, name: str) -> LabelType:
    """Return the type of an integer or boolean column in a frame, which can be empty; TEXTS for other columns."""
    found = None if kind is None else label_type(kind, name)
    return found if found is not None and found.kind in "biu" else TEXTS


def _of_any(column: Any) -> LabelType | None:
    """Return the type of a column of any package, or None if it has no type."""
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
