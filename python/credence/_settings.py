# SPDX-License-Identifier: MIT
"""Settings as keyword arguments: the names, texts and descriptions of the library's table of settings."""

from __future__ import annotations

import difflib
import inspect
import numbers
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from . import _core

_PRIORS, _FAMILIES, _COLUMNS, _ARCS, _HIDDEN = 4, 5, 6, 7, 8
_TABLE: dict[str, dict[str, Any]] = {row["name"].replace("-", "_"): row for row in _core.setting_table()}
_Function = TypeVar("_Function", bound=Callable[..., Any])


def names() -> tuple[str, ...]:
    """The names of all settings, as keyword arguments have them."""
    return tuple(_TABLE)


def default(name: str) -> str:
    """The text of a setting's default value."""
    return str(_TABLE[name]["default"])


def syntax(name: str) -> str:
    """The forms that the text of a setting can have."""
    return str(_TABLE[name]["syntax"])


def help_text(name: str) -> str:
    """What a setting is, in a sentence."""
    row = _TABLE[name]["help"]
    return str(row[0].upper() + row[1:] + ".")


def _number(value: numbers.Real) -> str:
    return str(int(value)) if isinstance(value, numbers.Integral) else repr(float(value))


def _quoted(text: str) -> str:
    """A name as lists of names have it: in quotes where it has marks that part names."""
    if any(mark in text for mark in ',;="\n\r') or "->" in text or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


def _scalar(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return _number(value)
    raise TypeError(f"{name}: expected {_TABLE[name]['syntax']}, got {value!r}")


def _mapping(name: str, value: Mapping[Any, Any], types: set[int]) -> str:
    mark = ":" if _HIDDEN in types else "="
    if not types & {_PRIORS, _FAMILIES, _HIDDEN}:
        raise TypeError(f"{name}: expected {_TABLE[name]['syntax']}, got a mapping")
    return ",".join(
        f"{key if key == '*' else _quoted(str(key))}{mark}{_scalar(name, item)}" for key, item in value.items()
    )


def _sequence(name: str, value: Iterable[Any], types: set[int], words: set[str]) -> str:
    items = list(value)
    if _ARCS in types:
        return ",".join(
            _quoted(item) if isinstance(item, str) else "->".join(_quoted(str(node)) for node in item) for item in items
        )
    if _COLUMNS in types:
        blocks = items if items and not isinstance(items[0], str) else [items]
        return ";".join(",".join(_quoted(str(column)) for column in block) for block in blocks)
    if items and isinstance(items[0], str) and items[0] in words and isinstance(value, tuple):
        return ":".join(_scalar(name, item) for item in items)
    return ",".join(_quoted(_scalar(name, item)) for item in items)


def text(name: str, value: Any) -> str:
    """The text that a value of Python is for a setting.

    A str is the text itself, as the command takes it. Numbers are numbers; ``("m", 2)`` is ``m:2``; a dict is a list of
    priors, families or hidden nodes; a list is one of columns (or of blocks of them), words, or arcs (pairs).
    """
    if isinstance(value, (str, numbers.Real)):
        return _scalar(name, value)
    if name == "ngrams" and isinstance(value, (tuple, list)) and len(value) == 2:
        return "-".join(_scalar(name, item) for item in value)
    forms = _TABLE[name]["forms"]
    types = {form["type"] for form in forms}
    if isinstance(value, Mapping):
        return _mapping(name, value, types)
    if isinstance(value, Iterable):
        return _sequence(name, value, types, {form["word"] for form in forms if form["word"] and form["argument"]})
    return _scalar(name, value)


def unknown(name: str, function: str, others: Iterable[str] = ()) -> TypeError:
    """The exception for a keyword argument that is neither a setting nor one of `others`."""
    near = difflib.get_close_matches(name.lower(), ["target", "weight", *_TABLE, *others], 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def texts(settings: Mapping[str, Any], function: str = "settings") -> dict[str, str]:
    """Names of the library's table and texts. What is None is left as it is."""
    result = {}
    for name, value in settings.items():
        if not isinstance(name, str):
            raise TypeError(f"{function}: names are texts, got {name!r}")
        key = name.replace("-", "_")
        if key not in _TABLE:
            raise unknown(name, function)
        if value is not None:
            result[_TABLE[key]["name"]] = text(key, value)
    return result


def make(settings: Mapping[str, Any], like: _core.Settings | None = None, function: str = "settings") -> _core.Settings:
    """Settings of the library; those that are not named are as in `like`, or at their defaults."""
    return _core.make_settings(texts(settings, function), like)


def describe(only: Iterable[str] | None = None) -> str:
    """A paragraph of a numpy docstring for each setting."""
    lines = []
    for name in _TABLE if only is None else only:
        row = _TABLE[name]
        syntax = row["syntax"].replace("|", " | ")
        lines.append(f"{name} : {syntax}, default {row['default']}")
        explained = help_text(name).replace("*=FAMILY", "``*=FAMILY``")
        lines += textwrap.wrap(explained, 110, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def documented(function: _Function) -> _Function:
    """Puts the settings, which the function takes as ``**settings``, into its signature and its docstring."""
    signature = inspect.signature(function)
    kept = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Any")
        for name in _TABLE
        if name not in signature.parameters
    ]
    function.__signature__ = signature.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
    if function.__doc__:
        function.__doc__ = inspect.cleandoc(function.__doc__).replace("{settings}", describe())
    return function
