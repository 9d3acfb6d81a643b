# SPDX-License-Identifier: MIT
"""One-call predictions and summaries: train a model on a table and use it, as the command does for a table with a target."""

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
    typicality: bool = False,
    with_input: bool = False,
    **training: Unpack[TrainingOptions],
) -> Any:
    """Train a model on a table and predict rows with it.

    Parameters
    ----------
    table, target, training
        As in :func:`credence.train`: rows, the column to predict, settings and reading options.
    rows
        One row, or a table.
    cost, reject, threshold, typicality, with_input
        As in :meth:`credence.Model.predict`.

    Examples
    --------
    >>> import credence
    >>> days = credence.example("tennis")
    >>> credence.predict(days, {"Outlook": "Overcast"}, "Play")["prediction"]
    'Yes'
    """
    model = train(table, target, **training)
    return model.predict(rows, cost=cost, reject=reject, threshold=threshold, typicality=typicality, with_input=with_input)


def show(
    table: TableInput,
    target: ColumnName | None = None,
    *,
    of: str | Iterable[str] | None = None,
    contrast: bool = False,
    top_terms: int = 10,
    **training: Unpack[TrainingOptions],
) -> Summary:
    """Train a model on a table and summarize it: priors, conditional tables, densities and decision boundaries.

    Parameters
    ----------
    table, target, training
        As in :func:`credence.train`: rows, the column to predict, settings and reading options.
    of, contrast, top_terms
        As in :meth:`credence.Model.show`.

    Examples
    --------
    >>> import credence
    >>> credence.show(credence.example("tennis"), "Play", of="Wind").table("Wind")["P(Wind | Yes)"].tolist()
    [0.3499999999999999, 0.65]
    """
    return train(table, target, **training).show(of=of, contrast=contrast, top_terms=top_terms)
