# SPDX-License-Identifier: MIT
"""Bayesian classification with posterior probabilities and explanations."""

from __future__ import annotations

from . import errors
from ._core import version as _version
from .bayes_rule import BayesAnswer, bayes
from .distributions import Distribution, distribution
from .errors import CredenceWarning, Error
from .model import Model, load
from .table import Table
from .train import train

__version__ = _version()
__all__ = [
    "BayesAnswer",
    "CredenceWarning",
    "Distribution",
    "Error",
    "Model",
    "Table",
    "bayes",
    "distribution",
    "errors",
    "load",
    "train",
]
