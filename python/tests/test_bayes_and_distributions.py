# SPDX-License-Identifier: MIT
"""Bayes' rule on bare numbers and named distributions: the command's numbers, to the bit."""

import doctest
import json
import math
import os
import pickle
import shutil
import subprocess
from fractions import Fraction

import numpy as np
import pytest

import credence
from credence import bayes_rule, distributions

COMMAND = os.environ.get("CREDENCE") or shutil.which("credence")
needs_command = pytest.mark.skipif(COMMAND is None, reason="the command is not there: CREDENCE names it")


def command(*words):
    run = subprocess.run([COMMAND, *words, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


@pytest.mark.parametrize("module", [bayes_rule, distributions])
def test_examples_of_docstrings(module):
    assert doctest.testmod(module).failed == 0


@needs_command
@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (
            ["--prior", "cancer=.008", "--likelihood", "+:cancer=.98,+:no cancer=.03", "--observed", "+,+"],
            ({"cancer": 0.008}, {"+": {"cancer": 0.98, "no cancer": 0.03}}, ["+", "+"]),
        ),
        (
            ["--prior", "red=.4", "--likelihood", "apple:red=2/8,apple:blue=75%", "--observed", "apple"],
            ({"red": 0.4}, {("apple", "red"): "2/8", ("apple", "blue"): "75%"}, "apple"),
        ),
        (
            ["--prior", "h1=.4,h2=.3,h3=.3", "--predicts", "h1=+,h2=-,h3=-"],
            ({"h1": 0.4, "h2": 0.3, "h3": 0.3}, None, None, {"h1": "+", "h2": "-", "h3": "-"}),
        ),
        (
            ["--likelihood", "o:a=1/3,o:b=1/3", "--observed", "o"],
            (None, [("o", "a", Fraction(1, 3)), ("o", "b", Fraction(1, 3))], ["o"]),
        ),
    ],
)
def test_bayes_has_the_command_s_numbers(words, arguments):
    answer = credence.bayes(*arguments)
    assert answer.to_dict() == command("bayes", *words)
    assert all(name in repr(answer) for name in answer.prior)


@needs_command
def test_a_file_of_statements_is_read_as_the_command_reads_it(tmp_path):
    path = tmp_path / "boxes.txt"
    path.write_text('# boxes\nlikelihood "P(apple|red)=2/8", apple:blue=3/4\nprior P(red)=40%\nobserved apple\n')
    assert credence.bayes(file=path).to_dict() == command("bayes", "--file", str(path))
    path.write_text("prior red\n")
    with pytest.raises(ValueError, match="boxes.txt:1: prior"):
        credence.bayes(file=path)


def test_what_cannot_be_is_refused_by_its_name():
    with pytest.raises(credence.Error) as caught:
        credence.bayes({"a": 0.9, "b": 0.3}, {"o": {"a": 0.5, "b": 0.5}}, "o")
    assert caught.value.code == "probability"
    with pytest.raises(ValueError, match="something to answer"):
        credence.bayes({"a": 1})
    with pytest.raises(ValueError, match="'x/y'"):
        credence.bayes({"a": "x/y"}, None, "o")
    with pytest.raises(TypeError, match="likelihood"):
        credence.bayes({"a": 1}, {"o": 3}, "o")
    with pytest.raises(credence.Error):
        credence.bayes({"a": 0.5, "b": 0.5}, {"o": {"a": 0, "b": 0}}, "o")


def test_an_outcome_without_likelihoods_is_the_complement_and_warned_of():
    with pytest.warns(credence.CredenceWarning, match="'orange'"):
        answer = credence.bayes({"red": 0.4}, {"apple": {"red": 0.25, "blue": 0.75}}, "orange")
    assert answer.posterior["red"] == pytest.approx(2 / 3, abs=1e-15)


@needs_command
@pytest.mark.parametrize(
    ("name", "parameters", "x", "ends"),
    [
        ("normal", {"mean": 100, "sd": 15}, 87.5, (85, 115)),
        ("binomial", {"n": 10, "p": 0.5}, 7, (2, 5)),
        ("poisson", {"mean": 3}, 2, (1, 4)),
        ("student", {"degrees": 9}, -1.25, (-2, 2)),
        ("gamma", {"shape": 2, "scale": 3}, 0.75, (0.1, 2)),
    ],
)
def test_distributions_have_the_command_s_numbers(name, parameters, x, ends):
    d = credence.distribution(name, **parameters)
    options = {"--below": d.below, "--at-most": d.at_most, "--above": d.above, "--at-least": d.at_least}
    words = [f"{key}={value}" for key, value in parameters.items()]
    for option in options:
        words += [option, str(x)]
    words += ["--at", str(x), "--between", f"{ends[0]},{ends[1]}", "--quantile", "0.3", "--interval", "0.9"]
    found = command("distribution", name, *words)
    low, high = d.interval(0.9)
    expected = [f(x) for f in options.values()]
    expected += [d.density(x), d.log_density(x), d.between(*ends), d.quantile(0.3), [low, high]]
    assert list(found["results"].values()) == expected
    assert {key: found[key] for key in ("distribution", "mean", "variance")} == d.to_dict()


def test_arrays_have_the_bits_of_single_numbers_in_any_layout():
    d = credence.distribution("normal")
    x = np.linspace(-4, 4, 24).reshape(4, 6)
    for given in (x, np.asfortranarray(x), x[::2, ::-1], x.astype("float32"), x.tolist()):
        values = d.density(given)
        flat = np.asarray(given, dtype=float)
        assert values.shape == flat.shape
        assert all(values[i] == d.density(flat[i]) for i in np.ndindex(flat.shape))
    assert d.between([-1, -2], [1, 2])[1] == d.between(-2, 2)
    assert d.interval([0.5, 0.9])[1].tolist() == list(d.interval(0.9))
    assert d.density(np.empty((0, 3))).shape == (0, 3)


def test_draws_depend_on_seed_and_number_alone():
    d = credence.distribution("gamma", shape=2, scale=1)
    many = d.sample(100_000, seed=7)
    assert many[40_000:40_003].tolist() == d.sample(3, seed=7, first=40_000).tolist()
    assert many.mean() == pytest.approx(2, abs=0.02)


def test_several_dimensions():
    d = credence.distribution("multivariate-normal", mean=[0, 1], covariance=[[1, 0.5], [0.5, 2]])
    points = d.sample(50_000)
    assert np.cov(points.T) == pytest.approx(d.variance, abs=0.05)
    assert d.density(points[:4]).tolist() == [d.density(point) for point in points[:4]]
    with pytest.raises(ValueError, match="no order"):
        d.below(0)
    with pytest.raises(ValueError, match="shape"):
        d.density([1, 2, 3])


def test_distributions_of_wrong_arguments_and_copies():
    with pytest.raises(ValueError, match="there is no distribution 'norml'"):
        credence.distribution("norml")
    with pytest.raises(TypeError, match="no parameter 'sigma'"):
        credence.distribution("normal", sigma=1)
    with pytest.raises(TypeError, match="given twice"):
        credence.distribution("normal", 0, mean=1)
    with pytest.raises(credence.Error):
        credence.distribution("normal", sd=-1)
    with pytest.raises(ValueError, match="probabilities"):
        credence.distribution("normal").quantile(1.5)
    d = credence.distribution("binomial", 10, "1/6")
    assert pickle.loads(pickle.dumps(d)) == d and hash(d) == hash(pickle.loads(pickle.dumps(d)))
    assert repr(d) == "distribution(binomial, n=10, p='1/6')"
    assert math.isinf(credence.distribution("normal").support[1])
    assert {"normal", "binomial"} <= {kind["name"] for kind in credence.distribution()}


def test_all_of_few_whole_numbers_are_drawn():
    coins = credence.distribution("binomial", n=10, p=0.5)
    x, y = coins.curve()
    assert x.tolist() == list(range(11)) and sum(y) == pytest.approx(1) and y[0] == 1 / 1024
    assert len(credence.distribution("binomial", n=10000, p=0.5).curve()[0]) < 1000
    assert len(credence.distribution("poisson", mean=3).curve()[0]) < 30


def test_html_of_an_answer_has_its_footnote():
    assert "* not given" in credence.bayes({"a": 0.1}, {"+": {"a": 0.9, "b": 0.2}}, "+")._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [(({"a": 0.5}, {"+": {"a": 0.9}}, True), "observed"), ((["a"], {"+": {"a": 0.9}}, "+"), "prior")],
)
def test_wrong_types_name_the_argument(arguments, named):
    with pytest.raises(TypeError, match=f"^{named}: expected"):
        credence.bayes(*arguments)
