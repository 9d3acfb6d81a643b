# SPDX-License-Identifier: MIT
"""SequenceClassifier: scikit-learn's checks, and sequences of all shapes."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import credence
from credence import SequenceClassifier


@parametrize_with_checks([SequenceClassifier()])
def test_check_of_scikit_learn(estimator, check):
    check(estimator)


def series(count, steps, seed=0):
    """Rising and falling sequences of two numbers a step, with noise."""
    random = np.random.default_rng(seed)
    classes = np.arange(count) % 2
    slopes = np.where(classes == 0, 1.0, -1.0)[:, None]
    line = slopes * np.linspace(-1, 1, steps)
    both = np.stack([line, -line], axis=2)
    return both + random.normal(0, 0.3, both.shape), np.where(classes == 0, "up", "down")


def test_arrays_and_lists_of_the_same_sequences_are_one_model():
    X, y = series(20, 8)
    classifier = SequenceClassifier(states=3, topology="left-to-right").fit(X, y)
    # Sequences of equal lengths in a list are an array; of a different length, each is taken by itself.
    listed = clone(classifier).fit([*X, X[0][:5]], [*y, y[0]])
    assert clone(classifier).fit(list(X), y).model_ == classifier.model_
    assert listed.predict([X[1], X[2][:6]]).tolist() == ["down", "up"]
    assert cross_val_score(classifier, X, y, cv=3).mean() > 0.9


def test_posteriors_are_those_of_the_model_that_the_package_trains():
    X, y = series(12, 6)
    classifier = SequenceClassifier(states=2, random_state=1).fit(X[:, :, 0], y)
    table = {
        "id": np.repeat([f"s{i:02}" for i in range(12)], 6),
        "x0": X[:, :, 0].ravel(),
        "class": np.repeat(y, 6),
    }
    model = credence.train(table, target="class", states=2, sequence="id")
    np.testing.assert_array_equal(model.predict_proba(table), classifier.predict_proba(X[:, :, 0]))


def test_lists_have_sequences_of_any_length():
    X, y = series(10, 6)
    classifier = SequenceClassifier().fit(list(X[:, :, 0]), y)
    assert len(classifier.predict([np.array([1.0, 2.0, 3.0])])) == 1
    assert len(classifier.predict([[1.0, 2.0, 3.0]])) == 1
    assert len(classifier.predict(X[:, :4, 0])) == 10
    ragged = SequenceClassifier().fit([X[0], *X[1:, :5]], y)
    assert len(ragged.predict([X[0]])) == 1 and len(ragged.predict(X[:3])) == 3


def test_columns_of_frames_meet_by_name():
    pandas = pytest.importorskip("pandas")
    X, y = series(10, 6)
    frames = [pandas.DataFrame(x, columns=["a", "b"]) for x in X]
    classifier = SequenceClassifier().fit(frames, y)
    swapped = [frame[["b", "a"]] for frame in frames]
    np.testing.assert_array_equal(classifier.predict_proba(swapped), classifier.predict_proba(frames))
    with pytest.raises(ValueError, match="columns"):
        classifier.predict([frame.rename(columns={"a": "c"}) for frame in frames])


def test_missing_steps_and_pickles():
    X, y = series(12, 6)
    X[3, 2:] = np.nan
    classifier = SequenceClassifier().fit(X, y)
    again = pickle.loads(pickle.dumps(classifier))
    np.testing.assert_array_equal(again.predict_proba(X), classifier.predict_proba(X))
    assert np.isfinite(classifier.predict_log_proba(X)).all()


def test_wrong_shapes_are_refused():
    X, y = series(6, 4)
    classifier = SequenceClassifier().fit(X, y)
    with pytest.raises(ValueError, match="expecting 2"):
        classifier.predict(X[:, :, :1])
    with pytest.raises(ValueError, match="expecting 2"):
        classifier.predict(X[:, :, 0])
    with pytest.raises(ValueError, match=r"X\[1\] has steps of shape"):
        classifier.fit([X[0], X[1][:2, :1]], y[:2])
    with pytest.raises(ValueError, match="dim 4"):
        classifier.fit(X[None], y)


def test_columns_of_frames_are_named_in_families():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = [pandas.DataFrame({"a": rng.normal(size=20), "class": rng.poisson(3 + 4 * (i % 2), 20).astype(float)}) for i in range(12)]
    y = ["st"[i % 2] for i in range(12)]
    fitted = SequenceClassifier(states=1, family={"class": "poisson"}).fit(X, y)
    arrays = SequenceClassifier(states=1, family={"x1": "poisson"}).fit([frame.to_numpy() for frame in X], y)
    assert np.allclose(fitted.predict_proba(X), arrays.predict_proba([frame.to_numpy() for frame in X]))
    assert np.array_equal(fitted.predict_proba([frame[["class", "a"]] for frame in X]), fitted.predict_proba(X))
