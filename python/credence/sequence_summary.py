# SPDX-License-Identifier: MIT
"""Summaries of models of sequences, as tables."""

from __future__ import annotations

from typing import Any

from ._text import number_text, shown
from .summary import Summary, _rows_text, _table_of
from .table import Table

__all__ = ["SequenceSummary"]


class SequenceSummary(Summary):
    """A summary of a model of sequences: states, transitions, and observations in each state. :meth:`SequenceModel.show` creates one.

    Its items are the keys of ``credence show --format json``. Keys that are valid Python names are also attributes. For
    sequence classification, ``models`` contains the summary of each class.

    Examples
    --------
    >>> import credence
    >>> summary = credence.train(credence.example("weather"), target="sky", sequence="place", ignore="day").show()
    >>> summary.transitions["from"].tolist(), summary.transitions["sunny"].round(3).tolist()
    (['cloudy', 'rainy', 'sunny'], [0.235, 0.181, 0.569])
    >>> summary.table("wind")["P(wind | rainy)"].round(3).tolist()
    [0.398, 0.259, 0.343]
    """

    @property
    def states(self) -> Table:
        """The rows, start and end probabilities, long-run share of time, and mean steps per visit of each state."""
        return _table_of(_states(self._record["states"]))

    @property
    def transitions(self) -> Table:
        """P(next state | state), one row per state; for higher orders, one row per context."""
        return _table_of(_transitions(self._record["transitions"]))

    @property
    def classes(self) -> Table:
        """For sequence classification: the number of sequences and the prior of each class."""
        if "classes" not in self._record:
            raise AttributeError("the model has states and no classes of whole sequences: see states")
        return _table_of(self._record["classes"])

    @property
    def models(self) -> dict[str, SequenceSummary]:
        """For sequence classification: the model of each class."""
        names = [one["class"] for one in self._record.get("classes", ())]
        return dict(zip(names, map(SequenceSummary, self._record.get("models", ()))))

    def __repr__(self) -> str:
        record = self._record
        if "models" in record:
            parts = [f"Classes of whole sequences, of {shown(str(record['target']))}\n{_rows_text(record['classes'])}"]
            parts += [f"Class {shown(name)}\n{model!r}" for name, model in self.models.items()]
            return "\n\n".join(parts)
        lines = [self._title(), "\nStates", _rows_text(_states(record["states"]))]
        lines += [f"\nTransitions: P(next state | {'state' if record['order'] == 1 else 'states before'})", _rows_text(_transitions(record["transitions"]))]
        if "components" in record:
            lines += ["\nMixture components", _rows_text(record["components"])]
        return "\n".join([*lines, *self._attribute_lines()])

    def _title(self) -> str:
        record = self._record
        count, columns = len(record["states"]), len(self.attributes)
        kind = "hidden state" if record["hidden"] else "state"
        of = "" if record["hidden"] else f" of {shown(str(record['target']))}"
        rows = f"{number_text(record['rows'], 15)} rows" if "rows" in record else "specified"
        return (
            f"Hidden Markov model of order {record['order']}: {count} {kind}{'' if count == 1 else 's'}{of}, "
            f"{columns} column{'' if columns == 1 else 's'}, {rows}"
        )

    def _repr_html_(self) -> str:
        from ._sequence_html import summary_html

        return summary_html(self)


def _states(states: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Drop the keys that have no value for any state."""
    kept = [key for key in (states[0] if states else ()) if any(state[key] is not None for state in states)]
    return [{key: state[key] for key in kept} for state in states]


def _transitions(transitions: Any) -> list[dict[str, Any]]:
    if isinstance(transitions, dict):
        return [{"from": name, **row} for name, row in transitions.items()]
    names = dict.fromkeys(name for one in transitions for name in one["next"])
    return [
        {"after": " ".join(one["context"]), "times": one["count"], **{name: one["next"].get(name, 0.0) for name in names}}
        for one in transitions
    ]
