# SPDX-License-Identifier: MIT
"""The same probabilities as scikit-learn's naive Bayes classifiers at equal settings."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from scipy.sparse import csr_array, csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

from credence import BayesClassifier, TextBayesClassifier

RNG = np.random.default_rng(17)
LABELS = np.array(["blue", "green", "red"])[RNG.integers(0, 3, 200)]
COUNTS = RNG.poisson(0.4, (200, 30)) + np.outer(LABELS == "red", np.arange(30) == 3)
COUNTS[0] = 1  # every term occurs: scikit-learn smooths over all columns, Credence over all terms that some text had
# Sums of the core are exact, those of scikit-learn are rounded: logarithms of densities agree to about 1e-12 of their size.
TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}
MULTINOMIAL = {"family": "multinomial", "term_smoothing": 1, "tf": "count", "length_normalization": "none"}


def assert_same(ours, theirs, X):
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), **TOLERANCE)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_allclose(ours.class_count_, theirs.class_count_)


@pytest.mark.parametrize("weights", [None, RNG.uniform(0, 3, 200), RNG.integers(0, 3, 200)])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_gaussian(weights, order, dtype):
    X = np.asarray(100 * RNG.normal(size=(200, 7)) + (LABELS == "red")[:, None], dtype=dtype, order=order)
    ours = BayesClassifier(method="naive", smoothing="none").fit(X, LABELS, weights)
    theirs = GaussianNB(var_smoothing=0).fit(X.astype(np.float64), LABELS, weights)
    assert_same(ours, theirs, X.astype(np.float64))
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X.astype(np.float64)), rtol=1e-9)


@pytest.mark.parametrize("prior", [None, [0.2, 0.3, 0.5]])
def test_gaussian_with_priors(prior):
    X = RNG.normal(size=(200, 4))
    stated = "frequency" if prior is None else dict(zip(["blue", "green", "red"], prior))
    assert_same(BayesClassifier(method="naive", smoothing="none", prior=stated).fit(X, LABELS), GaussianNB(priors=prior, var_smoothing=0).fit(X, LABELS), X)


def test_categorical():
    X = RNG.integers(0, 4, (200, 5))
    X[:4] = np.arange(4)[:, None]
    ours = BayesClassifier(method="naive", smoothing="laplace:1", categorical_features=range(5)).fit(X, LABELS)
    assert_same(ours, CategoricalNB().fit(X, LABELS), X)
    texts = np.array(["a", "b", "c", "d"])[X]
    np.testing.assert_array_equal(
        BayesClassifier(method="naive", smoothing="laplace:1").fit(texts, LABELS).predict_proba(texts), ours.predict_proba(X)
    )


@pytest.mark.parametrize("as_matrix", [np.asarray, csr_array, csr_matrix])
def test_bernoulli(as_matrix):
    X = as_matrix((COUNTS > 0).astype(float))
    assert_same(BayesClassifier(method="naive", family="bernoulli", smoothing="laplace:1").fit(X, LABELS), BernoulliNB().fit(X, LABELS), X)


@pytest.mark.parametrize("weights", [None, RNG.integers(1, 3, 200).astype(float)])
@pytest.mark.parametrize("as_matrix", [np.asarray, csr_array, csr_matrix])
def test_multinomial(as_matrix, weights):
    X = as_matrix(COUNTS)
    assert_same(BayesClassifier(**MULTINOMIAL).fit(X, LABELS, weights), MultinomialNB().fit(X, LABELS, weights), X)


def test_complement():
    X = csr_array(COUNTS)
    plain = BayesClassifier(**{**MULTINOMIAL, "family": "complement"}, complement_weights="plain").fit(X, LABELS)
    assert_same(plain, ComplementNB().fit(X, LABELS), X)
    # Normalized weights are times their mean sum, a factor that all classes have in common.
    ours = BayesClassifier(**{**MULTINOMIAL, "family": "complement"}).fit(X, LABELS).predict_log_proba(X)
    theirs = ComplementNB(norm=True).fit(X, LABELS).predict_log_proba(X)
    ours, theirs = ours - ours[:, :1], theirs - theirs[:, :1]
    factor = np.linalg.norm(ours) / np.linalg.norm(theirs)
    np.testing.assert_allclose(ours, factor * theirs, rtol=1e-7, atol=1e-9)


TEXTS = [" ".join(f"w{j}" for j in range(30) for _ in range(row[j])) for row in COUNTS]


@pytest.mark.parametrize(
    ("family", "peer"),
    [("multinomial", MultinomialNB()), ("complement", ComplementNB()), ("bernoulli", BernoulliNB())],
)
def test_texts(family, peer):
    vectorizer = CountVectorizer()
    ours = TextBayesClassifier(
        family=family, term_smoothing=1, tf="count", length_normalization="none", complement_weights="plain"
    ).fit(TEXTS, LABELS)
    X = vectorizer.fit_transform(TEXTS)
    theirs = peer.fit(X, LABELS)
    np.testing.assert_allclose(ours.predict_log_proba(TEXTS), theirs.predict_log_proba(X), **TOLERANCE)
    np.testing.assert_array_equal(ours.predict(TEXTS), theirs.predict(X))
    # Words that training did not have are left out, as the vectorizer leaves them out.
    unknown = [text + " neverseen" for text in TEXTS[:20]]
    np.testing.assert_allclose(
        ours.predict_proba(unknown), theirs.predict_proba(vectorizer.transform(unknown)), rtol=1e-9, atol=1e-12
    )
