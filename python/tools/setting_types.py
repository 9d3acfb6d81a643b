# SPDX-License-Identifier: MIT
"""Writes credence/_setting_types.py, the types of settings as keyword arguments, from the library's table of settings.

    PYTHONPATH=build/release/python/package python python/tools/setting_types.py > python/credence/_setting_types.py
"""

from __future__ import annotations

from credence import _core, _settings

_HEAD = '''# SPDX-License-Identifier: MIT
"""Types of settings as keyword arguments, made of the library's table of settings by python/tools/setting_types.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

__all__ = ["Settings", "SettingsWithoutArcs"]


class SettingsWithoutArcs(TypedDict, total=False):
    """Settings of models, except the arcs of a network. A str is always the text that the command accepts."""

    alpha: float | None
'''
_ARCS = '''

class Settings(SettingsWithoutArcs, total=False):
    """Settings of models."""

'''
#: Types of Python by the type of an argument in the table of settings.
_TYPES = {
    0: [],
    1: ["float"],
    2: ["int"],
    3: [],
    4: ["Mapping[Any, float]", "Sequence[float]"],
    5: ["Mapping[str, str]"],
    6: ["Sequence[str | Sequence[str]]"],
    7: ["Sequence[str | tuple[str, str]]"],
    8: ["Mapping[str, int]"],
    9: ["Iterable[str]"],
    10: ["int", "tuple[int, int]"],
    11: [],
}
_MORE = {"smoothing": ["float"]}
#: Settings that functions for learning networks have as separate parameters.
_OF_ARCS = ("search", "arcs")


def setting_type(name: str) -> str:
    """The type of a setting's values."""
    forms = next(row["forms"] for row in _core.setting_table() if _settings.keyword(row["name"]) == name)
    types = ["str"]
    for form in forms:
        types += _TYPES[form["type"]] if form["word"] is None else []
    if any(form["word"] and form["argument"] for form in forms):
        types.append("tuple[str, Any]")
    if name in _MORE:
        types += _MORE[name]
    return " | ".join([*dict.fromkeys(types), "None"])


def setting_types() -> str:
    """The module."""
    lines = {name: f"    {name}: {setting_type(name)}\n" for name in _settings.names()}
    others = [line for name, line in lines.items() if name not in _OF_ARCS]
    return _HEAD + "".join(others) + _ARCS + "".join(lines[name] for name in _OF_ARCS)


if __name__ == "__main__":
    print(setting_types(), end="")
