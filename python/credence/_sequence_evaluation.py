# SPDX-License-Identifier: MIT
"""Evaluation of hidden Markov models: scores of items, as for rows, of whole sequences, and of spans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _settings, _tables, sequences
from ._evaluation_arguments import whole
from ._records import kind_of
from .errors import issue
from ._label_types import TEXTS, LabelType
from .evaluation import Evaluation, score_members, target_labels
from .train import _split as split_arguments

if TYPE_CHECKING:
    from .sequences import SequenceModel

__all__ = ["evaluate_sequence_model", "evaluate_sequences"]


def _by_posterior(decoding: str) -> bool:
    if decoding not in ("viterbi", "posterior"):
        raise ValueError(f"decoding: expected 'viterbi' or 'posterior', got {decoding!r}")
    return decoding == "posterior"


def _conclude(
    assessment: _core.Assessment,
    table: Any,
    how: str,
    run: Mapping[str, Any],
    *,
    top_k: int | None = None,
    has_folds: bool = False,
    is_labeled: bool = True,
    split: Mapping[str, Any] | None = None,
    names: list[Any] | None = None,
    labels: LabelType = TEXTS,
) -> Evaluation:
    found = assessment.sequences()
    known: dict[str, Any] = {name: found[name] for name in ("sequences", "spans") if name in found}
    if "spans" in known:
        known["spans"]["types"].sort(key=lambda record: record["type"].encode())
    folds = None
    if split is not None and names is not None:
        codes = np.frombuffer(found["folds"], np.int32)
        fold_names = ["train", "test"] if split.get("held_out") else [str(i + 1) for i in range(int(max(codes, default=-1)) + 1)]
        shown = [str(number + 1) if name is None else str(name) for number, name in enumerate(names)]
        folds = {"sequence": np.array(shown, object), "fold": (codes, fold_names)}
    if not found["has_scores"]:
        if is_labeled:
            issue("no item has a label to compare with: only how probable the sequences are is reported")
        data: dict[str, Any] = {**known, "run": {**run, "rows": known["sequences"]["items"]}}
    else:
        tops: dict[str, Any] = {}
        if top_k is not None:
            k = min(whole("top_k", top_k, 1), len(assessment.per_class()))
            tops[str(k)] = assessment.top_accuracy(k)
        data = score_members(assessment, tops, has_folds=has_folds, sequences=known)
        data["run"] = {**run, "rows": data["rows"]}
    order = ("version", "verb", "target", "rows", "method", "settings")
    data["run"] = {name: data["run"][name] for name in order if name in data["run"]}
    return Evaluation(data, kind_of(table), how, {"unlabeled": found["unlabeled"]}, None, None, folds, labels)


def _run(target: str | None, settings: Mapping[str, str]) -> dict[str, Any]:
    record: dict[str, Any] = {"version": _core.version(), "verb": "evaluate"}
    if target is not None:
        record["target"] = target
    return record | {"method": settings["method"], "settings": dict(settings)}


def evaluate_sequences(
    table: Any, target: Any, split: dict[str, Any], seed: int, top_k: int | None, arguments: dict[str, Any]
) -> Evaluation:
    """Evaluate by cross-validation or on a holdout, with whole sequences in each fold."""
    if "folds" not in split:
        raise ValueError("folds: of sequences a number, as cross_validate")
    by_posterior = _by_posterior(arguments.pop("decoding", "viterbi"))
    given: dict[str, Any] = {name: arguments.pop(name) for name in sequences._WHERE if name in arguments}
    settings, reading = split_arguments(arguments, "evaluate")
    made = _settings.make({**settings, "method": "sequence"}, None, "evaluate")
    where = sequences._where(given)
    reader = _tables.open_reader(table, target=target, **sequences._reading_of(where, reading, True))
    rows = _core.read_sequences(reader, **where)
    own = rows.target()
    has_classes = own is not None and settings.get("states") is not None
    assessment = _core.assess_sequence_folds(
        rows,
        "state" if own is None else own,
        made,
        has_classes=has_classes,
        folds=split["folds"],
        held_out=split.get("held_out", 0),
        seed=whole("seed", seed, 0),
        by_posterior=by_posterior,
        threads=reading.get("threads") or 0,
    )
    count = rows.count()
    if split.get("held_out"):
        how = f"Sequences held out of training ({split['held_out']} of {split['folds']}, seed {seed})"
    else:
        how = f"Cross-validation of {count} sequences in {min(split['folds'], count)} folds (seed {seed})"
    return _conclude(
        assessment,
        table,
        how,
        _run("state" if own is None else own, made.values()),
        top_k=top_k,
        has_folds=not split.get("held_out"),
        is_labeled=own is not None,
        split=split,
        names=list(rows.ids()),
        labels=TEXTS if own is None or not assessment.sequences()["has_scores"] else target_labels(table, own, assessment),
    )


def judge_sequences(
    model: SequenceModel, table: Any, decoding: str, arguments: dict[str, Any]
) -> tuple[_core.Assessment, dict[str, str]]:
    """Assess a model on the sequences of a table. Return the assessment, and the settings of the predictions."""
    by_posterior = _by_posterior(decoding)
    threads = arguments.get("threads") or 0
    steps, settings = model._sequences(table, arguments)
    made = model_settings(model, settings)
    assessment = _core.assess_sequences(model._core, steps.core, made, by_posterior, threads)
    return assessment, made.values()


def model_settings(model: SequenceModel, settings: Mapping[str, Any]) -> _core.Settings:
    """Return the settings of a model, with the given settings replacing the model's own."""
    return _settings.make(settings, _core.make_settings(model._core.info()["settings"]), "evaluate")


def evaluate_sequence_model(
    model: SequenceModel, table: Any, decoding: str, top_k: int | None, arguments: dict[str, Any]
) -> Evaluation:
    """Evaluate a hidden Markov model on the sequences of a table. See :meth:`SequenceModel.evaluate`."""
    assessment, settings = judge_sequences(model, table, decoding, arguments)
    return conclude_model(model, assessment, table, top_k, settings)


def conclude_model(
    model: SequenceModel, assessment: _core.Assessment, table: Any, top_k: int | None, settings: Mapping[str, str]
) -> Evaluation:
    """Return the evaluation of a model, given its assessment on sequences."""
    is_of_classes = model._source()["is_of_classes"]
    how = "The model on these sequences, a row each" if is_of_classes else "The model on these sequences"
    hidden = not is_of_classes and bool(model._hmm({}).facts().get("is_hidden"))
    labels = model._label_type(model._class_texts(), table)
    run = _run(model.target, settings)
    return _conclude(assessment, table, how, run, top_k=top_k, is_labeled=not hidden, labels=labels)
