# SPDX-License-Identifier: MIT
"""Column types of a table in partitions. The whole table decides the type and the format of a column, so partitions must be compared.

The values of a column in one partition have a type and a format: ``["numeric", ""]``, ``["categorical", ""]``, ``["none", "date"]``, or
``["none", ""]`` if all values are missing. Several partitions together have the set of these pairs.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _core, _settings, _tables
from ._columns import columns_in
from ._reader_options import OPTIONS
from .errors import DataError

__all__ = [
    "Decision",
    "NodeCells",
    "Shown",
    "Texts",
    "agreed_formats",
    "check_limit",
    "decide",
    "formats_of_texts",
    "may_have_format",
    "node_cells",
    "node_table",
    "shown_by",
    "texts_of",
    "unite",
    "unite_nodes",
    "unite_texts",
    "values_of",
    "with_currencies",
]

#: The sorted pairs of type and format that occur in the partitions, by column.
Shown = dict[str, list[list[str]]]

_MOST_CODES = 10  # a numeric column with at most this many values can contain codes; same as in the library
_AMOUNTS = ("point", "comma")  # formats of numbers that can have a currency
_MOST_CATEGORIES = 1_000_000  # distinct values of a column; same as in the library
_NO_LIMIT = 4_000_000_000  # distinct texts, while it is undecided whether they are categories
_NODE_ROWS = 2 * _MOST_CODES + 4


def shown_by(schema: str, profile: Sequence[Mapping[str, Any]] = ()) -> Shown:
    """Return the types and formats in one partition, given its schema.

    `profile` lists the columns without values, whose type follows from the type of the array only. It becomes ``"none"``.
    """
    absent = {column["column"] for column in profile if column.get("distinct") == 0}
    return {
        column["name"]: [["none" if column["name"] in absent else column["type"], column.get("format", "")]]
        for column in json.loads(schema)["columns"]
        if column["type"] != "ignored"
    }


def with_currencies(shown: Shown, table: Any, told: Collection[str]) -> Shown:
    """Append currency signs to the formats of amounts, because amounts in several currencies have no common format.

    Columns in `told` are skipped, because the caller specified their format.
    """
    for name, pairs in shown.items():
        type_, format = pairs[0]
        if format in _AMOUNTS and name not in told:
            named = columns_in(table)  # None for a pyarrow table, whose names are texts
            column = table[name] if named is None else named.columns[name]
            shown[name] = [[type_, f"{format} {_signs(column)}".strip()]]
    return shown


def _signs(column: Any) -> str:
    """Return the currency signs in a column of amounts: all characters except digits, whitespace and punctuation."""
    import pyarrow
    from pyarrow import compute

    texts = column if isinstance(column, pyarrow.ChunkedArray) else pyarrow.array(column, pyarrow.string(), from_pandas=True)
    signs = compute.replace_substring_regex(texts.cast(pyarrow.string()), r"[\pN\s.,'’+()-]", "")
    return " ".join(sorted(sign for sign in compute.unique(signs).to_pylist() if sign))


def unite(one: Shown, other: Shown) -> tuple[Shown, bool]:
    """Return the union of the types and formats, and whether models of both can be merged."""
    names = [*one, *(name for name in other if name not in one)]
    shown = {name: sorted(map(list, {*map(tuple, one.get(name, ())), *map(tuple, other.get(name, ()))})) for name in names}
    return shown, all(_agree(pairs) for pairs in shown.values())


def _agree(pairs: Sequence[Sequence[str]]) -> bool:
    types = {type_ for type_, _ in pairs} - {"none"}
    formats, signs = {text.partition(" ")[0] for _, text in pairs}, {text.partition(" ")[2] for _, text in pairs} - {""}
    return len(types) <= 1 and len(formats) <= 1 and len(signs) <= 1


@dataclass(frozen=True)
class Decision:
    """The types and formats of columns that follow from all partitions together.

    `opened` lists columns whose format depends on all of their texts. The texts must be gathered first.
    """

    types: Mapping[str, str]
    formats: Mapping[str, str]
    opened: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The columns that the decision affects."""
        return [*self.types, *self.formats, *self.opened]


def decide(shown: Shown) -> Decision | None:
    """Decide the columns in which partitions do not agree; return None if they agree in all columns."""
    types: dict[str, str] = {}
    formats: dict[str, str] = {}
    opened: list[str] = []
    for name, pairs in shown.items():
        if _agree(pairs):
            continue
        found = {text.partition(" ")[0] for _, text in pairs} - {""}
        has_currencies = len({text.partition(" ")[2] for _, text in pairs} - {""}) > 1
        is_plain = any(text == "" and type_ != "none" for type_, text in pairs)
        if not found:
            types[name] = "categorical"
        elif len(found) == 1 and not is_plain and not has_currencies:
            formats[name] = found.pop()
        elif found <= {"date", "datetime"} and not is_plain:
            formats[name] = "datetime"
        else:
            opened.append(name)
    return Decision(types, formats, tuple(opened)) if types or formats or opened else None


def agreed_formats(shown: Shown) -> dict[str, str]:
    """Return the formats of the columns in which partitions agree."""
    return {name: pairs[0][1].partition(" ")[0] for name, pairs in shown.items() if _agree(pairs) and pairs[0][1]}


# ---- Column texts ----

#: The sorted distinct texts of the values, by column.
Texts = dict[str, list[str]]


def texts_of(table: Any, columns: Sequence[str], reading: Mapping[str, Any]) -> Texts:
    """Return the texts of columns in one partition. Rows without a target are included, because all texts decide the column type."""
    options = {name: value for name, value in reading.items() if name in OPTIONS}
    return {name: _texts_of_column(table, name, options) for name in columns}


def _texts_of_column(table: Any, name: str, options: Mapping[str, Any]) -> list[str]:
    """Return the texts of one column. They are the classes of a model whose target is that column."""
    reader = _tables.open_reader(table, target=name, only=[name], detect_formats=False, **{**options, "max_categories": _NO_LIMIT})
    try:
        core, _ = _core.train_model(reader, _settings.make({}, None, "train"), None)
    except DataError as error:
        if error.code != "empty":
            raise
        return []
    return values_of(core)[name]


def unite_texts(one: Texts, other: Texts) -> Texts:
    """Return the union of the texts."""
    return {name: sorted({*one.get(name, ()), *other.get(name, ())}) for name in {**one, **other}}


def values_of(core: Any) -> Texts:
    """Return the values that a model has counted in each categorical column."""
    return {column["name"]: column.get("values", []) for column in json.loads(_core.schema_of_model(core, True))["columns"] if "name" in column}


def check_limit(values: Texts, reading: Mapping[str, Any], formatted: Collection[str], target: str | None = None) -> None:
    """Raise a DataError if a column has too many distinct values in all partitions together.

    Declared values do not count. Columns in `formatted` are skipped: they have a format or may get one, and then have other values.
    """
    most = reading.get("max_categories") or _MOST_CATEGORIES
    schema = json.loads(reading["schema"]) if reading.get("schema") is not None else {"columns": []}
    declared = {column.get("name"): column["values"] for column in schema["columns"] if "values" in column} | dict(reading.get("declare") or {})
    for name, texts in values.items():
        if name not in formatted and len(texts) > most and len(set(texts).difference(declared.get(name, ()))) > most:
            message = f"column {name!r} has more than {most} different values in all partitions together: is it an identifier?"
            hint = "max_categories allows more" if name == target else f"ignore=[{name!r}] leaves it out, max_categories allows more"
            error = DataError(f"{message} ({hint})")
            error.code, error.message, error.subject, error.hint = "limit", message, name, hint
            raise error


def formats_of_texts(texts: Texts, reading: Mapping[str, Any], target: str | None = None) -> dict[str, str]:
    """Return the formats of columns with these texts. Columns without a format are omitted.

    The only format that a target can have is words for true and false.
    """
    rows = max(map(len, texts.values()), default=0)
    if rows == 0:
        return {}
    table = {name: [*column, *[None] * (rows - len(column))] for name, column in texts.items()}
    options = {name: value for name, value in reading.items() if name in OPTIONS} | {"max_categories": _NO_LIMIT}
    reader = _tables.open_reader(table, target=target if target in table else None, with_parts=reading.get("with_parts", True), **options)
    shown = shown_by(_core.profile_table(reader, False)[1])
    return {name: pairs[0][1] for name, pairs in shown.items() if pairs[0][1]}


def may_have_format(texts: Sequence[str], reading: Mapping[str, Any], is_target: bool = False) -> bool:
    """Return whether a column that contains these texts and others may have a format.

    That is the case if all texts contain digits, or if they are words for true and false in any spelling. A target can have only the
    second format.
    """
    if not is_target and all(any(map(str.isdigit, text)) for text in texts):
        return True
    return bool(formats_of_texts({"texts": sorted({*texts, *map(str.swapcase, texts)})}, reading, "texts" if is_target else None))


# ---- Columns as network nodes ----

#: By column: the type, the number of values that are not missing, and the distinct numbers if there are few.
NodeCells = dict[str, tuple[str, int, list[float] | None]]


def node_cells(table: Any, reading: Mapping[str, Any]) -> NodeCells:
    """Return the facts about columns in one partition that decide their network nodes. A column with few distinct integers is a code."""
    options = {name: value for name, value in reading.items() if name in OPTIONS}
    found: NodeCells = {}
    profile = _core.profile_table(_tables.open_reader(table, detect_formats=False, **options), False)[0]
    for column in profile["columns"]:
        type_, distinct = column["type"], column["distinct"]
        numbers = sorted(one["value"] for one in column.get("most_frequent", ())) if type_ == "numeric" else []
        is_few = distinct <= _MOST_CODES and len(numbers) == distinct
        found[column["column"]] = (type_ if distinct > 0 else "none", profile["rows"] - column["missing"], numbers if is_few else None)
    return found


def unite_nodes(one: NodeCells, other: NodeCells) -> NodeCells:
    """Merge the facts about network nodes of two partitions."""
    united = dict(one)
    for name, (type_, present, numbers) in other.items():
        if name in one:
            its_type, its_present, its_numbers = one[name]
            type_ = min(type_, its_type) if "none" not in (type_, its_type) else its_type if type_ == "none" else type_
            present += its_present
            both = None if numbers is None or its_numbers is None else sorted({*numbers, *its_numbers})
            numbers = None if both is None or len(both) > _MOST_CODES else both
        united[name] = (type_, present, numbers)
    return united


def node_table(cells: NodeCells) -> dict[str, list[Any]]:
    """Return a small table whose columns become the same nodes as the columns of the whole table."""
    table: dict[str, list[Any]] = {}
    for name, (type_, present, numbers) in cells.items():
        column: list[Any] = []
        if type_ == "categorical":
            column = ["a"]
        elif type_ == "numeric":
            values = [i + 0.5 for i in range(_MOST_CODES + 1)] if numbers is None else numbers
            column = [*values, *values[:1] * (min(present, _NODE_ROWS) - len(values))]
        table[name] = column + [None] * (_NODE_ROWS - len(column))
    return table
