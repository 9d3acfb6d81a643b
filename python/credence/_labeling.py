# SPDX-License-Identifier: MIT
"""Comparison of unsupervised classes, such as latent classes, with known labels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _html, _settings, _tables
from ._evaluation_arguments import column_labels
from ._reader_options import OPTIONS
from ._records import Record, kind_of
from .train import _split as split_arguments

if TYPE_CHECKING:
    from .model import Model
    from .sequences import SequenceModel

__all__ = ["Labeling", "compare_states_with_labels", "compare_with_labels", "label_part", "merge_labels"]


class Labeling(Record):
    """Comparison of the classes that a model assigns with the labels in a column: ``Model.evaluate(table, true_labels=column)``.

    Attributes
    ----------
    adjusted_rand, normalized_mutual_information, homogeneity, completeness
        Clustering scores. They depend neither on the names nor on the number of classes.
    rows, unlabeled
        The number of rows with a class and a label, and the number of rows without a label.
    contingency
        A table of row counts by label and class.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        facts = {name: value for name, value in self._data.items() if name not in ("run", "contingency")}
        return _html.card_html("Classes and true labels", facts, _html._records(self._data["contingency"]))


def _conclude(found: Mapping[str, Any], run: Mapping[str, Any], classes: Sequence[str], table: Any) -> Labeling:
    met = [name for name in classes if found["contingency"] and name in found["contingency"][0]["rows"]]
    contingency = [
        {"label": record["label"], **{name: record["rows"][name] for name in met}}
        for record in sorted(found["contingency"], key=lambda record: str(record["label"]).encode())
    ]
    rows = found["rows"]
    return Labeling({"run": {**run, "rows": rows}, **found, "contingency": contingency}, kind_of(table))


def _text(label: Any) -> str | None:
    return None if label is None or label != label or label == "" else str(label)


def _answering(model: Model, settings: Mapping[str, Any]) -> tuple[_core.Classifier, dict[str, Any]]:
    """Return the classifier, and a record of the run."""
    classifier = model._classifier(settings, "evaluate")
    used = classifier.settings()
    run: dict[str, Any] = {"version": _core.version(), "verb": "evaluate", "target": model.target, "rows": 0}
    return classifier, run | {"method": used["method"], "settings": used}


def _labels_of(
    model: Model, classifier: _core.Classifier, table: Any, name: str, reading: Mapping[str, Any]
) -> tuple[list[str | None], list[str | None]]:
    """Return the assigned classes and the labels of the rows of a table in memory."""
    classes = classifier.classes()
    answers = classifier.classify(_tables.open_model_reader(model._core, table, **reading))
    decisions = np.frombuffer(answers["decisions"], np.int32)
    assigned = [classes[decision] if decision >= 0 else None for decision in decisions]
    return assigned, [_text(label) for label in column_labels(table, name)]


def compare_with_labels(model: Model, table: Any, true_labels: Any, arguments: dict[str, Any]) -> Labeling:
    """Compare the classes that a model assigns to rows with the labels in a column."""
    settings, reading = split_arguments(arguments, "evaluate")
    classifier, run = _answering(model, settings)
    reader = _tables.open_model_reader(model._core, table, bind=False, keep_text=True, **reading)
    column = _tables._one(reader, "true_labels", true_labels)
    if reader.describe()["format"] != "columns":
        found = _core.compare_labeling(model._core, classifier, reader, column)
    else:
        found = _core.score_labeling(*_labels_of(model, classifier, table, reader.column_names()[column], reading))
    return _conclude(found, run, classifier.classes(), table)


def label_part(model: Model, table: Any, true_labels: str, arguments: dict[str, Any]) -> bytes:
    """Count the pairs of class and label in a part, which is a table in memory. Pairs are in the order of their first occurrences."""
    settings, reading = split_arguments(arguments, "evaluate")
    classifier, _ = _answering(model, settings)
    pairs: dict[tuple[str | None, str | None], int] = {}
    for pair in zip(*_labels_of(model, classifier, table, true_labels, reading), strict=True):
        pairs[pair] = pairs.get(pair, 0) + 1
    return json.dumps([[*pair, count] for pair, count in pairs.items()]).encode()


def merge_labels(model: Model, parts: Iterable[bytes], kind: Any, arguments: dict[str, Any]) -> Labeling:
    """Merge the parts into the comparison for all rows."""
    classifier, run = _answering(model, split_arguments(arguments, "evaluate")[0])
    pairs = [pair for part in parts for pair in json.loads(part)]
    weights = np.array([count for _, _, count in pairs], np.float64)
    found = _core.score_labeling([one for one, _, _ in pairs], [other for _, other, _ in pairs], weights)
    return _conclude(found, run, classifier.classes(), kind)


def compare_states_with_labels(model: SequenceModel, table: Any, true_labels: Any, arguments: dict[str, Any]) -> Labeling:
    """Compare the states of the Viterbi paths with the labels in a column. The labels are read as a target of the same sequences."""
    from . import sequences

    given: dict[str, Any] = {name: arguments[name] for name in sequences._WHERE if name in arguments}
    where = sequences._where(given, model._source())
    reading = {name: value for name, value in arguments.items() if name in OPTIONS}
    steps, settings = model._sequences(table, arguments)
    hmm = model._single(settings)
    names = hmm.states()
    states = model._decode(hmm, steps, "viterbi")[0]
    reader = _tables.open_reader(table, target=true_labels, **sequences._reading_of(where, reading))
    labeled = sequences._Steps(_core.read_sequences(reader, **where))
    labels = labeled.core.labels()
    # Steps that were inserted between distant rows have neither a state nor a label.
    assigned = [names[state] if state >= 0 else None for state in states[steps.order]]
    known = [labels[code] if code >= 0 else None for code in labeled.labels[labeled.order]]
    used = _settings.make(settings, _core.make_settings(model._core.info()["settings"]), "evaluate").values()
    run: dict[str, Any] = {"version": _core.version(), "verb": "evaluate", "target": model.target or "state", "rows": 0}
    run |= {"method": used["method"], "settings": used}
    return _conclude(_core.score_labeling(assigned, known), run, names, table)
