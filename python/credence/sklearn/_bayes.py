# SPDX-License-Identifier: MIT
"""BayesClassifier: all methods and families of Credence as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import _get_feature_names, _num_samples, check_array, check_non_negative, validate_data

from .._settings import COUNT_FAMILIES
from .._tables import columns_of
from .._types import ColumnNames, Cost, Probability
from ._base import SEQUENCE_SETTINGS, CredenceClassifier, Samples, Target, documented, is_table, setting_parameters
from ._rows import CountRows, NumberRows, TableRows, Task


def _float_block(X: Any) -> NDArray[Any] | None:
    """Return the array that stores a pandas frame, or None if the frame is not stored as a single array of floats."""
    blocks = getattr(getattr(X, "_mgr", None), "blocks", ())
    if len(blocks) != 1 or X.dtypes.iloc[0] not in (np.float64, np.float32):
        return None
    array: NDArray[Any] = X.to_numpy()
    return array


def _are_whole(values: NDArray[Any]) -> bool:
    return bool(np.all(values == np.floor(values)))


def _is_number(dtype: Any) -> bool:
    """Return whether a pandas or polars dtype is numeric."""
    is_numeric = getattr(dtype, "is_numeric", None)
    return bool(is_numeric()) if callable(is_numeric) else getattr(dtype, "kind", "O") in "fiu"


#: With fewer rows, cross-validation cannot tell which method is best.
_FEWEST_CHOSEN = 10


def _is_equal(value: Any, default: Any) -> bool:
    """Return whether a parameter has its default. Mappings and arrays never do."""
    return value is default or (isinstance(value, (str, int, float)) and value == default)


@documented
class BayesClassifier(CredenceClassifier):
    """Bayesian classifier for tables with numbers, categories, texts, dates and missing values.

    Columns need no encoding or imputation. The model is a set of exact sufficient statistics. You can fit additional rows,
    forget rows and merge models: the result always equals a single pass over all rows.

    By default, `fit` compares methods and families by cross-validation and uses the best: ``method="auto"``. It fits naive Bayes,
    with normal densities for numbers and relative frequencies for categories and for the terms of texts, if you set any of the
    settings below other than `prior`, if X is sparse, or if X has fewer than 10 rows. `partial_fit` starts with naive Bayes. Set
    `method` to decide yourself.

    Parameters
    ----------
    {settings}
    budget : float, default=1
        For ``method="auto"``: the work limit for comparing candidates, as a multiple of the default. ``math.inf`` tries all.
    text : sequence of column names or positions, default=()
        Text columns. The classifier counts their words.
    categorical_features : sequence of column names or positions, or boolean mask, default=None
        Numeric columns to treat as categorical. Columns of strings, categories and booleans are always categorical.
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
        The number of rows, or the total weight, of each class.
    model_ : credence.Model
        The model. Use ``model_.explain(row)``, ``model_.show()``, ``model_.save(path)``, ...
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        The column names, if X had names.

    Examples
    --------
    >>> import numpy as np
    >>> from credence import BayesClassifier
    >>> X = np.array([[-1.0, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> y = np.array([1, 1, 1, 2, 2, 2])
    >>> BayesClassifier().fit(X, y).predict([[-0.8, -1]])
    array([1])
    """

    _setting_names = setting_parameters(SEQUENCE_SETTINGS)

    def __init__(
        self,
        *,
        method: str | tuple[str, Any] | None = None,
        family: str | Mapping[str, str] = "gaussian",
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
        search: str | tuple[str, Any] = "none",
        arcs: str | Sequence[str | tuple[str, str]] = "none",
        estimator: str = "counts",
        em_starts: str | int = "auto",
        latent_nodes: str | Mapping[str, int] = "none",
        iterations: str | int = 1000,
        tolerance: str | float = 1e-07,
        structure_score: str | tuple[str, Any] = "bic",
        ci_test: str = "auto",
        significance: str | float = 0.05,
        required_arcs: str | Sequence[str | tuple[str, str]] = "none",
        forbidden_arcs: str | Sequence[str | tuple[str, str]] = "none",
        tiers: str | Sequence[str | Sequence[str]] = "none",
        max_parents: str | int = "none",
        max_conditioning: str | int = 3,
        restarts: str | int = "auto",
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
        budget: float = 1,
        text: ColumnNames | None = (),
        categorical_features: ColumnNames | ArrayLike | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        cost: Cost | None = None,
        reject: Probability | None = None,
        threshold: Probability | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.family = family
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
        self.search = search
        self.arcs = arcs
        self.estimator = estimator
        self.em_starts = em_starts
        self.latent_nodes = latent_nodes
        self.iterations = iterations
        self.tolerance = tolerance
        self.structure_score = structure_score
        self.ci_test = ci_test
        self.significance = significance
        self.required_arcs = required_arcs
        self.forbidden_arcs = forbidden_arcs
        self.tiers = tiers
        self.max_parents = max_parents
        self.max_conditioning = max_conditioning
        self.restarts = restarts
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
        self.budget = budget
        self.text = text
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.cost = cost
        self.reject = reject
        self.threshold = threshold
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    # ---- Method ----

    #: Whether the rows are enough, and of a kind, to choose the method by cross-validation.
    _may_choose = True

    def fit(self, X: Samples, y: Target, sample_weight: ArrayLike | None = None) -> Self:
        self._may_choose = True
        return super().fit(X, y, sample_weight)

    fit.__doc__ = CredenceClassifier.fit.__doc__

    def partial_fit(self, X: Samples, y: Target, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        if not hasattr(self, "model_"):
            self._may_choose = False
        return super().partial_fit(X, y, classes, sample_weight)

    partial_fit.__doc__ = CredenceClassifier.partial_fit.__doc__

    def _chooses(self) -> bool:
        if self.method is not None:
            return self.method == "auto"
        names = [name for name in (*self._setting_names, "alpha") if name not in ("method", "prior")]
        return self._may_choose and all(_is_equal(getattr(self, name), self._default(name)) for name in names)

    def _setting(self, name: str) -> Any:
        return "naive" if name == "method" and self.method is None else super()._setting(name)

    # ---- Rows ----

    def _columns(self, chosen: Any, parameter: str) -> list[str]:
        """Return the names of the columns that a parameter selects by name, position or mask."""
        if chosen is None or (isinstance(chosen, (tuple, list)) and not chosen):
            return []
        if isinstance(chosen, (str, int)) or not isinstance(chosen, Iterable):
            chosen = [chosen]
        names, items = self._names(), list(chosen)
        if len(items) == len(names) and all(isinstance(item, (bool, np.bool_)) for item in items):
            return [name for name, is_chosen in zip(names, items, strict=True) if is_chosen]
        found = []
        for item in items:
            if isinstance(item, str) and item in names:
                found.append(item)
            elif isinstance(item, (int, np.integer)) and -len(names) <= item < len(names):
                found.append(names[item])
            else:
                raise ValueError(f"{parameter} has {item!r}, which is none of the {len(names)} columns.")
        return found

    def _text_columns(self) -> list[str]:
        """Return the names of the text columns."""
        return self._columns(self.text, "text")

    def _has_texts(self) -> bool:
        return bool(self._text_columns())

    def _task(self, settings: Any, names: list[str] | None = None) -> Task:
        task = super()._task(settings, names)
        task.text = self._text_columns()
        task.categorical = self._columns(self.categorical_features, "categorical_features")
        return task

    def _rows(self, X: Any, reset: bool) -> Any:
        if reset and (issparse(X) or (hasattr(X, "__len__") and len(X) < _FEWEST_CHOSEN)):
            self._may_choose = False
        if is_table(X) and not issparse(X):
            rows = self._table_rows(X, reset)
        else:
            rows = self._array_rows(X, reset)
        if reset:
            self._is_numeric = isinstance(rows, NumberRows)
            self._is_counts = isinstance(rows, CountRows)
        self._meet_truths(rows, reset)
        return rows

    def _meet_truths(self, rows: Any, reset: bool) -> None:
        """Reject numbers in a column that was boolean in `fit`, because 0 and 1 would be new values of that column."""
        dtypes = rows.dtypes() if isinstance(rows, TableRows) else {}
        if reset:
            self._truths = [name for name, dtype in dtypes.items() if dtype.startswith("bool")]
            return
        for name in self._truths:
            if dtypes.get(name, "").startswith(("int", "uint", "float", "double", "decimal")):
                raise ValueError(
                    f"column {name!r} has {dtypes[name]} now, and had truth values when {type(self).__name__} was fitted: "
                    "give it as bool, or fit it as numbers."
                )

    def _takes_counts(self, reset: bool) -> bool:
        """Return whether numeric rows are term counts."""
        if not reset:
            return self._is_counts
        return isinstance(self.family, str) and self.family in COUNT_FAMILIES and self._takes_numbers(reset)

    def _count_rows(self, X: Any) -> CountRows:
        array = check_array(X, accept_sparse="csr", dtype=None, input_name="X")
        whom = f"{type(self).__name__} (input X)"
        check_non_negative(array, whom)
        values = array.data if issparse(array) else array
        if array.dtype.kind == "f" and not all(_are_whole(piece) for piece in np.array_split(values, 1 + values.size // 65536)):
            raise ValueError(
                f"Values that are not whole in data passed to {whom}: family={self.family!r} takes counts of terms, and weighs "
                "them by the parameters tf and length_normalization."
            )
        return CountRows(array)

    def _takes_numbers(self, reset: bool) -> bool:
        """Return whether the model can read numeric rows directly, because all columns are numeric."""
        if not reset:
            return self._is_numeric
        if self._chooses():
            return False
        return not self._text_columns() and not self._columns(self.categorical_features, "categorical_features")

    def _table_rows(self, X: Any, reset: bool) -> Any:
        if hasattr(X, "collect") and not hasattr(X, "shape"):
            X = X.collect()
        elif not hasattr(X, "shape"):  # a stream
            import pyarrow

            X = pyarrow.table(X)
        self._check_names(X, reset)
        if _num_samples(X) == 0:
            raise ValueError(
                f"Found array with 0 sample(s) (shape={tuple(X.shape)}) while a minimum of 1 is required by "
                f"{type(self).__name__}."
            )
        if self._takes_counts(reset) and all(_is_number(dtype) for dtype in getattr(X, "dtypes", [None])):
            return self._count_rows(X.to_numpy())
        block = _float_block(X) if self._takes_numbers(reset) else None
        return NumberRows(block) if block is not None else TableRows(X, self._names(), _num_samples(X))

    def _check_names(self, X: Any, reset: bool) -> None:
        """Compare the column names of a table with the names in `fit`.

        scikit-learn reads the names of some table types only. This method checks the others itself.
        """
        if getattr(getattr(X, "columns", None), "nlevels", 1) > 1:
            columns_of(X)  # raises an error, because columns with several levels have no single names
        if _get_feature_names(X) is not None or type(X).__module__.partition(".")[0] == "pandas":
            validate_data(self, X, skip_check_array=True, reset=reset)
            return
        names = np.array(columns_of(X), dtype=object)
        if reset:
            self.n_features_in_, self.feature_names_in_ = len(names), names
        elif list(names) != self._names():
            unseen = [name for name in names if name not in self._names()]
            absent = [name for name in self._names() if name not in names]
            raise ValueError(
                "The feature names should match those that were passed during fit.\n"
                f"Feature names unseen at fit time: {unseen}\nFeature names seen at fit time, yet now missing: {absent}\n"
                "Feature names must be in the same order as they were in fit.\n"
            )

    def _array_rows(self, X: Any, reset: bool) -> Any:
        if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):  # masked values are missing
            mask, kind = np.ma.getmaskarray(X), X.dtype
            X = np.array(X.data, dtype=np.result_type(kind, np.float32) if kind.kind in "fiu" else object)
            X[mask] = np.nan
        array = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=None, ensure_all_finite=False)
        takes_numbers = self._takes_numbers(reset)
        if self._takes_counts(reset) and array.dtype.kind in "fiub":
            return self._count_rows(array)
        if issparse(array):
            return NumberRows(array) if takes_numbers else TableRows(array.toarray(), self._names(), array.shape[0])
        if takes_numbers and array.dtype.kind in "fiu":
            return NumberRows(array)
        if takes_numbers and array.dtype.kind == "O":
            try:
                return NumberRows(array.astype(np.float64))
            except (TypeError, ValueError):  # some value is not a number
                pass
        return TableRows(array, self._names(), len(array))
