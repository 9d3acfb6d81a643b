# SPDX-License-Identifier: MIT
"""Answers of the model that is trained on a table, in one call, as the command has them of a table with a target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Unpack, overload

from ._types import (
    Cell,
    ColumnName,
    Cost,
    FrameType,
    PlainTable,
    Probability,
    Row,
    RowPrediction,
    TableInput,
    TrainedPredictOptions,
    TrainingOptions,
)
from .summary import Summary
from .table import Table
from .train import train

__all__ = ["predict", "show"]


@overload
def predict(
    table: TableInput, rows: FrameType, target: ColumnName | None = None, **options: Unpack[TrainedPredictOptions]
) -> FrameType: ...
@overload
def predict(
    table: TableInput, rows: Mapping[str, Cell], target: ColumnName | None = None, **options: Unpack[TrainedPredictOptions]
) -> RowPrediction: ...
@overload
def predict(
    table: TableInput, rows: PlainTable, target: ColumnName | None = None, **options: Unpack[TrainedPredictOptions]
) -> Table: ...
@overload
def predict(
    table: TableInput, rows: Row | TableInput, target: ColumnName | None = None, **options: Unpack[TrainedPredictOptions]
) -> Any: ...
def predict(
    table: TableInput,
    rows: Row | TableInput,
    target: ColumnName | None = None,
    *,
    cost: Cost | None = None,
    reject: Probability | None = None,
    threshold: Probability | None = None,
    fit: bool = False,
    keep: bool = False,
    **training: Unpack[TrainingOptions],
) -> Any:
    """Predicts rows by the model that is trained on a table.

    Parameters
    ----------
    table, target, training
        As :func:`credence.train` takes them: rows, the column to predict, settings and options of reading.
    rows
        One row, or a table.
    cost, reject, threshold, fit, keep
        As :meth:`credence.Model.predict` takes them.

    Examples
    --------
    >>> import credence
    >>> days = credence.example("tennis")
    >>> credence.predict(days, {"Outlook": "Overcast"}, "Play")["prediction"]
    'Yes'
    """
    model = train(table, target, **training)
    return model.predict(rows, cost=cost, reject=reject, threshold=threshold, fit=fit, keep=keep)


def show(
    table: TableInput,
    target: ColumnName | None = None,
    *,
    of: str | Iterable[str] | None = None,
    contrast: bool = False,
    words: int = 10,
    **training: Unpack[TrainingOptions],
) -> Summary:
    """Priors, conditional tables, densities and cut points of the model that is trained on a table.

    Parameters
    ----------
    table, target, training
        As :func:`credence.train` takes them: rows, the column to predict, settings and options of reading.
    of, contrast, words
        As :meth:`credence.Model.show` takes them.

    Examples
    --------
    >>> import credence
    >>> credence.show(credence.example("tennis"), "Play", of="Wind").table("Wind")["P(Wind | Yes)"].tolist()
    [0.3499999999999999, 0.65]
    """
    return train(table, target, **training).show(of=of, contrast=contrast, words=words)
