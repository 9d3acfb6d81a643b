# SPDX-License-Identifier: MIT
"""Bayesian classification with posterior probabilities and explanations."""

from __future__ import annotations

from . import errors
from ._core import version as _version
from .errors import CredenceWarning, Error
from .table import Table

__version__ = _version()
__all__ = ["CredenceWarning", "Error", "Table", "errors"]
