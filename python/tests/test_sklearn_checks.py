# SPDX-License-Identifier: MIT
"""scikit-learn's own checks of estimators, all of them."""

import pytest

pytest.importorskip("sklearn")
from sklearn.utils.estimator_checks import parametrize_with_checks

from credence import BayesClassifier


@parametrize_with_checks([BayesClassifier(), BayesClassifier(n_jobs=2)])
def test_check_of_scikit_learn(estimator, check):
    check(estimator)
