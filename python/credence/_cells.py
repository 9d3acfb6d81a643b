# SPDX-License-Identifier: MIT
"""Converts single values of other packages' types to Python values."""

from __future__ import annotations

import datetime
import numbers
from typing import Any

_EPOCH = datetime.date(1970, 1, 1).toordinal()


def written(moment: datetime.date | datetime.time) -> str:
    """Return a date or a time as the text of a category. A datetime at midnight becomes its date only."""
    if isinstance(moment, datetime.datetime):
        if moment.time() == datetime.time():
            return moment.date().isoformat()
        return _short(moment.replace(tzinfo=None, fold=0).isoformat(timespec="auto"))
    return _short(moment.isoformat())


def _short(text: str) -> str:
    return text.rstrip("0") if "." in text else text


def plain(value: Any, as_text: bool = False) -> float | int | str | bool | None:
    """Convert a value to a number, a text, a bool, or None if it is missing, as the library documents for Arrow columns.

    Dates become days since 1970-01-01. Times of day, durations and timestamps (in UTC) become seconds. With ``as_text``, dates and
    times become the texts of categories.
    """
    kind = type(value).__name__
    if kind in ("NAType", "NaTType", "MaskedConstant"):
        return None
    for method in ("as_py", "item"):
        if hasattr(value, method):
            found = getattr(value, method)()
            return found if type(found) in (float, int, str, bool, bytes, type(None)) else plain(found, as_text)
    if hasattr(value, "to_timestamp"):  # a pandas Period
        value = value.to_timestamp()
    if as_text and isinstance(value, (datetime.date, datetime.time)):
        return written(value)
    if isinstance(value, datetime.datetime):
        moment = value if value.tzinfo is not None else value.replace(tzinfo=datetime.timezone.utc)
        return moment.timestamp()
    if isinstance(value, datetime.date):
        return float(value.toordinal() - _EPOCH)
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, datetime.time):
        return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    if isinstance(value, numbers.Number) or hasattr(value, "__float__"):
        return float(value)
    if as_text and hasattr(value, "closed") and hasattr(value, "left"):  # a pandas Interval
        return str(value)
    raise TypeError(f"row: expected numbers and texts, got {value!r}")
