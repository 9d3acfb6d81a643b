# SPDX-License-Identifier: MIT
"""Wrong arguments and doubtful data: messages in the terms of Python, and the warnings of estimators."""

import warnings

import numpy as np
import pytest

import credence

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
TABLE = {"x": Y + RNG.normal(size=200), "y": Y}


def model():
    return credence.train(TABLE, "y", check=False)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: credence.train(TABLE, "y", smothing=1), r"train\(\).*'smothing'; did you mean smoothing\?"),
        (lambda: credence.train(TABLE, "y", ignor="x"), r"train\(\).*did you mean ignore\?"),
        (lambda: credence.evaluate(TABLE, "y", crossvalidate=3), r"evaluate\(\).*did you mean cross_validate\?"),
        (lambda: credence.compare(TABLE, "y", fols=3), r"compare\(\).*did you mean folds\?"),
        (lambda: credence.report(TABLE, "y", tilte="x"), r"report\(\).*did you mean title\?"),
        (lambda: credence.schema(TABLE, targt="y"), r"schema\(\).*did you mean target\?"),
        (lambda: credence.combine([model()], priors=[1]), r"combine\(\).*did you mean prior\?"),
        (lambda: credence.train_sequences(TABLE, stats=2), r"train_sequences\(\).*did you mean states\?"),
        (lambda: credence.Network.learn(TABLE, scor="bic"), r"learn\(\).*did you mean score\?"),
        (lambda: credence.Network.learn(TABLE, arcs=["y->x"]).fit(TABLE, smothing=1), r"fit\(\).*did you mean smoothing\?"),
        (lambda: credence.Network.learn(TABLE, arcs=["y->x"]).score(TABLE, separatr=1), r"score\(\).*did you mean separator\?"),
        (lambda: credence.Network.learn(TABLE, arcs=["y->x"]).query("y", gven={}), r"query\(\).*did you mean given\?"),
        (lambda: model().predict(TABLE, smothing=1), r"predict\(\).*did you mean smoothing\?"),
        (lambda: model().predict(TABLE, reading={"seperator": ";"}), r"did you mean separator\?"),
        (lambda: model().update(TABLE, clas="1"), r"update\(\).*did you mean class_\?"),
        (lambda: model().sample(3, sead=1), r"sample\(\).*did you mean seed\?"),
        (lambda: credence.train_sequences(TABLE, states=2).predict(TABLE, decodng="viterbi"), r"predict\(\).*did you mean decoding\?"),
    ],
)
@pytest.mark.filterwarnings("ignore::credence.CredenceWarning")
def test_unknown_keywords_are_named_with_the_function(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_labels_that_come_by_themselves():
    for target in (Y, Y.tolist()):
        with pytest.raises(TypeError, match=r"BayesClassifier\(\).fit\(X, y\)") as caught:
            credence.train(TABLE, target)
        assert len(str(caught.value)) < 300


def test_values_of_settings_are_named_as_python_has_them():
    for prior in ("lots", 5):
        with pytest.raises(ValueError, match=r"prior: expected .*a dict such as \{'no': 0.3") as caught:
            credence.train(TABLE, "y", prior=prior)
        assert "CLASS=P" not in str(caught.value)
    with pytest.raises(ValueError, match="smoothing: expected a number"):
        model().predict(TABLE, smoothing="much")
    with pytest.raises(ValueError, match="3 probabilities for 2 classes"):
        credence.train(TABLE, "y", prior=[0.1, 0.2, 0.7])


def test_arcs_as_texts():
    pairs, texts = ([("y", "x")], ["y->x"])
    assert credence.Network.learn(TABLE, arcs=pairs) == credence.Network.learn(TABLE, arcs=texts)


def warned(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in found if issubclass(one.category, credence.CredenceWarning)]


def test_one_class_is_warned_about():
    pd = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    same = {**TABLE, "y": np.ones(200, int)}
    fit = credence.BayesClassifier(method="naive").fit
    calls = [
        lambda: credence.train(same, "y"),
        lambda: fit(TABLE["x"][:, None], same["y"]),
        lambda: fit(pd.DataFrame({"x": TABLE["x"]}), same["y"]),
    ]
    for call in calls:
        assert any("has one class, 1" in text for text in warned(call))
    assert not warned(lambda: fit(TABLE["x"][:, None], Y))


def test_estimators_warn_as_train_does():
    pd = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    fit = credence.BayesClassifier(method="naive").fit
    numbers = np.c_[np.arange(200), TABLE["x"]]
    assert any("row number" in text for text in warned(lambda: fit(numbers, Y)))
    names = pd.DataFrame({"x": TABLE["x"], "name": [f"n{i}" for i in range(200)]})
    assert any("looks like an identifier" in text for text in warned(lambda: fit(names, Y)))
    same = np.repeat(RNG.normal(size=(200, 1)), 40, axis=1)
    assert any("worse than the class prior" in text for text in warned(lambda: fit(same, Y)))


def test_the_check_of_a_large_array_has_a_sample_of_its_own_size():
    pytest.importorskip("sklearn")
    X = RNG.normal(size=(20_000, 3))
    fitted = credence.BayesClassifier(method="naive").fit(X, (X[:, 0] > 0).astype(int))
    assert fitted.model_.facts["check"]["rows"] == 1000


def test_a_comparison_names_keyword_arguments():
    comparison = credence.compare(TABLE, "y", methods=["naive", "naive, platt"])
    assert not any("--" in str(options) for options in comparison.candidates["options"])
    assert "--" not in comparison.recommended.options and "--method" not in comparison._repr_html_()
    assert any("calibration='platt'" in str(options) for options in comparison.candidates["options"])


def test_a_learned_network_is_called_so():
    assert "counted" not in repr(credence.Network.learn(TABLE, arcs=["y->x"]))
