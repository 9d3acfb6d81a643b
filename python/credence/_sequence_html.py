# SPDX-License-Identifier: MIT
"""Hidden Markov models and explanations of steps in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core
from ._html import attributes_html, card_html, multiples_html, records_html, section_html, table_html

if TYPE_CHECKING:
    from .sequence_summary import SequenceSummary
    from .sequences import StepExplanation

_STATES_DRAWN, _BARS_DRAWN = 12, 20


def _transitions(names: list[str], rows: list[list[float]]) -> str:
    """Return the transition probabilities P(next state | state): bars if there are few states, else a table."""
    if len(names) <= _STATES_DRAWN:
        width = min(1000, 150 + 110 * len(names))
        return _core.plot_table(names, rows, names, "state", title="P(next state | state)", width=width)
    return table_html(["state", *names], [[name, *row] for name, row in zip(names, rows)], "P(next state | state)")


def summary_html(summary: SequenceSummary) -> str:
    """Return a summary as HTML: states, start and stationary probabilities, transitions, and the observations of each state."""
    record = summary.to_dict()
    if "models" in record:
        classes = table_html(summary.classes.columns, [list(row.values()) for row in summary.classes])
        models = [section_html(f"Class {name}", summary_html(model), True) for name, model in summary.models.items()]
        return card_html(f"Classes of whole sequences, of {record['target']}", {}, classes, *models)
    states = record["states"]
    names = [state["state"] for state in states]
    parts = []
    for key, title in (("start", "P(first state)"), ("stationary", "In the long run")):
        bars = [(state["state"], state[key]) for state in states if state[key] is not None]
        parts.append(_core.plot_bars(bars, probabilities=True, title=title, most=_BARS_DRAWN, width=420))
    transitions = summary.transitions
    if record["order"] == 1:
        chain = _transitions(names, [[record["transitions"][a][b] for b in names] for a in names])
    else:
        rows = [list(row.values()) for row in transitions]
        chain = table_html(transitions.columns, rows, "P(next state | states before)")
    tables = [table_html(summary.states.columns, [list(row.values()) for row in summary.states], "States")]
    if "components" in record:
        tables.append(records_html(record["components"], "Mixture components"))
        drawn = None  # the tables list components instead of classes
    else:
        drawn = [{"class": state["state"], "prior": state["stationary"]} for state in states]
    observed = attributes_html(record["attributes"], drawn)
    return card_html(summary._title(), {}, multiples_html(parts), chain, *observed, *tables)


def step_html(step: StepExplanation) -> str:
    """Return the explanation of a step: bars of the posterior, and tables of the parts of the log posterior."""
    bars = list(zip(map(str, step.table["state"]), step.table["probability"]))
    parts = [_core.plot_bars(bars, probabilities=True, title="Posterior", width=420)]
    for table, caption in ((step.table, "Parts of the log posterior"), (step.terms, "Observation, column by column")):
        rows = [[row[name] for name in table.columns] for row in table]
        parts.append(table_html(table.columns, rows, caption))
    return card_html(f"Step {step.step}: {step.state}", {}, *parts)
