# SPDX-License-Identifier: MIT
"""Column types: the words of arguments and schemas, and the numbers of the extension module."""

from __future__ import annotations

__all__ = ["COLUMN_TYPES", "NUMBERS"]

#: The values of the argument ``column_types``.
COLUMN_TYPES = ("numeric", "categorical", "text", "ignore")
#: The numbers of the types in the extension module.
NUMBERS = {"numeric": 1, "categorical": 2, "text": 3}
