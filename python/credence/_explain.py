# SPDX-License-Identifier: MIT
"""Explanations of predictions: for one row or many, for networks, and for models that combine other models."""

from __future__ import annotations

import builtins
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np

from . import _core, _tables
from ._label_types import TEXTS, Label
from ._types import (
    Cell,
    ColumnName,
    Cost,
    Frame,
    PlainTable,
    Probability,
    Row,
    TableInput,
    TrainedExplainOptions,
    TrainingOptions,
)
from .explanation import Explanation, Explanations

if TYPE_CHECKING:
    from .model import Model

__all__ = ["explain"]


def is_network(method: str) -> bool:
    """Return whether a method is a network. Such a model is explained and queried as a network."""
    return method in ("network", "tan") or method.startswith("kdb:")


def _row_of(table: Any) -> Any:
    """Return the row if `table` is one row: a pandas Series, or values in the order of the attributes; else None."""
    if getattr(table, "ndim", None) == 1 and hasattr(table, "keys"):
        return {key: table[key] for key in table.keys()}
    if getattr(table, "ndim", None) == 1 and getattr(getattr(table, "dtype", None), "names", None) is None:
        return table
    if isinstance(table, (list, tuple)) and table and not any(isinstance(v, (Mapping, list, tuple)) for v in table):
        return None if builtins.all(isinstance(v, (str, os.PathLike)) for v in table) else table
    return None


@overload
def explain(
    table: TableInput, rows: Mapping[str, Cell], target: ColumnName | None = None, **options: Unpack[TrainedExplainOptions]
) -> Explanation: ...
@overload
def explain(
    table: TableInput,
    rows: Frame | PlainTable,
    target: ColumnName | None = None,
    *,
    row: int,
    **options: Unpack[TrainedExplainOptions],
) -> Explanation: ...
@overload
def explain(
    table: TableInput, rows: Frame | PlainTable, target: ColumnName | None = None, **options: Unpack[TrainedExplainOptions]
) -> Explanations: ...
@overload
def explain(
    table: TableInput,
    rows: Row | TableInput,
    target: ColumnName | None = None,
    *,
    row: int | None = None,
    **options: Unpack[TrainedExplainOptions],
) -> Any: ...
def explain(
    table: TableInput,
    rows: Row | TableInput,
    target: ColumnName | None = None,
    *,
    row: int | None = None,
    between: Sequence[Label] | None = None,
    top: int | None = None,
    all: bool = False,
    typicality: bool = False,
    cost: Cost | None = None,
    reject: Probability | None = None,
    threshold: Probability | None = None,
    **training: Unpack[TrainingOptions],
) -> Any:
    """Train a model on a table, and explain its predictions for rows.

    Parameters
    ----------
    table, target, training
        Arguments of :func:`credence.train`: rows, the column to predict, settings and reading options.
    rows
        One row, or a table.
    row, between, top, all, typicality, cost, reject, threshold
        Arguments of :meth:`credence.Model.explain`.

    Examples
    --------
    >>> import credence
    >>> days = credence.example("tennis")
    >>> credence.explain(days, {"Outlook": "Overcast"}, "Play").prediction
    'Yes'
    """
    from .train import train

    return train(table, target, **training).explain(
        rows,
        row=row,
        between=between,
        top=top,
        all=all,
        typicality=typicality,
        cost=cost,
        reject=reject,
        threshold=threshold,
    )


def explain_model(
    model: Model,
    table: Any,
    *,
    row: int | None = None,
    between: Sequence[Label] | None = None,
    top: int | None = None,
    all: bool = False,
    typicality: bool = False,
    cost: Any = None,
    reject: Any = None,
    threshold: Any = None,
    of: str | None = None,
    likelihood: Mapping[str, Any] | None = None,
    reading: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any],
) -> Any:
    """Explain one row, or the rows of a table. See :meth:`credence.Model.explain`."""
    from .decisions import make_rule
    from .model import _is_row
    from .query import with_parts

    if top is not None and top < 0:
        raise ValueError(f"top: expected how many terms to list, got {top}")
    table = model._named_cells(table)
    info = model._core.info()
    method = str(settings.get("method") or info["settings"]["method"])
    if info["kind"] != "members" and (is_network(method) or of is not None or likelihood is not None):
        return _explain_network(model, table, row, of, likelihood, reading, settings)
    if info["kind"] == "members" and (between is not None or top is not None):
        name = "between" if between is not None else "top"
        raise ValueError(f"{name}: it weighs attributes, and the model is made of others: explain each of those")
    classifier = model._classifier(settings, "explain")
    explainer = _core.make_explainer(model._core, classifier, typicality)
    rule = make_rule(classifier.classes(), cost, reject, threshold)
    members = _Members(model, info["kind"] == "members")
    classes = classifier.classes()
    labels = dict(zip(classes, model._class_labels(classes, table), strict=True))

    def made(record: dict[str, Any], models: list[dict[str, Any]] | None) -> Explanation:
        return Explanation(record, between=between, top=top, like=table, models=models, labels=labels)

    single = _row_of(table) if not _is_row(table) else table
    if single is not None:
        if row is not None:
            raise ValueError("row: it is the number of a row of a table, and one row was given")
        formed = model._rows_of(single)
        if formed is not None:
            record = explainer.rows(_tables.open_model_reader(model._core, formed), all, rule, 1)[0]
            found = members.table_answers(formed, {})
            return made(members.rule(record), None if found is None else found[0])
        if isinstance(single, Mapping):
            single = with_parts(model, single)
        record = explainer.row(single, all, rule)
        return made(members.rule(record), members.answers(single))
    if row is not None and row < 0:
        raise ValueError(f"row: expected a number from 0 on, got {row}")
    reader = _tables.open_model_reader(model._core, table, **(reading or {}))
    records = explainer.rows(reader, all, rule, 0 if row is None else row + 1)
    answers = members.table_answers(table, reading or {})
    numbers = range(len(records)) if row is None else [row]
    items = [
        made(members.rule(record), None if answers is None else answers[number])
        for number, record in zip(numbers, records)
    ]
    return Explanations(items, table) if row is None else items[0]


def _explain_network(
    model: Model,
    table: Any,
    row: int | None,
    of: str | None,
    likelihood: Mapping[str, Any] | None,
    reading: Mapping[str, Any] | None,
    settings: Mapping[str, Any],
) -> Any:
    """Explain how each value changes the posterior of a network node. The default node is the target."""
    from .model import _is_row
    from .network import Network

    network = Network.from_model(model, **settings)
    node = of if of is not None else str(model.target)
    if _is_row(table):
        given = {name: value for name, value in table.items() if value is not None and name != model.target}
        return network.explain(node, given, likelihood=likelihood)
    found = network.explain(node, likelihood=likelihood, data=table, reading=reading)
    return found if row is None else found[row]


class _Members:
    """The member models of a combined model, and the prediction of each."""

    def __init__(self, model: Model, is_made_of_others: bool) -> None:
        from .model import Model as Kind

        self._record = _core.members_of(model._core) if is_made_of_others else None
        self._models = [Kind(core) for core in _core.member_models(model._core)] if is_made_of_others else []
        self._classes = model._classifier({}).classes() if is_made_of_others else ()
        for member in self._models:
            member._labels = TEXTS

    def rule(self, record: dict[str, Any]) -> dict[str, Any]:
        return record if self._record is None else {**record, "rule": self._record["rule"]}

    def _answer(self, index: int, prediction: Any, probabilities: Mapping[str, float]) -> dict[str, Any]:
        assert self._record is not None
        one = self._record["models"][index]
        is_decided = prediction is not None
        return {
            "model": one["model"],
            "weight": one["weight"],
            "prediction": prediction,
            "probabilities": {name: float(probabilities.get(name, 0.0)) if is_decided else None for name in self._classes},
        }

    def answers(self, row: Any) -> list[dict[str, Any]] | None:
        if self._record is None:
            return None
        if not isinstance(row, Mapping):
            raise TypeError("row: the model is made of others, which take a mapping of attributes and values")
        found = []
        for index, member in enumerate(self._models):
            names = {*member.attributes, *member.schema().columns}
            answer = member.predict({name: value for name, value in row.items() if name in names})
            found.append(self._answer(index, answer["prediction"], answer["posterior"]))
        return found

    def table_answers(self, table: Any, reading: Mapping[str, Any]) -> list[list[dict[str, Any]]] | None:
        if self._record is None:
            return None
        columns = []
        for index, member in enumerate(self._models):
            classifier = member._classifier({})
            names = classifier.classes()
            found = classifier.classify(_tables.open_model_reader(member._core, table, **reading))
            matrix = np.frombuffer(found["probabilities"], np.float64).reshape(-1, len(names))
            decisions = np.frombuffer(found["decisions"], np.int32)
            columns.append(
                [
                    self._answer(index, None if code < 0 else names[code], dict(zip(names, line)))
                    for code, line in zip(decisions, matrix)
                ]
            )
        return [list(answers) for answers in zip(*columns)]
