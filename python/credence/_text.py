# SPDX-License-Identifier: MIT
"""Text output of results on a terminal: rounded numbers, and tables with aligned columns."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence


def number_text(value: float | None, digits: int = 5) -> str:
    """Format a number with the given number of significant digits. A missing number is ``-``."""
    if value is None or math.isnan(value):
        return "-"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    text = f"{value:.{digits}g}"
    return "0" if text == "-0" else text


def is_event(item: str) -> bool:
    """Return whether a query item is an event, such as ``"a>=2"`` or ``"a in {1, 2}"``, rather than the name of a column."""
    return bool(re.search(r"[=<>]|\s(in\s*[{(]|even\b|odd\b)", item, re.IGNORECASE))


def _width(text: str) -> int:
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def shown(text: str) -> str:
    """Return a name that a terminal can display. Control characters and lone surrogates are escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def columns_text(head: Sequence[str], rows: Sequence[Sequence[str]], indent: int = 2) -> str:
    """Return a table as text. Columns are left-aligned, but a numeric column that is not the first is right-aligned."""
    table = [[shown(cell) for cell in row] for row in ([head] if any(head) else []) + [list(row) for row in rows]]
    if not table:
        return ""
    widths = [max(_width(row[i]) for row in table) for i in range(len(table[0]))]
    body = table[1:] if any(head) else table

    def is_number(cell: str) -> bool:
        return not cell or cell.lstrip("+-×").rstrip("*%")[:1] in "0123456789∞." or cell == "-"

    right = [i > 0 and all(is_number(row[i]) for row in body) for i in range(len(widths))]
    lines = []
    for row in table:
        cells = []
        for i, cell in enumerate(row):
            blanks = " " * (widths[i] - _width(cell))
            cells.append(blanks + cell if right[i] else cell + blanks)
        lines.append((" " * indent + "  ".join(cells)).rstrip())
    return "\n".join(lines)


def bar_text(share: float, width: int = 20) -> str:
    """Return a bar whose length is proportional to the absolute value of `share`, which is from -1 to 1."""
    if math.isnan(share):
        return ""
    blocks = " ▏▎▍▌▋▊▉█"
    size = min(abs(share), 1.0) * width
    whole, part = int(size), int((size - int(size)) * 8)
    filled = "█" * whole + (blocks[part] if part and whole < width else "")
    return filled
