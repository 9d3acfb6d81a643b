# SPDX-License-Identifier: MIT
"""Evaluation of a model in parts, for distributed backends.

``evaluate_part(model, table, **arguments) -> bytes`` evaluates the rows of one part, which can be empty.
``merge_parts(model, parts, **arguments) -> Evaluation | Labeling`` merges the parts in the order of their rows. It returns the
same result as ``model.evaluate(whole, **arguments)``, and all scores are bit-identical. Both functions accept the arguments of
:meth:`Model.evaluate` or :meth:`SequenceModel.evaluate`. For sequences, each part must contain whole sequences.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import _core, _tables
from ._evaluation_arguments import Questions
from ._labeling import label_part, merge_labels
from ._reader_options import OPTIONS
from ._sequence_evaluation import conclude_model, judge_sequences, model_settings
from .decisions import make_rule
from .errors import DataError, no_rows
from .evaluation import Evaluation, row_columns, finish, read_questions
from .sequences import _WHERE, SequenceModel

if TYPE_CHECKING:
    from .model import Model

__all__ = ["evaluate_part", "merge_parts"]

#: The header before the bytes of an assessment: the number of bytes, and the number of rows read or of sequences without a class.
_HEAD = struct.Struct("<QQ")


def _check(asked: Questions) -> None:
    if asked.repeats:
        raise ValueError("importance: columns are permuted among all rows, which one process has: Model.evaluate")


def _of_rows(model: Model | SequenceModel) -> Model:
    if isinstance(model, SequenceModel):
        raise ValueError("true_labels: labels of sequences are compared by one process: SequenceModel.evaluate")
    return model


def evaluate_part(model: Model | SequenceModel, table: Any, **arguments: Any) -> bytes:
    """Evaluate the model on the rows of a part, and return the encoded part. The result is empty if the part has no sequences."""
    true_labels = arguments.pop("true_labels", None)
    if true_labels is not None:
        return label_part(_of_rows(model), table, true_labels, arguments)
    if isinstance(model, SequenceModel):
        arguments.pop("top_k", None)
        try:
            assessment, _ = judge_sequences(model, table, arguments.pop("decoding", "viterbi"), arguments)
        except DataError as error:
            if error.code != "empty":
                raise
            return b""
        data = assessment.encode()
        return _HEAD.pack(len(data), assessment.sequences()["unlabeled"]) + data
    strict = arguments.pop("strict", False)
    asked, settings, reading = read_questions(dict(arguments))
    _check(asked)
    classifier = model._classifier(settings, "evaluate")
    reader = _tables.open_model_reader(model._core, table, bind=False, **reading)
    assessment = _core.assess_model(model._core, classifier, reader, strict)
    rule = make_rule(assessment.classes(), *asked.rule_arguments)
    assessment.run(rule=rule, threads=asked.threads, lists_rows=asked.per_row, is_part=True)
    data = assessment.encode()
    rows = _write_rows(row_columns(assessment, rule)) if asked.per_row else b""
    return _HEAD.pack(len(data), assessment.facts()["rows"]) + data + rows


def merge_parts(model: Model | SequenceModel, parts: Iterable[bytes], kind: Any = None, **arguments: Any) -> Evaluation:
    """Merge parts into the evaluation of all rows.

    With ``true_labels``, the result is a ``Labeling``. Callers use it only as a record.

    Parameters
    ----------
    kind
        A frame without rows, whose type the tables of the result will have. None means the default type.
    """
    parts = [part for part in parts if part]
    if arguments.pop("true_labels", None) is not None:
        return cast("Evaluation", merge_labels(_of_rows(model), parts, kind, arguments))
    heads = [_HEAD.unpack_from(part) for part in parts]
    bodies = [part[_HEAD.size : _HEAD.size + length] for part, (length, _) in zip(parts, heads, strict=True)]
    if isinstance(model, SequenceModel):
        return _merge_sequences(model, bodies, sum(count for _, count in heads), kind, arguments)
    arguments.pop("strict", None)
    asked, settings, _ = read_questions(arguments)
    _check(asked)
    classifier = model._classifier(settings, "evaluate")
    assessment = _core.assess_model(model._core, classifier, None)
    rule = make_rule(assessment.classes(), *asked.rule_arguments)
    assessment.run(rule=rule, threads=asked.threads, parts=bodies)
    rows = None
    if asked.per_row:
        tails = [part[_HEAD.size + length :] for part, (length, _) in zip(parts, heads, strict=True)]
        rows = _merge_rows(tails, [count for _, count in heads], assessment.classes(), rule)
    made = finish(assessment, asked, rule, {}, kind, "The model on these rows", rows)
    made._labels = model._label_type(model._class_texts())
    return made


def _merge_sequences(
    model: SequenceModel, parts: Sequence[bytes], unlabeled: int, kind: Any, arguments: dict[str, Any]
) -> Evaluation:
    settings = {
        name: value for name, value in arguments.items() if name not in (*_WHERE, *OPTIONS, "decoding", "top_k")
    }
    if not parts:
        raise no_rows("no rows")
    assessment = _core.assess_sequence_parts(parts, model._source()["is_of_classes"], unlabeled)
    made = model_settings(model, settings)
    return conclude_model(model, assessment, kind, arguments.get("top_k"), made.values())


# ---- Listed rows ----


def _write_rows(columns: Mapping[str, Any]) -> bytes:
    """Encode the columns of the listed rows. The names of classes and actions are omitted, because all parts share them."""
    names, codes = np.unique(columns["truth"].astype(str), return_inverse=True)
    arrays = {name: column[0] if isinstance(column, tuple) else column for name, column in columns.items()}
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **(arrays | {"truth": codes.astype(np.int32), "names": names}))
    return file.getvalue()


def _merge_rows(
    parts: Sequence[bytes], counts: Sequence[int], classes: Sequence[str], rule: _core.Rule | None
) -> dict[str, Any]:
    """Merge the listed rows of all parts into one table, and number them across all parts."""
    tables: list[dict[str, Any]] = []
    before = 0
    for part, count in zip(parts, counts, strict=True):
        with np.load(io.BytesIO(part), allow_pickle=False) as read:
            table = {name: read[name] for name in read.files}
        table["id"] = table["id"] + before
        table["truth"] = table.pop("names").astype(object)[table["truth"]]
        tables.append(table)
        before += count
    columns: dict[str, Any] = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    columns["prediction"] = (columns["prediction"], list(classes))
    if rule is not None:
        columns["decision"] = (columns["decision"], rule.actions())
    return columns
