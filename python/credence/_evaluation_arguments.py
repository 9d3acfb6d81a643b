# SPDX-License-Identifier: MIT
"""Arguments of evaluations: how rows are split into folds, and which results are computed in addition to the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _core, _tables
from ._columns import columns_in
from .decisions import class_index

__all__ = ["NAMES", "USUAL_POINTS", "Questions", "choose_split", "column_labels", "open_split", "positive_class", "whole"]

USUAL_POINTS = 1000
_GOALS = {"f1": 0, "cost": 1, "recall": 2, "precision": 3}


def positive_class(positive: Any, classes: Sequence[str], argument: str = "positive") -> int:
    """Return the index of the class that a threshold applies to. For two classes, the default is the second."""
    if positive is not None:
        return class_index(argument, positive, classes)
    if len(classes) != 2:
        raise ValueError(f"{argument}: a threshold is for one class against the rest, and there are {len(classes)}: name it")
    return 1


def whole(argument: str, value: Any, least: int, most: int = 2**53) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{argument}: expected a whole number, got {value!r}")
    if not least <= value <= most:
        raise ValueError(f"{argument}: expected a whole number from {least} to {most}, got {value}")
    return int(value)


def _share(value: Any) -> float:
    """Return a proportion of the rows from a number or a text such as ``"30%"``."""
    try:
        share = float(value[:-1]) / 100 if isinstance(value, str) and value.endswith("%") else float(value)
    except (TypeError, ValueError):
        raise ValueError(f"holdout: expected a share such as 0.3 or '30%', got {value!r}") from None
    if not 0 < share < 1:
        raise ValueError(f"holdout: expected a share between 0 and 1, got {value!r}")
    return share


def _goals(choose_threshold: Any) -> list[tuple[str, int, float]]:
    """Return the goals that thresholds optimize. Each has the text as given, the goal's number, and the required value."""
    goals = []
    given = choose_threshold.split(",") if isinstance(choose_threshold, str) else choose_threshold
    if not isinstance(given, (list, tuple, set)) or not all(isinstance(text, str) for text in given):
        raise TypeError(f"choose_threshold: expected goals such as 'f1' or 'recall:0.9', got {choose_threshold!r}")
    for text in given:
        name, _, value = text.partition(":")
        wanted = 0.0
        if value:
            wanted = float(value[:-1]) / 100 if value.endswith("%") else float(value)
        needs_value = name in ("recall", "precision")
        if name not in _GOALS or needs_value != bool(value) or (needs_value and not 0 < wanted <= 1):
            raise ValueError(
                f"choose_threshold: expected 'f1', 'cost', 'recall:R' or 'precision:P', R and P above 0 and at most 1, got {text!r}"
            )
        goals.append((text, _GOALS[name], wanted))
    return goals


class Questions:
    """The results to compute in addition to the scores. All evaluation functions share these arguments."""

    def __init__(
        self,
        *,
        per_row: bool = False,
        threshold_curves: bool | int = False,
        choose_threshold: Any = None,
        positive: Any = None,
        importance: bool | int = False,
        top_k: int | None = None,
        cost: Any = None,
        reject: Any = None,
        threshold: Any = None,
        seed: int = 1,
        threads: int | None = None,
    ) -> None:
        self.per_row = bool(per_row)
        self.points = 0
        if threshold_curves is not False and threshold_curves is not None:
            self.points = USUAL_POINTS if threshold_curves is True else whole("threshold_curves", threshold_curves, 2)
        elif choose_threshold is not None:
            self.points = USUAL_POINTS
        self.goals = None if choose_threshold is None else _goals(choose_threshold)
        self.positive = positive
        if positive is not None and not self.points:
            raise ValueError("positive: needs threshold_curves or choose_threshold, whose thresholds are for this class")
        self.repeats = 0
        if importance is not False and importance is not None:
            self.repeats = 5 if importance is True else whole("importance", importance, 1, 1000)
        self.top_k = 0 if top_k is None else whole("top_k", top_k, 1)
        self.rule_arguments = (cost, reject, threshold)
        if self.goals and any(number == 1 for _, number, _ in self.goals) and cost is None:
            raise ValueError("choose_threshold: 'cost' needs the argument cost")
        self.seed = whole("seed", seed, 0)
        self.threads = threads or 0


NAMES = ("per_row", "threshold_curves", "choose_threshold", "positive", "importance", "top_k", "cost", "reject", "threshold")


def choose_split(cross_validate: Any, holdout: Any, folds: Any, usual: int) -> dict[str, Any]:
    """Return the arguments of a split into folds. ``column`` is not resolved yet: it is a name or a position."""
    given = [
        name
        for name, value in (("cross_validate", cross_validate), ("holdout", holdout), ("folds", folds))
        if value is not None
    ]
    if len(given) > 1:
        raise ValueError(f"{given[0]} and {given[1]}: rows are parted by one of them")
    if holdout is not None:
        number, held_out = _core.split_of_share(_share(holdout))
        return {"folds": number, "held_out": held_out}
    if isinstance(folds, str):
        return {"column": folds}
    if folds is not None and not isinstance(folds, (int, np.integer)):
        return {"given": _given_folds(folds)}
    asked = cross_validate if cross_validate is not None else folds
    argument = "cross_validate" if cross_validate is not None else "folds"
    return {"folds": usual if asked is None else whole(argument, asked, 2, 1_000_000)}


def _given_folds(folds: Any) -> tuple[Any, list[str]]:
    """Return the fold number of each row and the fold labels. Folds are numbered in the order in which their labels first occur."""
    labels = np.asarray(folds)
    if labels.ndim != 1:
        raise ValueError(f"folds: expected a fold for each row, got an array of shape {labels.shape}")
    numbers: dict[str, int] = {}
    codes = np.empty(len(labels), np.int32)
    for row, label in enumerate(labels.tolist()):
        if label is None or label != label or label == "":
            raise ValueError(f"folds: row {row + 1} is in no fold: its label is missing")
        codes[row] = numbers.setdefault(str(label), len(numbers))
    return codes, list(numbers)


def open_split(table: Any, split: dict[str, Any], reading: Mapping[str, Any], **columns: Any) -> Any:
    """Open a reader of a table whose rows are split into folds.

    If a column contains the folds, the function stores its position in ``split["column"]``. For a table whose values are not texts, it
    stores the labels in ``split["given"]`` instead.
    """
    if "column" not in split:
        return _tables.open_reader(table, **columns, **reading)
    reader = _tables.open_reader(table, keep_text=True, **columns, **reading)
    position = _tables._one(reader, "folds", split["column"])
    reader.ignore(position)
    if reader.describe()["format"] == "columns":
        split["given"] = _given_folds(column_labels(table, reader.column_names()[position]))
        del split["column"]
    else:
        split["column"] = position
    return reader


def column_labels(table: Any, name: str) -> Any:
    """Return the values of a column of a table in memory."""
    columns = columns_in(table)
    if columns is not None:
        return np.array(list(columns.columns[name]), object)
    if hasattr(table, "collect"):
        table = table.collect()
    if not hasattr(table, "__getitem__"):
        import pyarrow

        table = pyarrow.table(table)
    column = table[name]
    return np.array(column.to_pylist() if hasattr(column, "to_pylist") else list(column), object)
