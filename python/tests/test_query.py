# SPDX-License-Identifier: MIT
"""Queries of tables and models, draws, and words: the command's numbers, to the bit; and the edges."""

import csv
import io
import json
import math
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import credence

COMMAND = os.environ.get("CREDENCE") or shutil.which("credence")
pytestmark = pytest.mark.skipif(COMMAND is None, reason="the command is not there: CREDENCE names it")
DATA = Path(__file__).parents[2] / "../shared/data/tabular"


def command(*words):
    run = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def asked(*words):
    return json.loads(command("query", *words, "--format", "json"))


def plain(value):
    """JSON has no infinities."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@pytest.fixture(scope="module")
def days(tmp_path_factory):
    path = tmp_path_factory.mktemp("query") / "days.csv"
    path.write_text(command("example", "tennis"))
    return path


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    path = tmp_path_factory.mktemp("query") / "mixed.csv"
    lines = ["size,colour,n,class"]
    for i in range(60):
        size = "?" if i % 17 == 5 else f"{(i * 37 % 100) / 8 + (i % 3)}"
        lines.append(f"{size},{'red' if i % 4 else 'blue, dark'},{i * i % 5},{'a' if i % 3 else 'b'}".replace("blue, dark", '"blue, dark"'))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("words", "of", "given", "options"),
    [
        (["--of", "Outlook", "--given", "Play=Yes"], "Outlook", {"Play": "Yes"}, {}),
        (["--of", "Outlook,Wind"], ["Outlook", "Wind"], None, {}),
        (["--of", "Outlook,Play", "--joint-distribution"], "Outlook,Play", None, {"joint_distribution": True}),
        (["--of", "Outlook,Play,Wind", "--joint-distribution"], ["Outlook", "Play", "Wind"], None, {"joint_distribution": True}),
        (["--of", "Outlook=Sunny or Wind=Strong"], "Outlook=Sunny or Wind=Strong", None, {}),
        (["--of", "Play=Yes", "--given", "Wind=Weak,Outlook!=Rain"], "Play=Yes", "Wind=Weak,Outlook!=Rain", {}),
        (["--of", "1-2"], "1-2", None, {}),
        (["--of", "P(Play)"], "P(Play)", None, {}),
    ],
)
def test_tables_are_counted_as_the_command_counts_them(days, words, of, given, options):
    expected = asked(days, *words)
    found = credence.query(days, of, given, **options)
    assert plain(found.to_dict()) == expected
    assert list(found) == list(expected["posterior"]) and repr(found) and found._repr_html_()
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(days)
    again = credence.query(frame, of, given, **options)
    assert plain(again.to_dict()) == expected and isinstance(again.table, pandas.DataFrame)


def test_numbers_of_tables_missing_cells_and_moments(mixed):
    found = credence.query(mixed, ["size", "n <= 2 and not colour = red"], "class = a")
    expected = asked(mixed, "--of", "size", "--of", "n <= 2 and not colour = red", "--given", "class = a")
    assert plain(found.to_dict()) == expected
    assert found.left_out["size"] > 0
    sizes = [float(row["size"]) for row in csv.DictReader(mixed.open()) if row["class"] == "a" and row["size"] != "?"]
    assert found.moments["size"] == (pytest.approx(np.mean(sizes)), pytest.approx(np.var(sizes)))
    by_value = credence.query(mixed, "class", {"colour": "blue, dark"})
    assert by_value["class"] == asked(mixed, "--of", "class", "--given", 'colour="blue, dark"')["posterior"]["class"]
    dice = {"sum": [i + j for i in range(1, 7) for j in range(1, 7)]}
    mean, variance = credence.query(dice, "sum").moments["sum"]
    assert mean == pytest.approx(7, abs=1e-14) and variance == pytest.approx(35 / 6, abs=1e-14)


@pytest.mark.parametrize(
    ("words", "sets", "given"),
    [
        (["--independence", "Humidity,Play"], ("Humidity", "Play"), None),
        (["--independence", "Humidity,Play", "--given", "Wind"], "Humidity,Play", "Wind"),
        (["--independence", "Outlook,Wind;Play"], (["Outlook", "Wind"], ["Play"]), None),
        (["--independence", "Humidity,Play", "--given", "Wind=Weak"], ["Humidity", "Play"], {"Wind": "Weak"}),
    ],
)
def test_independence_is_the_command_s(days, words, sets, given):
    found = credence.query(days, independence=sets, given=given)
    assert plain(found.to_dict()) == asked(days, *words)
    assert "chi-squared" in repr(found) and "chi-squared" in found._repr_html_()


@pytest.mark.parametrize(
    ("words", "of", "given", "options"),
    [
        (["--of", "class", "--given", "size=3.5"], "class", {"size": 3.5}, {}),
        (["--of", "colour,class"], ["colour", "class"], None, {}),
        (["--of", "colour,class", "--joint-distribution", "--given", "n=2"], "colour,class", {"n": 2}, {"joint_distribution": True}),
        (["--of", "size", "--given", "class=b", "--at", "1,2.5"], "size", "class=b", {"at": [1, 2.5]}),
        (["--of", "s*,n"], "s*,n", None, {}),
    ],
)
@pytest.mark.parametrize("settings", [{}, {"smoothing": "laplace:1", "prior": "uniform"}])
def test_models_answer_as_the_command_does(mixed, settings, words, of, given, options):
    setting_words = [word for name, value in settings.items() for word in (f"--{name}", value)]
    expected = asked(mixed, "--target", "class", "--as", "model", *setting_words, *words)
    model = credence.train(mixed, "class")
    found = model.query(of, given, **options, **settings)
    assert plain(found.to_dict()) == expected
    assert repr(found) and found._repr_html_() and len(found.table) > 0


def test_a_table_is_asked_as_the_model_that_it_makes(days):
    expected = asked(days, "--target", "Play", "--as", "model", "--of", "Play", "--given", "Outlook=Sunny")
    found = credence.query(days, "Play", {"Outlook": "Sunny"}, source="model", target="Play")
    assert plain(found.to_dict()) == expected
    row = {"Outlook": "Sunny", "Wind": "Weak"}
    assert credence.explain(days, row, "Play").to_dict() == credence.train(days, "Play").explain(row).to_dict()
    with pytest.raises(ValueError, match="source"):
        credence.query(days, "Play", source="network")
    with pytest.raises(ValueError, match="at"):
        credence.query(days, "Play", at=3)


def test_dates_that_a_model_has_in_parts_are_given_whole(tmp_path):
    path = tmp_path / "visits.csv"
    lines = [f"2024-{1 + i % 7:02}-{1 + i % 28:02},{'a' if i % 3 else 'b'}" for i in range(80)]
    path.write_text("\n".join(["when,class", *lines]) + "\n")
    model = credence.train(path, "class")
    words = ["--target", "class", "--given", "when=2024-03-05", "--format", "json"]
    found = model.explain({"when": "2024-03-05"})
    assert plain(found.to_dict()) == json.loads(command("explain", path, *words))
    expected = json.loads(command("query", path, "--as", "model", "--of", "class", *words))
    assert plain(model.query("class", {"when": "2024-03-05"}).to_dict()) == expected
    assert model.query("class", "when=2024-03-05").to_dict() == model.query("class", {"when": "2024-03-05"}).to_dict()
    assert len(model.sample(2, given={"when": "2024-01-01"})) == 2
    assert model.query("class", {"when": None})["class"] == model.query("class")["class"]
    with pytest.raises(credence.Error):
        model.query("class", {"when": "yesterday"})


def test_what_cannot_be_asked_is_refused_by_its_name(days, mixed):
    model = credence.train(days, "Play", smoothing="none")
    with pytest.raises(ValueError, match="did you mean 'Outlook'"):
        credence.query(days, "Outlok")
    with pytest.raises(ValueError, match="no column 'Win'"):
        credence.query(days, "Play", {"Win": "Weak"})
    with pytest.raises(ValueError, match="one of them is needed"):
        credence.query(days)
    with pytest.raises(ValueError, match="in none does it hold"):
        credence.query(days, "Play", "Outlook=Sunny and Outlook=Rain")
    with pytest.warns(credence.CredenceWarning, match="did you mean Sunny"):
        credence.query(days, "Outlook=Suny")
    with pytest.raises(credence.Error):
        credence.query(days, "Play=Yes and (")
    with pytest.raises(ValueError, match="joint_distribution"):
        credence.query(days, "Play=Yes", joint_distribution=True)
    with pytest.raises(credence.Error, match="number"):
        credence.query(mixed, independence=("size", "class"))
    with pytest.raises(ValueError, match="events are for tables"):
        model.query("Play=Yes")
    with pytest.raises(ValueError, match="given already"):
        model.query("Play", {"Play": "Yes"})
    with pytest.raises(ValueError, match="zero under every class"):
        model.with_settings(prior={"Yes": 0, "No": 1}).query("Play", {"Outlook": "Overcast"})
    with pytest.raises(credence.Error):
        model.query("Outlook", {"Play": "Perhaps"})
    with pytest.raises(ValueError, match="not categorical"):
        credence.train(mixed, "class").query("size,colour", joint_distribution=True)
    with pytest.warns(credence.CredenceWarning, match="never seen"):
        model.query("Play", {"Outlook": "Fog"})


def drawn(*words):
    rows = list(csv.DictReader(io.StringIO(command("sample", *words, "--format", "csv"))))
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.mark.parametrize("given", [None, {"class": "b"}, {"colour": "red", "n": 3}])
def test_draws_are_the_command_s(mixed, given):
    words = [] if given is None else ["--given", ",".join(f"{name}={value}" for name, value in given.items())]
    expected = drawn(mixed, "--target", "class", "--numeric", "n", "--rows", "40", "--seed", "7", *words)  # as train reads it
    model = credence.train(mixed, "class")
    found = model.sample(40, 7, given=given)
    assert found.columns == list(expected)
    for name in found.columns:
        values = found[name].tolist()
        assert values == ([float(x) for x in expected[name]] if isinstance(values[0], float) else expected[name])
    later = model.sample(3, 7, given=given, first=37)
    assert later["size"].tolist() == found["size"].tolist()[37:]
    assert len(model.sample(0)) == 0
    polars = pytest.importorskip("polars")
    assert isinstance(model.sample(2, like=polars.DataFrame()), polars.DataFrame)
    for wrong in (-1, 1.5, True):
        with pytest.raises((TypeError, ValueError)):
            model.sample(wrong)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
def test_a_long_draw_is_interrupted(mixed):
    def interrupt(*_):
        raise KeyboardInterrupt

    model = credence.train(mixed, "class")
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            model.sample(100_000_000)
        assert time.monotonic() - start < 5
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_long_draw_ends_at_the_deadline(mixed):
    model = credence.train(mixed, "class")
    start = time.monotonic()
    with pytest.raises(credence.errors.DeadlineError), credence.options(deadline=0.1):
        model.sample(100_000_000)
    assert time.monotonic() - start < 5


def test_words_of_texts(tmp_path):
    path = tmp_path / "mail.csv"
    path.write_text(
        'label,text\nspam,"buy cheap pills now"\nham,"see you at lunch now"\nspam,"cheap cheap offer"\nham,"the report"\n'
    )
    target = ["--target", "label", "--text", "text"]
    model = credence.train(path, "label", text="text")
    table = model.words(2)
    assert table["word"].tolist()[2] == "cheap" and set(table["class"]) == {"ham", "spam"}
    expected = json.loads(command("query", path, *target, "--terms", "Cheap Lunch", "--format", "json"))
    found = model.terms("Cheap Lunch")
    assert [dict(row) for row in found] == expected["terms"]
    expected = asked(path, *target, "--as", "model", "--of", "text:Cheap", "--given", "label=spam")
    assert plain(model.query("text:Cheap", {"label": "spam"}).to_dict()) == expected
    expected = drawn(path, *target, "--rows", "5")
    assert model.sample(5)["text"].tolist() == expected["text"]
    with pytest.raises(ValueError, match="several words"):
        model.query("text:cheap lunch")
    with pytest.raises(ValueError, match="no training text of 'text' contains 'zzz'"):
        model.query("text:zzz")
    with pytest.raises(ValueError, match="no column of texts"):
        credence.train({"a": ["x", "y"], "c": ["p", "q"]}, "c").words()


def test_lecture_numbers():
    rows = "m b t; m s t; g q t; h s t; g q t; g q f; g s f; h b f; h q f; m b f".split("; ")
    table = {name: [row.split()[i] for row in rows] for i, name in enumerate("ABC")}
    assert credence.query(table, "C")["C"]["t"] == 0.5
    assert credence.query(table, "A", {"C": "t"})["A"] == {"g": 2 / 5, "h": 1 / 5, "m": 2 / 5}
    assert credence.query(table, "B", {"C": "f"})["B"] == {"b": 2 / 5, "q": 2 / 5, "s": 1 / 5}
    why = credence.train(table, "C", smoothing="none").explain({"A": "m", "B": "q"})
    scores = {one["class"]: math.exp(one["log_joint"]) for one in why.classes}
    assert scores == {"t": pytest.approx(2 / 25), "f": pytest.approx(1 / 25)}
    assert why.posterior["t"] == pytest.approx(2 / 3)


def test_html_of_a_test_of_independence_has_its_caveats():
    found = credence.query(credence.example("tennis"), independence=("Humidity", "Play"))
    for part in ("p-values are rough: 4 of 4 cells", "mutual information"):
        assert part in repr(found) and part in found._repr_html_()


def test_a_joint_answer_is_found_by_its_columns():
    found = credence.query(credence.example("tennis"), of=["Outlook", "Play"], joint_distribution=True)
    assert found["Outlook", "Play"] == found["Outlook,Play"]
