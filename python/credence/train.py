# SPDX-License-Identifier: MIT
"""Training: models of tables."""

from __future__ import annotations

import inspect
from typing import Any

from . import _core, _settings, _tables
from ._reader_options import OPTIONS
from .model import Model

__all__ = ["train"]

_READING = frozenset(
    name
    for name, parameter in inspect.signature(_tables.open_reader).parameters.items()
    if parameter.kind is inspect.Parameter.KEYWORD_ONLY
)


def _split(arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings and options of reading."""
    known = _settings.names()
    settings = {name: value for name, value in arguments.items() if name in known}
    reading = {name: value for name, value in arguments.items() if name not in known}
    for name in reading:
        if name not in _READING and name not in OPTIONS:
            raise _settings.unknown(name, "train", [*_READING, *OPTIONS])
    return settings, reading


@_settings.documented
def train(table: Any, target: Any = None, *, weight: Any = None, tally: Any = None, **arguments: Any) -> Model:
    """Trains a model from a table.

    Parameters
    ----------
    table
        Rows: a path, or several; bytes; a frame of pandas or polars; a table of pyarrow; an array of numpy; a dict of
        columns; a list of dicts.
    target
        The column to predict, by name or position.
    weight
        The column that has how many rows each row stands for.
    tally
        Further sufficient statistics to keep, for families and methods chosen later: names, or ``"all"``.
    {settings}
    """
    settings, reading = _split(arguments)
    made = _settings.make(settings, None, "train")
    kept = None if tally is None else tally if isinstance(tally, str) else ",".join(tally)
    reader = _tables.open_reader(table, target=target, weight=weight, **reading)
    core, facts = _core.train_model(reader, made, kept)
    return Model(core, facts)
