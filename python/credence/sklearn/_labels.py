# SPDX-License-Identifier: MIT
"""Row labels: converts labels to integer codes in one pass, and to the texts that a model stores as class names."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_y, column_or_1d

from .. import _core
from .._label_types import TEXTS, LabelType, label_text

_UNKNOWN = (
    "Unknown label type: {}. Maybe you are trying to fit a classifier, which expects discrete classes on a regression "
    "target with continuous values."
)


class Labels(NamedTuple):
    """The label of each row as an integer code, and the class of each code."""

    codes: NDArray[np.int32]
    met: NDArray[Any]  # the class of each code
    classes: NDArray[Any]  # the classes in `met`, sorted
    texts: list[str]  # the text of each class in `met`


def label_texts(classes: NDArray[Any]) -> list[str]:
    """Return the text of each class. Raise a ValueError if two classes have the same text."""
    texts = [label_text(label) for label in (classes if classes.dtype.kind in "mM" else classes.tolist())]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise ValueError(f"y has several labels whose text is {twice!r}: classes need texts that differ.")
    return texts


def labels_of(classes: NDArray[Any]) -> LabelType:
    """Return the type of the class labels. A model uses it to return labels instead of their texts."""
    labels = classes.tolist() if classes.dtype.kind not in "mM" else list(classes)
    if all(isinstance(label, str) for label in labels):
        return TEXTS
    return LabelType("", dict(zip(label_texts(classes), labels, strict=True)), classes.dtype)


def by_texts(given: Any, texts: list[str]) -> Any:
    """Replace the labels in a parameter by their texts.

    An array of costs, in the order of `classes_`, becomes a mapping with class names.
    """
    if isinstance(given, Mapping):
        keys = {label: label_text(label) for label in given}
        keys |= {label: label for label, text in keys.items() if isinstance(label, tuple) and text not in texts}  # not a label
        return {keys[label]: by_texts(value, texts) for label, value in given.items()}
    if isinstance(given, (list, np.ndarray)):
        table = np.asarray(given, dtype=np.float64)
        if table.shape == (len(texts), len(texts)):
            return {true: dict(zip(texts, row, strict=True)) for true, row in zip(texts, table.tolist(), strict=True)}
    return given


def named_actions(cost: Any, reject: Any) -> dict[str, Any]:
    """Return the actions that the mappings name, keyed by their texts. `predict` returns an action with its original type."""
    rows = [row for row in cost.values() if isinstance(row, Mapping)] if isinstance(cost, Mapping) else []
    rows += [reject] if isinstance(reject, Mapping) else []
    return {label_text(action): action for row in rows for action in row}


def _is_missing(label: Any) -> bool:
    return label is None or (isinstance(label, numbers.Real) and label != label) or type(label).__name__ in ("NAType", "NaTType")


def _of_objects(y: NDArray[Any], codes: NDArray[np.int32]) -> NDArray[Any]:
    """Return the distinct labels of an object array, in the order of their first occurrences, and fill `codes`."""
    try:
        met = _core.encode_objects(y.tolist(), codes)
    except TypeError as error:  # an object that cannot be hashed is not a label
        raise ValueError(_UNKNOWN.format("unknown")) from error
    if any(_is_missing(label) for label in met):
        raise ValueError("Input y contains NaN.")
    if all(isinstance(label, numbers.Real) for label in met):
        return np.asarray(met)
    made = np.empty(len(met), dtype=object)
    made[:] = met
    return made


def _distinct(y: NDArray[Any], codes: NDArray[np.int32]) -> NDArray[Any]:
    if y.dtype.kind == "O":
        return _of_objects(y, codes)
    items = y.view(np.int64) if y.dtype.kind in "mM" else y
    met: NDArray[Any] = y[_core.encode_items(items, codes)]
    if y.dtype.kind == "f" and not np.all(np.isfinite(met)):
        what = "NaN" if np.isnan(met).any() else f"infinity or a value too large for {met.dtype!r}"
        raise ValueError(f"Input y contains {what}.")
    if y.dtype.kind == "f" and np.count_nonzero(met == 0) > 1:  # 0 and -0 are the same label
        return _distinct(y + 0.0, codes)
    return met


def check_labels(y: Any, estimator: Any) -> NDArray[Any]:
    """Return the labels as a one-dimensional array."""
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    if getattr(y, "ndim", None) == 2 and not hasattr(y, "toarray") and y.shape[1] != 1:
        shape = tuple(y.shape)
        raise ValueError(f"y should be a 1d array, got an array of shape {shape} instead.")
    if hasattr(y, "toarray"):
        _check_y(y, multi_output=False, estimator=estimator)  # rejects sparse labels
    if type(y).__module__.partition(".")[0] == "pandas" and not isinstance(getattr(y, "dtype", None), (np.dtype, type(None))):
        y = np.asarray(y)  # nullable integers become integers
    array: NDArray[Any] = column_or_1d(y, warn=True)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind == "V" or not array.dtype.isnative:
        array = array.astype(object if array.dtype.kind == "V" else array.dtype.newbyteorder("="))
    return array


def encode_labels(y: NDArray[Any]) -> Labels:
    """Assign codes to labels, in the order of their first occurrences."""
    codes = np.empty(len(y), dtype=np.int32)
    met = _distinct(y, codes)
    if met.dtype.kind == "f" and np.any(met != np.floor(met)):
        raise ValueError(_UNKNOWN.format("continuous"))
    try:
        classes = np.sort(met)
    except TypeError as error:  # labels of several types cannot be sorted
        raise ValueError(_UNKNOWN.format("unknown")) from error
    if len(y) > 20 and len(met) > round(len(y) * 0.5):
        warnings.warn(
            "The number of unique classes is greater than 50% of the number of samples. `y` could represent a regression "
            "problem, not a classification problem.",
            UserWarning,
            stacklevel=4,
        )
    return Labels(codes, met, classes, label_texts(met))
