# SPDX-License-Identifier: MIT
"""Formats comparison candidates as the command prints them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def _word(word: str) -> str:
    """Quote a word for a shell if it needs quotes."""
    if word and re.fullmatch(r"[A-Za-z0-9_./:@%+,=\u0080-\U0010ffff-]+", word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"


def options_of(settings: Mapping[str, str]) -> str:
    """Return settings as options of the command."""
    return " ".join(f"--{name} {_word(value)}" for name, value in settings.items())


def left_out_reason(candidate: Mapping[str, Any]) -> str:
    """Return the reason why a candidate has no scores."""
    return "over the budget" if candidate["status"] == "over_budget" else str(candidate["message"])
