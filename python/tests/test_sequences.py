# SPDX-License-Identifier: MIT
"""Hidden Markov models: the same bytes and bits as the command, and the worked numbers of the umbrella."""

import csv
import datetime
import io
import json
import os
import pickle
import subprocess

import numpy as np
import pytest

import credence

COMMAND = os.environ.get("CREDENCE", "")
needs_command = pytest.mark.skipif(not os.access(COMMAND, os.X_OK), reason="CREDENCE does not name the command")

UMBRELLA = """{"credence_hmm": 1, "states": ["rain", "dry"], "start": [0.5, 0.5], "transitions": [[0.7, 0.3], [0.3, 0.7]],
"observations": [{"name": "umbrella", "family": "categorical", "values": ["yes", "no"],
"probability": [[0.9, 0.1], [0.2, 0.8]]}]}"""
WEEK = {"umbrella": ["yes", "yes", "no", "yes", "yes"]}


def run(*arguments, folder=None):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=True, cwd=folder)
    return done.stdout


@pytest.fixture(scope="module")
def weather(tmp_path_factory):
    path = tmp_path_factory.mktemp("sequences") / "weather.csv"
    path.write_text(run("example", "weather"))
    return path


def assert_same_answers(table, text):
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(table) > 0
    for name in rows[0]:
        if name not in table.columns:
            assert name == "unseen"
            continue
        expected = [row[name] for row in rows]
        if name in ("sequence", "prediction"):
            assert [str(value) for value in table[name]] == expected
        else:
            assert [float(value) for value in table[name]] == [float(value) for value in expected]


@needs_command
@pytest.mark.parametrize(
    "arguments",
    [
        {"target": "sky"},
        {"target": "sky", "order": 2},
        {"target": "sky", "end_probabilities": "yes"},
        {"states": 2, "ignore": ["day", "sky"]},
        {"states": 2, "state_mixture": 2, "ignore": ["day", "sky", "wind"]},
    ],
)
def test_show_has_the_record_of_the_command(weather, tmp_path, arguments):
    model = credence.train(weather, sequence="place", **{"ignore": "day", **arguments})
    model.save(tmp_path / "m.crd")
    summary = model.show()
    expected = json.loads(run("show", tmp_path / "m.crd", "--format", "json"))
    assert summary.to_dict() == expected and list(summary.to_dict()) == list(expected)
    assert model.attributes and all(name in repr(summary) and name in model._repr_html_() for name in model.attributes)


def test_show_has_start_transitions_and_observations():
    summary = credence.hmm(UMBRELLA).show()
    assert dict(zip(summary.states["state"], summary.states["start"])) == {"dry": 0.5, "rain": 0.5}
    assert dict(zip(summary.transitions["from"], summary.transitions["rain"])) == pytest.approx({"dry": 0.3, "rain": 0.7})
    table = summary.table("umbrella")
    assert dict(zip(table["value"], table["P(umbrella | rain)"])) == pytest.approx({"no": 0.1, "yes": 0.9}, abs=1e-6)
    assert credence.hmm(UMBRELLA).show(of="umbrella").attributes == ("umbrella",)
    whole = {"s": [1, 1, 2, 2], "x": ["a", "a", "b", "b"], "c": ["u", "u", "v", "v"]}
    classes = credence.train(whole, "c", sequence="s", states=1).show()
    assert classes.classes["prior"].tolist() == [0.5, 0.5]
    assert classes.models["u"].table("x")["P(x | 1)"].tolist() == [1.0]
    assert "Class v" in repr(classes) and "Class v" in classes._repr_html_()
    with pytest.raises(TypeError, match="one of sequences"):
        credence.hmm(UMBRELLA).posterior({"umbrella": "yes"})


def test_the_umbrella_of_russell_and_norvig():
    # Artificial Intelligence: A Modern Approach, 15.2: filtered 0.818, 0.883; smoothed first day 0.883 after two days.
    model = credence.hmm(UMBRELLA)
    two = {"umbrella": ["yes", "yes"]}
    rain = model.states.index("rain")
    filtered = model.predict(two, stream=True)
    np.testing.assert_allclose(filtered["P(rain)"], [0.818, 0.883], atol=5e-4)
    assert model.predict_proba(two)[0, rain] == pytest.approx(0.883, abs=5e-4)
    assert model.predict(WEEK)["prediction"].tolist() == ["rain", "rain", "dry", "rain", "rain"]
    np.testing.assert_allclose(model.transitions(), [[0.7, 0.3], [0.3, 0.7]])
    assert model.forecast(two, 1)["P(rain)"][0] == pytest.approx(0.7 * 0.8834 + 0.3 * 0.1166, abs=1e-3)
    # The probability of a path is that of its states one after the other.
    path = {1: "rain", 2: "rain"}
    assert model.probability(two, path) == pytest.approx(
        0.5 * 0.9 * 0.7 * 0.9 / np.exp(model.log_likelihood(two)[0]), rel=1e-12
    )


def test_settings_are_taken_with_every_question():
    rows = {"s": ["a", "a", "b"], "x": ["u", "v", "u"]}
    model = credence.train(rows, target="s", method="sequence")
    assert model.start_probabilities(transitions="m:0") == {"a": 1.0, "b": 0.0}
    assert model.start_probabilities()["b"] > 0


def test_lag_of_the_whole_sequence_smooths():
    model = credence.hmm(UMBRELLA)
    smoothed = model.predict(WEEK)
    lagged = model.predict(WEEK, stream=True, lag=10)
    np.testing.assert_allclose(lagged["P(rain)"], smoothed["P(rain)"], rtol=1e-12)


@needs_command
@pytest.mark.parametrize(
    "options",
    [
        {"target": "sky", "sequence": "place", "ignore": "day"},
        {"target": "sky", "sequence": "place", "time": "day", "order": 2},
        {"states": 3, "sequence": "place", "ignore": "day", "seed": 7},
    ],
)
def test_bytes_and_bits_are_those_of_the_command(weather, tmp_path, options):
    model = credence.train(weather, **options)
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    run("train", weather, *flags, "-q", "-o", tmp_path / "model")
    assert model.to_bytes() == (tmp_path / "model").read_bytes()
    loaded = credence.load(tmp_path / "model")
    assert isinstance(loaded, credence.SequenceModel)
    assert_same_answers(loaded.predict(weather), run("predict", tmp_path / "model", weather))
    assert_same_answers(
        loaded.predict(weather, decoding="posterior"), run("predict", tmp_path / "model", weather, "--decoding", "posterior")
    )


@needs_command
def test_tagged_text_is_read_as_the_command_reads_it(tmp_path):
    path = tmp_path / "sentences.tsv"
    path.write_text(run("example", "sentences"))
    model = credence.train(path, target="c2", sequence_break="empty-line", order=2)
    run("train", path, "--target", "c2", "--sequence-break", "empty-line", "--order", "2", "-q", "-o", tmp_path / "model")
    assert model.to_bytes() == (tmp_path / "model").read_bytes()
    assert model.show().to_dict() == json.loads(run("show", tmp_path / "model", "--format", "json"))
    words = tmp_path / "new.txt"
    words.write_text("The\nyoung\nwalker\nwatered\nflowers\n.\n")
    answers = model.predict(words)
    assert_same_answers(answers, run("predict", tmp_path / "model", words))
    assert answers["prediction"].tolist() == ["DET", "ADJ", "NOUN", "VERB", "NOUN", "PUNCT"]
    assert answers["unseen"].sum() == 3


@needs_command
def test_parts_have_whole_sequences_and_merge_into_the_model_of_all(tmp_path):
    ids = [f"s{i}" for i in range(30) for _ in range(i % 4 + 1)]
    rows = range(len(ids))
    table = {"id": ids, "x": [float(i * 7919 % 101) for i in rows], "state": ["AB"[i * i % 7 % 2] for i in rows]}
    path = tmp_path / "rows.csv"
    path.write_text("id,x,state\n" + "".join(f"{i},{x},{s}\n" for i, x, s in zip(*table.values(), strict=True)))
    for given in (table, path):
        whole = credence.train(given, target="state", sequence="id")
        parts = [credence.train(given, target="state", sequence="id", shard=f"{i}/5") for i in range(1, 6)]
        assert sum(part.facts["sequences"] for part in parts) == 30
        assert credence.merge(parts).to_bytes() == whole.to_bytes()
    with pytest.raises(ValueError, match="hidden states"):
        credence.train(table, sequence="id", states=2, shard="1/2")


def test_classes_of_whole_sequences(tmp_path):
    path = tmp_path / "classes.csv"
    rows = [f"{s},l{s % 2},{t * s % 3}" for s in range(1, 5) for t in range(1, 6)]
    path.write_text("\n".join(["id,class,x", *rows]) + "\n")
    model = credence.train(path, target="class", states=2, sequence="id")
    run("train", path, "--target", "class", "--states", 2, "--sequence", "id", "-q", "-o", tmp_path / "model")
    assert model.to_bytes() == (tmp_path / "model").read_bytes()
    assert_same_answers(model.predict(path), run("predict", tmp_path / "model", path))
    with pytest.raises(TypeError, match="whole sequences"):
        model.transitions()


@needs_command
def test_update_forget_and_pickle_restore_the_bytes(weather):
    model = credence.train(weather, target="sky", sequence="place", ignore="day")
    before = model.to_bytes()
    model.update(weather)
    assert model.to_bytes() != before
    assert model.forget(weather).to_bytes() == before
    assert pickle.loads(pickle.dumps(model)).states == model.states


@needs_command
def test_frames_train_the_model_of_the_file(weather):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(weather)
    model = credence.train(weather, target="sky", sequence="place", ignore="day")
    again = credence.train(frame, target="sky", sequence="place", ignore="day")
    assert again.to_bytes() == model.to_bytes()
    assert isinstance(again.predict(frame), pandas.DataFrame)


@needs_command
def test_explanations_add_up(weather):
    model = credence.train(weather, target="sky", sequence="place", ignore="day")
    explanation = model.explain(weather, 3, sequence="coast")
    table = explanation.table
    logs = table["past"] + table["observation"] + table["future"]
    weights = np.exp(logs - logs.max())
    np.testing.assert_allclose(table["probability"], weights / weights.sum(), rtol=1e-9)
    terms = explanation.terms
    np.testing.assert_allclose([terms[state].sum() for state in model.states], table["observation"], rtol=1e-9)


@needs_command
def test_samples_are_functions_of_the_seed(weather):
    model = credence.train(weather, target="sky", sequence="place", ignore="day")
    sample = model.sample(2, rows=4, seed=3)
    assert len(sample) == 8 and sample.columns[:2] == ["sequence", "step"]
    assert sample == model.sample(2, rows=4, seed=3)
    assert sample != model.sample(2, rows=4, seed=4)


def test_wrong_arguments_name_themselves():
    model = credence.hmm(UMBRELLA)
    with pytest.raises(ValueError, match="decoding"):
        model.predict(WEEK, decoding="best")
    with pytest.raises(IndexError, match="step"):
        model.explain(WEEK, 9)
    with pytest.raises(IndexError, match="sequence: there is no so large a number"):
        model.explain(WEEK, sequence=10**400)
    with pytest.raises(ValueError, match="n_best"):
        model.best_paths(WEEK, 0)
    with pytest.raises(TypeError, match="names are texts, got 1"):
        model.predict(WEEK, reading={1: 2})
    with pytest.raises(ValueError, match="rows"):
        model.sample(1)
    with pytest.raises(ValueError, match="there is no 'snow'"):
        model.next_probabilities(["snow"])
    with pytest.raises(ValueError, match="step: expected"):
        credence.train(WEEK, states=2, step="soon")
    with pytest.raises(credence.Error, match="key in quotes"):
        credence.hmm("{")


def test_a_model_is_stated_by_a_text_a_dict_or_a_file(tmp_path):
    (tmp_path / "umbrella.json").write_text(UMBRELLA)
    model = credence.hmm(UMBRELLA)
    assert credence.hmm(json.loads(UMBRELLA)) == model == credence.hmm(tmp_path / "umbrella.json")
    assert model.next_probabilities("rain") == model.next_probabilities(["rain"])
    with pytest.raises(TypeError, match="states: expected a mapping"):
        model.probability(WEEK, ["rain"])


def test_an_evaluation_names_what_each_accuracy_is_of():
    table = {"s": [1, 1, 2, 2, 3, 3, 4, 4], "x": list("abababab"), "y": list("uvuvuvuv")}
    lines = repr(credence.evaluate(table, "y", sequence="s", cross_validate=2)).split("\n")
    places = [next(i for i, line in enumerate(lines) if line == title) for title in ("Whole sequences", "Rows of the sequences")]
    accuracies = [i for i, line in enumerate(lines) if line.strip().startswith("accuracy")]
    assert places[0] < accuracies[0] < places[1] < accuracies[1]


def test_forecasts_and_paths_answer_for_every_sequence():
    model = credence.hmm({**json.loads(UMBRELLA), "sequence": "id"})
    rows = {"id": ["a", "a", "b"], "umbrella": ["yes", "yes", "no"]}
    ahead = model.forecast(rows, 2)
    assert list(ahead["sequence"]) == ["a", "a", "b", "b"] and list(ahead["ahead"]) == [1, 2, 1, 2]
    for number, name in enumerate("ab"):
        one = model.forecast(rows, 2, sequence=name)
        assert list(one["sequence"]) == [name] * 2
        np.testing.assert_array_equal(one["P(rain)"], ahead["P(rain)"][2 * number : 2 * number + 2])
    paths = model.best_paths(rows, 2)
    assert list(paths["sequence"]) == ["a", "a", "b", "b"]
    assert list(model.best_paths(rows, 2, sequence=1)["path"]) == list(paths["path"])[2:]
    with pytest.raises(ValueError, match="sequence: the table has 2 sequences: give the id of one"):
        model.probability(rows, {1: "rain"})
    assert 0 < model.probability(rows, {1: "rain"}, sequence="b") < 0.5


def test_a_model_keeps_the_form_of_its_times(tmp_path):
    file = tmp_path / "days.csv"
    file.write_text("id,t,x,k\na,01/02/2025,1,u\na,02/02/2025,2,v\na,03/02/2025,1,u\nb,01/02/2025,2,v\nb,02/02/2025,1,u\n")
    model = credence.train(file, "k", sequence="id", time="t", column_format={"t": "seconds-dmy"})
    assert list(model.predict(file)["prediction"]) == list("uvuvu")
    assert list(pickle.loads(pickle.dumps(model)).predict(file, time="t")["prediction"]) == list("uvuvu")
    cells = [line.split(",") for line in file.read_text().split()]
    columns = {name: [row[i] for row in cells[1:]] for i, name in enumerate(cells[0])} | {"x": [1, 2, 1, 2, 1]}
    assert list(model.predict(columns)["prediction"]) == list("uvuvu")
    file.write_text(file.read_text().replace("03/02", "02/13"))
    for table in (file, columns | {"t": [*columns["t"][:2], "02/13/2025", *columns["t"][3:]]}):
        with pytest.raises(credence.Error, match="have the month first"):
            model.predict(table)


def test_steps_that_are_too_short_are_warned_of_and_may_be_timedeltas():
    times = [f"2025-03-01T0{hour}:{minute}:00" for hour in range(4) for minute in ("00", "15", "30", "45")]
    rows = {"t": times + ["2025-03-02T00:00:00"], "k": ["a", "b"] * 8 + ["a"], "x": list(range(17))}
    with pytest.warns(credence.CredenceWarning, match=r"typically 60 steps apart \(15m\)"):
        credence.train(rows, "k", time="t", step=15)
    made = [credence.train(rows, "k", time="t", step=step) for step in ("15min", "15m", datetime.timedelta(minutes=15), 900)]
    assert all(one == made[0] for one in made)


def test_errors_name_the_function_that_was_called():
    model = credence.hmm(UMBRELLA)
    with pytest.raises(TypeError, match=r"forecast\(\) got an unexpected keyword argument 'steps'"):
        model.forecast(WEEK, steps=2)
    with pytest.raises(TypeError, match=r"explain\(\) got an unexpected keyword argument 'row'"):
        model.explain(WEEK, row=2)


def test_sequences_end_at_empty_lines_or_have_ids():
    with pytest.raises(ValueError, match="sequence and sequence_break cannot be combined"):
        credence.train_sequences(WEEK, "sky", sequence="day", sequence_break="empty-line")
    with pytest.raises(ValueError, match="sequence_break: expected 'empty-line'"):
        credence.train_sequences(WEEK, "sky", sequence_break="blank")
