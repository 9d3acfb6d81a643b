# SPDX-License-Identifier: MIT
"""Plots with matplotlib. Each function draws plain series into axes and returns the axes.

Notebooks display results as SVG, which does not need matplotlib. Use these functions for your own figures. The ``plot`` methods
of results call them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .summary import Summary

__all__ = [
    "axes_of",
    "plot_bars",
    "plot_calibration",
    "plot_confusion",
    "plot_curves",
    "plot_densities",
    "plot_evidence",
    "plot_graph",
    "plot_groups",
    "plot_path",
    "plot_summary",
    "plot_table",
]

# Colors by Okabe and Ito (2008), and line styles, so that color is never the only difference.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6500", "#56b4e9", "#5b5b5b", "#7a3fb0")
_STYLES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1.5, 1.5)), (0, (7, 2, 2, 2)), (0, (10, 3)), (0, (3, 3)), "-.", ":")
_NAME_LENGTH = 40


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    return pyplot


def axes_of(ax: Axes | None = None) -> Axes:
    """Return the given axes, or the axes of a new figure.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    if ax is not None:
        return ax
    made: Axes = _pyplot().subplots()[1]
    return made


def _name(value: Any) -> str:
    """Escape a name so that matplotlib draws it literally: dollars do not begin formulas. Long names are shortened."""
    text = "".join(c if c.isprintable() else "\ufffd" for c in str(value))
    if len(text) > _NAME_LENGTH:
        text = text[: _NAME_LENGTH - 1] + "…"
    return text.replace("$", r"\$")


def _bars(bars: Iterable[Sequence[Any]]) -> tuple[list[str], list[float]]:
    names, values = [], []
    for bar in bars:
        name, value = bar[0], bar[-1]
        names.append(_name(name) if len(bar) == 2 or bar[1] is None else f"{_name(name)} = {_name(bar[1])}")
        values.append(math.nan if value is None else float(value))
    return names, values


def _finite(values: Sequence[float]) -> list[float]:
    """Return the values to draw: infinite values a tenth beyond the others, NaN as a gap."""
    most = max((abs(v) for v in values if math.isfinite(v)), default=1.0) * 1.1 or 1.0
    return [0.0 if math.isnan(v) else math.copysign(most, v) if math.isinf(v) else v for v in values]


def _number(value: float) -> str:
    if math.isnan(value):
        return "?"
    return ("∞" if value > 0 else "−∞") if math.isinf(value) else f"{value:.3g}".replace("-", "−")


def _horizontal(ax: Axes, names: Sequence[str], values: Sequence[float], labels: Sequence[str]) -> Axes:
    places = np.arange(len(names))
    drawn = _finite(values)
    ax.barh(places, drawn, color=[_COLORS[0] if v >= 0 else _COLORS[1] for v in drawn])
    ax.set_yticks(places, names)
    ax.invert_yaxis()
    for place, value, label in zip(places, drawn, labels):
        ax.annotate(
            label,
            (value, place),
            xytext=(4 if value >= 0 else -4, 0),
            textcoords="offset points",
            va="center",
            ha="left" if value >= 0 else "right",
        )
    ax.margins(x=0.18)
    return ax


def plot_evidence(
    bars: Iterable[Sequence[Any]],
    prior: float | None = None,
    total: float | None = None,
    *,
    unit: str | None = None,
    positive: str | None = None,
    negative: str | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw weights of evidence as bars: (name, value) or (name, note, value); log prior odds first, log posterior odds last."""
    ax = axes_of(ax)
    names, values = _bars(bars)
    if prior is not None:
        names.insert(0, "prior")
        values.insert(0, float(prior))
    if total is not None:
        names.append("total")
        values.append(float(total))
    _horizontal(ax, names, values, [("+" if v > 0 else "") + _number(v) for v in values])
    ax.axvline(0, color="gray", linewidth=0.8)
    label = "weight of evidence"
    if positive is not None:
        label += f" for {_name(positive)}"
    if negative is not None:
        label += f" against {_name(negative)}"
    ax.set_xlabel(label + (f", {_name(unit)}" if unit else ""))
    return _titled(ax, title)


def _titled(ax: Axes, title: str | None) -> Axes:
    if title:
        ax.set_title(_name(title))
    return ax


def plot_bars(
    bars: Iterable[Sequence[Any]],
    *,
    probabilities: bool = False,
    unit: str | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw bars: (name, value) or (name, note, value). Probabilities have a scale from 0 to 1."""
    ax = axes_of(ax)
    names, values = _bars(bars)
    labels = [f"{100 * v:.1f}%" if probabilities and math.isfinite(v) else _number(v) for v in values]
    _horizontal(ax, names, values, labels)
    if probabilities:
        ax.set_xlim(0, 1.15)
    if unit:
        ax.set_xlabel(_name(unit))
    return _titled(ax, title)


def plot_groups(
    groups: Iterable[tuple[Any, Iterable[Sequence[Any]]]], *, unit: str | None = None, title: str | None = None
) -> Any:
    """Draw groups of bars, (name, bars), in adjacent axes, and return an array of axes."""
    groups = list(groups)
    figure, axes = _pyplot().subplots(1, max(len(groups), 1), sharex=True, squeeze=False, layout="constrained")
    for ax, (name, bars) in zip(axes[0], groups):
        plot_bars(bars, unit=unit, title=name, ax=ax)
    if title:
        figure.suptitle(_name(title))
    return axes[0]


def _fields(series: Any) -> tuple[str, Any, Any]:
    if isinstance(series, Mapping):
        return _name(series["name"]), series["x"], series["y"]
    name, x, y = series
    return _name(name), x, y


def plot_curves(
    series: Iterable[Any],
    x_name: str | None = None,
    y_name: str | None = None,
    *,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    reference: str | float | None = None,
    steps: bool = False,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw curves (name, x, y): ROC, precision and recall, gain.

    ``reference`` is ``"diagonal"`` or the level of a horizontal line.
    """
    ax = axes_of(ax)
    named = False
    for i, item in enumerate(series):
        name, x, y = _fields(item)
        named = named or bool(name)
        ax.plot(
            np.asarray(x, dtype=float),
            np.asarray(y, dtype=float),
            color=_COLORS[i % len(_COLORS)],
            linestyle=_STYLES[(i + i // len(_STYLES)) % len(_STYLES)],
            drawstyle="steps-post" if steps else "default",
            label=name or None,
        )
    if reference == "diagonal":
        ax.plot([0, 1], [0, 1], transform=ax.transAxes, color="gray", linestyle=":", linewidth=1)
    elif reference is not None:
        ax.axhline(float(reference), color="gray", linestyle=":", linewidth=1)
    if x_range is not None:
        ax.set_xlim(*x_range)
    if y_range is not None:
        ax.set_ylim(*y_range)
    if x_name:
        ax.set_xlabel(_name(x_name))
    if y_name:
        ax.set_ylabel(_name(y_name))
    if named:
        ax.legend()
    return _titled(ax, title)


def plot_densities(
    series: Iterable[Any],
    x_name: str | None = None,
    cut_points: Iterable[float] | None = None,
    *,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the densities of a column under each class, (name, x, y), with decision boundaries as vertical lines."""
    ax = axes_of(ax)
    drawn = [_fields(item) for item in series]
    for i, (_, x, y) in enumerate(drawn):
        heights = np.asarray(y, dtype=float)
        ax.fill_between(np.asarray(x, dtype=float), heights, alpha=0.15, color=_COLORS[i % len(_COLORS)], linewidth=0)
    plot_curves([(n, x, y) for n, x, y in drawn], x_name, "density", ax=ax)
    for cut in cut_points or ():
        if math.isfinite(cut):
            ax.axvline(cut, color="gray", linestyle=":", linewidth=1)
    ax.set_ylim(bottom=0)
    return _titled(ax, title)


def plot_calibration(
    bins: Iterable[Sequence[float | None]], of: str | None = None, *, title: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a reliability diagram.

    Bins are (predicted, observed, low, high, rows). The area of a point grows with its rows.
    """
    ax = axes_of(ax)
    table = np.array([[math.nan if v is None else v for v in row] for row in bins], dtype=float).reshape(-1, 5)
    predicted, observed, low, high, rows = table.T
    ax.plot([0, 1], [0, 1], color="gray", linestyle=":", linewidth=1)
    has = np.isfinite(low) & np.isfinite(high)
    ax.vlines(predicted[has], low[has], high[has], color="gray", linewidth=1)
    most = np.nanmax(rows) if np.isfinite(rows).any() else 1.0
    sizes = 15 + 60 * np.nan_to_num(rows / (most or 1.0), nan=0.0)
    ax.plot(predicted, observed, color=_COLORS[0])
    ax.scatter(predicted, observed, s=sizes, color=_COLORS[0], zorder=3)
    ax.set(xlim=(0, 1), ylim=(0, 1), ylabel="observed frequency")
    ax.set_xlabel("predicted probability" + (f" of {_name(of)}" if of else ""))
    return _titled(ax, title)


def plot_confusion(
    classes: Sequence[Any], counts: Sequence[Sequence[float]], *, title: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a confusion matrix.

    ``counts[i][k]`` is the number of rows of class i that were predicted as class k. Shades are shares of rows.
    """
    ax = axes_of(ax)
    table = np.asarray(counts, dtype=float).reshape(len(classes), len(classes))
    totals = table.sum(axis=1, keepdims=True)
    shares = np.divide(table, totals, out=np.zeros_like(table), where=totals > 0)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    names = [_name(c) for c in classes]
    ax.set_xticks(range(len(names)), names, rotation=45 if len(names) > 4 else 0, ha="right" if len(names) > 4 else "center")
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="predicted", ylabel="actual")
    for i, k in np.ndindex(*table.shape) if len(names) <= 30 else ():
        ax.text(k, i, f"{table[i, k]:g}", ha="center", va="center", color="white" if shares[i, k] > 0.6 else "black")
    return _titled(ax, title)


def plot_table(
    states: Sequence[Any],
    probabilities: Sequence[Sequence[float]],
    rows: Sequence[Any] | None = None,
    row_name: str | None = None,
    *,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a conditional probability table as bars: a group for each row, a bar for each state."""
    ax = axes_of(ax)
    table = np.asarray(probabilities, dtype=float).reshape(-1, len(states))
    places = np.arange(len(table))
    width = 0.8 / max(len(states), 1)
    hatches = ("", "//", "..", "xx", "\\\\", "++", "oo", "--")
    for k, state in enumerate(states):
        ax.barh(
            places + (k - (len(states) - 1) / 2) * width,
            table[:, k],
            height=width,
            label=_name(state),
            color=_COLORS[k % len(_COLORS)],
            hatch=hatches[k % len(hatches)],
            edgecolor="white",
        )
    ax.set_yticks(places, [_name(r) for r in rows] if rows is not None else [""] * len(table))
    ax.invert_yaxis()
    ax.set(xlim=(0, 1), xlabel="probability")
    if row_name:
        ax.set_ylabel(_name(row_name))
    ax.legend()
    return _titled(ax, title)


def plot_summary(summary: Summary, name: str, ax: Axes | None = None) -> Axes:
    """Draw an attribute of a model: densities of numbers, or probabilities of values, under each class."""
    attribute = next(one for one in summary._drawn()["attributes"] if one["attribute"] == summary.attribute(name)["attribute"])
    curves, values = attribute.get("curves"), attribute.get("values")
    if curves:
        series = [(label, curves["x"], y) for label, y in curves["densities"].items()]
        return plot_densities(series, name, [cut["at"] for cut in attribute.get("cuts") or ()], ax=ax)
    if not values:
        raise ValueError(f"attribute: {name!r} has neither densities nor values to draw")
    classes = list(values[0]["probability"])
    rows = [[value["probability"][label] for value in values] for label in classes]
    return plot_table([value["value"] for value in values], rows, classes, "class", title=name, ax=ax)


def plot_graph(
    nodes: Sequence[Any], arcs: Iterable[Sequence[Any]], *, title: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a network.

    Nodes are names or dicts with ``name``, ``states`` and ``beliefs``. Arcs are (from, to), by names or numbers, with an
    optional third item: whether the arc is undirected.
    """
    ax = axes_of(ax)
    records = [dict(node) if isinstance(node, Mapping) else {"name": node} for node in nodes]
    numbers = {record["name"]: i for i, record in enumerate(records)}
    ends = [(a if isinstance(a, int) else numbers[a], b if isinstance(b, int) else numbers[b], *more) for a, b, *more in arcs]
    labels = []
    for record in records:
        lines = [_name(record["name"])]
        for state, belief in list(zip(record.get("states") or (), record.get("beliefs") or ()))[:6]:
            lines.append(f"{_name(state)} {100 * belief:.1f}%")
        labels.append(lines)
    widths = [10 * max(len(line) for line in lines) for lines in labels]
    places = _core.plot_layout(widths, [end[:3] for end in ends], gap=40)
    at = [(x, -layer * 100) for layer, x in places]
    for start, end, *more in ends:
        style = "-" if more and more[0] else "-|>"
        arrow = {"arrowstyle": style, "color": "black", "shrinkA": 22, "shrinkB": 22}
        ax.annotate("", xy=at[end], xytext=at[start], arrowprops=arrow)
    for (x, y), lines, record in zip(at, labels, records):
        given = record.get("evidence") is not None or record.get("has_evidence")
        box = {"boxstyle": "round", "facecolor": "#fdf0e6" if given else "white", "edgecolor": "#59636e"}
        ax.text(x, y, "\n".join(lines), ha="center", va="center", fontsize=9, bbox=box)
    if at:
        ax.set_xlim(min(x for x, _ in at) - 80, max(x for x, _ in at) + 80)
        ax.set_ylim(min(y for _, y in at) - 60, 60)
    ax.set_axis_off()
    return _titled(ax, title)


def plot_path(
    states: Sequence[Any],
    path: Sequence[int | None] | None = None,
    posteriors: Any = None,
    times: Sequence[float] | None = None,
    *,
    time_name: str | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw states over time: the path as a step line, posteriors as shades."""
    ax = axes_of(ax)
    count = len(path) if path is not None else len(posteriors) if posteriors is not None else 0
    at = np.arange(1, count + 1, dtype=float) if times is None else np.asarray(times, dtype=float)
    if posteriors is not None and count > 0:
        table = np.asarray(posteriors, dtype=float).reshape(count, len(states))
        ax.pcolormesh(at, np.arange(len(states)), table.T, cmap="Blues", vmin=0, vmax=1, shading="nearest")
    if path is not None:
        steps = np.array([math.nan if s is None or s < 0 else s for s in path], dtype=float)
        ax.step(at, steps, where="mid", color=_COLORS[1])
    ax.set_yticks(range(len(states)), [_name(s) for s in states])
    ax.set_ylim(len(states) - 0.5, -0.5)
    ax.set_xlabel(_name(time_name) if time_name else "step")
    return _titled(ax, title)
