# SPDX-License-Identifier: MIT
"""Networks and query results in notebooks: inline SVG and HTML, without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._html import escape, multiples_html, table_html

if TYPE_CHECKING:
    from .network import Network
    from .network_answers import Answer, EvidenceExplanation, Joint, NormalPosterior, Policy

_ROWS_SHOWN = 40
_NODES_DRAWN = 200
_SMALL = 260  # the width in pixels of a plot that is one of several


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], caption: str | None = None) -> str:
    """Return a table as HTML. Only the first rows of a long table are shown."""
    return table_html(columns, rows, caption)


def bars(node: str, probabilities: Mapping[str, float], width: int = 0) -> str:
    """Return bars of a probability distribution."""
    return str(_core.plot_bars(list(probabilities.items()), probabilities=True, title=node, width=width))


def normal(of: NormalPosterior) -> str:
    """Return a plot of the density of a continuous node."""
    title = f"{of.node}: mean {of.mean:.5g}, sd {of.sd:.5g}"
    if not of.sd > 0:
        return f"<p>{escape(title)}</p>"
    x = np.linspace(of.quantile(0.001), of.quantile(0.999), 201)
    return str(_core.plot_densities([(of.node, x.tolist(), np.asarray(of.pdf(x)).tolist())], of.node, title=title))


def joint(of: Joint) -> str:
    """Return a joint distribution as a table, with one row per combination of states."""
    shape = of.probabilities.shape
    rows = []
    for cell in range(min(of.probabilities.size, _ROWS_SHOWN)):
        place = np.unravel_index(cell, shape)
        rows.append([*(of.states[i][k] for i, k in enumerate(place)), float(of.probabilities[place])])
    more = of.probabilities.size - _ROWS_SHOWN
    note = f"<p>and {more} more</p>" if more > 0 else ""
    return table([*of.nodes, "probability"], rows) + note


def answer(of: Answer) -> str:
    """Return a query result as HTML, with one plot per posterior."""
    shown = []
    for name, one in of.items():
        if isinstance(one, dict) and len(of) > 1:
            shown.append(bars(name, one, _SMALL))
        else:
            shown.append(one._repr_html_() if hasattr(one, "_repr_html_") else f"<p>{escape(repr(one))}</p>")
    parts = [multiples_html(shown) if len(shown) > 1 else "".join(shown)]
    if of.log_evidence is not None and of.log_evidence != 0:
        parts.append(f"<p>log evidence {of.log_evidence:.6g}</p>")
    if of.approximation is not None:
        parts.append(f"<p>estimated by {escape(of.approximation)}</p>")
    return "<div>" + "".join(parts) + "</div>"


def explanation(of: EvidenceExplanation) -> str:
    """Return the weights of evidence, and the probabilities before and after all evidence."""
    from .network_answers import finding_text

    weights = [(finding_text(one), one["weight"]) for one in of.findings if "weight" in one]
    picture = _core.plot_evidence(weights, unit="nats", positive=of.state, title=f"{of.node}={of.state}") if weights else ""
    rows = [(state, of.before[state], of.posterior[state]) for state in of.posterior]
    pairs = "".join(
        f"<p>{escape(pair['finding'])} {escape(pair['does'])} {escape(pair['to'])}</p>" for pair in of.interplay
    )
    return f"<div>{picture}{table([of.node, 'before', 'after all'], rows)}{pairs}</div>"


def policy(of: Policy) -> str:
    """Return a policy as tables that show the choice in each situation."""
    parts = [f"<p>expected utility {of.expected_utility:.6g}</p>"]
    for one in of.policy:
        if not one["choices"]:
            continue
        first = one["choices"][0]
        columns = [*first["known"], one["decision"], *(f"EU({name})" for name in first["expected_utility"])]
        rows = [
            [*situation["known"].values(), situation["choice"], *situation["expected_utility"].values()]
            for situation in one["choices"]
        ]
        parts.append(table(columns, rows))
    if of.value_of:
        parts.append(table(["node", "worth of observing"], list(of.value_of.items())))
    return "<div>" + "".join(parts) + "</div>"


def network(of: Network, beliefs: Mapping[str, Any] | None = None, given: Mapping[str, Any] | None = None) -> str:
    """Return the graph of a network. If `beliefs` are given, the nodes show bars of them."""
    if len(of.nodes) > _NODES_DRAWN:
        return f"<p>{escape(repr(of))}</p>"
    nodes, arcs = graph(of, beliefs, given)
    return str(_core.plot_graph(nodes, arcs, title=of.name))


def graph(
    of: Network, beliefs: Mapping[str, Any] | None, given: Mapping[str, Any] | None
) -> tuple[list[dict[str, Any]], list[tuple[int, int]]]:
    """Return the nodes and arcs in the form that the plot functions accept."""
    nodes = []
    for name in of.nodes:
        kind = of.kind(name)
        node: dict[str, Any] = {"name": name, "kind": "chance" if kind == "gaussian" else kind}
        posterior = None if beliefs is None else beliefs.get(name)
        if isinstance(posterior, dict):
            node["states"] = list(posterior)
            node["beliefs"] = list(posterior.values())
        elif posterior is not None:
            node["note"] = f"{posterior.mean:.4g} ± {posterior.sd:.3g}"
        if given is not None and name in given:
            state = given[name]
            if isinstance(state, str) and state in node.get("states", ()):
                node["evidence"] = state
            else:
                node["has_evidence"] = True
        nodes.append(node)
    numbers = {name: i for i, name in enumerate(of.nodes)}
    return nodes, [(numbers[parent], numbers[child]) for parent, child in of.arcs]
