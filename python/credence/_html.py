# SPDX-License-Identifier: MIT
"""HTML output for notebooks: tables, plots next to each other, model summaries.

The HTML contains no scripts, and it follows the page's light or dark theme.
"""

from __future__ import annotations

import html
import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from . import _core
from ._text import number_text

__all__ = [
    "attributes_html",
    "card_html",
    "escape",
    "facts_html",
    "multiples_html",
    "records_html",
    "section_html",
    "summary_html",
    "table_html",
]

_ROWS_SHOWN = 60
_PICTURES_SHOWN = 24
_CELL_LENGTH = 120
_STATES_DRAWN = 12
_CLASSES_DRAWN = 8  # in one plot: keeps it readable, and the notebook small
_SERIES_DRAWN = 72  # in all plots of a model: one series per class and plot
_TABLES_LENGTH = 150_000  # approximate length of all attribute tables together, in characters
_BARS_DRAWN = 40

# Characters to replace: control characters, and characters that change the writing direction of the text after them.
_REPLACED = {
    **dict.fromkeys((*range(0x00, 0x20), *range(0x7F, 0xA0)), "\ufffd"),
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C), "\ufffd"),
    **dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\ufffd"),
    0x09: " ",
    0x0A: " ",
    0x0D: " ",
}

# The rules apply only inside .crd-html. Text inherits the page's color in light and dark themes.
_STYLE = (
    "<style>"
    ".crd-html{font:13px system-ui,-apple-system,'Segoe UI','Noto Sans',sans-serif;overflow-x:auto}"
    ".crd-html table{border-collapse:collapse;margin:.4em 0;font-variant-numeric:tabular-nums}"
    ".crd-html caption{text-align:left;font-weight:600;padding:.2em 0;caption-side:top;white-space:normal}"
    ".crd-html th,.crd-html td{text-align:left;padding:.15em .9em .15em 0;border:0;border-bottom:1px solid;"
    "border-color:rgba(128,128,128,.3);background:none;vertical-align:top}"
    ".crd-html .crd-right{text-align:right}"
    ".crd-html .crd-more{opacity:.75;margin:.2em 0}"
    ".crd-html .crd-multiples{display:flex;flex-wrap:wrap;gap:12px;align-items:flex-start}"
    ".crd-html .crd-title{font-weight:600;font-size:15px;margin:.3em 0}"
    ".crd-html details{margin:.4em 0}.crd-html summary{cursor:pointer;font-weight:600}"
    "</style>"
)


#: The width of a plot, in pixels. Two plots of this width fit next to each other in a notebook.
_PICTURE_WIDTH = 420


def escape(value: Any) -> str:
    """Escape a text so that a browser shows it unchanged. Markup is escaped, and control characters are replaced.

    Examples
    --------
    >>> escape("<b>a & b</b>")
    '&lt;b&gt;a &amp; b&lt;/b&gt;'
    """
    return html.escape(str(value).translate(_REPLACED), quote=True)


def _wrap(content: str) -> str:
    return f'<div class="crd-html">{_STYLE}{content}</div>'


def _text(value: Any) -> str:
    """Format a value for reading. Numbers are rounded, and a missing value is empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        return number_text(float(value))
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_text(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(item) for item in value)
    return str(value)


def _cell(value: Any) -> str:
    text = _text(value)
    if len(text) <= _CELL_LENGTH:
        return escape(text)
    return f'<span title="{escape(text[:2000])}">{escape(text[:_CELL_LENGTH])}…</span>'


def _is_number(value: Any) -> bool:
    if isinstance(value, numbers.Real):
        return not isinstance(value, bool)
    return isinstance(value, str) and value.lstrip("+-−×<>").rstrip("*%")[:1] in set("0123456789∞.")


def _table(head: Sequence[Any], rows: Sequence[Sequence[Any]], caption: str | None, most: int) -> str:
    shown = [list(row) for row in rows[:most]]
    width = max([len(head), *(len(row) for row in shown)])
    for row in shown:
        row += [None] * (width - len(row))
    right = []
    for i in range(width):
        cells = [row[i] for row in shown if not (row[i] is None or (isinstance(row[i], str) and row[i] in ("", "-")))]
        right.append(i > 0 and bool(cells) and all(_is_number(cell) for cell in cells))

    def line(cells: Sequence[Any], tag: str) -> str:
        parts = []
        for i, cell in enumerate(cells):
            scope = ' scope="col"' if tag == "th" else ""
            align = ' class="crd-right"' if right[i] else ""
            parts.append(f"<{tag}{scope}{align}>{_cell(cell)}</{tag}>")
        return f"<tr>{''.join(parts)}</tr>"

    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    header = f"<thead>{line(head, 'th')}</thead>" if any(str(name) for name in head) else ""
    body = "".join(line(row, "td") for row in shown)
    left = len(rows) - len(shown)
    more = f'<p class="crd-more">and {left} more</p>' if left > 0 else ""
    return f"<table>{title}{header}<tbody>{body}</tbody></table>{more}"


def table_html(
    head: Sequence[Any], rows: Iterable[Sequence[Any]], caption: str | None = None, most: int = _ROWS_SHOWN
) -> str:
    """Return a table with column names, rows and a caption. Numeric columns are right-aligned.

    Examples
    --------
    >>> "<td>a &lt; b</td>" in table_html(["name", "value"], [["a < b", 1.5]])
    True
    """
    return _wrap(_table(head, list(rows), caption, most))


def facts_html(facts: Mapping[str, Any], caption: str | None = None) -> str:
    """Return a table of names and values. Names without a value are skipped."""
    return _wrap(_facts(facts, caption))


def _facts(facts: Mapping[str, Any], caption: str | None = None) -> str:
    return _table(["", ""], [[name, value] for name, value in facts.items() if value is not None], caption, 1000)


def multiples_html(pictures: Iterable[str], most: int = _PICTURES_SHOWN) -> str:
    """Return plots next to each other, wrapped to the width of the page."""
    return _wrap(_multiples(list(pictures), most))


def _multiples(pictures: Sequence[str], most: int = _PICTURES_SHOWN) -> str:
    left = len(pictures) - most
    more = f'<p class="crd-more">and {left} more</p>' if left > 0 else ""
    return f'<div class="crd-multiples">{"".join(f"<div>{picture}</div>" for picture in pictures[:most])}</div>{more}'


def section_html(title: str, content: str, is_open: bool = False) -> str:
    """Return a section that the reader can open and close."""
    tag = '<details open="">' if is_open else "<details>"
    return f"{tag}<summary>{escape(title)}</summary>{content}</details>"


def card_html(title: str, facts: Mapping[str, Any], *parts: str) -> str:
    """Return a card with a title, a table of facts, and the given parts below."""
    heading = f'<div class="crd-title">{escape(title)}</div>'
    return _wrap(heading + (_facts(facts) if facts else "") + "".join(parts))


# ---- Model summaries ----


def _is_records(value: Any) -> TypeGuard[list[Mapping[str, Any]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _records(records: Sequence[Mapping[str, Any]], caption: str | None = None, most: int = _ROWS_SHOWN) -> str:
    head: dict[str, None] = {}
    for record in records:
        head.update(dict.fromkeys(record))
    return _table(
        [str(name).replace("_", " ") for name in head],
        [[record.get(name) for name in head] for record in records],
        caption,
        most,
    )


def _values_picture(name: str, values: Sequence[Mapping[str, Any]], drawn: set[str] | None) -> str | None:
    """Return bars of the conditional probabilities P(value | class), one row per class in `drawn`. None draws all classes."""
    tables = [table for table in (value.get("probability") for value in values) if isinstance(table, Mapping)]
    if not 0 < len(values) <= _STATES_DRAWN or len(tables) < len(values):
        return None
    classes: dict[str, None] = {}
    for table in tables:
        classes.update(dict.fromkeys(c for c in table if drawn is None or c in drawn))
    states = [_text(value.get("value")) for value in values]
    rows = [[table.get(c, math.nan) for table in tables] for c in classes]
    return _core.plot_table(states, rows, list(classes), "class", title=name, width=min(_PICTURE_WIDTH, 150 + 110 * len(states)))


def _densities_picture(name: str, attribute: Mapping[str, Any], drawn: set[str] | None) -> str | None:
    """Return a plot of the class-conditional densities if the summary contains curves: {"x": [...], "densities": {class: [...]}}."""
    curves = attribute.get("curves")
    if not isinstance(curves, Mapping) or "x" not in curves:
        return None
    series = [(c, curves["x"], y) for c, y in curves["densities"].items() if drawn is None or c in drawn]
    numbers = {c: i for i, (c, _, _) in enumerate(series)}
    found = curves.get("regions") or []
    regions = [(low, high, numbers[c]) for low, high, c in found if c in numbers]
    cuts = [low for low, _, _ in found[1:]] or [cut["at"] for cut in attribute.get("cuts") or []]
    discrete = bool(curves.get("discrete"))
    return _core.plot_densities(series, name, cuts, regions=regions, discrete=discrete, title=name, width=_PICTURE_WIDTH)


def _picture(attribute: Mapping[str, Any], drawn: set[str] | None) -> str | None:
    name = _text(attribute.get("attribute"))
    return _values_picture(name, attribute.get("values") or [], drawn) or _densities_picture(name, attribute, drawn)


def _tables(attribute: Mapping[str, Any]) -> str:
    name = _text(attribute.get("attribute"))
    facts = {k: v for k, v in attribute.items() if not _is_records(v) and k not in ("attribute", "curves")}
    tables = [_facts(facts, name)] if facts else []
    for key, value in attribute.items():
        if _is_records(value):
            tables.append(_records(value, f"{name}: {key.replace('_', ' ')}"))
    return "".join(tables)


def _more(text: str) -> str:
    return f'<p class="crd-more">{escape(text)}</p>'


def _classes_drawn(classes: Any) -> set[str] | None:
    """Return the classes with the largest priors if a plot cannot show all classes clearly; else None, for all classes."""
    if not _is_records(classes) or len(classes) <= _CLASSES_DRAWN:
        return None
    ranked = sorted(classes, key=lambda c: -(c.get("prior") or 0.0))
    return {str(c.get("class")) for c in ranked[:_CLASSES_DRAWN]}


def attributes_html(attributes: Sequence[Mapping[str, Any]], classes: Any = None) -> list[str]:
    """Return plots of the first attributes, and a closed section with the tables of the attributes.

    The plots show at most 8 classes. The total length of the tables is limited.
    """
    drawn = _classes_drawn(classes)
    most = min(_PICTURES_SHOWN, _SERIES_DRAWN // min(max(len(classes or ()), 1), _CLASSES_DRAWN))
    pictures: list[str] = []
    for attribute in attributes[:_ROWS_SHOWN]:
        picture = _picture(attribute, drawn) if len(pictures) < most else None
        if picture is not None:
            pictures.append(picture)
    parts = []
    if pictures:
        parts.append(_multiples(pictures))
        if drawn is not None:
            parts.append(_more(f"drawn: the {len(drawn)} classes of the greatest priors, of {len(classes)}"))
        if len(pictures) < len(attributes):
            parts.append(_more(f"drawn: {len(pictures)} of {len(attributes)} attributes; the tables have the others"))
    tables: list[str] = []
    length = 0
    for attribute in attributes[:_ROWS_SHOWN]:
        if length > _TABLES_LENGTH:
            break
        tables.append(_tables(attribute))
        length += len(tables[-1])
    left = len(attributes) - len(tables)
    more = _more(f"and {left} more: show().table(name) has each") if left > 0 else ""
    count = len(attributes)
    parts.append(section_html(f"{count} attribute{'' if count == 1 else 's'}", "".join(tables) + more))
    return parts


def records_html(records: Sequence[Mapping[str, Any]], caption: str | None = None) -> str:
    """Return a table of records, with one column per key."""
    return _wrap(_records(records, caption))


def summary_html(summary: Mapping[str, Any], title: str | None = None, nomogram: str | None = None) -> str:
    """Return a model summary as HTML: classes, attributes, settings, and all other data of ``credence show --format json``."""
    facts = {
        key.replace("_", " "): value
        for key, value in summary.items()
        if not isinstance(value, (Mapping, list)) and value is not None
    }
    parts = []
    classes = summary.get("classes")
    if _is_records(classes) and all("prior" in c for c in classes):
        bars = [(_text(c.get("class")), c["prior"]) for c in classes]
        parts.append(_core.plot_bars(bars, probabilities=True, most=_BARS_DRAWN, title="Prior", width=420))
    if nomogram is not None:
        parts.append(nomogram)
    attributes = summary.get("attributes")
    if _is_records(attributes):
        parts += attributes_html(attributes, classes)
    for key, value in summary.items():
        name = key.replace("_", " ")
        if key == "attributes" or not isinstance(value, (Mapping, list)) or not value:
            continue
        if _is_records(value):
            parts.append(section_html(name, _records(value)))
        elif isinstance(value, Mapping):
            parts.append(section_html(name, _facts(value)))
        else:
            parts.append(section_html(name, _table([""], [[item] for item in value], None, _ROWS_SHOWN)))
    return card_html(title or "Model", facts, *parts)
