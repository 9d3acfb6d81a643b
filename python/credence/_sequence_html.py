# SPDX-License-Identifier: MIT
"""Models of sequences and explanations of their steps in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._html import card_html, multiples_html, table_html

if TYPE_CHECKING:
    from .sequences import SequenceModel, StepExplanation

_STATES_DRAWN = 12


def _transitions(names: list[str], rows: list[list[float]]) -> str:
    """P(next state | state), as bars where there are few states."""
    if len(names) <= _STATES_DRAWN:
        width = min(1000, 150 + 110 * len(names))
        return _core.plot_table(names, rows, names, "state", title="P(next state | state)", width=width)
    return table_html(["state", *names], [[name, *row] for name, row in zip(names, rows)], "P(next state | state)")


def model_html(model: SequenceModel) -> str:
    """The states, where sequences begin, and what follows what."""
    info = model._core.info()
    facts: dict[str, Any] = {"column of states": info["target"], "states": len(model.states)}
    found = model._hmm({})
    if isinstance(found, _core.SequenceClasses):
        facts = {"classes of sequences": ", ".join(model.states)}
        return card_html("Classes of sequences", facts)
    order = found.facts()["order"]
    facts["order"] = order
    start = list(model.start_probabilities().items())
    parts = [_core.plot_bars(start, probabilities=True, title="P(first state)", width=420)]
    if order == 1:
        stationary = model.long_run()
        shares = list(zip(stationary["state"], stationary["probability"]))
        parts.append(_core.plot_bars(shares, probabilities=True, title="In the long run", width=420))
        pictures = multiples_html(parts)
        return card_html("Hidden Markov model", facts, pictures, _transitions(list(model.states), model.transitions().tolist()))
    return card_html("Hidden Markov model", facts, *parts)


def step_html(step: StepExplanation) -> str:
    """The posterior of a step as bars, and what it is made of."""
    bars = list(zip(step.table["state"], step.table["probability"]))
    parts = [_core.plot_bars(bars, probabilities=True, title="Posterior", width=420)]
    for table, caption in ((step.table, "Parts of the log posterior"), (step.terms, "Observation, column by column")):
        rows = [[row[name] for name in table.columns] for row in table]
        parts.append(table_html(table.columns, rows, caption))
    return card_html(f"Step {step.step}: {step.state}", {}, *parts)
