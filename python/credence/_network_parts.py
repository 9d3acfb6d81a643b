# SPDX-License-Identifier: MIT
"""Converts nodes, arcs, tables and inference options from Python objects to the arguments of the extension module."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from . import _settings
from .errors import DataError

KINDS = ("chance", "decision", "utility", "gaussian")
CHANCE, DECISION, UTILITY, GAUSSIAN = range(4)
APPROXIMATIONS = (None, "weighting", "gibbs", "loopy")
FORMATS = {"bif": 1, "xmlbif": 2, "net": 3, "uai": 4, "dot": 5, "xdsl": 6, "dne": 7}
EXTENSIONS = {"xml": "xmlbif", "hugin": "net", "gv": "dot"}


class NodeFacts(NamedTuple):
    """A node: its name, kind, states, and the indices of its parents."""

    name: str
    kind: int
    states: tuple[str, ...]
    parents: tuple[int, ...]


def unknown(argument: str, what: str, name: Any, names: Iterable[str]) -> DataError:
    """Return the exception for a name that is not in `names`."""
    known = list(names)
    near = difflib.get_close_matches(str(name), known, 3)
    listed = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
    hint = "did you mean " + " or ".join(near) + "?" if near else f"there are {listed}" if known else ""
    error = DataError(f"{argument}: there is no {what} {name!r}" + (f" ({hint})" if hint else ""))
    error.code, error.message, error.subject, error.hint = "column", f"there is no {what} {name!r}", str(name), hint
    return error


def state_texts(value: Any) -> list[str]:
    """Return the texts that can represent a state: the text itself, or the usual spellings of a boolean or a number in tables."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (bool, np.bool_)):
        word, other = ("true", "yes") if value else ("false", "no")
        return [word, word.title(), word.upper(), other, other.title(), other.upper()]
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        number = float(value)
        return [repr(number), f"{number:.17g}", str(int(number))] if number.is_integer() else [repr(number)]
    return [str(value)]


def format_number(format: str | None, path: str | None = None) -> int:
    """Return the number of a format, given its name or the file name extension of a path."""
    if format is None:
        ending = "" if path is None else path.rpartition(".")[2].lower()
        name = EXTENSIONS.get(ending, ending)
        if name not in FORMATS:
            raise ValueError(f"format: {path!r} has no ending of a network's file; name one of {', '.join(FORMATS)}")
        return FORMATS[name]
    if not isinstance(format, str):
        raise TypeError(f"format: expected a str, got {format!r}")
    name = EXTENSIONS.get(format.lower(), format.lower())
    if name not in FORMATS:
        raise ValueError(f"format: there is no {format!r}; the formats are {', '.join(FORMATS)}")
    return FORMATS[name]


# ---- Nodes and arcs ----


def read_nodes(nodes: Any, kinds: Mapping[str, str] | None) -> list[tuple[str, int, list[str]]]:
    """Return the tuple (name, kind, states) of each node."""
    given = dict(nodes) if isinstance(nodes, Mapping) else {name: None for name in nodes}
    told = dict(kinds or {})
    for name in told:
        if name not in given:
            raise unknown("kinds", "node", name, given)
    made = []
    for name, states in given.items():
        if isinstance(states, str):
            told.setdefault(name, states)
            states = None
        kind = told.get(name, "chance" if states is not None else "gaussian")
        if kind not in KINDS:
            raise ValueError(f"kinds: {name!r} is {kind!r}; a node is one of {', '.join(KINDS)}")
        if kind in ("chance", "decision") and states is None:
            raise ValueError(f"nodes: {name!r} is a {kind} node, which needs states")
        if states is not None and (isinstance(states, (bytes, Mapping)) or not isinstance(states, Iterable)):
            raise TypeError(f"nodes: expected a list of states for {name!r}, such as ['yes', 'no'], got {states!r}")
        texts = [state_texts(state)[0] for state in states or ()]
        for text in (str(name), *texts):
            if "\0" in text:
                raise ValueError(f"nodes: {name!r} has a NUL character in its name or a state")
        made.append((str(name), KINDS.index(kind), texts))
    return made


def read_arcs(arcs: Any, numbers_of: Mapping[str, int]) -> list[tuple[int, int]]:
    """Return arcs as index pairs (parent, child), given name pairs, texts ``"A->B"``, or a mapping from children to parents."""
    pairs: list[tuple[Any, Any]] = []
    if isinstance(arcs, Mapping):
        for child, parents in arcs.items():
            pairs += [(parent, child) for parent in ([parents] if isinstance(parents, str) else parents)]
    else:
        for arc in arcs.split(",") if isinstance(arcs, str) else arcs:
            pair = arc.split("->") if isinstance(arc, str) else tuple(arc)
            if len(pair) != 2:
                raise ValueError(f"arcs: expected a pair (parent, child) or 'parent->child', got {arc!r}")
            pairs.append(tuple(part.strip() for part in pair) if isinstance(arc, str) else (pair[0], pair[1]))  # type: ignore[arg-type]
    made: dict[tuple[int, int], None] = {}
    for parent, child in pairs:
        for name in (parent, child):
            if name not in numbers_of:
                raise unknown("arcs", "node", name, numbers_of)
        if (numbers_of[parent], numbers_of[child]) in made:
            raise ValueError(f"arcs: {parent} -> {child} stands there twice")
        made[numbers_of[parent], numbers_of[child]] = None
    return list(made)


# ---- Tables ----


class TableShape(NamedTuple):
    """The shape of a node's table."""

    name: str
    kind: int
    columns: tuple[str, ...]  # the columns of a row: states, "utility", or "mean", continuous parents and "variance"
    parents: tuple[str, ...]  # the discrete parents
    states: tuple[tuple[str, ...], ...]  # the states of each discrete parent

    @property
    def rows(self) -> int:
        return math.prod(len(states) for states in self.states)


def table_shape(node: NodeFacts, nodes: Sequence[NodeFacts]) -> TableShape:
    """Return the shape of a node's table."""
    parents = [nodes[number] for number in node.parents]
    columns = node.states
    if node.kind == GAUSSIAN:
        columns = ("mean", *(parent.name for parent in parents if parent.kind == GAUSSIAN), "variance")
    elif node.kind == UTILITY:
        columns = ("utility",)
    discrete = [parent for parent in parents if parent.kind != GAUSSIAN]
    return TableShape(
        node.name, node.kind, columns, tuple(one.name for one in discrete), tuple(one.states for one in discrete)
    )


def read_table(table: Any, shape: TableShape) -> NDArray[np.float64]:
    """Return the numbers of a table, given as an array, nested lists, or a mapping from the parents' states to rows."""
    if isinstance(table, Mapping):
        return _mapped_table(table, shape)
    if hasattr(table, "to_numpy") and not isinstance(table, np.ndarray):
        table = table.to_numpy()
    try:
        numbers_given = np.array(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"tables: that of {shape.name!r} is no array of numbers: {error}") from None
    if numbers_given.size != shape.rows * len(shape.columns):
        expected = " x ".join(str(len(states)) for states in shape.states) or "1"
        raise ValueError(
            f"tables: that of {shape.name!r} has {numbers_given.size} numbers; expected {expected} x {len(shape.columns)}: "
            f"a row of {', '.join(shape.columns)} for each combination of states of {', '.join(shape.parents) or 'no parent'}"
        )
    return np.ascontiguousarray(numbers_given.reshape(shape.rows, len(shape.columns)))


def _row(row: Any, shape: TableShape) -> list[float]:
    if isinstance(row, Mapping):
        texts = {state_texts(key)[0]: float(value) for key, value in row.items()}
        optional = set(shape.columns[1:-1]) if shape.kind == GAUSSIAN else set()
        for key in texts:
            if key not in shape.columns:
                raise unknown(f"tables: {shape.name!r}", "column", key, shape.columns)
        missing = [column for column in shape.columns if column not in texts and column not in optional]
        if missing:
            raise ValueError(f"tables: a row of {shape.name!r} lacks {', '.join(missing)}")
        return [texts.get(column, 0.0) for column in shape.columns]
    made = [float(row)] if isinstance(row, numbers.Real) else [float(value) for value in row]
    if len(made) != len(shape.columns):
        raise ValueError(f"tables: a row of {shape.name!r} has {len(made)} numbers; expected {', '.join(shape.columns)}")
    return made


def _mapped_table(table: Mapping[Any, Any], shape: TableShape) -> NDArray[np.float64]:
    if not shape.parents:
        return np.array([_row(table, shape)], dtype=np.float64)
    made = np.full((shape.rows, len(shape.columns)), np.nan)
    for key, row in table.items():
        states = key if isinstance(key, tuple) else (key,)
        if len(states) != len(shape.parents):
            raise ValueError(f"tables: {key!r} of {shape.name!r} is no state of each of {', '.join(shape.parents)}")
        place = 0
        for parent, known, state in zip(shape.parents, shape.states, states, strict=True):
            found = [known.index(text) for text in state_texts(state) if text in known]
            if not found:
                raise unknown(f"tables: {shape.name!r}: {parent!r}", "state", state, known)
            place = place * len(known) + found[0]
        made[place] = _row(row, shape)
    absent = np.flatnonzero(np.isnan(made).all(axis=1))
    if absent.size > 0:
        place = int(absent[0])
        states_absent = []
        for known in reversed(shape.states):
            states_absent.append(known[place % len(known)])
            place //= len(known)
        raise ValueError(f"tables: that of {shape.name!r} lacks the row of {tuple(reversed(states_absent))!r}")
    return made


# ---- Inference options ----


def _size(memory: Any) -> float:
    """Return a number of bytes, given a number or a text such as 500M or 2G."""
    if isinstance(memory, str):
        text = memory.strip()
        for ending in ("iB", "B"):
            if text.endswith(ending) and len(text) > len(ending):
                text = text[: -len(ending)]
                break
        unit = 1024.0 ** ("KMGT".index(text[-1].upper()) + 1) if text and text[-1].upper() in "KMGT" else 1.0
        try:
            size = float(text[:-1] if unit > 1 else text) * unit
        except ValueError:
            raise ValueError(f"memory: expected a size as 500M, 2G or bytes, got {memory!r}") from None
    elif isinstance(memory, numbers.Real) and not isinstance(memory, bool):
        size = float(memory)
    else:
        raise TypeError(f"memory: expected bytes or a text such as '2G', got {memory!r}")
    if not 0 <= size < math.inf:
        raise ValueError(f"memory: expected a size as 500M, 2G or bytes, got {memory!r}")
    return max(size, 1.0)


class InferenceOptions(TypedDict, total=False):
    """Keyword arguments of all functions that compute with a network."""

    memory: float | str | None
    approximate: str | bool | None
    draws: int | None
    seed: int
    threads: int


def inference_options(function: str, options: Mapping[str, Any]) -> tuple[int, float, int, bool, int, int]:
    """Convert the keyword arguments of a function to the inference options of the extension module."""
    for name in options:
        if name not in InferenceOptions.__annotations__:
            raise _settings.unexpected(name, function, ["of", "given", "likelihood", *InferenceOptions.__annotations__])
    return _inference_options(**options)


def _inference_options(
    memory: float | str | None = None,
    approximate: str | bool | None = None,
    draws: int | None = None,
    seed: int = 1,
    threads: int = 0,
) -> tuple[int, float, int, bool, int, int]:
    name = "weighting" if approximate is True else approximate or None
    is_always = isinstance(name, str) and name.endswith(",always")
    if is_always:
        name = str(name).removesuffix(",always")
    if name not in APPROXIMATIONS:
        raise ValueError(f"approximate: expected 'weighting', 'gibbs' or 'loopy', also with ',always', got {approximate!r}")
    if draws is not None and draws < 1:
        raise ValueError(f"draws: expected at least 1, got {draws!r}")
    if not 0 <= threads <= 256:
        raise ValueError(f"threads: expected a number from 0 to 256, got {threads!r}")
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed: expected a number from 0 to 2**64 - 1, got {seed!r}")
    return (threads, 0.0 if memory is None else _size(memory), APPROXIMATIONS.index(name), is_always, seed, draws or 0)
