# SPDX-License-Identifier: MIT
"""Bayesian classification with posterior probabilities and explanations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import errors
from ._core import version as _version
from .bayes_rule import BayesAnswer, bayes
from .distributions import Distribution, distribution
from .errors import CredenceWarning, Error
from .explanation import Dependence, Explanation
from .model import Model, load
from .progress import options
from .sequences import SequenceModel, hmm, train_sequences
from .table import Table
from .train import train

if TYPE_CHECKING:
    from .sklearn import BayesClassifier, SequenceClassifier

__version__ = _version()
_CLASSIFIERS = ("BayesClassifier", "SequenceClassifier")  # which need scikit-learn
__all__ = [
    "BayesAnswer",
    "BayesClassifier",
    "CredenceWarning",
    "Dependence",
    "Distribution",
    "Error",
    "Explanation",
    "Model",
    "SequenceClassifier",
    "SequenceModel",
    "Table",
    "bayes",
    "distribution",
    "errors",
    "hmm",
    "load",
    "options",
    "train",
    "train_sequences",
]


def __getattr__(name: str) -> Any:
    if name in _CLASSIFIERS:
        from . import sklearn

        return getattr(sklearn, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
