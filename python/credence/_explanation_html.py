# SPDX-License-Identifier: MIT
"""Explanations in notebooks: bars of the posterior and the weights of evidence, and texts with highlighted words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from . import _core
from ._factors import evidence_text, factor_blocks
from ._html import card_html, escape, multiples_html, section_html, table_html
from ._text import number_text

if TYPE_CHECKING:
    from .explanation import Explanation

_LINES_SHOWN = 20
_CHARACTERS_SHOWN = 4000


def _text_html(pieces: list[tuple[str, float]]) -> str:
    """Return a text with its informative words highlighted.

    Words for the class are underlined with a solid line, words against it with a dotted line. The larger the weight, the stronger
    the color.
    """
    largest = max((abs(weight) for _, weight in pieces if math.isfinite(weight)), default=0.0)
    parts, left = [], _CHARACTERS_SHOWN
    for piece, weight in pieces:
        content = escape(piece[:left])
        left -= len(piece)
        if weight == 0:
            parts.append(content)
        else:
            share = 1.0 if math.isinf(weight) or largest == 0 else abs(weight) / largest
            color = "0,114,178" if weight > 0 else "213,94,0"
            style = (
                f"background:rgba({color},{0.15 + 0.35 * share:.2f});color:inherit;"
                f"border-bottom:2px {'solid' if weight > 0 else 'dotted'} rgb({color})"
            )
            sign = "+" if weight > 0 else ""
            parts.append(f'<mark style="{style}" title="{sign}{number_text(weight)} nats">{content}</mark>')
        if left <= 0:
            parts.append(" ...")
            break
    return f'<p style="white-space:pre-wrap;max-width:60em">{"".join(parts)}</p>'


def _evidence_html(why: Explanation) -> str:
    pair = None if why.pair is None else (str(why.pair[0]), str(why.pair[1]))
    lines = why._ranked()
    bars = [(line.label(), _number(line.weight)) for line in lines[1:]]
    return _core.plot_evidence(
        bars,
        _number(lines[0].weight),
        _number(why.total),
        unit="nats",
        positive=None if pair is None else pair[0],
        negative=None if pair is None else pair[1],
        most=_LINES_SHOWN if why._top is None else why._top,
        title="Weight of evidence" if pair is None else f"Weight of evidence for {pair[0]} against {pair[1]}",
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _members_html(why: Explanation) -> str:
    table = why.table
    columns = list(table.columns)
    rows = [[table[name][i] for name in columns] for i in range(len(table))]
    return table_html(columns, [[cell if isinstance(cell, str) else float(cell) for cell in row] for row in rows])


def explanation_html(why: Explanation) -> str:
    """Return an explanation as HTML: plots of the posterior and the weights of evidence, texts, and remarks."""
    parts: list[Any] = []
    if why.prediction is not None:
        posterior = sorted(((str(name), share) for name, share in why.posterior.items()), key=lambda item: -item[1])
        parts.append(_core.plot_bars(posterior, probabilities=True, most=10, title="Posterior"))
    if why._lines:
        most = _LINES_SHOWN if why._top is None else why._top
        blocks = [table_html(["", "", ""], rows, title, most + 3) for title, rows in factor_blocks(why, most)]
        parts.append(section_html("Factors", multiples_html(blocks) + f"<p>{escape(evidence_text(why))}</p>", True))
    if why._lines and why.pair is not None:
        parts.append(_evidence_html(why))
    elif not why._lines:
        parts.append(_members_html(why))
    for text in why.texts:
        words = [
            [word["word"], word["times"], float(word["weight"])]
            for word in text["words"][: _LINES_SHOWN if why._top is None else why._top]
        ]
        parts.append(table_html(["word", "times", "nats"], words, caption=f"Words of {text['attribute']}"))
        parts.append(_text_html(why.marked_text(text["attribute"])))
    parts += [f"<p>{escape(remark)}</p>" for remark in why._remarks()]
    return card_html(why._heading(), {}, *parts)
