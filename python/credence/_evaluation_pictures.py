# SPDX-License-Identifier: MIT
"""Plots of evaluations and comparisons: SVG in notebooks, and matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _html, plotting
from ._label_types import Label
from ._text import number_text
from .errors import Error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Pictures", "comparison_html"]

_CURVES_SHOWN = 8
_CURVE_POINTS = 400
_CONFUSION_CLASSES = 30
_BARS_SHOWN = 20


class Pictures:
    """The plots of an evaluation. The data are the same as in the command's JSON output."""

    __slots__ = ()

    _data: Mapping[str, Any]
    how: str

    def _curve(self, positive: Any = None) -> tuple[_core.Curve, str]:
        raise NotImplementedError

    # ---- Series ----

    def _shown_classes(self, positive: Any) -> list[Any]:
        """Return the classes to draw curves for.

        That is `positive` if it is given, the second of two classes, or the most frequent of more than two classes.
        """
        if positive is not None:
            return [positive]
        if len(self._data["classes"]) <= 2:
            return [None]
        supports = sorted(self._data["per_class"], key=lambda record: -record["support"])
        shown = {record["class"] for record in supports[:_CURVES_SHOWN]}
        return [name for name in self._data["classes"] if name in shown]

    def _points(self, positive: Any) -> list[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
        """Return the name, summary and points of each curve.

        A class without a curve is skipped, but it is an error if `positive` names it.
        """
        curves = []
        for name in self._shown_classes(positive):
            try:
                curve, shown = self._curve(name)
            except Error:
                if positive is not None:
                    raise
                continue
            curves.append((shown, curve.summary(), [curve.point(index) for index in curve.thin(_CURVE_POINTS)]))
        return curves

    def _roc(self, positive: Any) -> list[tuple[str, Any, Any]]:
        return [
            (
                f"{name}, AUC {number_text(summary['auc'])}",
                np.array([point["false_positive_rate"] for point in points]),
                np.array([point["recall"] for point in points]),
            )
            for name, summary, points in self._points(positive)
        ]

    def _precision_recall(self, positive: Any) -> list[tuple[str, Any, Any]]:
        return [
            (
                f"{name}, AP {number_text(summary['average_precision'])}",
                np.array([point["recall"] for point in points if point["precision"] is not None]),
                np.array([point["precision"] for point in points if point["precision"] is not None]),
            )
            for name, summary, points in self._points(positive)
        ]

    def _bins(self, of: Mapping[str, Any] | None = None) -> list[tuple[float | None, ...]]:
        records = (self._data if of is None else of)["calibration"]
        return [
            (record["probability"], record["accuracy"], record["low"], record["high"], record["rows"])
            for record in records
            if record["rows"]
        ]

    # ---- With matplotlib ----

    def plot_roc(self, positive: Label | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the ROC curve of a class against the rest, and return the matplotlib axes.

        If there are more than two classes and `positive` is not given, the plot shows one curve for each of the 8 most frequent
        classes.
        """
        return plotting.plot_curves(
            self._roc(positive),
            "false positive rate",
            "recall",
            x_range=(0, 1),
            y_range=(0, 1),
            reference="diagonal",
            ax=ax,
        )

    def plot_precision_recall(self, positive: Label | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw precision over recall for the same classes as :meth:`plot_roc`, and return the matplotlib axes."""
        return plotting.plot_curves(
            self._precision_recall(positive), "recall", "precision", x_range=(0, 1), y_range=(0, 1), ax=ax
        )

    def plot_calibration(self, *, ax: Axes | None = None) -> Axes:
        """Draw the accuracy of rows over the probability of the predicted class, and return the matplotlib axes."""
        return plotting.plot_calibration(self._bins(), ax=ax)

    def plot_confusion(self, *, ax: Axes | None = None) -> Axes:
        """Draw the confusion matrix, which shows how often each class was predicted for each true class; return the matplotlib axes."""
        if self._data["confusion"] is None:
            raise ValueError("there is no confusion matrix of more than 1,000 classes: see confusions")
        return plotting.plot_confusion(self._data["classes"], self._data["confusion"], ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the confusion matrix, or the calibration if there are too many classes, and return the matplotlib axes."""
        return self.plot_calibration(ax=ax) if self._data["confusion"] is None else self.plot_confusion(ax=ax)

    # ---- In a notebook ----

    def _pictures(self) -> list[str]:
        pictures = []
        try:
            curves = self._roc(None)
        except ValueError:  # a copied evaluation does not contain the rows that curves need
            curves = []
        if curves:
            pictures.append(
                _core.plot_curves(
                    curves,
                    "false positive rate",
                    "recall",
                    x_range=(0, 1),
                    y_range=(0, 1),
                    reference="diagonal",
                    title="ROC curve" if len(curves) == 1 else "ROC curves, each class against the rest",
                    width=_html._PICTURE_WIDTH,
                )
            )
        before = self._data.get("before_calibration")
        if before is not None:
            pictures.append(_core.plot_calibration(self._bins(before), title="Before calibration", width=_html._PICTURE_WIDTH))
        title = "Calibration" if before is None else "After calibration"
        pictures.append(_core.plot_calibration(self._bins(), title=title, width=_html._PICTURE_WIDTH))
        matrix = self._data["confusion"]
        if matrix is not None and len(matrix) <= _CONFUSION_CLASSES:
            pictures.append(_core.plot_confusion(self._data["classes"], matrix, title="Confusion"))
        importance = self._data.get("importance")
        if importance is not None:
            bars = [(record["column"], record["log_loss"]) for record in importance["columns"][:_BARS_SHOWN]]
            pictures.append(_core.plot_bars(bars, title="Importance: increase of log loss"))
        return pictures

    def _html_scores(self, titles: Mapping[str, str]) -> str:
        means, deviations = self._data.get("fold_mean", {}), self._data.get("fold_sd", {})
        head = ["", "all rows", "mean of folds", "SD"] if means else ["", "all rows"]
        rows = [
            [title, self._data[name], *([means.get(name), deviations.get(name)] if means else [])]
            for name, title in titles.items()
            if name in self._data
        ]
        return _html._table(head, [["rows", self._data["rows"]], *rows], None, 1000)

    def _html_parts(self, titles: Mapping[str, str]) -> str:
        sequences = self._data.get("sequences", {})
        if "rows" not in self._data:
            return _html.card_html(self.how, sequences)
        parts = [_html.section_html("Sequences", _html._facts(sequences))] if sequences else []
        parts += [self._html_scores(titles), _html._multiples(self._pictures())]
        for title, records in (
            ("Classes", self._data["per_class"]),
            ("Confusions", self._data["confusions"]),
            ("Decisions", self._data.get("decisions", {}).get("table")),
            ("Thresholds", self._data.get("threshold_curves", {}).get("best")),
            ("Spans", self._data.get("spans", {}).get("types")),
            ("Folds", self._data.get("folds")),
        ):
            if records:
                parts.append(_html.section_html(title, _html._records(records)))
        return _html.card_html(self.how or "Evaluation", {}, *parts)


def comparison_html(data: Mapping[str, Any]) -> str:
    """Return a comparison as HTML: the candidates, bars of their log losses, and the recommended candidate."""
    candidates: Sequence[Mapping[str, Any]] = data["candidates"]
    bars = [(record["name"], record["log_loss"]) for record in candidates[:_BARS_SHOWN] if record["log_loss"] is not None]
    recommended = data["recommended"]
    parts = [
        _html._facts({"recommended": recommended["name"], "settings": recommended["settings"], "why": recommended["why"]}),
        _html._multiples([_core.plot_bars(bars, title="Log loss")] if bars else []),
        _html.section_html("Candidates", _html._records(candidates), True),
    ]
    if data["left_out"]:
        parts.append(_html.section_html("Left out", _html._records(data["left_out"])))
    return _html.card_html(f"Comparison of {data['tried']} candidates on {data['rows']} rows", {}, *parts)
