# SPDX-License-Identifier: MIT
"""TextBayesClassifier: classifies texts by their words, without a vectorizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from .._types import ColumnNames, Cost, Probability
from ._base import SEQUENCE_SETTINGS, documented, is_table, setting_parameters
from ._bayes import BayesClassifier
from ._rows import DocumentRows

_NETWORK_SETTINGS = (
    "search",
    "arcs",
    "estimator",
    "em_starts",
    "latent_nodes",
    "iterations",
    "tolerance",
    "score",
    "ci_test",
    "significance",
    "required_arcs",
    "forbidden_arcs",
    "tiers",
    "max_parents",
    "max_conditioning",
    "restarts",
)


def _is_text(item: Any) -> bool:
    return isinstance(item, (str, bytes))


def documents_of(X: Any) -> list[Any] | None:
    """Return the documents of an iterable of texts, or None if X is something else."""
    if isinstance(X, (str, bytes)):
        raise ValueError("Iterable over raw text documents expected, string object received.")
    if issparse(X) or is_table(X) or getattr(X, "ndim", 1) != 1 or not isinstance(X, Iterable):
        return None
    listed = next((getattr(X, name) for name in ("tolist", "to_list", "to_pylist") if hasattr(X, name)), None)
    items = list(X) if listed is None else listed()
    if not items:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 text is required.")
    if not any(_is_text(item) for item in items):
        return None
    documents = [None if item is None or (isinstance(item, float) and item != item) else item for item in items]
    for row, item in enumerate(documents):
        if item is not None and not _is_text(item):
            raise TypeError(f"X: document {row} is a {type(item).__name__}; expected str")
    return documents


def _string_columns(X: Any) -> list[int]:
    """Return the positions of the string columns of a table."""
    if isinstance(X, np.ndarray):
        if X.dtype.kind in "US":
            return list(range(X.shape[1]))
        if X.dtype.kind != "O":
            return []
        return [i for i in range(X.shape[1]) if any(_is_text(cell) for cell in X[:, i])]
    if type(X).__module__.partition(".")[0] == "pandas":
        from pandas.api.types import is_object_dtype, is_string_dtype

        return [
            i
            for i, dtype in enumerate(X.dtypes)
            if is_string_dtype(dtype) or (is_object_dtype(dtype) and any(_is_text(cell) for cell in X.iloc[:, i]))
        ]
    types = X.schema.types if hasattr(X, "column_names") else X.dtypes
    return [i for i, dtype in enumerate(types) if str(dtype).lower().replace("large_", "") in ("string", "string_view")]


@documented
class TextBayesClassifier(BayesClassifier):
    """Bayesian classifier for texts. The model finds, counts and weights the terms itself.

    X is an iterable of str, or a table whose string columns are texts. Other columns of the table are used too, as in
    :class:`BayesClassifier`. The default is multinomial naive Bayes with empirical Bayes smoothing, logarithmic term
    frequencies, and a limit on the length of texts (``length_normalization``). The family complement is complement naive Bayes
    (Rennie et al., 2003).

    Parameters
    ----------
    {settings}
    text : sequence of column names or positions, default=None
        Text columns of a table. None means all string columns.
    categorical_features : sequence of column names or positions, or boolean mask, default=None
        Numeric columns to treat as categorical.
    class_weight : dict, 'balanced' or None, default=None
        Weight of the rows of each class. ``'balanced'`` gives all classes the same total weight, as in scikit-learn.
    cost : mapping, array-like of shape (n_classes, n_classes), frame or path, default=None
        Cost of each action for each true class, for example ``{"ham": {"keep": 0, "drop": 9}, ...}``. `predict` returns the
        action with the minimum expected cost.
    reject : float or mapping, default=None
        `predict` returns "unsure" if no posterior reaches this probability. ``{"ask": 0.9}`` returns "ask" instead, and
        ``{-1: 0.9}`` returns the number -1, which metrics accept together with numeric labels.
    threshold : float or mapping, default=None
        For two classes: `predict` returns the second class if its posterior reaches this probability. ``{"spam": 0.9}``
        applies the threshold to "spam".
    n_jobs : int, default=None
        Number of threads. None means 1, -1 means all CPU cores. Predictions and models do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    class_count_ : ndarray of shape (n_classes,)
        The number of texts, or the total weight, of each class.
    model_ : credence.Model
        The model. Use ``model_.explain(row)``, ``model_.show()``, ``model_.save(path)``, ...
    n_features_in_ : int
        The number of columns. It is 1 for an iterable of texts.
    feature_names_in_ : ndarray of shape (n_features,)
        The column names, if X had names.

    Examples
    --------
    >>> from credence import TextBayesClassifier
    >>> texts = ["cheap pills", "pills for free", "meeting at noon", "notes of the meeting"]
    >>> labels = ["spam", "spam", "ham", "ham"]
    >>> TextBayesClassifier().fit(texts, labels).predict(["free meeting notes", "free pills"])
    array(['ham', 'spam'], dtype='<U4')
    """

    _setting_names = setting_parameters(SEQUENCE_SETTINGS + _NETWORK_SETTINGS)

    def __init__(
        self,
        *,
        family: str | Mapping[str, str] = "multinomial",
        term_smoothing: str | float = "auto",
        tf: str = "log",
        length_normalization: str | float = 20,
        complement_weights: str = "normalized",
        min_df: str | float = 1,
        max_df: str | float = "all",
        stop_words: str | Iterable[str] = "none",
        max_terms: str | int = "all",
        tokens: str = "words",
        letter_case: str = "fold",
        stem: str = "none",
        ngrams: str | int | tuple[int, int] = 1,
        sparse_bigrams: str | int = 0,
        hash: str | int = "none",
        method: str | tuple[str, Any] = "naive",
        alpha: float | None = None,
        smoothing: str | tuple[str, Any] | float = "m:1",
        prior: str | Mapping[Any, float] | Sequence[float] | tuple[str, Any] = "frequency",
        variance: str = "mle",
        pool_variance: str = "none",
        min_sd: str | float = 0,
        histogram: str | tuple[str, Any] = "sturges",
        bandwidth: str | float = "weka",
        mixture: str | int | tuple[str, Any] = "bic:3",
        student: str | float = "smoothing",
        joint: str | Sequence[str | Sequence[str]] = "none",
        covariance: str | tuple[str, Any] = "auto",
        joint_mixture: str | int = "none",
        attribute_weights: str = "none",
        calibration: str = "none",
        text: ColumnNames | None = None,
        categorical_features: ColumnNames | ArrayLike | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        cost: Cost | None = None,
        reject: Probability | None = None,
        threshold: Probability | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.family = family
        self.term_smoothing = term_smoothing
        self.tf = tf
        self.length_normalization = length_normalization
        self.complement_weights = complement_weights
        self.min_df = min_df
        self.max_df = max_df
        self.stop_words = stop_words
        self.max_terms = max_terms
        self.tokens = tokens
        self.letter_case = letter_case
        self.stem = stem
        self.ngrams = ngrams
        self.sparse_bigrams = sparse_bigrams
        self.hash = hash
        self.method = method
        self.alpha = alpha
        self.smoothing = smoothing
        self.prior = prior
        self.variance = variance
        self.pool_variance = pool_variance
        self.min_sd = min_sd
        self.histogram = histogram
        self.bandwidth = bandwidth
        self.mixture = mixture
        self.student = student
        self.joint = joint
        self.covariance = covariance
        self.joint_mixture = joint_mixture
        self.attribute_weights = attribute_weights
        self.calibration = calibration
        self.text = text
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.cost = cost
        self.reject = reject
        self.threshold = threshold
        self.n_jobs = n_jobs

    # ---- Rows ----

    def _text_columns(self) -> list[str]:
        if self.text is not None:
            return self._columns(self.text, "text")
        names = self._names()
        return [names[i] for i in self._strings]

    def _takes_counts(self, reset: bool) -> bool:
        return False

    def _names(self) -> list[str]:
        return ["text"] if getattr(self, "_is_documents", False) else super()._names()

    def _rows(self, X: Any, reset: bool) -> Any:
        documents = documents_of(X)
        if documents is None and not issparse(X) and not is_table(X) and not isinstance(X, np.ndarray):
            X = np.asarray(X)
        if reset:
            self._is_documents = documents is not None
            self._strings = [] if documents is not None or issparse(X) or getattr(X, "ndim", 2) != 2 else _string_columns(X)
        if documents is None:
            return super()._rows(X, reset)
        if reset:
            self.n_features_in_ = 1
            if hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            self._is_numeric = self._is_counts = False
        elif self.n_features_in_ != 1:
            raise ValueError(
                f"X has 1 features, but {type(self).__name__} is expecting {self.n_features_in_} features as input."
            )
        rows = DocumentRows(documents)
        return rows
