# SPDX-License-Identifier: MIT
"""Bayesian classification with posterior probabilities and explanations.

``train`` makes a :class:`Model` from a table: a path, a pandas or polars frame, an Arrow table, an array, or a dict of columns.

>>> import credence
>>> model = credence.train(credence.example("tennis"), target="Play")
>>> model.predict({"Outlook": "Sunny", "Wind": "Strong"})["prediction"]
'No'

:class:`Network` is a Bayesian network, :class:`SequenceModel` is a hidden Markov model. If scikit-learn is installed, you can also use
the estimators ``BayesClassifier``, ``TextBayesClassifier`` and ``SequenceClassifier``. The guide is in python/docs.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from . import errors
from ._core import version as _version
from ._explain import explain
from ._labeling import Labeling
from .answers import predict, show
from .bayes_rule import BayesAnswer, bayes
from .combination import combine, merge
from .comparison import Comparison, compare
from .dependence import Dependence
from .distributions import Distribution, distribution
from .documents import documents, mail, message
from .errors import CredenceWarning, Error
from .evaluation import Evaluation, evaluate
from .examples import example
from .explanation import Explanation
from .model import Model, load, open_model
from .network import Network, read_network
from .progress import options
from .query import Independence, QueryAnswer, query
from .report import report
from .schema import Schema, schema
from .sequence_summary import SequenceSummary
from .sequences import SequenceModel, hmm, train_sequences
from .summary import Summary
from .table import Table
from .train import train

if TYPE_CHECKING:
    from .sklearn import BayesClassifier as BayesClassifier
    from .sklearn import SequenceClassifier as SequenceClassifier
    from .sklearn import TextBayesClassifier as TextBayesClassifier

__version__ = _version()
_CLASSIFIERS = ("BayesClassifier", "SequenceClassifier", "TextBayesClassifier")  # need scikit-learn
__all__ = [
    "BayesAnswer",
    "BayesClassifier",
    "Comparison",
    "CredenceWarning",
    "Dependence",
    "Distribution",
    "Error",
    "Evaluation",
    "Explanation",
    "Independence",
    "Labeling",
    "Model",
    "Network",
    "QueryAnswer",
    "Schema",
    "SequenceClassifier",
    "SequenceModel",
    "SequenceSummary",
    "Summary",
    "Table",
    "TextBayesClassifier",
    "bayes",
    "combine",
    "compare",
    "distribution",
    "documents",
    "errors",
    "evaluate",
    "example",
    "explain",
    "hmm",
    "load",
    "mail",
    "merge",
    "message",
    "open_model",
    "options",
    "predict",
    "query",
    "read_network",
    "report",
    "schema",
    "show",
    "train",
    "train_sequences",
]

if find_spec("sklearn") is None:  # help() and import * must work without scikit-learn
    __all__ = [name for name in __all__ if name not in _CLASSIFIERS]


def __getattr__(name: str) -> Any:
    if name in _CLASSIFIERS:
        try:
            from . import sklearn
        except ModuleNotFoundError as error:
            raise ImportError(f"credence.{name} needs scikit-learn: pip install scikit-learn") from error
        return getattr(sklearn, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
