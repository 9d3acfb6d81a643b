# SPDX-License-Identifier: MIT
"""SequenceClassifier: classification of whole sequences with one hidden Markov model per class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from .. import _core
from ..sequences import SequenceModel
from ._base import Samples, SettingParameters, Target, documented, using_threads
from ._labels import check_labels, encode_labels, label_texts, labels_of

_SETTINGS = (
    "states", "order", "topology", "forbidden_transitions", "end_probabilities", "transitions", "state_mixture", "em_starts",
    "iterations", "tolerance", "family", "smoothing", "prior", "variance", "pool_variance", "min_sd", "joint", "covariance",
    "joint_mixture",
)  # fmt: skip


@documented
class SequenceClassifier(SettingParameters, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifier for whole sequences, with one hidden Markov model per class.

    Bayes' rule gives the posterior: P(class | x) is proportional to P(class) P(x | class), where the hidden Markov model of the
    class gives P(x | class). The Baum-Welch algorithm learns the states.

    A sample is a sequence. You can pass sequences in three forms:

    - If each step has one number and all sequences have the same length, use the rows of a two-dimensional array.
    - If each step has several numbers, use a three-dimensional array (sequences, steps, numbers).
    - If lengths differ, use a list of arrays, each of shape (steps,) or (steps, numbers), or a list of frames. Columns of frames
      are matched by name.

    In ``family``, array columns are called x0, x1, ... NaN is a missing number.

    If the individual steps have labels, use :func:`credence.train_sequences`.

    Parameters
    ----------
    {settings}
    random_state : int, RandomState instance or None, default=1
        Seed of the initializations of EM.
    n_jobs : int, default=None
        Number of threads. None means 1, -1 means all CPU cores. Predictions and models do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    model_ : credence.SequenceModel
        The model.
    n_features_in_ : int
        For a two-dimensional array: the number of steps, which must be the same in sequences to predict. Otherwise: the number
        of values per step, and sequences can have any length.

    Examples
    --------
    >>> from credence import SequenceClassifier
    >>> rising, falling = [1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]
    >>> classifier = SequenceClassifier(states=2, topology="left-to-right")
    >>> classifier = classifier.fit([rising, falling] * 5, ["up", "down"] * 5)
    >>> classifier.predict([[0.9, 2.1, 3.2, 3.8]]).tolist()
    ['up']
    """

    _setting_names = _SETTINGS

    classes_: NDArray[Any]
    model_: SequenceModel
    n_features_in_: int
    _names: list[str] | None
    _is_array: bool

    def __init__(
        self,
        *,
        states: str | int = 2,
        order: str | int = 1,
        topology: str | tuple[str, Any] = "ergodic",
        forbidden_transitions: str | Sequence[str | tuple[str, str]] = "none",
        end_probabilities: str = "no",
        transitions: str | tuple[str, Any] = "auto",
        state_mixture: str | int = 1,
        em_starts: str | int = "auto",
        iterations: str | int = 1000,
        tolerance: str | float = 1e-07,
        family: str | Mapping[str, str] = "gaussian",
        alpha: float | None = None,
        smoothing: str | tuple[str, Any] | float = "m:1",
        prior: str | Mapping[Any, float] | Sequence[float] | tuple[str, Any] = "frequency",
        variance: str = "mle",
        pool_variance: str = "none",
        min_sd: str | float = 0,
        joint: str | Sequence[str | Sequence[str]] = "none",
        covariance: str | tuple[str, Any] = "auto",
        joint_mixture: str | int = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
    ) -> None:
        self.states = states
        self.order = order
        self.topology = topology
        self.forbidden_transitions = forbidden_transitions
        self.end_probabilities = end_probabilities
        self.transitions = transitions
        self.state_mixture = state_mixture
        self.em_starts = em_starts
        self.iterations = iterations
        self.tolerance = tolerance
        self.family = family
        self.alpha = alpha
        self.smoothing = smoothing
        self.prior = prior
        self.variance = variance
        self.pool_variance = pool_variance
        self.min_sd = min_sd
        self.joint = joint
        self.covariance = covariance
        self.joint_mixture = joint_mixture
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.three_d_array = True
        return tags

    # ---- Sequences ----

    def _steps(self, X: Any, reset: bool) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the steps of all sequences as the rows of one array, and the length of each sequence."""
        if _is_list(X):
            return self._listed(X, reset)
        is_deep = getattr(X, "ndim", 0) > 2
        if is_deep or not (reset or self._is_array):  # scikit-learn does not check the number of values per step
            array = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan", allow_nd=is_deep)
        else:
            array = validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan")
        if array.ndim > 3:
            raise ValueError(f"Found array with dim {array.ndim}. {type(self).__name__} expected <= 3.")
        if reset:
            self._is_array = array.ndim == 2
            self._names = None
        if array.ndim == 2:
            array = array[:, :, np.newaxis]
        self._check_width(array.shape[2], reset)
        if reset and self._is_array:
            self.n_features_in_ = array.shape[1]
        return array.reshape(-1, array.shape[2]), np.full(len(array), array.shape[1], np.int64)

    def _listed(self, X: Sequence[Any], reset: bool) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the steps and lengths of sequences in a list. Sequences can have any length."""
        if reset:
            self._is_array, self._names = False, _columns_of(X[0])
        items = [self._one(item, number) for number, item in enumerate(X)]
        width = items[0].shape[1] if reset else self._width
        for number, item in enumerate(items):
            if item.ndim != 2 or item.shape[1] != width:
                shape = item.shape[1:]
                raise ValueError(f"X[{number}] has steps of shape {shape}, but {type(self).__name__} is expecting {width}.")
        steps = np.concatenate(items)
        if np.isinf(steps).any():
            raise ValueError("Input X contains infinity or a value too large for dtype('float64').")
        self._check_width(width, reset)
        return steps, np.array([len(item) for item in items], np.int64)

    def _one(self, item: Any, number: int) -> NDArray[np.float64]:
        """Return one sequence as a two-dimensional array. Columns of frames are matched by name."""
        names = _columns_of(item)
        if names is not None and self._names is not None:
            if sorted(names) != sorted(self._names):
                raise ValueError(f"X[{number}] has the columns {names}, but {type(self).__name__} is expecting {self._names}.")
            item = item[self._names]
        array: NDArray[np.float64] = np.asarray(item, dtype=np.float64)
        return array.reshape(-1, 1) if array.ndim == 1 else array

    def _check_width(self, width: int, reset: bool) -> None:
        if reset:
            self._width = self.n_features_in_ = width
        elif width != self._width:
            raise ValueError(f"X has {width} numbers a step, but {type(self).__name__} is expecting {self._width}.")

    def _sequences(self, steps: NDArray[np.float64], lengths: NDArray[np.int64], codes: Any = None, texts: Any = None) -> Any:
        frame = _core.make_frame(len(steps))
        names = [f"x{column}" for column in range(steps.shape[1])] if self._names is None else [str(name) for name in self._names]
        for column in range(steps.shape[1]):
            frame.add_numbers(names[column], np.ascontiguousarray(steps[:, column]))
        target = "class"
        while target in names:
            target += "_"
        if codes is not None:
            frame.add_codes(target, np.repeat(codes, lengths), texts)
        return _core.frame_sequences(frame, lengths.tolist(), None if codes is None else target)

    # ---- Fitting and predictions ----

    def fit(self, X: Samples, y: Target) -> Self:
        """Fit one hidden Markov model per class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_steps) or (n_samples, n_steps, n_numbers), or list of arrays
            Sequences.
        y : array-like of shape (n_samples,)
            Class of each sequence.

        Returns
        -------
        self : object
        """
        if y is None:
            check_labels(y, self)
        self._make_settings()  # checks the parameters before the data
        steps, lengths = self._steps(X, reset=True)
        labels = check_labels(y, self)
        check_consistent_length(lengths, labels)
        encoded = encode_labels(labels)
        settings = _core.make_settings({"method": "sequence"}, self._make_settings(encoded.classes))
        if lengths.sum() == 0:
            raise ValueError("X has no steps: sequences need at least one.")
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max) if self.random_state != 1 else 1
        sequences = self._sequences(steps, lengths, encoded.codes, encoded.texts)
        with using_threads(self._threads()):
            core = _core.train_sequence_classes(sequences, None, settings, seed=int(seed))
        self.classes_ = encoded.classes
        self.model_ = SequenceModel(core, {"rows": len(steps), "sequences": len(lengths)})
        self.model_._labels = labels_of(encoded.classes)
        return self

    def _answers(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the log posteriors and the probabilities, in the order of classes_."""
        check_is_fitted(self)
        steps, lengths = self._steps(X, reset=False)
        found = self.model_._hmm({})
        names = found.classes()
        shape = (len(lengths), len(names))
        likelihoods, logs, probabilities, evidence = np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape[0])
        with using_threads(self._threads()):
            found.posteriors(self._sequences(steps, lengths), likelihoods, logs, probabilities, evidence)
        order = [names.index(text) for text in label_texts(self.classes_)]
        return logs[:, order], probabilities[:, order]

    def predict(self, X: Samples) -> NDArray[Any]:
        """Predict the most probable class of each sequence.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_steps) or (n_samples, n_steps, n_numbers), or list of arrays
            Sequences.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        logs, _ = self._answers(X)
        predicted: NDArray[Any] = self.classes_[logs.argmax(axis=1)]
        return predicted

    def predict_proba(self, X: Samples) -> NDArray[np.float64]:
        """Return the posterior probability of each class, in the order of `classes_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_steps) or (n_samples, n_steps, n_numbers), or list of arrays
            Sequences.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
        """
        return self._answers(X)[1]

    def predict_log_proba(self, X: Samples) -> NDArray[np.float64]:
        """Return the logarithms of the posterior probabilities. They are exact even if a probability is too small for a double.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_steps) or (n_samples, n_steps, n_numbers), or list of arrays
            Sequences.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
        """
        return self._answers(X)[0]


def _is_list(X: Any) -> bool:
    """Return whether X is a list of separate sequences: arrays, frames, or lists of different lengths.

    Lists of equal lengths form an array, as everywhere in scikit-learn.
    """
    if not isinstance(X, (list, tuple)) or len(X) == 0:
        return False
    if all(isinstance(item, (list, tuple)) for item in X):
        return len({len(item) for item in X}) > 1
    return all(hasattr(item, "columns") or isinstance(item, (list, tuple)) or np.ndim(item) > 0 for item in X)


def _columns_of(item: Any) -> list[str] | None:
    """Return the column names of a frame, or None if `item` is not a frame."""
    columns = getattr(item, "columns", None)
    return None if columns is None else [str(name) for name in columns]
