# SPDX-License-Identifier: MIT
"""Summaries of models, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from ._html import summary_html
from ._text import columns_text, number_text, shown
from .table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Summary"]

_ROWS_SHOWN, _CURVES_DRAWN, _POINTS = 20, 12, 161


class Summary:
    """A summary of a model under settings: priors, conditional tables, densities, decision boundaries. :meth:`Model.show` creates one.

    Its items are the keys of ``credence show --format json``. Keys that are valid Python names are also attributes.

    Attributes
    ----------
    target : str
        The target column.
    rows : float
        The number of training rows, or the sum of their weights.
    settings : dict
        All settings in effect.
    estimated : dict
        The number of estimated parameters, by type of parameter.

    Examples
    --------
    >>> import credence
    >>> days = {"outlook": ["sun", "sun", "rain", "rain"], "play": ["no", "no", "yes", "no"]}
    >>> summary = credence.train(days, target="play").show()
    >>> summary.classes.to_dict()
    {'class': ['no', 'yes'], 'rows': [3.0, 1.0], 'prior': [0.75, 0.25]}
    >>> summary.table("outlook")["P(outlook | no)"].tolist()
    [0.375, 0.625]
    """

    def __init__(
        self,
        record: Mapping[str, Any],
        classifier: _core.Classifier | None = None,
        picture: Any = None,
        nomogram: str | None = None,
    ) -> None:
        self._record = dict(record)
        self._classifier = classifier
        self._drawn_nomogram = nomogram  # used if there is no classifier to draw it from
        self._picture = picture  # an object that is displayed instead of the record: a network

    def __reduce__(self) -> tuple[Any, ...]:
        # A classifier cannot leave its process, so the curves are pickled instead.
        return type(self), (self._drawn(), None, self._picture, self._nomogram())

    def __getitem__(self, key: str) -> Any:
        return self._record[key]

    def __contains__(self, key: object) -> bool:
        return key in self._record

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._record:
            return self._record[name]
        raise AttributeError(f"this summary has no {name!r}; it has {', '.join(self.__dict__.get('_record', {}))}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(key for key in self._record if key.isidentifier())})

    def plot(self, attribute: str, *, ax: Axes | None = None) -> Axes:
        """Draw the densities of an attribute, or the probabilities of its values, for each class, and return the matplotlib axes."""
        from .plotting import plot_summary

        return plot_summary(self, attribute, ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, under the keys of the command's JSON."""
        return dict(self._record)

    @property
    def classes(self) -> Any:
        """A table of the classes, their rows and priors."""
        return _table_of(self._record["classes"])

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes shown."""
        return tuple(attribute["attribute"] for attribute in self._record.get("attributes", ()))

    def attribute(self, name: str) -> dict[str, Any]:
        """Return the record of one attribute: ``family``; ``values``, or ``densities`` and ``cuts``; or ``informative_words``."""
        for attribute in self._record.get("attributes", ()):
            if attribute["attribute"] == name:
                return dict(attribute)
        raise KeyError(f"no attribute {name!r}; there are {', '.join(map(repr, self.attributes))}")

    def table(self, name: str) -> Table:
        """Return the conditional table of a categorical column, the densities of a numeric column, or the most informative words."""
        record = self.attribute(name)
        if "values" in record:
            return _conditional(record["values"], name)
        if "seen_values" in record:
            rows = [
                {"value": value, "class": each, "probability": p}
                for value, by_class in record["seen_values"].items()
                for each, p in by_class.items()
            ]
            return _table_of(rows)
        return _table_of(record.get("densities") or record.get("informative_words") or [])

    def cuts(self, name: str) -> Table:
        """Return the decision boundaries of a numeric column on its own, and the classes below and above each."""
        return _table_of(self.attribute(name).get("cuts") or [])

    # ---- Display ----

    def __repr__(self) -> str:
        record = self._record
        lines: list[str] = []
        if self._picture is not None:
            return repr(self._picture)
        if "models" in record:
            lines.append(f"Combined from {len(record['models'])} models, by {record['rule']}")
            lines.append(_rows_text([{"model": m["model"], "weight": m["weight"]} for m in record["models"]]))
            return "\n".join(lines)
        classes, attributes = len(record["classes"]), len(self.attributes)
        lines.append(
            f"Target {shown(str(record['target']))}: {classes} class{'' if classes == 1 else 'es'}, "
            f"{attributes} attribute{'' if attributes == 1 else 's'}, {number_text(record['rows'], 15)} rows"
        )
        lines.append(_rows_text(record["classes"]))
        return "\n".join([*lines, *self._attribute_lines()])

    def _attribute_lines(self) -> list[str]:
        """Return the lines for each attribute: its table, and the decision boundaries of this attribute on its own."""
        lines = []
        for attribute in self._record.get("attributes", ())[:_ROWS_SHOWN]:
            lines.append(f"\n{shown(attribute['attribute'])} ({attribute['family'] or 'no value was present'})")
            table = self.table(attribute["attribute"])
            if len(table):
                lines.append(_rows_text(list(table)))
            if attribute.get("cuts") and "classes" in self._record:  # states are not decided from a single row
                lines.append("  Decision by it alone: " + _cuts_text(attribute["cuts"]))
        more = len(self.attributes) - _ROWS_SHOWN
        if more > 0:
            lines.append(f"\nand {more} attribute{'' if more == 1 else 's'} more")
        return lines

    def _repr_html_(self) -> str:
        if self._picture is not None:
            return str(self._picture._repr_html_())
        record = self._drawn()
        title = f"Model of {record['target']}" if record.get("target") else "Model"
        return summary_html(record, title, self._nomogram())

    def _nomogram(self) -> str | None:
        """Return the nomogram of the second of two classes against the first, if the log odds are a sum over attributes."""
        classes = [each["class"] for each in self.to_dict().get("classes", ())]
        if self._classifier is None or len(classes) != 2:
            return self._drawn_nomogram
        title = f"Nomogram: {classes[1]} against {classes[0]}"
        return _core.plot_nomogram(self._classifier, classes[1], classes[0], title=title)

    def _drawn(self) -> dict[str, Any]:
        """Return the record, with the curves of the densities to draw."""
        record = self.to_dict()
        if self._classifier is not None:
            record["attributes"] = [
                self._with_curves(attribute) if i < _CURVES_DRAWN else attribute
                for i, attribute in enumerate(record.get("attributes", ()))
            ]
        return record

    def _with_curves(self, attribute: Mapping[str, Any]) -> dict[str, Any]:
        if "densities" not in attribute or self._classifier is None:
            return dict(attribute)
        found = _core.density_curves(self._classifier, attribute["attribute"], _POINTS)
        return {**attribute, "curves": found} if found is not None else dict(attribute)


def _conditional(values: list[dict[str, Any]], name: str) -> Table:
    columns: dict[str, Any] = {"value": [row["value"] for row in values]}
    for each in values[0]["probability"] if values else ():
        columns[f"P({name} | {each})"] = [_number(row["probability"][each]) for row in values]
    return Table(columns)


def _cuts_text(cuts: list[dict[str, Any]]) -> str:
    """Return a text such as "a below 1.5, b from 1.5 to 3, a above 3"."""
    shown_cuts = cuts[:_ROWS_SHOWN]
    parts = [f"{shown(cuts[0]['below'])} below {number_text(cuts[0]['at'])}"]
    for cut, following in zip(shown_cuts, shown_cuts[1:]):
        parts.append(f"{shown(cut['above'])} from {number_text(cut['at'])} to {number_text(following['at'])}")
    parts.append(f"{shown(shown_cuts[-1]['above'])} above {number_text(shown_cuts[-1]['at'])}")
    more = len(cuts) - len(shown_cuts)
    return ", ".join(parts) + (f", and {more} cut points more" if more > 0 else "")


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _table_of(records: list[dict[str, Any]]) -> Table:
    """Convert records to a table. Keys that a record lacks are missing values."""
    keys = dict.fromkeys(key for record in records for key in record)
    columns: dict[str, Any] = {}
    for key in keys:
        cells = [record.get(key) for record in records]
        is_number = all(cell is None or isinstance(cell, (int, float)) for cell in cells)
        columns[key] = [_number(cell) for cell in cells] if is_number and None in cells else cells
    return Table(columns)


def _rows_text(records: list[dict[str, Any]]) -> str:
    keys = list(dict.fromkeys(key for record in records for key in record))
    rows = []
    for record in records[:_ROWS_SHOWN]:
        cells = [record.get(key) for key in keys]
        rows.append([number_text(cell) if isinstance(cell, float) else "-" if cell is None else str(cell) for cell in cells])
    more = len(records) - _ROWS_SHOWN
    text = columns_text([key.replace("_", " ") for key in keys], rows)
    return f"{text}\n  and {more} more" if more > 0 else text
