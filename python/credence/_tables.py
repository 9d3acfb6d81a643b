# SPDX-License-Identifier: MIT
"""Passes rows from Python to the library, and returns results in the table type of the input."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._column_types import COLUMN_TYPES, NUMBERS
from ._columns import NamedColumns, columns_in, is_pandas, make_columns, module_of, on_its_clock
from ._reader_options import MISSING_ADDED, MISSING_ONLY, OPTION_BEHIND, reader_options, selectors
from .documents import Documents
from .table import Table

__all__ = ["check_schema_alone", "columns_of", "open_model_reader", "open_reader", "result"]


def open_reader(
    table: Any,
    *,
    target: Any = None,
    weight: Any = None,
    ignore: Any = (),
    only: Any = (),
    numeric: Any = (),
    categorical: Any = (),
    text: Any = (),
    column_types: Mapping[str, str] | None = None,
    column_format: Mapping[str, str] | None = None,
    discretize: Any = None,
    schema: Any = None,
    detect_formats: bool = True,
    with_parts: bool = True,
    skip_unlabeled: bool = False,
    declare: Mapping[str, Iterable[str]] | None = None,
    columns: Sequence[str] | None = None,
    **options: Any,
) -> Any:
    """Open a reader of the rows of a table. The reader can be used by one call only.

    Parameters
    ----------
    table
        A path, several paths, bytes, a file object; a pandas or polars frame, a pyarrow table, any object with
        ``__arrow_c_stream__`` or ``__arrow_c_array__``; a numpy array, a dict of columns, a list of dicts.
    target, weight
        The column to predict, and the column of weights: by name, by a selector of the command (``"last"``), or by position, from 0.
    ignore, only, numeric, categorical, text
        Columns to ignore; the only columns to use; numeric, categorical and text columns.
    column_types
        ``"numeric"``, ``"categorical"``, ``"text"`` or ``"ignore"`` for each column by name.
    column_format
        The format in which the texts of a column are parsed, for example ``{"price": "comma"}``.
    discretize
        Numeric columns to discretize: ``{"age": "quantile:4", "height": [1.5, 1.7]}``, or one rule for all.
    schema
        The path or the JSON text of a schema, which specifies the column types. You can pass no other column argument except the target.
    skip_unlabeled
        Whether to skip rows without a target, so that their values do not affect the column types.
    columns
        The column names of an array.
    options
        Reading options: header, skip_lines, input, separator, quote, decimal, encoding, missing, max_categories, bad_rows, strict, shard,
        no_multiline_fields, threads.
    """
    of_columns = {"weight": weight, "ignore": ignore, "only": only, "numeric": numeric, "categorical": categorical, "text": text}
    of_columns |= {"column_types": column_types, "column_format": column_format, "discretize": discretize, "declare": declare}
    check_schema_alone(schema, of_columns)
    keep_text = options.pop("keep_text", False)
    names = _names([*(target, weight, ignore, only, numeric, categorical, text, column_types, column_format, discretize, declare), options.pop("selectors", ())])
    given = reader_options(options)
    if keep_text:
        given["keep_text"] = True
    if names:
        given["selectors"] = names
    if discretize is not None:
        table = _kept(table)
    settled = schema is not None
    text_of_given = _schema_text(schema) if settled else ""
    if settled and "header" not in given and "header_line" not in given and _lacks_header(text_of_given):
        given["header"] = 2
    reader, dates = _open(table, given, columns)
    if skip_unlabeled:
        reader.skip_unlabeled()
    if settled:
        reader.apply_schema(text_of_given, _target_name(reader, target))
    else:
        told = _choose_columns(reader, target, weight, ignore, only, numeric, categorical, text, column_types, column_format)
        for index in dates if detect_formats and with_parts else ():
            if index not in told:
                reader.set_format(index, "date")
        for column, values in (declare or {}).items():
            index = _one(reader, "declare", column)
            for value in values:
                reader.declare(index, value)
            if not isinstance(values, (set, frozenset)):
                reader.keep_order(index)
        if discretize is not None:
            if detect_formats:
                reader.detect_formats(with_parts)
            text_of_schema = reader.discretize(_rules(reader, discretize))
            reader, _ = _open(table, given, columns)
            if skip_unlabeled:
                reader.skip_unlabeled()
            reader.apply_schema(text_of_schema)
            settled = True
    if detect_formats and not settled:
        reader.detect_formats(with_parts)
    return reader


def open_model_reader(model: Any, table: Any, *, to_learn: bool = False, bind: bool = True, columns: Sequence[str] | None = None, **options: Any) -> Any:
    """Open a reader of the rows of a table for a model (a ``_core.Model``). Columns are matched by name and have the types of the model.

    With ``to_learn``, the table must contain the target, and the weight if the model has one. With ``bind=False``, the call that uses
    the reader binds it to the model.
    """
    keep_text = options.pop("keep_text", False)
    names = _names([options.pop("selectors", ())])
    given = reader_options(options)
    if keep_text:
        given["keep_text"] = True
    if names:
        given["selectors"] = names
    given["model"] = model
    if isinstance(table, (list, tuple)) and not table:
        table = _no_rows(model)
    reader, _ = _open(table, given, columns)
    if bind:
        reader.bind(model, to_learn)
    return reader


def _names(arguments: Iterable[Any]) -> list[str]:
    """Return the column names in arguments. If the first line of a file contains one of them, the file has a header."""
    found: list[str] = []
    for argument in arguments:
        items = argument.keys() if isinstance(argument, Mapping) else selectors(argument)
        found.extend(item for item in items if isinstance(item, str))
    return found


def _no_rows(model: Any) -> dict[str, list[Any]]:
    """Return a table with the columns of the model and no rows."""
    schema = json.loads(_core.schema_of_model(model, False))
    return {column["name"]: [] for column in schema["columns"] if "name" in column}


# ---- Columns by name, selector or position ----


def _number_of(reader: Any, argument: str, column: Any) -> list[int]:
    """Return the positions of the columns that match a selector or a position from 0."""
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
    numeric: Any,
    categorical: Any,
    text: Any,
    column_types: Mapping[str, str] | None,
    column_format: Mapping[str, str] | None,
) -> set[int]:
    """Set the roles, types and formats of columns that the caller specified, and return the positions of these columns."""
    told: dict[int, str] = {}
    left_out: set[int] = set()
    for name, given in (("column_types", column_types), ("column_format", column_format)):
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"{name}: expected a dict of columns, such as {{'price': ...}}, got {given!r}")

    def treat(argument: str, column: Any, type_: str) -> None:
        for index in _number_of(reader, argument, column):
            if type_ == "ignore":
                reader.ignore(index)
                left_out.add(index)
                continue
            if told.setdefault(index, type_) != type_:
                name = reader.column_names()[index]
                raise ValueError(f"{argument}: column {name!r} cannot be both {told[index]} and {type_}")
            reader.set_type(index, NUMBERS[type_])

    for type_, columns in (("numeric", numeric), ("categorical", categorical), ("text", text), ("ignore", ignore)):
        for column in selectors(columns):
            treat(type_, column, type_)
    for column, type_ in (column_types or {}).items():
        if type_ not in COLUMN_TYPES:
            raise ValueError(f"column_types: expected {', '.join(map(repr, COLUMN_TYPES))} for {column!r}, got {type_!r}")
        treat("column_types", column, type_)
    for column, name in (column_format or {}).items():
        for index in _number_of(reader, "column_format", column):
            if told.get(index) in ("categorical", "text"):
                raise ValueError(f"column_format: column {column!r} is {told[index]}, so it cannot have a format")
            reader.set_format(index, name)
            left_out.add(index)
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
            left_out.add(index)
    return kept | left_out | set(told)


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


#: Arguments that a schema replaces.
_OF_COLUMNS = ("weight", "ignore", "only", "numeric", "categorical", "text", "column_types", "column_format", "discretize", "declare")


def check_schema_alone(schema: Any, given: Mapping[str, Any]) -> None:
    """Reject column arguments that conflict with a schema, because the schema already specifies the column types."""
    if schema is None:
        return
    for name in _OF_COLUMNS:
        value = given.get(name)
        if value is not None and not (isinstance(value, Collection) and len(value) == 0):
            raise ValueError(
                f"schema and {name} do not go together: the schema settles what the columns are; leave {name} out, or give it to "
                "credence.schema, which makes a schema that has it"
            )


def _lacks_header(text: str | bytes) -> bool:
    return json.loads(_core.check_schema(text)).get("header") is False


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


_FILE_OPTIONS = ("header_line", "skip_lines", "separator", "format", "quote", "no_quotes", "decimal", "encoding", "bad_rows", "no_multiline_fields")


def _open(table: Any, options: dict[str, Any], names: Sequence[str] | None = None) -> tuple[Any, list[int]]:
    """Open a reader of any table. Return it with the positions of the columns that contain dates without a time of day."""
    if isinstance(table, Documents):
        return _open_documents(table, options), []
    if _is_path(table):
        return _core.open_files([table], options), []
    if isinstance(table, (bytes, bytearray, memoryview)):
        return _core.open_bytes(table, "bytes", options), []
    if isinstance(table, (list, tuple)) and table and all(_is_path(item) for item in table):
        return _core.open_files(table, options), []
    if isinstance(table, io.IOBase) or (hasattr(table, "read") and not hasattr(table, "__arrow_c_stream__")):
        return _open_stream(table, options), []
    for name in _FILE_OPTIONS:
        if options.get(name):
            shown = OPTION_BEHIND.get(name, name)
            raise ValueError(f"{shown}: an option of files, but the table is a {type(table).__name__}")
    options = _typed_missing({**options, "like_file": True})
    options.pop("header", None)
    options.pop("selectors", None)
    place = f"table ({type(table).__name__})"
    if module_of(table) == "polars" and hasattr(table, "collect"):
        table = table.collect()
    if module_of(table) in ("pandas", "polars") and hasattr(table, "to_frame") and not hasattr(table, "columns"):
        raise TypeError(f"table: a {type(table).__name__} is one column: expected a table, as to_frame() makes one")
    if not is_pandas(table):
        table = on_its_clock(table)
        if hasattr(table, "__arrow_c_stream__"):
            again = None if _reads_once(table) else table
            return _core.open_arrow(table.__arrow_c_stream__(), place, options, again), []
        if hasattr(table, "__arrow_c_array__"):
            capsule = _core.stream_of_array(*table.__arrow_c_array__())
            return _core.open_arrow(capsule, place, options), []
    columns = columns_in(table, names)
    if columns is not None and "model" in options and is_pandas(table):
        columns = _by_labels(columns, list(table.columns), options["model"])
    if columns is None:
        raise TypeError(
            f"table: rows cannot be taken from a {type(table).__name__}: expected a path, bytes, a frame of pandas or polars, "
            "a table of pyarrow, an array, a dict of columns or a list of dicts"
        )
    made, dates = make_columns(columns)
    if not columns.has_names:
        options["header"] = 2
    listed = list(columns.columns)
    return _core.open_columns(made, place, options), [listed.index(name) for name in dates]


def _typed_missing(options: dict[str, Any]) -> dict[str, Any]:
    """Return options for typed columns. Only the empty text, ``?`` and the texts that the caller lists mean missing there.

    The library treats a usual text such as ``NA`` as missing only if the list is complete, so the list is completed.
    """
    usual = {text.lower() for text in _core.usual_missing()} - {"", "?"}
    if options.get("missing_rule") == MISSING_ADDED and any(text.lower() in usual for text in options["missing"]):
        options |= {"missing": ["", "?", *options["missing"]], "missing_rule": MISSING_ONLY}
    return options


def _by_labels(columns: NamedColumns, labels: list[Any], model: Any) -> NamedColumns:
    """Match the columns of a pandas frame with integer labels to the columns of a model.

    If the model has column names, the labels are matched as names. Otherwise the labels are positions.
    """
    if not labels or not all(isinstance(label, (int, np.integer)) and not isinstance(label, bool) for label in labels):
        return columns
    schema = json.loads(_core.schema_of_model(model, False))
    found = dict(zip((int(label) for label in labels), columns.columns.values(), strict=True))
    if schema["header"]:
        known = {column.get("name") for column in schema["columns"]}
        if known.isdisjoint(map(str, found)):
            return columns
        return NamedColumns({str(label): column for label, column in found.items()}, True, columns.rows)
    if not columns.has_names:
        return columns
    placed: dict[str, Any] = {}
    for position, column in enumerate(schema["columns"]):
        if position in found:
            placed[f"c{position + 1}"] = found[position]
        elif column["type"] == "ignored" or column["name"] != schema.get("target"):
            placed[f"c{position + 1}"] = np.broadcast_to(np.nan, columns.rows or 0)
    if not any(position in found for position in range(len(schema["columns"]))):
        return columns
    return NamedColumns(placed, False, columns.rows)


def _reads_once(table: Any) -> bool:
    """Return whether an Arrow stream can be exported only once, because it is a batch reader and not a table."""
    return hasattr(table, "read_next_batch") or hasattr(table, "__next__")


def reads_once(table: Any) -> bool:
    """Return whether the rows can be read only once, because the table is a stream or a file object."""
    if hasattr(table, "__arrow_c_stream__"):
        return _reads_once(table)
    return hasattr(table, "__next__") or (hasattr(table, "read") and not _is_path(table))


def _kept(table: Any) -> Any:
    """Return a table that can be read twice. If the table can be read only once, its batches are kept by reference."""
    if hasattr(table, "__arrow_c_stream__") and _reads_once(table):
        if not hasattr(table, "read_all"):
            raise ValueError("table: the stream can be read once only, and its rows are needed twice")
        return table.read_all()
    if hasattr(table, "read") and not _is_path(table) and not hasattr(table, "__arrow_c_stream__"):
        data = table.read()
        return data.encode() if isinstance(data, str) else data
    return table


def _open_documents(table: Documents, options: dict[str, Any]) -> Any:
    """Open a reader of documents. For a model, the columns get the names of its text column, if it has only one, and of its target."""
    text, target = None, None
    model = options.get("model")
    if model is not None and not table.is_mail:
        columns = json.loads(_core.schema_of_model(model, False))["columns"]
        texts = [column["name"] for column in columns if column["type"] == "text"]
        text = texts[0] if len(texts) == 1 else None
        target = model.info()["target"]
    return _core.open_documents(table.sources, text, target, options, table.is_mail)


def _open_stream(table: Any, options: dict[str, Any]) -> Any:
    data = table.read()
    name = getattr(table, "name", None)
    shown = name if isinstance(name, str) else "file"
    return _core.open_bytes(data.encode() if isinstance(data, str) else data, shown, options)


def columns_of(table: Any) -> list[str]:
    """Return the column names of a table.

    >>> columns_of({"x": [1.0], "y": ["a"]})
    ['x', 'y']
    """
    if module_of(table) == "polars" and hasattr(table, "collect_schema"):
        return list(table.collect_schema().names())
    if hasattr(table, "column_names"):
        names = table.column_names
        return list(names() if callable(names) else names)
    columns = None if _is_path(table) else columns_in(table)
    if columns is not None:
        return list(columns.columns)
    found: list[str] = _open(table, {})[0].column_names()
    return found


# ---- Results ----


def result(columns: Mapping[str, Any], like: Any = None) -> Any:
    """Return columns as a table of the same type as ``like``: a pandas or polars frame, a pyarrow table, or a :class:`credence.Table`.

    A column is any object that numpy can convert to an array, or a pair of codes and names, which becomes categorical. A code below
    0 is a missing value. If ``like`` is a pandas frame with the same number of rows, the result has its index.
    """
    table = Table(columns)
    kind = module_of(like)
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
