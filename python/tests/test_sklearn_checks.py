# SPDX-License-Identifier: MIT
"""scikit-learn's own checks of estimators, all of them."""

import inspect

import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from credence import BayesClassifier, TextBayesClassifier, _settings
from credence.sklearn._base import SETTINGS

OTHERS = ("alpha", "class_weight", "text", "categorical_features", "cost", "reject", "threshold", "n_jobs")
ESTIMATORS = [BayesClassifier, TextBayesClassifier]


def _expected(estimator):
    if getattr(estimator, "method", "naive") is None and estimator.family == "gaussian":
        return {"check_sample_weight_equivalence_on_dense_data": "cross-validation deals equal rows to different folds, but not a weighted row"}
    if getattr(estimator, "family", None) != "kernel":
        return {}
    return {"check_class_weight_classifiers": "weights count rows: a class of weight 1000 for each row has very narrow kernels"}


@parametrize_with_checks(
    [
        BayesClassifier(),
        BayesClassifier(method="naive", n_jobs=2),
        BayesClassifier(family="kernel"),
        BayesClassifier(method="joint", covariance="tied:0.1"),
        TextBayesClassifier(),
    ],
    expected_failed_checks=_expected,
)
def test_check_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_parameters_are_the_settings_with_their_defaults(estimator):
    parameters = inspect.signature(estimator.__init__).parameters
    for name in estimator._setting_names:
        default = parameters[name].default
        if not (estimator is TextBayesClassifier and name == "family") and not (estimator is BayesClassifier and name == "method"):
            assert _settings.text(SETTINGS.get(name, name), default) == _settings.default(SETTINGS.get(name, name)), name
        assert f"\n{name} : " in estimator.__doc__
    others = {*OTHERS, "budget"} if estimator is BayesClassifier else {*OTHERS}
    assert set(parameters) - {"self"} == {*estimator._setting_names, *others}
    changed = estimator(smoothing="laplace:1", n_jobs=2)
    assert clone(changed).get_params() == changed.get_params()
