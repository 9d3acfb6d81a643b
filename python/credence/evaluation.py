# SPDX-License-Identifier: MIT
"""Evaluation of predictions on rows that were not used for training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from . import _core, _settings, _tables
from ._evaluation_arguments import NAMES, USUAL_POINTS, Questions, choose_split, open_split, positive_class
from ._evaluation_pictures import Pictures
from ._label_types import TEXTS, Label, LabelType, inferred_type, label_type
from ._records import Record, column_of, frame_of, kind_of, numbers
from ._types import AnyFrame, ColumnName, Cost, EvaluationOptions, Probability, TableInput
from .decisions import make_rule
from .errors import issue
from .table import label_column
from .train import _split as split_arguments
from .train import check_target

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Evaluation", "evaluate"]

MEASURES = (
    "accuracy",
    "log_loss",
    "brier",
    "auc",
    "ece",
    "balanced_accuracy",
    "macro_f1",
    "weighted_f1",
    "mcc",
    "kappa",
)
_TITLES = {
    "accuracy": "accuracy",
    "baseline": "baseline",
    "log_loss": "log loss",
    "brier": "Brier",
    "auc": "AUC",
    "ece": "ECE",
    "balanced_accuracy": "balanced accuracy",
    "macro_f1": "macro F1",
    "weighted_f1": "weighted F1",
    "mcc": "MCC",
    "kappa": "kappa",
}
#: With more folds, each fold has too few rows for its own scores; with more classes, the matrix is too large to read.
_MOST_FOLDS_SCORED = 1000
_LABELS = ("class", "named")  # fields of records that contain classes
_MOST_CONFUSION_CLASSES = 1000
_MOST_CONFUSIONS = 1000


class Evaluation(Record, Pictures):
    """The results of an evaluation. :func:`credence.evaluate` and :meth:`Model.evaluate` create one.

    Attributes
    ----------
    rows, weight, accuracy, baseline, log_loss, zero_rows, brier, auc, ece, balanced_accuracy, macro_f1, weighted_f1, mcc, kappa
        Scores over all rows. Accuracy splits ties evenly. The baseline is the accuracy of always predicting the most frequent
        class. The Brier score ranges from 0 to 2. ``zero_rows`` counts the rows whose true class had probability 0, which make
        the log loss infinite.
    top_k_accuracy
        For each k, the share of rows whose true class is among the k most probable classes.
    intervals
        The 95 % intervals ``[low, high]`` of accuracy (Wilson), log loss, Brier score and, for two classes, AUC.
    folds, fold_mean, fold_sd
        For cross-validation: the scores of each fold (a table), their means and standard deviations.
    classes, per_class, confusion, confusions
        The classes, their scores, the confusion matrix, and the most frequent pairs of different classes; as tables.
    calibration, before_calibration
        Rows by the probability of the predicted class, in ten bins; and the scores without calibration, if the model has one.
    decisions, threshold_curves, importance, per_row
        The results that you requested by these names.
    run
        The evaluated configuration: version, target, folds, seed, method and settings.
    facts
        Row counts: rows read, scored, unlabeled, weightless, and rows with values that never occurred in training.
    """

    __slots__ = ("_assessment", "_folds", "_labels", "_per_row", "facts", "how")

    rows: float
    accuracy: float
    baseline: float
    log_loss: float
    zero_rows: int
    brier: float
    auc: float | None
    ece: float
    balanced_accuracy: float
    macro_f1: float
    weighted_f1: float
    mcc: float
    kappa: float

    def __init__(
        self,
        data: Mapping[str, Any],
        kind: Any = None,
        how: str = "",
        facts: Mapping[str, Any] | None = None,
        assessment: _core.Assessment | None = None,
        per_row: Mapping[str, Any] | None = None,
        folds: Mapping[str, Any] | None = None,
        labels: LabelType = TEXTS,
    ) -> None:
        super().__init__(data, kind)
        self._labels = labels
        self.how = how
        self.facts = dict(facts or {})
        self._assessment = assessment
        self._per_row = per_row
        self._folds = folds

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._data, self._kind, self.how, self.facts, None, self._per_row, self._folds, self._labels)

    # ---- Labels ----

    @property
    def classes(self) -> list[Label]:
        """The class labels, in the type of the target."""
        return list(label_column([], self._texts("classes"), self._labels).names)

    def _texts(self, name: str) -> Any:
        """Return a member that contains classes, as texts."""
        if name not in self._data:
            raise AttributeError(f"the evaluation has no {name}")
        return self._data[name]

    def __getitem__(self, name: str | int) -> Any:
        return getattr(self, str(name)) if name in ("classes", "per_class", "confusions") else super().__getitem__(name)

    def _label_column(self, texts: Sequence[str]) -> Any:
        """Return a column of labels."""
        known = list(dict.fromkeys(texts))
        places = {text: place for place, text in enumerate(known)}
        return label_column([places[text] for text in texts], known, self._labels)

    def _frame(self, records: Sequence[Mapping[str, Any]]) -> Any:
        """Convert records to a frame, with labels as classes."""
        names = dict.fromkeys(name for record in records for name in record)
        columns: dict[str, list[Any]] = {name: [record.get(name) for record in records] for name in names}
        made = {
            name: self._label_column(column) if name in _LABELS and None not in column else column_of(column)
            for name, column in columns.items()
        }
        return _tables.result(made, self._kind)

    @property
    def per_class(self) -> AnyFrame:
        """The scores of each class, one row per class."""
        return self._frame(self._texts("per_class"))

    @property
    def confusions(self) -> AnyFrame:
        """The most frequent pairs of a true class and a different predicted class."""
        return self._frame(self._texts("confusions"))

    # ---- Tables ----

    @property
    def scores(self) -> AnyFrame:
        """The scores over all rows, one row per score."""
        names = [name for name in _TITLES if name in self._data]
        columns: dict[str, Any] = {
            "measure": np.array(names, object),
            "value": numbers(self._data[name] for name in names),
        }
        for key in ("fold_mean", "fold_sd"):
            if key in self._data:
                columns[key] = numbers(self._data[key].get(name) for name in names)
        return _tables.result(columns, self._kind)

    @property
    def confusion(self) -> AnyFrame | None:
        """The confusion matrix: one row per true class, one column per predicted class; None if there are more than 1,000 classes."""
        matrix = self._data.get("confusion")
        if matrix is None:
            return None
        classes = self._data["classes"]
        first = "class"
        while first in classes:
            first = f"true {first}"
        columns: dict[str, Any] = {first: self._label_column(classes)}
        for index, name in enumerate(map(str, self.classes)):
            columns[name] = numbers(row[index] for row in matrix)
        return _tables.result(columns, self._kind)

    @property
    def per_row(self) -> AnyFrame | None:
        """The scored rows: id, prediction, probability, truth, P(truth), loss, credit, decision; None unless requested."""
        if self._per_row is None:
            return None
        columns = dict(self._per_row)
        for name in ("prediction", "truth", "decision"):
            if name in columns and not self._labels.is_text:
                codes, texts = columns[name] if isinstance(columns[name], tuple) else _numbered(columns[name])
                columns[name] = label_column(codes, texts, self._labels)
        return _tables.result(columns, self._kind)

    @property
    def row_folds(self) -> AnyFrame | None:
        """The fold of each row, as a number from 1 or a name; None if there are no folds."""
        if self._folds is None:
            return None
        return _tables.result(self._folds, self._kind)

    def curve(self, positive: Label | None = None, points: int = USUAL_POINTS) -> AnyFrame:
        """Compute the scores of one class against all others at every threshold, in at most `points` points along the ROC curve.

        The columns are threshold, precision, recall, f1, false_positive_rate, true_positives, false_positives, false_negatives,
        true_negatives. For two classes, the default is the second class.
        """
        curve = self._curve(positive)[0]
        return frame_of([curve.point(index) for index in curve.thin(points)], self._kind)

    def _curve(self, positive: Any = None) -> tuple[_core.Curve, str]:
        if self._assessment is None:
            raise ValueError("curves are made of the rows, which a copy of an evaluation does not have")
        classes = self._assessment.classes()
        index = positive_class(positive, classes)
        return self._assessment.curve(index), classes[index]

    # ---- Display ----

    def _repr_html_(self) -> str:
        return self._html_parts(_TITLES)

    def __repr__(self) -> str:
        lines = [self.how or "Evaluation"]
        sequences = self._data.get("sequences", {})
        if sequences:
            lines.append("Whole sequences")
        for name, value in sequences.items():
            lines.append(f"  {name.replace('_', ' '):23} {'-' if value is None else format(value, '.5g')}")
        if sequences and "rows" in self._data:
            lines.append("Rows of the sequences")
        if "rows" in self._data:
            lines.append(f"  {'rows':18} {self._data['rows']:g}")
        means, deviations = self._data.get("fold_mean", {}), self._data.get("fold_sd", {})
        for name, title in _TITLES.items():
            if name not in self._data:
                continue
            value = self._data[name]
            line = f"  {title:18} {'-' if value is None else format(value, '.5g')}"
            if means.get(name) is not None and deviations.get(name) is not None and math.isfinite(means[name]):
                line += f"  (mean {means[name]:.5g}, SD {deviations[name]:.5g} over {len(self._data['folds'])} folds)"
            lines.append(line)
        return "\n".join(lines)


def _numbered(texts: Sequence[str | None]) -> tuple[list[int], list[str]]:
    """Return the codes of texts, and the distinct texts. A code below 0 is missing."""
    known: dict[str, int] = {}
    return [-1 if text is None else known.setdefault(text, len(known)) for text in texts], list(known)


# ---- Results ----


def _threshold_curves(assessment: _core.Assessment, rule: _core.Rule | None, asked: Questions) -> dict[str, Any]:
    classes = assessment.classes()
    positive = positive_class(asked.positive, classes)
    costs = rule.curve_costs(positive) if rule is not None and len(classes) == 2 else None
    goals = asked.goals
    if goals is None:
        goals = [("f1", 0, 0.0)] + ([("cost", 1, 0.0)] if costs is not None else [])
    if costs is None and any(number == 1 for _, number, _ in goals):
        raise ValueError(f"choose_threshold: 'cost' is for two classes, and there are {len(classes)}")
    curve = assessment.curve(positive)
    summary = curve.summary()
    found = [(name, curve.best(number, wanted, costs)) for name, number, wanted in goals]
    nothing = dict.fromkeys(curve.point(0, costs))
    indices = sorted({*curve.thin(asked.points), *(index for _, index in found if index is not None)})
    names: dict[int, str] = {}
    for name, index in found:
        if index is not None:
            names[index] = f"{names[index]} {name}" if index in names else name
    return {
        "positive": classes[positive],
        "auc": summary["auc"],
        "average_precision": summary["average_precision"],
        "best": [
            {"by": name, **(nothing if index is None else curve.point(index, costs))} for name, index in found
        ],
        "points_total": summary["points"],
        "points": [
            curve.point(index, costs) | ({"best": names[index]} if index in names else {}) for index in indices
        ],
    }


def _top_accuracies(assessment: _core.Assessment, class_count: int, asked: int) -> dict[str, Any]:
    ks = [k for k in (2, 3, 5) if k != asked and k < class_count] + ([asked] if asked else [])
    return {str(k): assessment.top_accuracy(k) for k in ks}


def _confusion(assessment: _core.Assessment, class_count: int) -> Any:
    if class_count > _MOST_CONFUSION_CLASSES:
        return None
    return np.frombuffer(assessment.confusion(), np.float64).reshape(class_count, class_count).tolist()


def score_members(
    assessment: _core.Assessment,
    tops: Mapping[str, Any],
    *,
    has_weights: bool = False,
    has_folds: bool = False,
    fold_names: list[str] | None = None,
    sequences: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the members of the command's JSON that all evaluations contain."""
    totals = assessment.totals(False)
    per_class = assessment.per_class()
    data: dict[str, Any] = {"rows": totals["rows"]}
    if has_weights:
        data["weight"] = totals["weight"]
    for name in ("accuracy", "baseline", "log_loss", "zero_rows", "brier", "auc", *MEASURES[5:]):
        data[name] = totals[name]
    data["top_k_accuracy"] = dict(tops)
    data["intervals"] = assessment.intervals()
    if has_folds:
        folds = assessment.fold_scores()
        if len(folds["folds"]) > 1:
            data |= folds
        if fold_names is not None:
            for record in folds["folds"]:
                record["fold"] = fold_names[record["fold"] - 1]
    data |= sequences or {}
    data["classes"] = [record["class"] for record in per_class]
    data["per_class"] = [
        {name: value for name, value in record.items() if name != "can_be_predicted"} for record in per_class
    ]
    data["confusion"] = _confusion(assessment, len(per_class))
    data["confusions"] = assessment.confusions(_MOST_CONFUSIONS)[0]
    data["calibration"] = assessment.calibration(False)
    data["ece"] = totals["ece"]
    before = assessment.totals(True)
    if before:
        data["before_calibration"] = {name: before[name] for name in ("accuracy", "log_loss", "brier")} | {
            "calibration": assessment.calibration(True),
            "ece": before["ece"],
        }
    return data


def _scores(
    assessment: _core.Assessment, asked: Questions, rule: _core.Rule | None, fold_names: list[str] | None
) -> dict[str, Any]:
    """Return the members of the command's JSON, except the description of the run."""
    split = assessment.folds()
    data = score_members(
        assessment,
        _top_accuracies(assessment, len(assessment.classes()), asked.top_k),
        has_weights=assessment.facts()["has_weights"],
        has_folds=bool(split) and split["count"] <= _MOST_FOLDS_SCORED,
        fold_names=fold_names,
    )
    decisions = assessment.outcomes()
    if decisions is not None:
        data["decisions"] = decisions
    if asked.points:
        data["threshold_curves"] = _threshold_curves(assessment, rule, asked)
    importance = assessment.importance()
    if importance is not None:
        data["importance"] = {"repeats": asked.repeats, "seed": asked.seed, **importance}
    return data


def _run_record(assessment: _core.Assessment, data: Mapping[str, Any], split: Mapping[str, Any], seed: int) -> Any:
    settings = assessment.settings()
    record: dict[str, Any] = {
        "version": _core.version(),
        "verb": "evaluate",
        "target": assessment.target(),
        "rows": data["rows"],
    }
    if split.get("held_out"):
        record["held_out"] = split["held_out"] / split["folds"]
    elif split:
        record["folds"] = assessment.folds()["count"]
    if split and "column" not in split and "given" not in split:
        record["seed"] = seed
    return record | {"method": settings["method"], "settings": settings}


def _describe(assessment: _core.Assessment, split: Mapping[str, Any], seed: int, how: str) -> str:
    if not split:
        return how
    count = assessment.folds()["count"]
    if "column" in split or "given" in split:
        return f"Cross-validation in the {count} folds given"
    if split.get("held_out"):
        return f"Rows held out of training ({split['held_out']} of {split['folds']}, seed {seed})"
    return f"Cross-validation in {count} folds (seed {seed})"


def row_columns(assessment: _core.Assessment, rule: _core.Rule | None) -> dict[str, Any]:
    rows = assessment.rows()
    columns: dict[str, Any] = {
        "id": np.frombuffer(rows["row"], np.uint64).astype(np.int64),
        "prediction": (np.frombuffer(rows["prediction"], np.int32), assessment.classes()),
        "probability": np.frombuffer(rows["probability"], np.float64),
        "truth": np.array(rows["truth"], object),
        "P(truth)": np.frombuffer(rows["truth_probability"], np.float64),
        "loss": np.frombuffer(rows["loss"], np.float64),
        "credit": np.frombuffer(rows["credit"], np.float64),
    }
    if rule is not None:
        columns["decision"] = (np.frombuffer(rows["decision"], np.int32), rule.actions())
    return columns


def _row_folds(assessment: _core.Assessment, split: Mapping[str, Any]) -> dict[str, Any] | None:
    if not split:
        return None
    found = assessment.folds()
    codes = np.frombuffer(found["rows"], np.int32)
    rows = np.arange(1, len(codes) + 1)
    if split.get("held_out"):
        return {"row": rows, "fold": (codes, ["train", "test"])}
    names = split["given"][1] if "given" in split else [str(name) for name in found["names"]]
    return {"row": rows, "fold": (codes, names)}


def _issue_warnings(facts: Mapping[str, Any], totals: Mapping[str, Any], method: str) -> None:
    if totals["label_warning"] is not None:
        issue(totals["label_warning"])
    if facts["is_learned"]:
        issue(
            "these are the rows that the model was trained on: its scores will be worse on other rows "
            "(credence.evaluate with cross_validate=10 measures by how much)"
        )
    if totals["is_overconfident"]:
        issue(
            f"log loss {totals['log_loss']:.5g} is worse than the class prior's, {totals['baseline_log_loss']:.5g}: "
            f"method {method} is too sure of its answers. Calibrate it (calibration='platt') or look for a better "
            "method (credence.compare)"
        )


def conclude(
    assessment: _core.Assessment,
    asked: Questions,
    split: Mapping[str, Any],
    table: Any,
    how: str,
    labels: LabelType | None = None,
) -> Evaluation:
    """Score the rows and create the evaluation. Without `labels`, labels have the type of the table's target."""
    rule = make_rule(assessment.classes(), *asked.rule_arguments)
    if asked.points:
        positive_class(asked.positive, assessment.classes())
    assessment.run(
        rule=rule, repeats=asked.repeats, seed=asked.seed, threads=asked.threads, lists_rows=asked.per_row
    )
    per_row = row_columns(assessment, rule) if asked.per_row else None
    made = finish(assessment, asked, rule, split, kind_of(table), how, per_row)
    made._labels = labels or target_labels(table, str(assessment.target()), assessment)
    return made


def target_labels(table: Any, target: str, assessment: _core.Assessment) -> LabelType:
    """Return the type of a table's target; for a file, the type inferred from the class texts."""
    found = None if _tables.reads_once(table) else label_type(table, target)
    return inferred_type(record["class"] for record in assessment.per_class()) if found is None else found


def finish(
    assessment: _core.Assessment,
    asked: Questions,
    rule: _core.Rule | None,
    split: Mapping[str, Any],
    kind: Any,
    how: str,
    per_row: Mapping[str, Any] | None,
) -> Evaluation:
    """Create the evaluation of rows that were scored."""
    data = _scores(assessment, asked, rule, split["given"][1] if "given" in split else None)
    data["run"] = _run_record(assessment, data, split, asked.seed)
    facts = assessment.facts()
    _issue_warnings(facts, assessment.totals(False), data["run"]["method"])
    return Evaluation(
        data,
        kind,
        _describe(assessment, split, asked.seed, how),
        facts,
        assessment,
        per_row,
        _row_folds(assessment, split),
    )


def _unlabeled_weight(unlabeled: Any) -> float | None:
    """Return the weight of unlabeled rows: negative if it has to be estimated, None if they are skipped."""
    if unlabeled is None or unlabeled == "drop" or unlabeled is False:
        return None
    if unlabeled == "use" or unlabeled is True:
        return -1.0
    text = unlabeled[4:] if isinstance(unlabeled, str) and unlabeled.startswith("use:") else unlabeled
    try:
        weight = float(text)
    except (TypeError, ValueError):
        weight = math.nan
    if not 0 <= weight <= 1:
        raise ValueError(f"unlabeled: expected 'drop', 'use', or a weight from 0 to 1, got {unlabeled!r}")
    return weight


@_settings.documented
def evaluate(
    table: TableInput,
    target: ColumnName | None = None,
    *,
    cross_validate: int | None = None,
    holdout: float | str | None = None,
    leave_one_out: bool = False,
    folds: int | str | ArrayLike | None = None,
    seed: int = 1,
    weight: ColumnName | None = None,
    unlabeled: str | float | bool | None = None,
    per_row: bool = False,
    threshold_curves: bool | int = False,
    choose_threshold: str | Sequence[str] | None = None,
    positive: Label | None = None,
    importance: bool | int = False,
    top_k: int | None = None,
    cost: Cost | None = None,
    reject: Probability | None = None,
    threshold: Probability | None = None,
    **options: Unpack[EvaluationOptions],
) -> Evaluation:
    """Evaluate settings on a table by cross-validation, a holdout, or leave-one-out.

    Nothing is trained again. Credence subtracts a fold, or a row, from the statistics of all rows. The result equals training
    on the other rows.

    Parameters
    ----------
    table, target, weight
        As in :func:`credence.train`. With a weight column, each row is counted with its weight, in training and in every score.
    cross_validate : int
        The number of folds, which are stratified by class and drawn with the seed. The default is 10 if no other split is
        given.
    holdout : float or str
        The share of the rows, such as 0.3 or ``"30%"``, that a model trained on the other rows predicts.
    leave_one_out : bool
        Whether to predict each row by a model trained on all others.
    folds
        A column name: the column's values are the fold names. An array: the fold of each row. A number: an alias for
        cross_validate.
    seed : int
        The seed of folds and permutations.
    unlabeled
        How to use rows with a missing target: ``"drop"``, or ``"use"`` in the training part of every fold, optionally with a
        weight.
    per_row : bool
        Whether to keep the result of each row: ``Evaluation.per_row``.
    threshold_curves : bool or int
        Whether to compute every threshold of a class against all others; a number is the maximum number of points (1000).
    choose_threshold : str or list of str
        The criteria for the best thresholds: ``"f1"``, ``"cost"``, ``"recall:R"`` or ``"precision:P"``; implies
        threshold_curves.
    positive : str
        The class that thresholds refer to; for two classes, the second by default.
    importance : bool or int
        Whether to compute the permutation importance of each column; a number is the number of permutations (5).
    top_k : int
        The k for top-k accuracy: whether the true class is among the k most probable.
    cost, reject, threshold
        A decision rule: see :func:`credence.decisions.make_rule`.
    sequence, sequence_break, time, step, decoding
        For sequences (``method="sequence"``), which are never split between folds. The first four define where sequences begin
        and end, as in :func:`credence.train_sequences`. ``decoding`` selects what is scored: the most probable path
        (``"viterbi"``) or the most probable state of each item (``"posterior"``).
    {settings}

    Examples
    --------
    >>> import credence
    >>> table = {"size": [1.0, 1.2, 3.1, 2.9, 0.9, 3.3], "kind": ["a", "a", "b", "b", "a", "b"]}
    >>> credence.evaluate(table, "kind", cross_validate=3).accuracy
    1.0
    """
    arguments: dict[str, Any] = dict(options)
    if arguments.get("method") == "sequence" or any(arguments.get(name) is not None for name in ("sequence", "sequence_break", "time")):
        from ._sequence_evaluation import evaluate_sequences

        others = {"per_row": per_row, "threshold_curves": threshold_curves, "choose_threshold": choose_threshold, "importance": importance, "cost": cost, "reject": reject}
        others |= {"threshold": threshold, "weight": weight, "unlabeled": unlabeled, "leave_one_out": leave_one_out}
        for name, value in others.items():
            if value is not None and value is not False:
                raise ValueError(f"{name}: of models of rows, not of sequences")
        return evaluate_sequences(table, target, choose_split(cross_validate, holdout, folds, 10), seed, top_k, arguments)
    settings, reading = split_arguments(arguments, "evaluate")
    made = _settings.make(settings, None, "evaluate")
    asked = Questions(
        per_row=per_row,
        threshold_curves=threshold_curves,
        choose_threshold=choose_threshold,
        positive=positive,
        importance=importance,
        top_k=top_k,
        cost=cost,
        reject=reject,
        threshold=threshold,
        seed=seed,
        threads=reading.get("threads"),
    )
    missing_weight = _unlabeled_weight(unlabeled)
    is_dropped = missing_weight is None and not _settings.has_structure(settings)
    if "mdl" in str(reading.get("discretize")):
        issue(
            "the cut points of discretize='mdl' were computed from all rows and their classes, including the tested rows, so "
            "scores may be too optimistic"
        )
    if leave_one_out:
        for name, value in (("cross_validate", cross_validate), ("holdout", holdout), ("folds", folds)):
            if value is not None:
                raise ValueError(f"leave_one_out and {name}: rows are parted by one of them")
        if importance:
            raise ValueError("importance: not of rows left out one by one; cross_validate=10 does")
        if missing_weight is not None:
            raise ValueError("unlabeled: rows without a label are used by cross_validate, folds or holdout")
        reader = _tables.open_reader(table, target=target, weight=weight, skip_unlabeled=is_dropped, **reading)
        assessment = _core.assess_leaving_one_out(reader, made)
        check_target(assessment.target_checks(), assessment.target(), reading)
        return conclude(assessment, asked, {}, table, "Each row predicted by the model of all others")
    split = choose_split(cross_validate, holdout, folds, 10)
    reader = open_split(table, split, reading, target=target, weight=weight, skip_unlabeled=is_dropped)
    given = split["given"][0] if "given" in split else None
    assessment = _core.assess_folds(
        reader,
        made,
        folds=split.get("folds", 10),
        held_out=split.get("held_out", 0),
        seed=asked.seed,
        column=split.get("column", -1),
        given=given,
        unlabeled=missing_weight,
    )
    check_target(assessment.target_checks(), assessment.target(), reading)
    return conclude(assessment, asked, split, table, "")


def read_questions(arguments: dict[str, Any]) -> tuple[Questions, dict[str, Any], dict[str, Any]]:
    """Split the arguments of :meth:`Model.evaluate` into evaluation options, settings, and reading options."""
    questions = {name: arguments.pop(name) for name in NAMES if name in arguments}
    seed = arguments.pop("seed", 1)
    settings, reading = split_arguments(arguments, "evaluate")
    return Questions(seed=seed, threads=reading.get("threads"), **questions), settings, reading


def evaluate_model(model: Model, table: Any, strict: bool, arguments: dict[str, Any]) -> Evaluation:
    """Evaluate a model on labeled rows: see :meth:`Model.evaluate`."""
    asked, settings, reading = read_questions(arguments)
    classifier = model._classifier(settings, "evaluate")
    reader = _tables.open_model_reader(model._core, table, bind=False, **reading)
    assessment = _core.assess_model(model._core, classifier, reader, strict)
    return conclude(assessment, asked, {}, table, "The model on these rows", model._label_type(classifier.classes(), table))
