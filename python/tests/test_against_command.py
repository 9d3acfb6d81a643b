# SPDX-License-Identifier: MIT
"""Models beside the command: the same bytes, and every number to the bit."""

import json
import os
import shutil
import subprocess

import pytest

import credence

COMMAND = os.environ.get("CREDENCE") or shutil.which("credence")
pytestmark = pytest.mark.skipif(COMMAND is None, reason="the command is not there: CREDENCE names it")

TENNIS = (credence.example("tennis"), "Play")
IRIS = (credence.example("iris"), "species")


def run(*words):
    words = [COMMAND, *map(str, words)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def options_of(arguments):
    """Keyword arguments as options of the command."""
    words = []
    for name, value in arguments.items():
        words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    return words


CASES = [
    (TENNIS, {}),
    (TENNIS, {"smoothing": "laplace:2", "prior": "uniform"}),
    (TENNIS, {"method": "joint", "joint": "all"}),
    (TENNIS, {"method": "a1de"}),
    (TENNIS, {"method": "pairs"}),
    (TENNIS, {"ignore": "Wind", "tally": "cells,rows"}),
    (IRIS, {}),
    (IRIS, {"family": "kernel", "bandwidth": "scott"}),
    (IRIS, {"family": "auto", "variance": "sample"}),
    (IRIS, {"family": "petal_width=histogram,*=lognormal"}),
    (IRIS, {"joint": "numbers", "normal": "full:0.2"}),
    (IRIS, {"calibration": "isotonic"}),
    (IRIS, {"calibration": "scaling", "exponents": "fitted"}),
    (IRIS, {"method": "bagging:3"}),
    (IRIS, {"method": "boosting:3"}),
    (TENNIS, {"method": "committee"}),
    (IRIS, {"discretize": "*=mdl"}),
    (IRIS, {"discretize": "petal_width=0.8:1.7", "grid": True}),
    (IRIS, {"tally": "all", "only": "petal*"}),
    (IRIS, {"category": "petal_width", "text": "sepal_length"}),
    (TENNIS, {"method": "auto", "patience": 60}),
]


def python_arguments(arguments):
    """As a caller in Python would state them."""
    given = dict(arguments)
    if "discretize" in given:
        given["discretize"] = dict(rule.split("=") for rule in given["discretize"].split(","))
    return given


def ids(case):
    return " ".join(options_of(case[1])) or "plain"


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0][1]} {ids(case)}")
def both(request, tmp_path_factory):
    (path, target), arguments = request.param
    file = tmp_path_factory.mktemp("model") / "m.model"
    run("train", path, "--target", target, "-o", file, "--quiet", *options_of(arguments))
    model = credence.train(path, target=target, **python_arguments(arguments))
    return path, file, model


def test_models_have_the_bytes_of_the_command(both):
    _, file, model = both
    assert model.difference(credence.load(file)) is None
    assert model.to_bytes() == file.read_bytes()


def test_answers_have_the_bits_of_the_command(both):
    path, file, model = both
    settings = model.settings
    plain = {"method": "naive", "joint": "none", "exponents": "none"}
    fit = all(settings[name] == value for name, value in plain.items())
    fit = fit and not any(kind == "text" for kind in model._classifier({}).kinds())
    words = ["--fit"] if fit else []
    lines = [json.loads(line) for line in run("predict", file, path, *words, "--format", "json").splitlines()]
    found = model.predict(path, fit=fit)
    assert list(found["prediction"]) == [line["prediction"] for line in lines]
    for name in model.classes:
        assert found[f"P({name})"].tolist() == [line["posterior"][name] for line in lines]
    for key in ("probability", "log_evidence", "unseen", *(["fit"] if fit else [])):
        assert found[key].tolist() == [line[key] for line in lines]


def test_summaries_have_the_keys_and_bits_of_the_command(both):
    _, file, model = both
    shown = json.loads(run("show", file, "--format", "json"))
    assert model.show().to_dict() == shown
