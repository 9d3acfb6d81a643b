# SPDX-License-Identifier: MIT
"""Converts columns of Python tables to columns of the library, without a copy if their memory layout allows it."""

from __future__ import annotations

import datetime
import decimal
import fractions
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._cells import written

__all__ = ["NamedColumns", "add_column", "cell_text", "columns_in", "is_pandas", "make_columns", "module_of", "on_its_clock"]

# Constants for the memory layouts and the missing-value rules of columns.h.
_ITEMS, _TRUTH, _WIDE, _BYTES = 0, 1, 2, 3
_NO_RULE, _LEAST = 0, 2
_LETTERS = {
    "f2": "e", "f4": "f", "f8": "g", "i1": "c", "i2": "s", "i4": "i", "i8": "l", "u1": "C", "u2": "S", "u4": "I", "u8": "L",
}  # fmt: skip
_UNITS = {"s": "s", "ms": "m", "us": "u", "ns": "n"}
_NESTED = (list, tuple, dict, set, frozenset, np.ndarray)
_DATE_UNITS = {"Y", "M", "W", "D"}
_DAY = {"s": 86400, "ms": 86400 * 10**3, "us": 86400 * 10**6, "ns": 86400 * 10**9}


class NamedColumns:
    """Columns by name, in their order. ``has_names`` is false if the names are only positions, as in a file without a header."""

    def __init__(self, columns: dict[str, Any], has_names: bool = True, rows: int | None = None) -> None:
        self.columns = columns
        self.has_names = has_names
        self.rows = rows


def module_of(table: Any) -> str:
    """Return the name of the package that defines an object's type."""
    return type(table).__module__.partition(".")[0]


def is_pandas(table: Any) -> bool:
    """Return whether a table is a pandas frame."""
    return module_of(table) == "pandas" and hasattr(table, "columns")


def _unique(names: Iterable[Any]) -> list[str]:
    listed = [str(name) for name in names]
    seen: set[str] = set()
    for name in listed:
        if name in seen:
            raise ValueError(f"table: the column name {name!r} occurs {listed.count(name)} times: names must be unique")
        seen.add(name)
    return listed


def _numbered(count: int) -> list[str]:
    """Return names for columns without names, as in files without a header."""
    return [f"c{i + 1}" for i in range(count)]


def _of_pandas(table: Any) -> NamedColumns:
    if getattr(table.columns, "nlevels", 1) > 1:
        raise ValueError(
            "table: its columns have several levels (MultiIndex), and no single names; "
            "give them some, as by table.columns = ['_'.join(map(str, name)) for name in table.columns]"
        )
    count = len(table.columns)
    has_names = not (count > 0 and all(isinstance(name, (int, np.integer)) for name in table.columns)
                     and list(table.columns) == list(range(count)))  # fmt: skip
    names = _unique(table.columns) if has_names else _numbered(count)
    return NamedColumns({name: table.iloc[:, i] for i, name in enumerate(names)}, has_names, len(table))


def _of_array(table: Any, names: Sequence[str] | None) -> NamedColumns:
    if isinstance(table, np.matrix):
        table = np.asarray(table)
    if table.dtype.names is not None:
        flat = table.reshape(-1)
        return NamedColumns({name: flat[name] for name in table.dtype.names}, True, len(flat))
    if table.ndim != 2:
        shown = f"{table.ndim}-D"
        raise ValueError(f"table: expected a 2-D array, rows by columns, got a {shown} one of shape {table.shape}")
    if names is not None and len(names) != table.shape[1]:
        raise ValueError(f"columns: {len(names)} names for {table.shape[1]} columns")
    named = _unique(names) if names is not None else _numbered(table.shape[1])
    return NamedColumns({name: table[:, i] for i, name in enumerate(named)}, names is not None, table.shape[0])


def _of_records(table: Sequence[Mapping[str, Any]]) -> NamedColumns:
    names = _unique(dict.fromkeys(name for row in table for name in row))
    columns: dict[str, Any] = {}
    for name in names:
        cells = np.empty(len(table), dtype=object)
        cells[:] = [row.get(name) for row in table]
        columns[name] = cells
    return NamedColumns(columns, True, len(table))


def columns_in(table: Any, names: Sequence[str] | None = None) -> NamedColumns | None:
    """Return the columns of a pandas frame, an array, a dict of columns or a list of dicts; None for any other object."""
    if is_pandas(table):
        return _of_pandas(table)
    if isinstance(table, Mapping):
        unique = _unique(table)
        return NamedColumns(dict(zip(unique, table.values(), strict=True)))
    if isinstance(table, np.ndarray):
        return _of_array(table, names)
    if isinstance(table, (list, tuple)) and all(isinstance(row, Mapping) for row in table):
        return _of_records(table)
    if isinstance(table, (list, tuple)) and table and all(isinstance(row, (list, tuple, np.ndarray)) for row in table):
        widths = {len(row) for row in table}
        if len(widths) > 1:
            raise ValueError(f"table: rows have different lengths, from {min(widths)} to {max(widths)}")
        cells = np.empty((len(table), widths.pop()), dtype=object)
        for i, row in enumerate(table):
            cells[i, :] = list(row)
        return _of_array(cells, names)
    if hasattr(table, "__array__") and not hasattr(table, "columns"):
        return _of_array(np.asarray(table), names)
    return None


def make_columns(table: NamedColumns) -> tuple[Any, set[str]]:
    """Return the columns of the library, and the names of the columns that contain dates without a time of day."""
    columns: dict[str, Any] = {}
    for name, column in table.columns.items():
        columns[name] = _listed(column)
    lengths = {name: len(column) for name, column in columns.items()}
    if table.rows is None:
        table.rows = next(iter(lengths.values()), 0)
    for name, length in lengths.items():
        if length != table.rows:
            raise ValueError(f"table: column {name!r} has {length} rows, where others have {table.rows}")
    made = _core.make_columns(table.rows)
    dates: set[str] = set()
    for name, column in columns.items():
        try:
            _add(made, name, column, dates)
        except (TypeError, ValueError, OverflowError, UnicodeError) as error:
            raise _named(error, name) from error
    return made, dates


def _named(error: Exception, name: str) -> Exception:
    """Return a copy of the error whose message names the column."""
    kind = TypeError if isinstance(error, TypeError) else ValueError
    text = str(error)
    return kind(f"column {name!r}: {text}")


def _listed(column: Any) -> Any:
    """Return a column that has a length. An iterable of Python objects becomes an object array."""
    if hasattr(column, "__arrow_c_stream__") or hasattr(column, "__arrow_c_array__") or hasattr(column, "dtype"):
        return column
    if isinstance(column, (str, bytes)) or not isinstance(column, Iterable):
        raise TypeError(f"table: expected a column, got {column!r}")
    if hasattr(column, "__buffer__") or isinstance(column, memoryview):
        return np.asarray(column)
    cells = list(column)
    made = np.empty(len(cells), dtype=object)
    for i, cell in enumerate(cells):
        made[i] = cell
    return made


def add_column(made: Any, name: str, column: Any) -> None:
    """Add a column to the library's columns."""
    try:
        _add(made, name, column, set())
    except (TypeError, ValueError, OverflowError, UnicodeError) as error:
        raise _named(error, name) from error


def _add(made: Any, name: str, column: Any, dates: set[str]) -> None:
    if module_of(column) == "pandas":
        _add_pandas(made, name, column, dates)
    elif hasattr(column, "__arrow_c_stream__"):
        made.add_arrow(name, on_its_clock(column).__arrow_c_stream__())
    elif hasattr(column, "__arrow_c_array__"):
        made.add_arrow(name, _core.stream_of_array(*on_its_clock(column).__arrow_c_array__()))
    else:
        mask = None
        if isinstance(column, np.ma.MaskedArray):
            mask = np.ma.getmaskarray(column)
            column = column.data
        _add_array(made, name, np.asarray(column), mask, dates)


# ---- pandas ----


def _add_pandas(made: Any, name: str, series: Any, dates: set[str]) -> None:
    array = getattr(series, "array", series)
    kind = type(array).__name__
    if hasattr(array, "codes") and hasattr(array, "categories"):
        _add_categories(made, name, np.asarray(array.codes), array.categories)
    elif kind in ("ArrowExtensionArray", "ArrowStringArray", "ArrowStringArrayNumpySemantics"):
        arrow = on_its_clock(array.__arrow_array__())
        if hasattr(arrow, "__arrow_c_stream__"):
            made.add_arrow(name, arrow.__arrow_c_stream__())
        else:
            made.add_arrow(name, _core.stream_of_array(*arrow.__arrow_c_array__()))
    elif isinstance(getattr(array, "_mask", None), np.ndarray) and isinstance(getattr(array, "_data", None), np.ndarray):
        _add_array(made, name, array._data, array._mask, dates)
    elif kind == "DatetimeArray" and getattr(array, "tz", None) is not None:
        _add_array(made, name, np.asarray(array.tz_localize(None)), None, dates)
    elif kind == "PeriodArray":
        _add_array(made, name, np.asarray(array.to_timestamp()), None, dates)
    else:
        _add_array(made, name, np.asarray(array), None, dates)


def _add_categories(made: Any, name: str, codes: Any, categories: Any) -> None:
    values = np.asarray(categories)
    if values.dtype.kind == "M":
        values = np.asarray(getattr(categories, "tz_localize", lambda zone: values)(None)).astype("datetime64[us]")
    letter = _LETTERS[codes.dtype.str[1:]]
    if values.dtype.kind in "iuf" and values.dtype.itemsize <= 8:
        native = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
        of = (_LETTERS[native.dtype.str[1:]], native, native.dtype.itemsize, len(native))
        made.add_codes(name, codes, letter, of)
    else:
        made.add_codes(name, codes, letter, [cell_text(value) for value in values.tolist()])


# ---- Arrays ----


def _add_array(made: Any, name: str, array: Any, mask: Any, dates: set[str]) -> None:
    if array.ndim != 1:
        raise ValueError(f"expected one value for each row, got an array of shape {array.shape}")
    kind, dtype = array.dtype.kind, array.dtype
    swapped = not dtype.isnative
    if kind in "iuf" and dtype.itemsize <= 8:
        made.add_items(name, array, _LETTERS[dtype.str[1:]], _ITEMS, dtype.itemsize, swapped, mask)
    elif kind == "f":
        made.add_items(name, array.astype(np.float64), "g", _ITEMS, 8, False, mask)
    elif kind == "b":
        made.add_items(name, array, "b", _TRUTH, 1, False, mask)
    elif kind in "US" and dtype.itemsize == 0:
        made.add_items(name, np.zeros(len(array), dtype="S1"), "U", _BYTES, 1, False, mask)
    elif kind in "US":
        made.add_items(name, array, "U", _WIDE if kind == "U" else _BYTES, dtype.itemsize, swapped, mask)
    elif kind == "M":
        _add_moments(made, name, array, mask, dates)
    elif kind == "m":
        unit = np.datetime_data(dtype)[0]
        if unit not in _UNITS or np.datetime_data(dtype)[1] != 1:
            array, unit = array.astype("timedelta64[us]"), "us"
        made.add_items(name, array.view("i8"), f"tD{_UNITS[unit]}", _ITEMS, 8, swapped, mask, _LEAST)
    elif kind in "OT":
        objects = array.astype(object) if kind == "T" else array
        if mask is not None:
            objects = objects.copy()
            objects[mask] = None
        _add_objects(made, name, objects, dates)
    elif kind == "c":
        raise ValueError("Complex data not supported")
    else:
        raise TypeError(f"an array of dtype {dtype} has neither numbers nor texts")


def _add_moments(made: Any, name: str, array: Any, mask: Any, dates: set[str]) -> None:
    unit, count = np.datetime_data(array.dtype)
    is_date = unit in _DATE_UNITS
    if unit not in _UNITS or count != 1:
        unit = "s" if is_date or unit in ("h", "m") else "us"
        array = array.astype(f"datetime64[{unit}]")
    ticks = array.view("i8")
    if not is_date:
        is_date = _are_midnights(ticks if array.dtype.isnative else array.astype(f"=M8[{unit}]").view("i8"), _DAY[unit])
    if is_date:
        dates.add(name)
    made.add_items(name, ticks, f"ts{_UNITS[unit]}:", _ITEMS, 8, not array.dtype.isnative, mask, _LEAST)


def _are_midnights(ticks: Any, day: int) -> bool:
    """Return whether all timestamps are at midnight. The array is checked in blocks."""
    nothing = np.iinfo(np.int64).min
    for begin in range(0, len(ticks), 1 << 16):
        block = ticks[begin : begin + (1 << 16)]
        if np.any((block % day != 0) & (block != nothing)):
            return False
    return True


# ---- Objects ----


def _missing_types(types: Iterable[type]) -> set[type]:
    """Return the types whose values mean missing: None, and pandas' NA and NaT."""
    return {kind for kind in types if kind is type(None) or kind.__name__ in ("NAType", "NaTType")}


def _is_number(kind: type) -> bool:
    return issubclass(kind, (int, float, np.integer, np.floating, decimal.Decimal, fractions.Fraction)) and kind is not bool


def cell_text(value: Any) -> str | None:
    """Return the category text of a value, or None if the value is missing."""
    if isinstance(value, str):
        return str(value)
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return None if value != value else str(_core.number_text(float(value)))
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8")
    if isinstance(value, (datetime.date, datetime.time)):
        return written(value)
    if isinstance(value, (complex, np.complexfloating)):
        raise ValueError("Complex data not supported")
    return str(value)


def _are_truths(array: Any, present: set[type], missing: set[type]) -> bool:
    """Return whether all values are booleans or missing, and at least one is a boolean."""
    others = present - {bool, np.bool_}
    if others == present or not all(issubclass(kind, (float, np.floating)) for kind in others):
        return False
    return not others or all(cell != cell for cell in array if not isinstance(cell, (bool, np.bool_)) and type(cell) not in missing)


def _add_objects(made: Any, name: str, array: Any, dates: set[str]) -> None:
    types = set(_core.object_types(array))
    missing = _missing_types(types)
    present = types - missing
    if present and all(kind.__name__ == "Period" for kind in present):
        moments = [None if type(cell) in missing or cell != cell else cell.to_timestamp() for cell in array]
        array = np.empty(len(moments), dtype=object)
        array[:] = moments
        present = set(_core.object_types(array)) - missing
    if not present:
        # Add an Arrow null column, which has no type: the values in other parts of the table decide the type.
        made.add_items(name, np.broadcast_to(np.int8(0), len(array)), "n", _ITEMS, 1)
    elif _are_truths(array, present, missing):
        is_absent = np.array([not isinstance(cell, (bool, np.bool_)) for cell in array], dtype=bool)
        _add_array(made, name, np.where(is_absent, False, array).astype(bool), is_absent, dates)
    elif all(_is_number(kind) for kind in present):
        numbers = np.empty(len(array), dtype=np.float64)
        _core.object_numbers(array, missing, numbers)
        made.add_items(name, numbers, "g", _ITEMS, 8)
    elif all(issubclass(kind, (datetime.date, np.datetime64)) for kind in present):
        moments = [None if type(cell) in missing or cell != cell else _naive(cell) for cell in array]
        unit = "us" if any(issubclass(kind, (datetime.datetime, np.datetime64)) for kind in present) else "D"
        # Python has a date type, so its datetimes have a time of day. Timestamps of numpy and pandas can be dates.
        found = set() if datetime.datetime in present else dates
        _add_moments(made, name, np.array(moments, dtype=f"datetime64[{unit}]"), None, found)
    elif all(issubclass(kind, (datetime.timedelta, np.timedelta64)) for kind in present):
        spans = [None if type(cell) in missing or cell != cell else cell for cell in array]
        _add_array(made, name, np.array(spans, dtype="timedelta64[us]"), None, dates)
    elif all(issubclass(kind, datetime.time) for kind in present):
        nothing = np.iinfo(np.int64).min
        ticks = [nothing if type(cell) in missing or cell != cell else _microseconds(cell) for cell in array]
        made.add_items(name, np.array(ticks, dtype=np.int64), "ttu", _ITEMS, 8, False, None, _LEAST)
    elif any(issubclass(kind, _NESTED) for kind in present):
        # Add an Arrow list or struct column. Its values are never read, and the caller must ignore the column.
        nested = "+s" if all(issubclass(kind, dict) for kind in present) else "+l"
        made.add_items(name, np.broadcast_to(np.int8(0), len(array)), nested, _ITEMS, 1)
    else:
        codes, width, values = _core.object_codes(array, missing, cell_text)
        made.add_codes(name, np.frombuffer(codes, dtype=f"i{width}"), _LETTERS[f"i{width}"], values)


def _naive(moment: Any) -> Any:
    """Return a timestamp as the local time of its time zone, without the zone."""
    if isinstance(moment, datetime.datetime):
        return moment.replace(tzinfo=None)
    return moment


def _microseconds(time: datetime.time) -> int:
    return (time.hour * 3600 + time.minute * 60 + time.second) * 10**6 + time.microsecond


# ---- Time zones ----


def on_its_clock(table: Any) -> Any:
    """Replace timestamps with a time zone by the local time of that zone in an Arrow or polars table or column.

    pandas frames and files use local time too. If no timestamp has a zone, the function returns the same object.
    """
    kind = module_of(table)
    if kind == "polars":
        return _polars_on_its_clock(table)
    if kind == "pyarrow":
        return _arrow_on_its_clock(table)
    return table


def _polars_on_its_clock(table: Any) -> Any:
    if not hasattr(table, "schema"):
        return table.dt.replace_time_zone(None) if getattr(table.dtype, "time_zone", None) is not None else table
    zoned = [name for name, kind in table.schema.items() if getattr(kind, "time_zone", None) is not None]
    return table.with_columns(table[name].dt.replace_time_zone(None) for name in zoned) if zoned else table


def _arrow_on_its_clock(table: Any) -> Any:
    if getattr(getattr(table, "type", None), "tz", None) is not None:
        from pyarrow import compute

        return compute.local_timestamp(table)
    schema: Any = getattr(table, "schema", None) or ()
    zoned = [i for i, field in enumerate(schema) if getattr(field.type, "tz", None) is not None]
    if not zoned:
        return table
    import pyarrow

    if not hasattr(table, "set_column"):
        plain = pyarrow.schema(
            [field.with_type(pyarrow.timestamp(field.type.unit)) if i in zoned else field for i, field in enumerate(schema)]
        )
        return pyarrow.RecordBatchReader.from_batches(plain, (_arrow_on_its_clock(batch) for batch in table))
    for i in zoned:
        table = table.set_column(i, schema.field(i).name, _arrow_on_its_clock(table.column(i)))
    return table
