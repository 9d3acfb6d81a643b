# SPDX-License-Identifier: MIT
"""The factors of the products in an explanation: the probability that each factor is, its estimate as a formula, and its value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._text import number_text, shown

if TYPE_CHECKING:
    from .explanation import Explanation

_CLASSES_SHOWN = 5
_KNOWN = {"attribute", "value", "form", "log_value", "family", "mean", "sd", "attribute_weight"}
_LEFT_OUT = {"missing": "missing: left out", "unseen": "never seen: left out", "silent": "constant or empty: left out"}


def _count(value: float) -> str:
    return number_text(value, 15 if float(value).is_integer() else 5)


def _ratio(term: Mapping[str, Any]) -> str:
    n, total = _count(term["count"]), _count(term["total"])
    smoothing = term["smoothing"]
    if smoothing == "plain":
        return f"{n}/{total}"
    if smoothing == "overall":
        return f"{n}/{total} over all classes: none of this one"
    m, values = _count(term["strength"]), _count(term["values"])
    if smoothing == "laplace":
        return f"({n} + {m})/({total} + {m}·{values})"
    share = f"{_count(term['share_count'])}/{_count(term['share_total'])}" if smoothing == "m-marginal" else f"1/{values}"
    return f"({n} + {m}·{share})/({total} + {m})"


def _density(term: Mapping[str, Any]) -> str:
    if term["family"] == "gaussian":
        text = f"density N({number_text(term['mean'])}, {number_text(term['sd'])})"
    else:
        own = {name: value for name, value in term.items() if name not in _KNOWN and isinstance(value, (int, float))}
        parameters = own or {"mean": term["mean"], "sd": term["sd"]}
        text = f"{term['family']}({', '.join(f'{name} {number_text(value)}' for name, value in parameters.items())})"
    return f"{text} at {number_text(term['value'])}" if isinstance(term.get("value"), (int, float)) else text


def working(term: Mapping[str, Any]) -> str:
    """Return the formula that estimates a factor: ``3/5``, or ``(3 + 1·1/2)/(5 + 1)``, or ``density N(5, 1) at 4``."""
    form = term["form"]
    if form in _LEFT_OUT:
        return _LEFT_OUT[form]
    if form == "joint":
        return "in a joint density: see below"
    text = {"given": "as the settings have it", "text": "its words"}.get(form, "")
    if form == "ratio":
        text = _ratio(term)
    elif form == "density":
        text = _density(term)
    return f"{text}, weight {number_text(term['attribute_weight'])}" if "attribute_weight" in term else text


def factor_text(log_value: float) -> str:
    """Format a factor for reading, given its logarithm. The factor can be outside the range of a double."""
    if math.isnan(log_value):
        return "-"
    if log_value == -math.inf or -700 < log_value < 700:
        return number_text(math.exp(log_value))
    return f"e^{number_text(log_value)}"


def factors_of(why: Explanation, class_index: int) -> list[tuple[str, str, float]]:
    """Return the factors of one class. Each has its name, its formula and its logarithm, which is 0 if the factor is skipped."""
    one = why.classes[class_index]
    name = one["class"]
    found = [(f"P({name})", working(one["prior"]), why._lines[0].log_values[class_index])]
    terms = {term["attribute"]: term for term in one["terms"]}
    for line in why._lines[1:]:
        is_together = line.form in ("joint", "pair") and line.value is None and line.term not in terms
        term = {} if is_together else terms[line.term]
        is_density = is_together or term["form"] == "density"
        how = ("joint density" if line.form == "joint" else "pair") if is_together else working(term)
        label = line.term if is_together else f"{line.term}={_short(term['value'])}"
        found.append((f"{'p' if is_density else 'P'}({label} | {name})", how, line.log_values[class_index]))
    return found


def _short(value: Any, room: int = 24) -> str:
    if value is None:
        return "?"
    text = number_text(value, 15) if isinstance(value, float) else str(value)
    return text if len(text) <= room else text[:room] + "..."


def factor_blocks(why: Explanation, most: int) -> list[tuple[str, list[list[str]]]]:
    """Return the factors and their product for each of the most probable classes, as rows of formatted texts."""
    order = sorted(range(len(why.classes)), key=lambda k: -why.classes[k]["log_posterior"])[:_CLASSES_SHOWN]
    strongest = why._lines if len(why._lines) <= most + 1 else why._ranked()[: most + 1]
    listed = {id(line) for line in strongest}
    blocks = []
    for k in sorted(order):
        factors = list(zip(why._lines, factors_of(why, k)))
        rows = [
            [what, how, "" if line.form in _LEFT_OUT or "see below" in how else factor_text(log_value)]
            for line, (what, how, log_value) in factors
            if id(line) in listed
        ]
        others = [factor for line, factor in factors if id(line) not in listed]
        if others:
            product = factor_text(sum(log_value for _, _, log_value in others))
            rows.append([f"{len(others)} other{'s' if len(others) > 1 else ''}", "", product])
        rows.append(["product", "", factor_text(why.classes[k]["log_joint"])])
        blocks.append((f"Class {shown(str(why.classes[k]['class']))}", rows))
    return blocks


def evidence_text(why: Explanation) -> str:
    """Return the evidence, which is the sum of the products. If there are few classes, the text lists all terms of the sum."""
    products = [factor_text(one["log_joint"]) for one in why.classes]
    total = factor_text(why.log_evidence)
    is_written_out = 1 < len(products) <= _CLASSES_SHOWN
    return f"Evidence, the sum of the products: {' + '.join(products) + ' = ' if is_written_out else ''}{total}"
