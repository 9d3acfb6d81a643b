# SPDX-License-Identifier: MIT
"""Explanations: the command's numbers, to the bit, over methods, families and tables; and the edges."""

import json
import math
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import credence

COMMAND = os.environ.get("CREDENCE") or shutil.which("credence")
pytestmark = pytest.mark.skipif(COMMAND is None, reason="the command is not there: CREDENCE names it")
DATA = Path(__file__).parents[2] / "../shared/data/tabular"


def command(*words):
    run = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def plain(value):
    """JSON has no infinities."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@pytest.fixture(scope="module")
def days(tmp_path_factory):
    path = tmp_path_factory.mktemp("explain") / "days.csv"
    path.write_text(command("example", "tennis"))
    return path


@pytest.fixture(scope="module")
def flowers():
    path = DATA / "iris.csv"
    if not path.exists():
        pytest.skip("iris.csv is not there")
    return path


ROW = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}


def given(row):
    return ",".join(f"{key}={value}" for key, value in row.items())


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({"smoothing": "none"}, {}),
        ({"smoothing": "m:1"}, {"between": ("Yes", "No")}),
        ({"smoothing": "laplace:1", "prior": "uniform"}, {"top": 2}),
        ({"prior": "Yes=0.25,No=0.75"}, {"all": True, "typicality": True}),
        ({"method": "aode"}, {}),
        ({"method": "joint"}, {}),
        ({"method": "pairwise"}, {}),
        ({"method": "bagging:3"}, {}),
        ({"attribute_weights": "fitted"}, {}),
        ({"calibration": "platt"}, {"typicality": True}),
    ],
)
def test_numbers_of_a_row_are_the_command_s(days, tmp_path, settings, options):
    words = [word for name, value in settings.items() for word in (f"--{name.replace('_', '-')}", value)]
    command("train", days, "--target", "Play", *words, "-o", tmp_path / "days.model")
    asked = []
    for name, value in options.items():
        asked += [f"--{name}"] + ([] if value is True else [",".join(value) if name == "between" else str(value)])
    row = {key: value for key, value in ROW.items() if key != "Wind"}
    expected = json.loads(
        command("explain", tmp_path / "days.model", *asked, "--given", given(row), "--format", "json")
    )
    found = credence.load(tmp_path / "days.model").explain(row, **options)
    assert plain(found.to_dict()) == expected
    assert list(found.to_dict()) == list(expected)
    assert "Prediction" in repr(found) and "Prediction" in found._repr_html_()
    assert len(found.table) > 0


def rows_of(*words):
    text, found, at = command(*words), [], 0
    decoder = json.JSONDecoder()
    while at < len(text):
        item, at = decoder.raw_decode(text, at)
        found.append(item)
        at += len(text[at:]) - len(text[at:].lstrip())
    return found


@pytest.mark.parametrize(
    "settings",
    [{}, {"family": "kernel"}, {"family": "histogram"}, {"variance": "sample", "pool-variance": "classes"}],
)
def test_rows_of_a_table_of_numbers_are_the_command_s(flowers, tmp_path, settings):
    path = tmp_path / "some.csv"
    lines = flowers.read_text().splitlines()
    path.write_text("\n".join([lines[0], *lines[1:140:45], ",".join(["?"] * 2 + lines[70].split(",")[2:])]) + "\n")
    names = lines[0].split(",")
    words = [word for name, value in settings.items() for word in (f"--{name}", value)]
    statistics = [] if "family" not in settings else ["--keep-statistics", "all"]
    model_file = tmp_path / "iris.model"
    command("train", flowers, "--target", names[-1], *statistics, *words, "-o", model_file)
    expected = rows_of("explain", model_file, path, "--format", "json", "--typicality")
    model = credence.load(model_file)
    found = model.explain(path, typicality=True)
    assert plain(found.to_dict()) == expected
    assert plain(model.explain(path, row=2, typicality=True).to_dict()) == expected[2]
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(path, na_values="?")
    found = model.explain(frame, typicality=True)
    assert plain(found.to_dict()) == expected
    assert list(found.table.columns)[:2] == ["prediction", "prior"] and found.table.shape[0] == len(expected)
    assert isinstance(found[0].table, pandas.DataFrame)


@pytest.mark.parametrize("settings", [{}, {"family": "bernoulli"}, {"family": "complement"}, {"ngrams": "2"}])
def test_words_of_texts_are_the_command_s(tmp_path, settings):
    path = tmp_path / "mail.csv"
    path.write_text(
        'label,text\nspam,"buy cheap pills now"\nham,"see you at lunch now"\nspam,"cheap cheap offer"\nham,"the report is due"\n'
    )
    text = "cheap lunch for you, zzz <b>now</b> é"
    words = [word for name, value in settings.items() for word in (f"--{name}", value)]
    expected = json.loads(
        command(
            "explain", path, "--target", "label", "--text", "text", *words, "--given", f"text={text}", "--format", "json"
        )
    )
    model = credence.train(path, "label", text="text", **settings)
    found = model.explain({"text": text})
    assert plain(found.to_dict()) == expected
    pieces = found.marked_text()
    assert "".join(piece for piece, _ in pieces) == text
    marked = {piece: weight for piece, weight in pieces if weight != 0}
    assert ("cheap" in marked) == (settings == {} or "family" in settings) or any("cheap" in piece for piece in marked)
    html = found._repr_html_()
    assert "<b>now" not in html and "&lt;b&gt;" in html
    assert "Words of text" in repr(found)


def test_an_impossible_row_has_no_prediction_and_no_counterfactual(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\nx,u,p\ny,v,q\n")
    words = ["--target", "c", "--smoothing", "none", "--given", "a=x,b=v", "--format", "json"]
    found = credence.train(path, "c", smoothing="none").explain({"a": "x", "b": "v"})
    assert plain(found.to_dict()) == json.loads(command("explain", path, *words))
    assert found.prediction is None and math.isnan(found.posterior["p"]) and found.changes == []
    assert "none, because every class has probability 0" in repr(found) and "none" in found._repr_html_()


def test_unseen_missing_and_single_classes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\nx,1,p\ny,2,p\nx,3,q\n")
    model = credence.train(path, "c")
    found = model.explain({"a": "never", "b": None})
    words = ["--target", "c", "--given", "a=never", "--format", "json"]
    assert plain(found.to_dict()) == json.loads(command("explain", path, *words))
    assert found.unseen == 1 and "never seen, ignored: a=never" in repr(found)
    path.write_text("a,c\nx,p\ny,p\n")
    found = credence.train(path, "c").explain({"a": "x"})
    assert found.pair is None and found.total is None and found.prediction == "p"
    assert "P(p | x)" in repr(found) and "Posterior" in found._repr_html_()
    assert found.weights[1]["weight"] is None


def test_wrong_arguments_name_themselves(days):
    model = credence.train(days, "Play")
    with pytest.raises(ValueError, match="there is no class 'Perhaps'"):
        model.explain(ROW, between=("Yes", "Perhaps"))
    with pytest.raises(ValueError, match="between"):
        model.explain(ROW, between=("Yes", "Yes"))
    with pytest.raises(ValueError, match="no attribute 'Wnd'"):
        model.explain({"Wnd": "Weak"})
    with pytest.raises(IndexError, match="14 rows"):
        model.explain(days, row=14)
    with pytest.raises(ValueError, match="top"):
        model.explain(ROW, top=-1)
    with pytest.raises(ValueError, match="no text"):
        model.explain(ROW).marked_text()


def test_weights_add_up_to_the_log_odds(days):
    why = credence.train(days, "Play", smoothing="m:1").explain(ROW)
    odds = math.log(why.posterior["No"] / why.posterior["Yes"])
    assert why.total == pytest.approx(odds, abs=1e-12)
    assert sum(line["weight"] for line in why.weights) == pytest.approx(odds, abs=1e-12)
    with_settings = credence.train(days, "Play").explain(ROW, smoothing="m:1")
    assert with_settings.to_dict() == why.to_dict() or with_settings.posterior == why.posterior


def test_dependence_is_the_command_s(days):
    path = DATA / "mushroom.csv"
    if not path.exists():
        pytest.skip("mushroom.csv is not there")
    target = path.read_text().splitlines()[0].split(",")[0]
    expected = rows_of("explain", path, "--target", target, "--data", path, "--format", "json")[-1]
    model = credence.train(path, target)
    found = model.dependence(path)
    assert plain(found.to_dict()) == expected
    assert found.pairs and "Dependent within" in repr(found) and len(found.table) == len(found.pairs)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reject": 0.9}, ["--reject", "0.9"]),
        ({"threshold": {"Yes": 0.25}}, ["--threshold", "Yes=0.25"]),
        ({"cost": {"Yes": {"go": 0, "stay": 3}, "No": {"go": 10, "stay": 1}}}, ["--cost", "COSTS"]),
    ],
)
def test_decisions_are_explained_as_the_command_does(days, tmp_path, options, words):
    costs = tmp_path / "costs.csv"
    costs.write_text("class,go,stay\nYes,0,3\nNo,10,1\n")
    words = [str(costs) if word == "COSTS" else word for word in words]
    expected = json.loads(
        command("explain", days, "--target", "Play", "--given", given(ROW), *words, "--format", "json")
    )
    found = credence.train(days, "Play").explain(ROW, **options)
    assert plain(found.to_dict()) == expected
    assert found.decision == expected["decision"] and "Decision: " in repr(found)


def test_a_model_made_of_others_shows_each(days, tmp_path):
    names = ["a.model", "b.model"]
    for name, method in zip(names, ("naive", "aode")):
        command("train", days, "--target", "Play", "--method", method, "-o", tmp_path / name)
    command("combine", *(tmp_path / name for name in names), "--data", days, "-o", tmp_path / "both.model")
    model = credence.load(tmp_path / "both.model")
    words = ["explain", tmp_path / "both.model", "--given", given(ROW), "--format", "json"]
    found = model.explain(ROW)
    assert plain(found.to_dict()) == json.loads(command(*words))
    assert len(found.table) == 2 and "Prediction" in repr(found) and found._repr_html_()
    rows = model.explain(days)
    assert rows[0].to_dict()["models"][0]["probabilities"].keys() == {"Yes", "No"} and len(rows) == 14
    with pytest.raises(ValueError, match="made of others"):
        model.explain(ROW, top=2)


def test_a_model_that_is_a_network_is_explained_and_queried_as_one(days):
    model = credence.train(days, "Play", method="tan")
    found = model.explain(ROW)
    network = credence.Network.from_model(model)
    assert repr(found) == repr(network.explain("Play", ROW))
    assert repr(model.query("Play", {"Outlook": "Sunny"})) == repr(network.query("Play", {"Outlook": "Sunny"}))
    naive = credence.train(days, "Play")
    assert repr(naive.query(independence="Outlook,Wind", given="Play")) == repr(
        credence.Network.from_model(naive).independent("Outlook", "Wind", "Play")
    )
    assert naive.query(mpe=True, given={"Play": "Yes"}) is not None


def test_one_row_in_any_shape(flowers):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(flowers)
    target = frame.columns[-1]
    model = credence.train(flowers, target)
    row = frame.drop(columns=target).iloc[60]
    expected = model.explain(flowers, row=60).to_dict()
    for shape in (row, row.to_dict(), row.tolist(), tuple(row), row.to_numpy(dtype=float)):
        found = model.explain(shape)
        assert found.to_dict() == expected and isinstance(repr(found), str)


def test_pictures_of_weights():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    table = {"a": ["x", "y", "x", "y"], "c": ["p", "q", "p", "p"]}
    ax = credence.train(table, "c").explain({"a": "x"}).plot()
    assert "weight of evidence for p against q" in ax.get_xlabel()
    table = {"price": ["$a$", "$b$"] * 3, "c": ["$u$", "v"] * 3}
    ax = credence.train(table, "c").explain({"price": "$a$"}).plot()
    texts = [*(label.get_text() for label in ax.get_yticklabels()), ax.get_xlabel()]
    assert r"price=\$a\$" in texts and all(text.count("$") == text.count(r"\$") for text in texts)  # no formulas
    assert credence.distribution("binomial", 5, 0.5).plot() is not None
    assert credence.distribution("normal").plot() is not None


def test_an_explanation_shows_the_factors_that_are_multiplied():
    # The worked example of the lecture: 5/14 x 3/5 x 1/5 x 4/5 x 3/5 = 0.020571.
    row = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    why = credence.train(credence.example("tennis"), "Play", smoothing="none").explain(row)
    for text in (repr(why), why._repr_html_()):
        for part in ("P(Outlook=Sunny | No)", "3/5", "9/14", "0.020571", "0.005291", "0.025862"):
            assert part in text
        assert "deviations away" not in text  # of a category
    values = dict(zip(why.factors["factor"], why.factors["value"]))
    assert values["P(Wind=Strong | Yes)"] == pytest.approx(3 / 9)
    assert "log factor of No" in why.table.columns


@pytest.mark.parametrize("settings", [{"method": "joint"}, {"method": "pairwise"}, {"family": "kernel"}, {"method": "aode"}, {}])
def test_factors_multiply_to_the_product(settings):
    model = credence.train(credence.example("iris"), "species", **settings)
    why = model.explain({"sepal_length": 5.1, "sepal_width": 3.0, "petal_length": 3.4})
    assert why.prediction in repr(why) and why.prediction in why._repr_html_()
    for one in why.classes if len(why.factors) else ():
        values = [v for c, v in zip(why.factors["class"], why.factors["value"]) if c == one["class"]]
        assert math.prod(values) == pytest.approx(math.exp(one["log_joint"]), rel=1e-9)


def test_the_strongest_factors_are_listed():
    row = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    text = repr(credence.train(credence.example("tennis"), "Play").explain(row, top=1))
    assert "P(Outlook=Sunny | No)" in text and "P(Wind=Strong | No)" not in text and "3 others" in text


def test_html_of_dependence_says_what_the_text_does():
    days = credence.example("tennis")
    found = credence.train(days, "Play").dependence(days)
    assert repr(found).startswith("No dependence") and repr(found) in found._repr_html_()
    assert "Dependent within" not in found._repr_html_()


def test_a_summary_prints_cut_points():
    table = {"x": [1.0, 2.0, 3.0, 7.0, 8.0, 9.0], "y": ["a", "a", "a", "b", "b", "b"]}
    assert "a below 5, b above 5" in repr(credence.train(table, "y").show())


def test_a_row_with_cells_in_a_form_is_explained_as_it_is_predicted():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({
        "rate": ["57.7%", "12.0%"] * 20, "amount": ["5,733.02", "12.50"] * 20, "when": pandas.to_datetime(["2024-02-29", "2023-01-01"] * 20), "y": ["a", "b"] * 20,
    })  # fmt: skip
    model = credence.train(frame, target="y", check=False)
    whole = model.explain(frame, row=0)
    for row in (frame.iloc[0], frame.iloc[0].to_dict(), {**frame.iloc[0].to_dict(), "when": "2024-02-29"}):
        assert model.explain(row).posterior == whole.posterior == model.posterior(row)
