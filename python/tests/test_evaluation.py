# SPDX-License-Identifier: MIT
"""Evaluations and comparisons: the command's numbers, to the bit, over tables, ways and options; and their edges."""

import contextlib
import doctest
import json
import os
import pickle
import shutil
import signal
import subprocess
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import credence
from credence import comparison, evaluation

COMMAND = os.environ.get("CREDENCE") or shutil.which("credence")
DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "tabular"
needs_command = pytest.mark.skipif(COMMAND is None, reason="the command is not there: CREDENCE names it")
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")

pytestmark = pytest.mark.filterwarnings("ignore::credence.CredenceWarning")

ROWS = {
    "x": [1.0, 1.2, 3.1, 2.9, 0.9, 3.3, 1.1, 3.0, 2.0, 2.1],
    "c": ["u", "u", "v", "v", "u", "v", "v", "v", "u", None],
    "y": ["a", "a", "b", "b", "a", "b", "a", "b", "b", "a"],
}


def command(*words):
    run = subprocess.run([COMMAND, *map(str, words), "--format", "json"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()] if "--per-row" in words else json.loads(run.stdout)


def assert_same(found, expected):
    """All members of the JSON, in its order, but for files and options, which Python has none of."""
    expected["run"].pop("files")
    expected["run"].pop("options")
    assert list(found) == list(expected)
    for name, value in expected.items():
        assert without_infinity(found[name]) == value, name


def without_infinity(value):
    """JSON has no infinity: null stands for it."""
    if isinstance(value, dict):
        return {name: without_infinity(item) for name, item in value.items()}
    if isinstance(value, list):
        return [without_infinity(item) for item in value]
    return None if value in (np.inf, -np.inf) else value


WAYS = [
    ("iris", ["--cross-validate", "10"], {}),
    ("iris", ["--cross-validate", "3", "--seed", "7", "--top-k", "2"], {"folds": 3, "seed": 7, "top_k": 2}),
    ("iris", ["--leave-one-out"], {"leave_one_out": True}),
    ("iris", ["--holdout", "30%"], {"holdout": "30%"}),
    ("iris", ["--cross-validate", "5", "--importance", "3"], {"cross_validate": 5, "importance": 3}),
    ("iris", ["--cross-validate", "5", "--threshold-curves", "--positive", "Iris-virginica"],
     {"folds": 5, "threshold_curves": True, "positive": "Iris-virginica"}),
    ("house_votes_84", ["--cross-validate", "10", "--choose-threshold", "f1,recall:0.95,precision:0.999999", "--method", "aode"],
     {"choose_threshold": ["f1", "recall:0.95", "precision:0.999999"], "method": "aode"}),
    ("house_votes_84", ["--cross-validate", "5", "--reject", "0.99", "--threshold-curves", "50"],
     {"folds": 5, "reject": 0.99, "threshold_curves": 50}),
    ("house_votes_84", ["--cross-validate", "5", "--threshold", "democrat=0.9"],
     {"folds": 5, "threshold": {"democrat": 0.9}}),
    ("iris", ["--cross-validate", "3", "--calibration", "isotonic", "--family", "kernel"],
     {"folds": 3, "calibration": "isotonic", "family": "kernel"}),
    ("weather_numeric", ["--leave-one-out", "--smoothing", "none"], {"leave_one_out": True, "smoothing": "none"}),
    ("contact_lenses", ["--cross-validate", "4", "--method", "tan", "--reject", "ask=60%"],
     {"folds": 4, "method": "tan", "reject": ("ask", "60%")}),
]


@needs_command
@needs_data
@pytest.mark.parametrize(("name", "words", "arguments"), WAYS, ids=[" ".join([way[0], *way[1]]) for way in WAYS])
def test_a_table_on_itself_has_the_numbers_of_the_command(name, words, arguments):
    path = DATA / f"{name}.csv"
    target = "first" if name == "house_votes_84" else "last"
    found = credence.evaluate(path, target, **arguments)
    assert_same(found.to_dict(), command("evaluate", path, "--target", target, *words))


@needs_command
@needs_data
def test_a_model_on_other_rows_has_the_numbers_of_the_command(tmp_path):
    lines = (DATA / "house_votes_84.csv").read_text().splitlines(keepends=True)
    (tmp_path / "learned.csv").write_text("".join(lines[:300]))
    (tmp_path / "other.csv").write_text("".join([lines[0], *lines[300:]]))
    costs = tmp_path / "costs.csv"
    costs.write_text("class,democrat,republican,ask\ndemocrat,0,5,1\nrepublican,1,0,1\n")
    model = credence.train(tmp_path / "learned.csv", target="first")
    model.save(tmp_path / "m")
    expected = command("evaluate", tmp_path / "m", tmp_path / "other.csv", "--cost", costs, "--choose-threshold", "cost,f1")
    table = {"democrat": {"democrat": 0, "republican": 5, "ask": 1}, "republican": {"democrat": 1, "republican": 0, "ask": 1}}
    for cost in (costs, table):
        found = model.evaluate(tmp_path / "other.csv", cost=cost, choose_threshold="cost,f1")
        assert_same(found.to_dict(), json.loads(json.dumps(expected)))
    assert_same(
        model.evaluate(tmp_path / "other.csv", smoothing="laplace:3", importance=2).to_dict(),
        command("evaluate", tmp_path / "m", tmp_path / "other.csv", "--smoothing", "laplace:3", "--importance", "2"),
    )


@needs_command
def test_weights_folds_and_missing_labels_are_those_of_the_command(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "x,w,y,f\n" + "".join(f"{i % 5 + (i % 2) / 2},{i % 4},{'?' if i % 11 == 3 else 'ab'[i % 2]},f{i % 3}\n" for i in range(60))
    )
    words = ["evaluate", path, "--target", "y", "--weight", "w"]
    found = credence.evaluate(path, "y", weight="w", folds="f", per_row=True)
    assert_same(found.to_dict(), command(*words, "--folds", "f"))
    assert found.facts["unlabeled"] == 6 and found.facts["weightless"] == 14
    expected = command(*words, "--folds", "f", "--per-row")
    each = found.per_row
    assert [list(row) for row in zip(*(each[name] for name in expected[0]), strict=True)] == [
        list(row.values()) for row in expected
    ]
    assert_same(
        credence.evaluate(path, "y", ignore=["w", "f"], unlabeled="use:0.5", folds=4).to_dict(),
        command("evaluate", path, "--target", "y", "--ignore", "w,f", "--unlabeled", "use:0.5", "--cross-validate", "4"),
    )
    # Folds of an array are those of the column.
    rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
    same = credence.evaluate(path, "y", weight="w", ignore="f", folds=[row[3] for row in rows])
    assert same.log_loss == found.log_loss and same.fold_sd == found.fold_sd
    assert list(same.row_folds["fold"])[:4] == [None, "f1", "f2", None]  # weight 0, and no label


@needs_command
@needs_data
@pytest.mark.parametrize("name", ["iris", "contact_lenses"])
def test_a_comparison_has_the_numbers_and_reasons_of_the_command(name):
    path = DATA / f"{name}.csv"
    found = credence.compare(path, "last", smoothing="m:2", cross_validate=5)
    expected = command("evaluate", path, "--target", "last", "--compare", "--smoothing", "m:2", "--cross-validate", "5")
    for of in (expected, found._data):
        for candidate in of["candidates"]:
            candidate.pop("seconds")
    expected["recommended"].pop("command")
    settings = found._data["recommended"].pop("settings")
    assert_same(found.to_dict(), expected)
    assert found.settings == {name.replace("-", "_"): value for name, value in settings.items()}
    assert found.settings["smoothing"] == "m:2"
    model = credence.train(path, "last", **found.settings)
    assert model.settings["smoothing"] == "m:2"


def test_results_are_frames_by_what_came_in():
    tables = []
    with contextlib.suppress(ImportError):
        import pandas

        tables += [(pandas.DataFrame(ROWS), pandas.DataFrame)]
    with contextlib.suppress(ImportError):
        import polars

        tables += [(polars.DataFrame(ROWS), polars.DataFrame), (polars.LazyFrame(ROWS), polars.DataFrame)]
    with contextlib.suppress(ImportError):
        import pyarrow

        tables += [(pyarrow.table(ROWS), pyarrow.Table)]
    for table, kind in [*tables, (ROWS, credence.Table)]:
        found = credence.evaluate(table, "y", folds=2, threshold_curves=True, importance=True, per_row=True, reject=0.9)
        frames = [found.per_class, found.confusion, found.confusions, found.calibration, found.scores, found.folds, found.per_row,
                  found.threshold_curves.points, found.threshold_curves.best, found.importance.columns, found.decisions.table, found.curve(),
                  found.row_folds]
        assert [type(frame) for frame in frames] == [kind] * len(frames)
        assert found.log_loss == credence.evaluate(ROWS, "y", folds=2).log_loss
    assert found.fold_mean.accuracy == found.fold_mean["accuracy"]
    again = pickle.loads(pickle.dumps(found))
    assert again.to_dict() == found.to_dict() and repr(again) == repr(found)
    with pytest.raises(ValueError, match="rows"):
        again.curve()


def test_the_folds_of_a_column_of_a_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({**ROWS, "f": [i % 3 for i in range(10)]})
    found = credence.evaluate(frame, "y", folds="f")
    assert found.run.folds == 3
    assert found.log_loss == credence.evaluate(frame.drop(columns="f"), "y", folds=frame["f"].to_numpy()).log_loss


def test_edges():
    one_class = {"x": [1.0, 2.0, 3.0, 4.0], "y": ["a"] * 4}
    found = credence.evaluate(one_class, "y", folds=2)
    assert found.accuracy == 1 and found.auc is None and found.classes == ["a"]
    with pytest.raises(ValueError):
        credence.evaluate({"x": np.array([]), "y": []}, "y", folds=2)
    with pytest.raises(ValueError):
        credence.evaluate({"x": [1.0, 2.0], "y": [None, None]}, "y", folds=2)
    # A class that only the test rows have is wrong everywhere, and at zero.
    model = credence.train({"x": [1.0, 2.0, 3.0, 4.0], "y": ["a", "b", "a", "b"]}, "y")
    found = model.evaluate({"x": [1.0, 2.0, 1.5], "y": ["a", "b", "new"]})
    assert found.zero_rows == 1 and found.log_loss == np.inf and found.classes == ["a", "b", "new"]
    with pytest.raises(ValueError, match="no row to evaluate has a true class"):
        model.evaluate({"x": [1.0], "y": [None]})
    # Ties are shared.
    tied = credence.train({"c": ["u", "u"], "y": ["a", "b"]}, "y").evaluate({"c": ["u"], "y": ["b"]})
    assert tied.accuracy == 0.5
    with pytest.raises(ValueError, match="weight"):
        credence.evaluate({"x": [1.0, 2.0, 3.0], "w": [1, 2, 1], "y": ["a", "b", "a"]}, "y", weight="w", leave_one_out=True)


def test_rows_that_were_learned_are_warned_of():
    model = credence.train(ROWS, "y")
    with pytest.warns(credence.CredenceWarning, match="these are the rows"):
        model.evaluate(ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.evaluate({name: values[:9] for name, values in ROWS.items()})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"folds": 1}, "folds: expected a whole number from 2"),
        ({"holdout": 1.5}, "holdout"),
        ({"holdout": "x"}, "holdout"),
        ({"cross_validate": 3, "holdout": 0.5}, "parted by one"),
        ({"leave_one_out": True, "folds": 3}, "parted by one"),
        ({"leave_one_out": True, "importance": True}, "importance"),
        ({"choose_threshold": "f2"}, "choose_threshold"),
        ({"choose_threshold": "recall"}, "choose_threshold"),
        ({"choose_threshold": "cost"}, "cost"),
        ({"threshold_curves": True, "positive": "z"}, "no class 'z'"),
        ({"positive": "a"}, "threshold_curves"),
        ({"reject": 2}, "reject"),
        ({"threshold": 0.5, "reject": 0.5}, "one of them"),
        ({"threshold": {"z": 0.5}}, "no class 'z'"),
        ({"cost": [[0, 1]]}, "cost"),
        ({"unlabeled": "often"}, "unlabeled"),
        ({"folds": [0, 1]}, "rows"),
    ],
)
def test_wrong_values_name_the_argument(arguments, message):
    with pytest.raises(ValueError, match=message):
        credence.evaluate(ROWS, "y", **arguments)


def test_wrong_names_and_types():
    with pytest.raises(TypeError, match="smooting"):
        credence.evaluate(ROWS, "y", smooting="none")
    with pytest.raises(TypeError, match="seed"):
        credence.evaluate(ROWS, "y", seed="1")
    with pytest.raises(ValueError, match="method"):
        credence.compare(ROWS, "y", method="aode")
    with pytest.raises(ValueError, match="budget"):
        credence.compare(ROWS, "y", budget=0)
    with pytest.raises(ValueError, match="candidate"):
        credence.compare(ROWS, "y", methods=["no such"])


def test_progress_of_a_comparison_and_an_exception_of_it():
    calls = []
    credence.compare(ROWS, "y", methods=["naive", "naive, kernel"], folds=2,
                     progress=lambda name, index, count, done: calls.append((name, index, count, done)))
    credence.compare(ROWS, "y", methods="naive", folds=2, progress=True)
    assert calls[0] == ("naive", 0, 2, 0.0) and calls[-1][:3] == ("naive, kernel", 1, 2)

    def fail(*_):
        raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        credence.compare(ROWS, "y", methods=["naive", "naive, kernel"], folds=2, progress=fail)


def test_a_notebook_shows_evaluations_and_comparisons():
    rows = {**ROWS, "y": [f"<{label}>" for label in ROWS["y"]]}
    found = credence.evaluate(rows, "y", folds=2, importance=True, calibration="platt", reject=0.9, threshold_curves=True)
    shown = found._repr_html_()
    assert shown.count("<svg") == 5 and "<script" not in shown and "<a>" not in shown and "&lt;a&gt;" in shown
    assert pickle.loads(pickle.dumps(found))._repr_html_().count("<svg") == 4
    assert credence.evaluate({"x": [1.0, 2.0], "y": ["a", "a"]}, "y", folds=2)._repr_html_().count("<svg") == 2
    shown = credence.compare(ROWS, "y", methods=["naive", "naive, kernel"], folds=2)._repr_html_()
    assert shown.count("<svg") == 1 and "naive, kernel" in shown


def test_plots_are_axes_of_matplotlib():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found = credence.evaluate(ROWS, "y", folds=2)
    for plot in (found.plot_roc, found.plot_precision_recall, found.plot_calibration, found.plot_confusion):
        ax = plot()
        assert isinstance(ax, matplotlib.axes.Axes) and plot(ax=ax) is ax
    assert found.plot_roc("a").get_xlabel() == "false positive rate"
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("module", [evaluation, comparison])
def test_examples_of_docstrings(module):
    assert doctest.testmod(module).failed == 0


@needs_command
def test_sequences_have_the_numbers_of_the_command(tmp_path):
    path, classes = tmp_path / "weather.csv", tmp_path / "classes.csv"
    path.write_text(subprocess.run([COMMAND, "example", "weather"], capture_output=True, text=True, check=True).stdout)
    where, words = {"sequence": "place", "time": "day"}, ["--sequence", "place", "--time", "day"]
    model = credence.train_sequences(path, "sky", **where)
    model.save(tmp_path / "m")
    assert_same(model.evaluate(path, decoding="posterior").to_dict(),
                command("evaluate", tmp_path / "m", path, "--decoding", "posterior"))
    words = ["evaluate", path, "--method", "sequence", *words]
    found = credence.evaluate(path, "sky", method="sequence", cross_validate=3, top_k=1, **where)
    assert_same(found.to_dict(), command(*words, "--target", "sky", "--cross-validate", "3", "--top-k", "1"))
    assert found.row_folds.shape[0] == found.sequences.count and "Spans" in found._repr_html_()
    hidden = credence.evaluate(path, method="sequence", states=2, ignore="sky", holdout=0.5, **where)
    assert_same(hidden.to_dict(), command(*words, "--states", "2", "--ignore", "sky", "--holdout", "50%"))
    assert "log likelihood" in repr(hidden) and "log_likelihood" in hidden._repr_html_()
    states = credence.train_sequences(path, states=2, ignore="sky", **where)
    states.save(tmp_path / "m")
    assert_same(states.evaluate(path, true_labels="sky").to_dict(), command("evaluate", tmp_path / "m", path, "--true-labels", "sky"))
    # Labels beside hidden states are classes of whole sequences.
    classes.write_text("id,x,kind\n" + "".join(f"i{i},{i % 2 * 2 + t * i % 7 / 7},k{i % 2}\n" for i in range(12) for t in range(5)))
    found = credence.evaluate(classes, "kind", method="sequence", states=2, sequence="id", cross_validate=2)
    words = ["evaluate", classes, "--method", "sequence", "--states", "2", "--target", "kind", "--sequence", "id"]
    assert_same(found.to_dict(), command(*words, "--cross-validate", "2"))
    of_classes = credence.train_sequences(classes, "kind", states=2, sequence="id")
    of_classes.save(tmp_path / "m")
    assert_same(of_classes.evaluate(classes).to_dict(), command("evaluate", tmp_path / "m", classes))
    with pytest.raises(ValueError, match="threshold_curves: of models of rows"):
        credence.evaluate(path, "sky", method="sequence", threshold_curves=True, **where)
    with pytest.raises(ValueError, match="decoding"):
        model.evaluate(path, decoding="best")


@needs_command
def test_classes_beside_known_labels_are_scored_as_the_command_does(tmp_path):
    path, model = tmp_path / "t.csv", tmp_path / "m"
    rows = [(i % 2 * 5 + i % 3 / 3, "uv"[i % 2], ["left", "right", ""][i % 2 if i % 9 else 2]) for i in range(60)]
    path.write_text("x,c,known\n" + "".join(f"{x},{c},{k}\n" for x, c, k in rows))
    latent = credence.train(path, latent_class="group:2", ignore="known", seed=1)
    latent.save(model)
    found = latent.evaluate(path, true_labels="known")
    assert_same(found.to_dict(), command("evaluate", model, path, "--true-labels", "known"))
    table = {"x": [row[0] for row in rows], "c": [row[1] for row in rows], "known": [row[2] or None for row in rows]}
    same = latent.evaluate(table, true_labels="known")
    assert same.to_dict() == found.to_dict() and same.unlabeled == 7
    assert len(same.contingency) == 2 and "left" in same._repr_html_()


@needs_command
def test_a_network_is_evaluated_as_the_command_does(tmp_path):
    path, rows = tmp_path / "n.bif", tmp_path / "rows.csv"
    path.write_text(
        "network n { }\nvariable r { type discrete[2] { n, y }; }\nvariable s { type discrete[2] { n, y }; }\n"
        "probability (r) { table 0.4, 0.6; }\nprobability (s | r) { (n) 0.9, 0.1; (y) 0.3, 0.7; }\n"
    )
    rows.write_text("r,s\nn,n\nn,y\ny,y\ny,n\nn,n\n")
    found = credence.read_network(path).evaluate(rows, "r")
    assert_same(found.to_dict(), command("evaluate", path, rows, "--target", "r"))
    assert_same(
        credence.evaluate(rows, "r", method="network", arcs=[("r", "s")], folds=2).to_dict(),
        command("evaluate", rows, "--target", "r", "--method", "network", "--arcs", "r->s", "--cross-validate", "2"),
    )


def test_an_interrupt_ends_an_evaluation_soon():
    random = np.random.default_rng(1)
    table = {f"x{i}": random.normal(size=3000) for i in range(8)} | {"y": random.choice(["a", "b"], 3000)}
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    begun = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            while True:
                credence.compare(table, "y", folds=10)
    finally:
        timer.cancel()
    assert time.monotonic() - begun < 5


def test_candidates_that_there_are_not_are_refused_with_those_that_there_are():
    with pytest.raises(ValueError, match="no candidate is called 'lda'; there are 'naive', "):
        credence.compare({"a": [1, 2, 3, 4] * 5, "y": list("abab") * 5}, target="y", methods=["lda"])
