# SPDX-License-Identifier: MIT
"""Base classes of the classifiers: they train a model from rows and labels, and compute predictions from the model."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Protocol, Self, TypeAlias, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
)

from .. import _core, _settings
from .._types import ArrowStream, Frame, LazyFrame, Series
from ..decisions import make_rule
from ..errors import Error, SettingError, issue
from ..model import Model
from ..train import Remedies, _check_classes, _check_columns, _check_method, one_class, row_number
from ..train import _budget as check_budget
from ._labels import Labels, by_texts, check_labels, encode_labels, label_texts, labels_of, named_actions
from ._rows import Answers, NumberRows, Outcome, TableRows, Task

try:
    from sklearn.utils._param_validation import InvalidParameterError
except ImportError:  # the name is private, so a later scikit-learn may remove it
    InvalidParameterError = ValueError



class SparseMatrix(Protocol):
    """A scipy sparse matrix or sparse array."""

    def tocsr(self) -> Any: ...


#: Rows: an array, a sparse matrix, a pandas or polars frame, or an Arrow table.
Samples: TypeAlias = Union[ArrayLike, SparseMatrix, Frame, LazyFrame, ArrowStream]
#: A class for each row.
Target: TypeAlias = Union[ArrayLike, Series, ArrowStream]
#: Maps parameter names to setting names if they differ. The parameter cannot be called `score`, because that is a method of classifiers.
SETTINGS = {"structure_score": "score"}
#: Settings of hidden Markov models. They do not apply to independent rows.
SEQUENCE_SETTINGS = (
    "states", "order", "topology", "forbidden_transitions", "end_probabilities", "transitions", "state_mixture", "unseen_words",
)  # fmt: skip

#: The column type that each of these families applies to. None of them changes how numeric columns are modeled.
FAMILY_TYPES = {"categorical": "categorical", "multinomial": "text", "complement": "text", "words-dirichlet": "text"}


def is_table(X: Any) -> bool:
    """Return whether the columns of X can have different types: X is a pandas or polars frame or an Arrow table, not a single column."""
    if isinstance(X, np.ndarray):
        return False
    if hasattr(X, "collect_schema"):  # polars, lazy or not
        return True
    if not hasattr(X, "__arrow_c_stream__") and not (hasattr(X, "columns") and hasattr(X, "dtypes")):
        return False
    shape = getattr(X, "shape", None)
    return not hasattr(X, "to_pylist") if shape is None else len(shape) == 2


@contextmanager
def using_threads(threads: int) -> Iterator[None]:
    """Limit all library calls in this block to at most `threads` threads."""
    _core.begin_options(threads=threads)
    try:
        yield
    finally:
        _core.end_options()


#: The remedies that warnings suggest to users of estimators for changing a column's type.
_REMEDIES = Remedies(
    ignore="leave the column out of X",
    text="text=[{0!r}] counts its words",
    categorical="categorical_features=[{0!r}] makes it categorical",
    missing="replace {2} by NaN to mark missing values",
    numeric="replace {2} by NaN, and convert the column to numbers",
)
_CHECKED_ROWS, _CHECKED_CELLS, _FEWEST_CHECKED = 1000, 200_000, 50


class SettingParameters:
    """Mixin that exposes settings as parameters of an estimator."""

    def __new__(cls, *arguments: Any, **parameters: Any) -> Self:
        known = inspect.signature(cls.__init__).parameters
        for name in parameters:
            if name not in known:
                raise _settings.unexpected(name, cls.__name__, list(known)[1:])
        return super().__new__(cls)

    _setting_names: ClassVar[tuple[str, ...]] = ()

    n_jobs: int | None

    def _threads(self) -> int:
        if self.n_jobs == 1:
            return 1
        if self.n_jobs is not None and (isinstance(self.n_jobs, bool) or not isinstance(self.n_jobs, (int, np.integer))):
            raise InvalidParameterError(
                f"The 'n_jobs' parameter of {type(self).__name__} must be an instance of 'int' or None. "
                f"Got {self.n_jobs!r} instead."
            )
        from joblib import effective_n_jobs

        return int(effective_n_jobs(self.n_jobs))

    def _setting(self, name: str) -> Any:
        value = getattr(self, name)
        if name == "stop_words" and isinstance(value, str) and value == "english":
            raise InvalidParameterError(
                f"The 'stop_words' parameter of {type(self).__name__} must be 'none', 'auto' or a list of words. "
                "Got 'english' instead: no list is built in. stop_words='auto' finds words that tell classes apart too little; "
                "sorted(sklearn.feature_extraction.text.ENGLISH_STOP_WORDS) is the list of CountVectorizer, and ['english'] is "
                "the word."
            )
        return value

    def _chooses(self) -> bool:
        """Return whether cross-validation chooses the method and the family."""
        return getattr(self, "method", None) == "auto"

    def _default(self, name: str) -> Any:
        return inspect.signature(type(self).__init__).parameters[name].default

    def _make_settings(self, classes: NDArray[Any] | None = None) -> Any:
        texts: dict[str, Any] = {}
        chosen = {_settings.keyword(name) for name in _core.chosen_settings()} | {"method"} if self._chooses() else set()
        smoothed = self._smoothing()
        for name in self._setting_names:
            value = smoothed.get(name, self._setting(name))
            if name == "prior" and classes is not None:
                value = _settings.named_prior(value, label_texts(classes))
            if name in chosen:
                if name != "method" and value != self._default(name):
                    raise ValueError(f"method='auto' and {name} do not go together: leave {name} out.")
                continue
            try:
                made = _settings.texts({SETTINGS.get(name, name): value})
                if value is None or not _is_default(made):
                    _core.make_settings(made)
                    texts.update(made)
            except (SettingError, TypeError, ValueError) as error:
                raise InvalidParameterError(
                    f"The {name!r} parameter of {type(self).__name__} must be "
                    f"{_settings.syntax(SETTINGS.get(name, name))}. Got {value!r} instead. ({error})"
                ) from error
        self._check_network(texts)
        return _core.make_settings(texts)

    def _smoothing(self) -> dict[str, Any]:
        """Return the settings that `alpha` sets."""
        given: dict[str, Any] = {}
        for name in ("smoothing", "term_smoothing"):
            if name in self._setting_names:
                given[name] = getattr(self, name)
        own = {name: value for name, value in given.items() if value != self._default(name)}
        own |= {"alpha": getattr(self, "alpha", None), "family": getattr(self, "family", None)}
        made = _settings.with_alpha(own, bool(self._has_texts()))
        return {name: value for name, value in made.items() if name in given}

    def _has_texts(self) -> bool:
        """Return whether any column is a text column."""
        return False

    def _check_network(self, texts: dict[str, Any]) -> None:
        """Set the method to "network" if arcs or a search are given, as `credence.train` does.

        Other settings that apply only to networks raise a ValueError if the method is not a network.
        """
        if _settings.has_structure(texts) and not self._chooses():
            texts.setdefault("method", "network")
        if texts.get("method", "naive").partition(":")[0] in ("network", "tan", "kdb", "sequence"):
            return
        for name in ("latent_nodes", "estimator"):
            if name.replace("_", "-") in texts and name in self._setting_names and "method" in self._setting_names:
                raise ValueError(
                    f"{name}={getattr(self, name)!r} is for networks, and method={self._setting('method')!r} is none: "
                    "a network has arcs=..., search=... or method='network'."
                )


class CredenceClassifier(SettingParameters, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of the classifiers. It implements fitting, forgetting, merging and predicting."""

    classes_: NDArray[Any]
    model_: Model
    n_features_in_: int

    # ---- Rows ----

    def _rows(self, X: Any, reset: bool) -> Any:
        """Convert X to the rows class that reads it."""
        raise NotImplementedError

    def _names(self) -> list[str]:
        """Return the column names that X had in `fit`, or x0, x1, ... if it had none."""
        names = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    def _task(self, settings: Any, names: list[str] | None = None) -> Task:
        threads, chooses = self._threads(), self._chooses()
        return Task(names or self._names(), self._target, self._weight, settings, threads=threads, chooses=chooses, budget=check_budget(getattr(self, "budget", 1)))

    def _name_columns(self, y: Any) -> None:
        """Choose names for the target and the weight that no column has."""
        taken = set(self._names())
        name = getattr(y, "name", None)
        self._target = name if isinstance(name, str) and name and name not in taken else _free("class", taken)
        self._weight = _free("weight", taken | {self._target})

    # ---- Learning ----

    def _outcome(self, rows: Any, y: Any, sample_weight: Any) -> tuple[Labels, NDArray[np.float64] | None]:
        labels = check_labels(y, self)
        if rows.count != len(labels):
            check_consistent_length(np.empty(rows.count), labels)
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, np.empty((rows.count, 0)), dtype=np.float64, ensure_non_negative=True
            )
            if not weights.any():
                raise ValueError("Sample weights must contain at least one non-zero number.")
            weights = np.ascontiguousarray(weights)
        return encode_labels(labels), self._class_weights(labels, weights)

    def _class_weights(self, labels: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        """Return the row weights multiplied by the class weights."""
        class_weight = getattr(self, "class_weight", None)
        if class_weight is None:
            return weights
        if not isinstance(class_weight, Mapping) and class_weight != "balanced":
            raise InvalidParameterError(
                f"The 'class_weight' parameter of {type(self).__name__} must be 'balanced', a dict of classes and weights, or None. "
                f"Got {class_weight!r} instead."
            )
        made: NDArray[np.float64] = compute_sample_weight(class_weight, labels)
        return made if weights is None else made * weights

    @contextmanager
    def _worded(self) -> Iterator[None]:
        """Raise library errors about rows with scikit-learn's wording if scikit-learn has a message for them."""
        try:
            yield
        except Error as error:
            if error.code == "number" and "infinit" in error.message:
                raise ValueError(
                    f"Input X contains infinity or a value too large for dtype('float64'). ({error})"
                ) from error
            raise

    def fit(self, X: Samples, y: Target, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model to rows and their classes. An earlier fit is discarded.

        Parameters
        ----------
        X : {array-like, sparse matrix, pandas or polars DataFrame, Arrow table} of shape (n_samples, n_features)
            Rows. NaN, None and null are missing values. Strings, categories, booleans and dates need no encoding.
        y : array-like of shape (n_samples,)
            Class of each row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: the number of rows that it counts as.

        Returns
        -------
        self : object
        """
        rows = self._rows(X, reset=True)
        labels, weights = self._outcome(rows, y, sample_weight)
        self._name_columns(y)
        self._learn_first(rows, labels, labels.classes, weights)
        return self

    def _learn_first(
        self, rows: Any, labels: Labels, classes: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> None:
        task = self._task(self._make_settings(classes))
        outcome = Outcome(labels.codes, labels.texts, weights)
        declared = None if len(classes) == len(labels.classes) else label_texts(classes)
        with using_threads(task.threads), self._worded():
            model = Model(rows.train(task, outcome, declared), {"rows": rows.count, **task.facts})
            self._check_family(model)
            model._changed()  # marks the fitted parameters as outdated, so the next call fits and stores them
            model._classifier({})  # raises an error here if the settings do not suit the rows
        self.classes_ = classes
        self.class_count_ = _counts(labels, classes, weights)
        self.model_ = model
        self.model_._labels = labels_of(classes)
        self._warn(rows, task, outcome)

    def _warn(self, rows: Any, task: Task, outcome: Outcome) -> None:
        """Issue the warnings that :func:`credence.train` issues."""
        if isinstance(rows, TableRows):
            reading = {"categorical": task.categorical, "text": task.text}
            _check_columns(self.model_, task.reader, reading, _REMEDIES, has_labels=True)
        else:
            _check_classes(_core.check_model(self.model_._core))
        if not isinstance(rows, TableRows) and len(self.classes_) == 1:
            issue(one_class(self._target, self.model_.classes[0]))
        most = min(_CHECKED_ROWS, _CHECKED_CELLS // max(1, self.n_features_in_))
        if outcome.weights is not None or most < _FEWEST_CHECKED or rows.count < _FEWEST_CHECKED:
            return
        if isinstance(rows, NumberRows):
            for name, appearance in _core.check_rows(rows.first(task, outcome, most), most):
                if appearance == "row number" and name in self.model_.attributes:
                    issue(row_number(name, _REMEDIES))
            self._check_sample(rows, task, outcome, most)
        elif isinstance(rows, TableRows):
            _check_method(self.model_, task.reader)

    def _check_sample(self, rows: NumberRows, task: Task, outcome: Outcome, most: int) -> None:
        """Check the method on a model trained from the sample.

        If the model had more rows than the sample, the library would use only a part of the sample.
        """
        if rows.count <= most:
            _check_method(self.model_, rows.sample(task, outcome, most))
            return
        small = Model(_core.train_model(rows.sample(task, outcome, most), task.settings)[0])
        _check_method(small, rows.sample(task, outcome, most))
        self.model_.facts.update(small.facts)

    @property
    def choice_(self) -> dict[str, Any]:
        """The comparison made by ``method="auto"``: the recommended settings, and the scores of all candidates."""
        check_is_fitted(self)
        if "choice" not in self.model_.facts:
            raise AttributeError(f"choice_ is of method='auto', and method is {getattr(self, 'method', None)!r}")
        choice: dict[str, Any] = self.model_.facts["choice"]
        return choice

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The mutual information between each column of X and the class under the model, in bits.

        It is the expected information gain of the column when no other column is known. The gains of the parts of a date are
        added up. A text column has NaN.
        """
        check_is_fitted(self)
        gains = self.model_._information()
        names, known = self._names(), set(self.model_.attributes)
        texts = {column["name"] for column in self.model_.schema().to_dict()["columns"] if column["type"] == "text"}
        if texts and known == texts:
            raise AttributeError(f"{type(self).__name__} has no feature_importances_ of documents: model_.words() lists words")
        of_dates: dict[str, float] = {}
        for name, gain in gains.items():
            column = name if name in names else name.rpartition(".")[0]
            of_dates[column] = of_dates.get(column, 0.0) + gain
        return np.array([np.nan if name in texts else of_dates.get(name, 0.0) for name in names])

    def _check_family(self, model: Model) -> None:
        """Raise a ValueError if X has no column of the type that the family applies to, instead of ignoring the family."""
        family = getattr(self, "family", None)
        type_ = FAMILY_TYPES.get(family) if isinstance(family, str) else None
        if type_ is None or family == self._default("family"):
            return
        if not any(column["type"] == type_ for column in model.schema().to_dict()["columns"] if column["name"] != model.target):
            remedy = "categorical_features" if type_ == "categorical" else "text"
            raise ValueError(f"family={family!r} is for {type_} columns, and X has none: use {remedy}=[...].")

    def partial_fit(self, X: Samples, y: Target, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model to additional rows. The result equals a single `fit` to all rows.

        ``method="auto"`` is an exception: it chooses the method and the families from the rows of the first call only.

        Parameters
        ----------
        X : {array-like, sparse matrix, pandas or polars DataFrame, Arrow table} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Class of each row.
        classes : array-like of shape (n_classes,), default=None
            All classes that can occur in this and later calls. Required in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: the number of rows that it counts as.

        Returns
        -------
        self : object
        """
        is_first = not hasattr(self, "model_")
        if getattr(self, "class_weight", None) == "balanced":
            raise ValueError("class_weight='balanced' needs all rows at once: partial_fit takes a dict of classes and weights.")
        if classes is None and is_first:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        known = None if classes is None else np.unique(check_labels(classes, self))
        if known is not None and not is_first and not np.array_equal(known, self.classes_):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )
        rows = self._rows(X, reset=is_first)
        labels, weights = self._outcome(rows, y, sample_weight)
        all_classes: NDArray[Any] = known if is_first and known is not None else self.classes_
        unknown = labels.classes[~np.isin(labels.classes, all_classes)]
        if len(unknown) > 0:
            raise ValueError(
                f"The target label(s) {unknown} in y do not exist in the initial classes {all_classes}"
            )
        if is_first:
            if self._chooses():
                issue("method='auto' chooses by the rows of the first call of partial_fit only; use fit to choose by all rows")
            self._name_columns(y)
            self._learn_first(rows, labels, all_classes, weights)
        else:
            self._change("update", rows, labels, weights)
        return self

    def forget(self, X: Samples, y: Target, sample_weight: ArrayLike | None = None) -> Self:
        """Remove rows that the model was fitted to. The result equals a model that was never fitted to them.

        Rows that the model was not fitted to are an error, and the model is left unchanged.

        Parameters
        ----------
        X : {array-like, sparse matrix, pandas or polars DataFrame, Arrow table} of shape (n_samples, n_features)
            Rows, exactly as they were passed to `fit` or `partial_fit`.
        y : array-like of shape (n_samples,)
            Class of each row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, if the rows were fitted with weights.

        Returns
        -------
        self : object
        """
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        labels, weights = self._outcome(rows, y, sample_weight)
        unknown = labels.classes[~np.isin(labels.classes, self.classes_)]
        if len(unknown) > 0:
            raise ValueError(f"The target label(s) {unknown} in y do not exist in the initial classes {self.classes_}")
        self._change("forget", rows, labels, weights)
        return self

    def _change(self, how: str, rows: Any, labels: Labels, weights: NDArray[np.float64] | None) -> None:
        core = self.model_._core
        if self.model_.weight is not None:
            weights = np.ones(rows.count) if weights is None else weights
        elif weights is not None and how == "update":
            _core.set_model_weight(core, self._weight)
        task = self._task(_core.make_settings(core.info()["settings"]))
        with using_threads(task.threads), self._worded():
            getattr(rows, how)(core, task, Outcome(labels.codes, labels.texts, weights))
        self.model_._changed()
        self.model_.facts["rows"] += rows.count if how == "update" else -rows.count
        change = _counts(labels, self.classes_, weights)
        self.class_count_ = self.class_count_ + (change if how == "update" else -change)
        self._drop_declared()

    def _drop_declared(self) -> None:
        """Drop the declared classes once every class has rows.

        The model then equals the model that `fit` makes, which declares no classes.
        """
        if np.all(self.class_count_ > 0):
            _core.drop_declared_classes(self.model_._core)

    def merge(self, other: CredenceClassifier) -> Self:
        """Merge another classifier, which was fitted to other rows, into this one.

        Both classifiers must have the same columns and the same parameters.

        Parameters
        ----------
        other : object
            A fitted classifier of the same type.

        Returns
        -------
        self : object
        """
        check_is_fitted(self)
        if not isinstance(other, type(self)):
            raise TypeError(f"other: expected a {type(self).__name__}, got {type(other).__name__}")
        check_is_fitted(other)
        if self.n_features_in_ != other.n_features_in_:
            raise ValueError(
                f"other has {other.n_features_in_} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        if ("U" if self.classes_.dtype.kind == "O" else self.classes_.dtype.kind) != (
            "U" if other.classes_.dtype.kind == "O" else other.classes_.dtype.kind
        ):
            raise ValueError(
                f"other has labels of dtype {other.classes_.dtype}, but {type(self).__name__} has labels of dtype "
                f"{self.classes_.dtype}."
            )
        classes = np.unique(np.concatenate([self.classes_, other.classes_]))
        label_texts(classes)
        mine, theirs = self.model_, other.model_
        if mine.weight is None and theirs.weight is not None:
            mine = mine.copy()
            _core.set_model_weight(mine._core, theirs.weight)
        elif mine.weight is not None and theirs.weight is None:
            theirs = theirs.copy()
            _core.set_model_weight(theirs._core, mine.weight)
        self.model_ = mine.merge(theirs)
        self._weight = self.model_.weight or self._weight
        counts = np.zeros(len(classes))
        counts[np.searchsorted(classes, self.classes_)] += self.class_count_
        counts[np.searchsorted(classes, other.classes_)] += other.class_count_
        self.classes_, self.class_count_ = classes, counts
        self._drop_declared()
        self.model_._labels = labels_of(classes)
        return self

    # ---- Predictions ----

    def _answers(self, X: Any, asked: str) -> tuple[Answers, NDArray[np.intp]]:
        """Return the predictions for rows, and the index in classes_ of each class of the model."""
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        task = self._task(None)
        with using_threads(task.threads), self._worded():
            classifier = self.model_._classifier({})
            names = classifier.classes()
            answers = Answers(rows.count, len(names), asked)
            rows.classify(self.model_._core, classifier, task, answers)
        places = {text: place for place, text in enumerate(label_texts(self.classes_))}
        return answers, np.array([places[name] for name in names], dtype=np.intp)

    def _in_order(self, values: NDArray[Any], places: NDArray[np.intp], absent: float) -> NDArray[Any]:
        """Return the columns in the order of classes_. A class without rows in the model gets the value `absent`."""
        if np.array_equal(places, np.arange(len(self.classes_))):
            return values
        full = np.full((len(values), len(self.classes_)), absent)
        full[:, places] = values
        return full

    def predict(self, X: Samples) -> NDArray[Any]:
        """Predict the most probable class of each row.

        If the classifier has a decision rule (`cost`, `reject` or `threshold`), the result contains the action that the rule chooses.

        Parameters
        ----------
        X : {array-like, sparse matrix, pandas or polars DataFrame, Arrow table} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        if self._has_rule():
            return self._decide(X)
        answers, places = self._answers(X, "decisions")
        decisions = answers.decisions
        assert decisions is not None
        # If every class has probability 0, no class is the most probable: choose the first.
        np.maximum(decisions, 0, out=decisions)
        predicted: NDArray[Any] = self.classes_[places].take(decisions)
        return predicted

    def _has_rule(self) -> bool:
        return any(getattr(self, name, None) is not None for name in ("cost", "reject", "threshold"))

    def _decide(self, X: Any) -> NDArray[Any]:
        """Return the actions that the decision rule chooses: classes, or the names of other actions."""
        answers, places = self._answers(X, "all")
        assert answers.probabilities is not None and answers.log_posteriors is not None
        texts = label_texts(self.classes_)
        rule = make_rule(
            [texts[place] for place in places],
            cost=by_texts(getattr(self, "cost", None), texts),
            reject=by_texts(getattr(self, "reject", None), texts),
            threshold=by_texts(getattr(self, "threshold", None), texts),
        )
        assert rule is not None
        taken = np.empty(len(answers.probabilities), dtype=np.int32)
        rule.decide(answers.log_posteriors, answers.probabilities, taken, np.empty(len(taken)))
        np.maximum(taken, 0, out=taken)
        labels = named_actions(getattr(self, "cost", None), getattr(self, "reject", None))
        labels.update(zip(texts, self.classes_.tolist(), strict=True))
        actions = [labels.get(action, action) for action in rule.actions()]
        if all(action in texts for action in rule.actions()):
            return np.asarray(actions, dtype=self.classes_.dtype).take(taken)
        if len({isinstance(action, numbers.Real) for action in actions}) == 1 and self.classes_.dtype.kind in "biufU":
            return np.asarray(actions).take(taken)
        named = np.empty(len(actions), dtype=object)
        named[:] = actions
        decided: NDArray[Any] = named.take(taken)
        return decided

    def score(self, X: Samples, y: Target, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy: the proportion of rows whose class `predict` returns.

        A row that `predict` leaves undecided counts as an error.

        Parameters
        ----------
        X : {array-like, sparse matrix, pandas or polars DataFrame, Arrow table} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Class of each row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: the number of rows that it counts as.

        Returns
        -------
        score : float
        """
        if not self._has_rule():
            return float(super().score(X, y, sample_weight))
        decided, labels = self.predict(X), check_labels(y, self)
        check_consistent_length(decided, labels, sample_weight)
        # Actions and classes can have several types, which have no common order, so they are compared one by one.
        is_right = decided.astype(object) == labels.astype(object)
        weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        return float(np.average(is_right.astype(np.float64), weights=weights))

    def predict_proba(self, X: Samples) -> NDArray[np.float64]:
        """Return the posterior probability of each class, in the order of `classes_`.

        Parameters
        ----------
        X : {array-like, sparse matrix, pandas or polars DataFrame, Arrow table} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
        """
        answers, places = self._answers(X, "probabilities")
        assert answers.probabilities is not None
        return self._in_order(answers.probabilities, places, 0.0)

    def predict_log_proba(self, X: Samples) -> NDArray[np.float64]:
        """Return the logarithms of the posterior probabilities. They are exact even if a probability is too small for a double.

        Parameters
        ----------
        X : {array-like, sparse matrix, pandas or polars DataFrame, Arrow table} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
        """
        answers, places = self._answers(X, "logs")
        assert answers.log_posteriors is not None
        return self._in_order(answers.log_posteriors, places, -np.inf)

    def predict_joint_log_proba(self, X: Samples) -> NDArray[np.float64]:
        """Return the joint log probability log P(x, y) of each row and each class.

        Parameters
        ----------
        X : {array-like, sparse matrix, pandas or polars DataFrame, Arrow table} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
        """
        answers, places = self._answers(X, "joint")
        assert answers.log_posteriors is not None and answers.records is not None
        answers.log_posteriors += answers.records["log_evidence"][:, np.newaxis]
        return self._in_order(answers.log_posteriors, places, -np.inf)


_Estimator = TypeVar("_Estimator", bound=SettingParameters)


def _is_default(texts: Mapping[str, str]) -> bool:
    return all(text == _settings.default(_settings.keyword(name)) for name, text in texts.items())


def setting_parameters(left_out: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parameter names of all settings except those in `left_out`."""
    other = {name: parameter for parameter, name in SETTINGS.items()}
    return tuple(other.get(name, name) for name in _settings.names() if name not in left_out)


def documented(estimator: type[_Estimator]) -> type[_Estimator]:
    """Insert the descriptions of the settings into the docstring of a classifier."""
    lines = _settings.describe([SETTINGS.get(name, name) for name in estimator._setting_names]).split("\n")
    other = {name: parameter for parameter, name in SETTINGS.items()}
    parameters = inspect.signature(estimator.__init__).parameters
    for place, line in enumerate(lines):
        name, colon, rest = line.partition(" : ")
        name = other.get(name, name)
        if colon and name in parameters:
            lines[place] = f"{name} : {rest.rpartition(', default ')[0]}, default {parameters[name].default}"
    estimator.__doc__ = inspect.cleandoc(estimator.__doc__ or "").replace("{settings}", "\n".join(lines))
    return estimator


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _counts(labels: Labels, classes: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the number of rows, or the sum of the weights, of each class."""
    met = np.bincount(labels.codes, weights, len(labels.met))
    counts = np.zeros(len(classes))
    counts[np.searchsorted(classes, labels.met)] = met
    return counts
