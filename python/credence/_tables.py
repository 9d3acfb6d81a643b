# SPDX-License-Identifier: MIT
"""Rows from Python into the library, and results back in the kind of table that came in."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._reader_options import SEPARATORS, reader_options, selectors
from .table import Table

__all__ = ["columns_of", "open_model_reader", "open_reader", "result"]

_KINDS = {"number": 1, "category": 2, "text": 3}


def open_reader(
    table: Any,
    *,
    target: str | int | None = None,
    weight: str | int | None = None,
    ignore: Any = (),
    only: Any = (),
    number: Any = (),
    category: Any = (),
    text: Any = (),
    kinds: Mapping[str, str] | None = None,
    form: Mapping[str, str] | None = None,
    discretize: Any = None,
    schema: Any = None,
    find_forms: bool = True,
    with_parts: bool = True,
    declare: Mapping[str, Iterable[str]] | None = None,
    **options: Any,
) -> Any:
    """The rows of a table, to be taken by one call.

    Parameters
    ----------
    table
        A path, several paths, bytes, a file object; a frame of pandas or polars, a table of pyarrow, anything with
        ``__arrow_c_stream__`` or ``__arrow_c_array__``; an array of numpy, a dict of columns, a list of dicts.
    target, weight
        The column to be predicted, and that of weights: by name, by a selector of the command (``"last"``), or by position, from 0.
    ignore, only, number, category, text
        Columns to leave out, or to use alone; those of numbers, of categories, of documents.
    kinds
        ``"number"``, ``"category"``, ``"text"`` or ``"ignore"`` for each column by name.
    form
        How the texts of a column are read, as ``{"price": "comma"}``.
    discretize
        Number columns made intervals: ``{"age": "quantile:4", "height": [1.5, 1.7]}``, or one rule for all.
    schema
        The path or the JSON text of a schema, which settles what columns are.
    options
        Of reading: header, input, separator, quote, decimal, encoding, missing, max_categories, bad_rows, strict, shard,
        line_rows, threads.
    """
    given = reader_options(options)
    reader = _open(table, given)
    settled = schema is not None
    if settled:
        reader.apply_schema(_schema_text(schema), _target_name(reader, target))
    else:
        _choose_columns(reader, target, weight, ignore, only, number, category, text, kinds, form)
        for column, values in (declare or {}).items():
            for value in values:
                reader.declare(_one(reader, "declare", column), value)
        if discretize is not None:
            if find_forms:
                reader.find_forms(with_parts)
            text_of_schema = reader.discretize(_rules(reader, discretize))
            reader = _open(table, given)
            reader.apply_schema(text_of_schema)
            settled = True
    if find_forms and not settled:
        reader.find_forms(with_parts)
    return reader


def open_model_reader(model: Any, table: Any, *, to_learn: bool = False, bind: bool = True, **options: Any) -> Any:
    """The rows of a table for a model (a ``_core.Model``): with its columns and kinds, met by name.

    ``to_learn``: the target must be there, and the weight where the model has one. ``bind=False``: the call that takes the
    reader binds it.
    """
    given = reader_options(options)
    given["model"] = model
    reader = _open(table, given)
    if bind:
        reader.bind(model, to_learn)
    return reader


# ---- Columns by name, selector or position ----


def _number_of(reader: Any, argument: str, column: Any) -> list[int]:
    """The columns that a selector, or a position from 0, selects."""
    if isinstance(column, (bool, float)) or column is None:
        raise TypeError(f"{argument}: expected a column's name or position, got {column!r}")
    if isinstance(column, (int, np.integer)):
        names = reader.column_names()
        if str(column) in names:
            return [names.index(str(column))]
        count = len(names)
        if not -count <= column < count:
            raise ValueError(f"{argument}: column {column} is out of range: there are {count} columns")
        return [int(column) % count]
    if not isinstance(column, str):
        raise TypeError(f"{argument}: expected a column's name or position, got {column!r}")
    found: list[int] = reader.select(column)
    return found


def _one(reader: Any, argument: str, column: Any) -> int:
    found = _number_of(reader, argument, column)
    if len(found) != 1:
        raise ValueError(f"{argument}: {column!r} matches {len(found)} columns; one is needed")
    return found[0]


def _target_name(reader: Any, target: Any) -> str | None:
    if target is None or isinstance(target, str):
        return target
    name: str = reader.column_names()[_one(reader, "target", target)]
    return name


def _choose_columns(
    reader: Any,
    target: Any,
    weight: Any,
    ignore: Any,
    only: Any,
    number: Any,
    category: Any,
    text: Any,
    kinds: Mapping[str, str] | None,
    form: Mapping[str, str] | None,
) -> None:
    told: dict[int, str] = {}

    def treat(argument: str, column: Any, kind: str) -> None:
        for index in _number_of(reader, argument, column):
            if kind == "ignore":
                reader.ignore(index)
                continue
            if told.setdefault(index, kind) != kind:
                name = reader.column_names()[index]
                raise ValueError(f"{argument}: column {name!r} is to be a {told[index]} and a {kind}")
            reader.set_kind(index, _KINDS[kind])

    for kind, columns in (("number", number), ("category", category), ("text", text), ("ignore", ignore)):
        for column in selectors(columns):
            treat(kind, column, kind)
    for column, kind in (kinds or {}).items():
        if kind not in _KINDS and kind != "ignore":
            raise ValueError(f"kinds: expected 'number', 'category', 'text' or 'ignore' for {column!r}, got {kind!r}")
        treat("kinds", column, kind)
    for column, name in (form or {}).items():
        for index in _number_of(reader, "form", column):
            if told.get(index) in ("category", "text"):
                raise ValueError(f"form: column {column!r} is to be a {told[index]}, which has no form")
            reader.set_form(index, name)
    kept = set()
    if target is not None:
        kept.add(_one(reader, "target", target))
        reader.set_target(max(kept))
    if weight is not None:
        index = _one(reader, "weight", weight)
        kept.add(index)
        reader.set_weight(index)
    wanted = [index for column in selectors(only) for index in _number_of(reader, "only", column)]
    if wanted:
        for index in set(range(len(reader.column_names()))) - kept - set(wanted):
            reader.ignore(index)


def _rules(reader: Any, discretize: Any) -> list[tuple[str | None, str, bool]]:
    if isinstance(discretize, str):
        return [(None, discretize, True)]
    if not isinstance(discretize, Mapping):
        raise TypeError(f"discretize: expected a rule, or a dict of columns and rules, got {discretize!r}")
    rules: list[tuple[str | None, str, bool]] = []
    for column, rule in discretize.items():
        written = rule if isinstance(rule, str) else ":".join(repr(float(cut)) for cut in rule)
        if column == "*":
            rules.append((None, written, True))
            continue
        found = _number_of(reader, "discretize", column)
        rules += [(reader.column_names()[index], written, len(found) > 1) for index in found]
    return rules


def _schema_text(schema: Any) -> str | bytes:
    if isinstance(schema, bytes) or (isinstance(schema, str) and schema.lstrip().startswith("{")):
        return schema
    if isinstance(schema, (str, os.PathLike)):
        with open(schema, "rb") as file:
            return file.read()
    written = getattr(schema, "to_json", None)
    if written is None:
        raise TypeError(f"schema: expected a path, the text of a schema or a Schema, got {type(schema).__name__}")
    text: str = written()
    return text


# ---- Opening ----


def _is_path(table: Any) -> bool:
    return isinstance(table, (str, os.PathLike))


def _module_of(table: Any) -> str:
    return type(table).__module__.partition(".")[0]


def _open(table: Any, options: dict[str, Any]) -> Any:
    if _is_path(table):
        return _core.open_files([table], options)
    if isinstance(table, (bytes, bytearray, memoryview)):
        return _core.open_bytes(table, "bytes", options)
    if isinstance(table, (list, tuple)) and table and all(_is_path(item) for item in table):
        return _core.open_files(table, options)
    if isinstance(table, io.IOBase) or hasattr(table, "read"):
        data = table.read()
        name = getattr(table, "name", None)
        return _core.open_bytes(data.encode() if isinstance(data, str) else data,
                                name if isinstance(name, str) else "file", options)
    for name in ("separator", "format", "quote", "no_quotes", "decimal", "encoding", "bad_rows", "line_rows"):
        if options.get(name):
            shown = SEPARATORS.get(name, name)
            raise ValueError(f"{shown}: an option of files, but the table is a {type(table).__name__}")
    options = {name: value for name, value in options.items() if name != "header"}
    if _module_of(table) == "polars" and hasattr(table, "collect"):
        table = table.collect()
    if _module_of(table) != "pandas" and hasattr(table, "__arrow_c_stream__"):
        return _core.open_arrow(table.__arrow_c_stream__(), type(table).__name__, options)
    return _core.open_frames([_frame(_columns(table))], options)


def _columns(table: Any) -> dict[str, Any]:
    if _module_of(table) == "pandas" and hasattr(table, "columns"):
        if getattr(table.columns, "nlevels", 1) > 1:
            raise ValueError("table: columns of several levels (MultiIndex) have no single names: flatten them first")
        return {str(name): table.iloc[:, i] for i, name in enumerate(table.columns)}
    if isinstance(table, Mapping):
        return {str(name): column for name, column in table.items()}
    if isinstance(table, np.ndarray):
        if table.dtype.names is not None:
            return {name: table[name] for name in table.dtype.names}
        if table.ndim != 2:
            raise ValueError(f"table: expected a 2-D array, got {table.ndim}-D")
        return {f"c{i + 1}": table[:, i] for i in range(table.shape[1])}
    if isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table) and len(table) > 0:
        names = dict.fromkeys(str(name) for row in table for name in row)
        return {name: np.array([row.get(name) for row in table], dtype=object) for name in names}
    raise TypeError(f"table: a {type(table).__name__} is no table that rows can be taken from")


def _frame(columns: dict[str, Any]) -> Any:
    arrays = {name: np.asarray(column, dtype=None if hasattr(column, "dtype") else None) for name, column in columns.items()}
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) > 1:
        raise ValueError("table: columns have different lengths: " + ", ".join(f"{n!r} {len(a)}" for n, a in arrays.items()))
    frame = _core.make_frame(lengths.pop() if lengths else 0)
    for name, array in arrays.items():
        if array.dtype.kind in "fiu":
            frame.add_numbers(name, np.ascontiguousarray(array, dtype=np.float64))
            continue
        values = array.astype(object)
        present = [value for value in values if value is not None and value == value]
        if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in present):
            frame.add_numbers(name, np.array([np.nan if value is None else value for value in values], dtype=np.float64))
            continue
        codes: dict[str, int] = {}
        made = np.empty(len(values), dtype=np.int32)
        for i, value in enumerate(values):
            missing = value is None or value != value
            shown = str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)
            made[i] = -1 if missing else codes.setdefault(shown, len(codes))
        frame.add_codes(name, made, list(codes))
    return frame


def columns_of(table: Any) -> list[str]:
    """The names of the columns of a table.

    >>> columns_of({"x": [1.0], "y": ["a"]})
    ['x', 'y']
    """
    if isinstance(table, Mapping) or _module_of(table) == "pandas":
        return list(_columns(table))
    if _module_of(table) == "polars" and hasattr(table, "collect_schema"):
        return list(table.collect_schema().names())
    if hasattr(table, "column_names"):
        names = table.column_names
        return list(names() if callable(names) else names)
    reader = _open(table, {})
    found: list[str] = reader.column_names()
    return found


# ---- Results ----


def result(columns: Mapping[str, Any], like: Any = None) -> Any:
    """Columns as a frame of pandas or polars, or a table of pyarrow, by what ``like`` is; else a :class:`credence.Table`.

    A column is anything that numpy makes an array of, or a pair of codes and names, which becomes categorical; a
    code below 0 is missing. Of a frame of pandas the index is kept where it has as many rows.
    """
    table = Table(columns)
    kind = _module_of(like)
    if kind == "pandas":
        frame = table.to_pandas()
        index = getattr(like, "index", None)
        if index is not None and len(index) == len(table):
            frame.index = index
        return frame
    if kind == "polars":
        return table.to_polars()
    if kind == "pyarrow":
        return table.to_arrow()
    return table
