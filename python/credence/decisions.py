# SPDX-License-Identifier: MIT
"""Decision rules: minimum expected cost, the reject option, thresholds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._label_types import Label, class_text, label_text

__all__ = ["make_rule"]


def _probability(argument: str, value: Any) -> float:
    """Parse a probability above 0 and at most 1: a number, or a text such as ``"0.9"``, ``"9/10"`` or ``"90%"``."""
    least: float
    try:
        if isinstance(value, str) and value.endswith("%"):
            least = float(value[:-1]) / 100
        elif isinstance(value, str) and "/" in value:
            above, below = value.split("/")
            least = float(above) / float(below)
        elif isinstance(value, bool):
            raise ValueError
        else:
            least = float(value)
    except (TypeError, ValueError, ZeroDivisionError):
        least = float("nan")
    if not 0 < least <= 1:
        raise ValueError(f"{argument}: expected a probability above 0 and at most 1, got {value!r}")
    return least


def _named_probability(argument: str, value: Any) -> tuple[Label | None, float]:
    """Parse a probability with an optional name: ``0.9``, ``"spam=0.9"``, ``("spam", 0.9)`` or ``{"spam": 0.9}``."""
    if isinstance(value, Mapping):
        value = list(value.items())[0] if len(value) == 1 else None
    if isinstance(value, str) and "=" in value:
        name, _, text = value.rpartition("=")
        return name, _probability(argument, text)
    if isinstance(value, Sequence) and not isinstance(value, str):
        if len(value) != 2:
            raise ValueError(f"{argument}: expected a probability, or a name and a probability, got {value!r}")
        return value[0], _probability(argument, value[1])
    return None, _probability(argument, value)


def _cost_table(cost: Any, classes: Sequence[str]) -> tuple[list[str], list[str], Any]:
    """Return the rows (true classes), actions and costs of a table in memory."""
    if isinstance(cost, Mapping):
        pair = next((name for name in cost if isinstance(name, tuple) and len(name) == 2 and class_text(name, classes) not in classes), None)
        if pair is not None:
            raise ValueError(f"cost: expected a dict of true classes and dicts of actions, such as {{{pair[0]!r}: {{{pair[1]!r}: 5, ...}}, ...}}, got the key {pair!r}")
        rows = [class_text(name, classes) for name in cost]
        if all(isinstance(row, Mapping) for row in cost.values()):
            actions = [class_text(name, classes) for name in dict.fromkeys(name for row in cost.values() for name in row)]
            by_name = [{class_text(name, classes): value for name, value in row.items()} for row in cost.values()]
            for name, row in zip(rows, by_name, strict=True):
                absent = [action for action in actions if action not in row]
                if absent:
                    raise ValueError(f"cost: class {name!r} has no cost of {absent[0]!r}")
            return rows, actions, [[row[action] for action in actions] for row in by_name]
        return rows, list(classes), list(cost.values())
    if type(cost).__module__.partition(".")[0] == "pandas":
        if not hasattr(cost, "columns") or len(cost.columns) == 0:
            raise ValueError(f"cost: expected a table of numbers, a row for each class, got {type(cost).__name__} of shape {cost.shape}")
        first = cost.columns[0]
        if cost[first].dtype.kind not in "iufb":
            cost = cost.set_index(first)
        return [class_text(name, classes) for name in cost.index], [class_text(name, classes) for name in cost.columns], cost.to_numpy(np.float64)
    if hasattr(cost, "columns") and hasattr(cost, "to_dict"):
        by_column = cost.to_dict()
        names = list(by_column)
        if len(names) < 2:
            raise ValueError(f"cost: expected a column of classes and one for each action, got {len(names)} columns")
        return (
            [class_text(name, classes) for name in by_column[names[0]]],
            [str(name) for name in names[1:]],
            np.column_stack([np.asarray(by_column[name], np.float64) for name in names[1:]]),
        )
    return list(classes), list(classes), cost


def _cost_rule(cost: Any, classes: Sequence[str]) -> _core.Rule:
    if isinstance(cost, (str, os.PathLike)):
        return _core.read_cost_rule(classes, cost)
    rows, actions, table = _cost_table(cost, classes)
    try:
        costs = np.ascontiguousarray(table, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cost: expected a table of numbers, a row for each class: {error}") from None
    if costs.shape != (len(rows), len(actions)):
        raise ValueError(
            f"cost: expected {len(rows)} rows of {len(actions)} costs, got an array of shape {costs.shape}; a table with "
            "names can have other actions"
        )
    return _core.make_cost_rule(classes, rows, actions, costs)


def make_rule(classes: Sequence[str], cost: Any = None, reject: Any = None, threshold: Any = None) -> _core.Rule | None:
    """Create the decision rule from these arguments; pass at most one. The result is None without any.

    Parameters
    ----------
    classes
        The classes, in the order of the posteriors.
    cost
        The cost of each action for each true class. The decision is the action with the smallest expected cost. Pass a path of
        a table as the command accepts it, a mapping of classes to mappings of actions to costs, a frame whose first column (in
        pandas also the index) contains the classes, or a square array with one row and one column per class.
    reject
        Decide for no class, ``"unsure"``, if no posterior reaches this probability; ``{"ask": 0.9}`` decides for ``"ask"``
        then.
    threshold
        For two classes: decide for the second if its posterior reaches this probability; ``{"spam": 0.9}`` for ``"spam"``.
    """
    given = [name for name, value in (("cost", cost), ("reject", reject), ("threshold", threshold)) if value is not None]
    if len(given) > 1:
        raise ValueError(f"{given[0]} and {given[1]}: a decision is made by one of them")
    if cost is not None:
        return _cost_rule(cost, classes)
    if reject is not None:
        word, least = _named_probability("reject", reject)
        return _core.make_reject_rule(classes, least, "unsure" if word is None else label_text(word))
    if threshold is not None:
        name, least = _named_probability("threshold", threshold)
        if len(classes) != 2:
            raise ValueError(f"threshold: it is for two classes, and there are {len(classes)}")
        return _core.make_threshold_rule(classes, 1 if name is None else class_index("threshold", name, classes), least)
    return None


def class_index(argument: str, name: Any, classes: Sequence[str]) -> int:
    """Return the index of a class in the classes."""
    text = class_text(name, classes)
    if text not in classes:
        raise ValueError(f"{argument}: there is no class {text!r}; there are {', '.join(map(repr, classes))}")
    return list(classes).index(text)
