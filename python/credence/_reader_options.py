# SPDX-License-Identifier: MIT
"""Reading options, with the names of the command's options."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["MISSING_ADDED", "MISSING_ONLY", "OPTIONS", "OPTION_BEHIND", "reader_options", "selectors"]

#: Names of the options that :func:`reader_options` accepts.
OPTIONS = (
    "header",
    "skip_lines",
    "input",
    "separator",
    "quote",
    "decimal",
    "encoding",
    "missing",
    "max_categories",
    "bad_rows",
    "strict",
    "shard",
    "no_multiline_fields",
    "tagged_text",
    "threads",
)

_INPUTS = {"comma": 1, "semicolon": 2, "tab": 3, "whitespace": 4, "pipe": 5}
_FORMATS = {"arff": 2, "jsonl": 3, "json": 5}
_OTHER_SEPARATOR = 6
_MOST_LINES = 1_000_000
MISSING_ONLY, MISSING_ADDED, _MISSING_ANY_CASE = 0, 1, 2
#: Maps library options to the user's options.
OPTION_BEHIND = {"header_line": "header", "format": "input", "separator_byte": "separator", "no_quotes": "quote"}


def selectors(columns: Any) -> list[Any]:
    """Return a list of column selectors, given one selector or several.

    >>> selectors("a"), selectors(["a", 2]), selectors(None)
    (['a'], ['a', 2], [])
    """
    if columns is None:
        return []
    if isinstance(columns, (str, int)) or not isinstance(columns, Iterable):
        return [columns]
    return list(columns)


def _character(name: str, value: Any) -> str:
    if value in ("\\t", "tab"):
        return "\t"
    if not isinstance(value, str) or len(value) != 1 or not value.isascii() or value in "\n\r\0":
        raise ValueError(f"{name}: expected one character of ASCII, got {value!r}")
    return value


def _whole(name: str, value: Any, least: int, most: int) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = least - 1
    if isinstance(value, bool) or number != value or not least <= number <= most:
        raise ValueError(f"{name}: expected a whole number from {least} to {most}, got {value!r}")
    return number


def _choice(name: str, value: Any, words: Mapping[Any, int]) -> int:
    try:
        return words[value]
    except (KeyError, TypeError):
        shown = ", ".join(repr(word) for word in words)
        raise ValueError(f"{name}: expected one of {shown}, got {value!r}") from None


def _header(value: Any, out: dict[str, Any]) -> None:
    """Set the header option: whether the first line contains the column names, or the number of the line that does, from 1.

    >>> options = {}
    >>> _header(4, options)
    >>> options
    {'header_line': 4}
    """
    if isinstance(value, (bool, str)):
        out["header"] = _choice("header", value, {"yes": 1, "no": 2, True: 1, False: 2})
        return
    try:
        out["header_line"] = _whole("header", value, 1, _MOST_LINES)
    except ValueError:
        raise ValueError(f"header: expected 'yes', 'no', True, False or the number of a line, from 1, got {value!r}") from None


def _missing(value: Any, out: dict[str, Any]) -> None:
    """Set additional texts that mean missing. With a leading ``"="``, or with ``{"only": [...]}``, no other texts mean missing."""
    rule = MISSING_ADDED
    if isinstance(value, Mapping):
        if set(value) != {"only"} and set(value) != {"any_case"}:
            raise ValueError(f"missing: expected texts, or {{'only': texts}}, got {value!r}")
        rule, value = (MISSING_ONLY, value["only"]) if "only" in value else (_MISSING_ANY_CASE, value["any_case"])
    elif isinstance(value, str) and value.startswith("="):
        rule, value = MISSING_ONLY, value[1:]
    if isinstance(value, str):
        value = value.split(",")
    texts = [text if isinstance(text, str) else _number_text(text) for text in value]
    out["missing"], out["missing_rule"] = texts, rule


def _number_text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"missing: expected texts or numbers, got {value!r}")
    return str(int(value)) if value == int(value) else repr(value)


def _shard(value: Any, out: dict[str, Any]) -> None:
    try:
        first, _, last = value.partition("/") if isinstance(value, str) else (value[0], "/", value[1])
        part, count = int(first), int(last)
    except (TypeError, ValueError, IndexError):
        part, count = 0, 0
    if not 1 <= part <= count <= 1000000:
        raise ValueError(f"shard: expected 'I/N', such as '1/8', or a pair of these, got {value!r}")
    out["shard"], out["shard_count"] = part, count


def _bad_rows(value: Any, out: dict[str, Any]) -> None:
    """Set how to handle rows that cannot be read: stop at the first one, skip them, or skip them and write them to a file."""
    if value == "stop":
        return
    if value == "skip":
        out["bad_rows"] = -1
    elif isinstance(value, str) and value.startswith("skip:"):
        if not value[5:].isdigit() or value[5:] == "0":
            raise ValueError(f"bad_rows: expected 'skip:MOST' with a whole number of rows, got {value!r}")
        out["bad_rows"] = int(value[5:])
    elif isinstance(value, (str, os.PathLike)):
        out["bad_rows"], out["bad_rows_path"] = -1, os.fspath(value)
    else:
        raise ValueError(f"bad_rows: expected 'stop', 'skip', 'skip:MOST' or a path, got {value!r}")


def reader_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Convert reading options with the command's names to options of the library's readers. Options that are None are ignored.

    >>> reader_options({"separator": ";", "header": None})
    {'separator': 6, 'separator_byte': ';'}
    """
    out: dict[str, Any] = {}
    for name, value in given.items():
        if name not in OPTIONS:
            near = difflib.get_close_matches(str(name).lower(), OPTIONS, 1)
            hint = f"did you mean {near[0]}?" if near else f"the options of reading are {', '.join(OPTIONS)}"
            raise TypeError(f"unexpected keyword argument {name!r}; {hint}")
        if value is None:
            continue
        if name == "header":
            _header(value, out)
        elif name == "skip_lines":
            out["skip_lines"] = _whole(name, value, 0, _MOST_LINES)
        elif name == "input":
            _choice(name, value, {**_INPUTS, **_FORMATS})
            out["separator" if value in _INPUTS else "format"] = {**_INPUTS, **_FORMATS}[value]
        elif name == "separator":
            out["separator"], out["separator_byte"] = _OTHER_SEPARATOR, _character(name, value)
        elif name == "quote":
            out["no_quotes" if value == "none" else "quote"] = True if value == "none" else _character(name, value)
        elif name == "decimal":
            _choice(name, value, {".": 1, ",": 2})
            out["decimal"] = value
        elif name == "encoding":
            out["encoding"] = os.fspath(value)
        elif name == "missing":
            _missing(value, out)
        elif name == "max_categories":
            out["max_categories"] = _whole(name, value, 1, 4_000_000_000)
        elif name == "threads":
            out["threads"] = _whole(name, value, 0, 256)
        elif name == "bad_rows":
            _bad_rows(value, out)
        elif name == "shard":
            _shard(value, out)
        else:
            out[name] = bool(value)
    return out
