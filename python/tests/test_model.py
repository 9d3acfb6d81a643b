# SPDX-License-Identifier: MIT
"""Models: training, answers, learning and forgetting, bytes."""

import copy
import doctest
import importlib
import inspect
import math
import os
import pickle
import random
import threading
import timeit
import warnings

import numpy as np
import pytest

import credence
from credence import _settings

DAYS = {
    "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain"],
    "humidity": [85.0, 90.0, 78.0, 96.0, 80.0, 70.0],
    "play": ["no", "no", "yes", "yes", "yes", "no"],
}


@pytest.fixture
def model():
    return credence.train(DAYS, target="play")


def test_a_row_may_be_its_cells_in_the_order_of_the_attributes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    days = credence.example("tennis")
    cells = ["Sunny", "Cool", "High", "Strong"]
    for method in ("naive", "tan"):
        model = credence.train(days, "Play", method=method)
        row = dict(zip(model.attributes, cells))
        for given in (cells, tuple(cells), np.array(cells)):
            assert model.predict(given) == model.predict(row)
            assert repr(model.explain(given)) == repr(model.explain(row))
        assert model.predict([*cells[:3], None]) == model.predict({**row, "Wind": None})
        (tmp_path / "a.csv").write_text(",".join(row) + "\n" + ",".join(cells) + "\n")
        assert len(model.predict(["a.csv"] * 4)) == 4  # paths of a table


def test_the_display_of_a_large_model_is_bounded():
    random = np.random.default_rng(1)
    labels = [f"c{i % 40}" for i in range(400)]
    for cells in (random.normal(size=(400, 70)), random.integers(0, 9, size=(400, 70)).astype(str)):
        table = {f"x{i}": cells[:, i] for i in range(70)}
        shown = credence.train({**table, "y": labels}, "y", check=False)._repr_html_()
        assert len(shown) < 600_000 and shown.count("<svg") <= 10
        assert "8 classes of the greatest priors, of 40" in shown and "more: show().table(name)" in shown


def test_models_are_weighed_by_other_rows_or_in_closed_form():
    days = credence.Table({"sky": ["sun", "sun", "rain", "rain", "rain"], "wind": list("swwsw"), "play": list("ynnyn")})
    models = {"both": credence.train(days, "play"), "other": credence.train(days, "play", smoothing="laplace:2")}
    with pytest.raises(credence.errors.DataError, match="data=.*posterior=.*laplace:1"):
        credence.combine(models)
    closed = credence.combine({name: model.with_settings(prior="laplace:1") for name, model in models.items()})
    assert {one["weighed_by"] for one in closed.facts["hypotheses"]} == {"closed form"}
    with pytest.warns(credence.CredenceWarning, match="rows that the models learned from"):
        weighed = credence.combine(models, data=days, weigh_by="classes")
    assert [one["weighed_by"] for one in weighed.facts["hypotheses"]] == ["learned", "learned"]
    others = {"sky": ["sun", "rain"], "wind": ["w", "s"], "play": ["y", "n"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weighed = credence.combine(models, data=others, weigh_by="classes")
    assert [one["weighed_by"] for one in weighed.facts["hypotheses"]] == ["held out", "held out"]


def test_settings_are_keyword_arguments_of_the_signature():
    parameters = inspect.signature(credence.train).parameters
    assert "term_smoothing" in parameters and "arguments" not in parameters
    assert "term_smoothing : auto | A" in credence.train.__doc__


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("prior", {"yes": 0.25, "a,b": "3/4"}, 'yes=0.25,"a,b"=3/4'),
        ("family", {"x": "kernel", "*": "gaussian"}, "x=kernel,*=gaussian"),
        ("smoothing", ("laplace", 2), "laplace:2"),
        ("joint", ["a", "b"], "a,b"),
        ("joint", [["a", "b"], ["c", "d;e"]], 'a,b;c,"d;e"'),
        ("arcs", [("a", "b"), "c"], "a->b,c"),
        ("latent_nodes", {"h": 3}, "h:3"),
        ("stop_words", ["the", "a"], "the,a"),
        ("significance", np.float32(0.5), "0.5"),
        ("iterations", np.int64(7), "7"),
    ],
)
def test_values_of_python_become_texts_of_settings(name, value, text):
    assert _settings.text(name, value) == text


def test_a_wrong_keyword_names_the_one_that_was_meant():
    with pytest.raises(TypeError, match="did you mean smoothing"):
        credence.train(DAYS, target="play", smothing=1)
    with pytest.raises(TypeError, match="smoothing: expected a number"):
        credence.train(DAYS, target="play", smoothing=object())


def test_one_row_is_answered_as_it_is_among_others(model):
    rows = [{name: DAYS[name][i] for name in DAYS} for i in range(6)]
    all_rows = model.predict_proba(DAYS)
    for i, row in enumerate(rows):
        assert list(model.posterior(row).values()) == all_rows[i].tolist()
        assert model.posterior([row["outlook"], row["humidity"]]) == model.posterior(row)
    found = model.predict(DAYS)
    assert found["P(yes)"].tolist() == all_rows[:, 1].tolist()
    one = model.predict(rows[3])
    assert one["prediction"] == "yes" and one["posterior"] == model.posterior(rows[3])


def test_cells_of_a_row_may_be_missing_unseen_or_of_other_packages(model):
    whole = model.posterior({"humidity": 80.0})
    assert model.posterior({"humidity": np.float32(80), "outlook": None}) == whole
    assert model.posterior({"humidity": "80", "outlook": float("nan")}) == whole
    assert model.predict({"outlook": "hail", "humidity": 80})["unseen"] == 1
    with pytest.raises(ValueError, match="no attribute 'wind'"):
        model.posterior({"wind": 1})
    with pytest.raises(ValueError, match="1 values for 2 attributes"):
        model.posterior([1.0])
    for wrong in ({"humidity": object()}, None, 5, "rain"):
        with pytest.raises(TypeError, match="row: expected"):
            model.posterior(wrong)


def test_rows_learned_and_forgotten_leave_the_bytes_as_they_were(model):
    before = model.to_bytes()
    answers = model.posterior({"humidity": 80.0})
    assert model.update(DAYS) is model and model.facts["rows"] == 6
    assert model.to_bytes() != before
    assert model.forget(DAYS).to_bytes() == before
    assert model.posterior({"humidity": 80.0}) == answers
    with pytest.raises(credence.Error):
        model.forget({"outlook": ["hail"], "humidity": [1.0], "play": ["yes"]})
    assert model.to_bytes() == before


def test_parts_are_counted_once_and_retracted():
    rows = {"x": [1.0, 2.0, 5.0], "c": ["u", None, "v"], "y": ["a", "b", "a"]}
    parts = [
        credence.train({name: values[i : i + 1] for name, values in rows.items()}, target="y", part=f"row-{i}")
        for i in range(3)
    ]
    empty = credence.train({name: [] for name in rows}, target="y", part="empty", categorical="c", numeric="x")
    store = parts[0].copy().merge(parts[2], parts[1], parts[2], duplicates="skip")
    assert store.parts == ("row-0", "row-1", "row-2")
    before = store.to_bytes()
    with pytest.raises(credence.errors.DataError, match="the model contains the part 'row-1' already") as caught:
        store.merge(parts[1])
    assert caught.value.code == "duplicate"
    pair = parts[0].copy().merge(parts[1])
    with pytest.raises(credence.errors.DataError, match="twice"):
        credence.merge([parts[1], pair], duplicates="skip")
    with pytest.raises(credence.errors.DataError, match="'empty' is not in the model"):
        store.retract(empty)
    assert store.to_bytes() == before
    assert credence.merge(parts) == store
    assert store.retract(parts[2]) == pair
    with pytest.raises(ValueError, match="part"):
        credence.train(rows, target="y", part="auto", method="auto")


def test_merged_parts_are_the_whole(model):
    parts = [
        credence.train({name: values[i::2] for name, values in DAYS.items()}, target="play") for i in range(2)
    ]
    assert parts[0].merge(parts[1]) == model
    assert model.difference(model) is None
    assert model.difference(parts[1])["aspect"] == "class_rows"


def test_a_model_that_cannot_be_merged_is_named_with_its_remedy(model):
    other = credence.train(DAYS, target="play", smoothing="none")
    with pytest.raises(credence.errors.Error, match="in the first and none in the second") as failure:
        credence.merge([model, model, other])
    assert "model 3 of 3" in failure.value.__notes__[0]
    networks = [credence.train(DAYS, target="play", arcs=arcs) for arcs in ("play->humidity", "humidity->play")]
    with pytest.raises(credence.errors.Error, match="part=ID"):
        credence.merge(networks)


def test_codes_of_nodes_are_those_of_all_rows(tmp_path):
    path = tmp_path / "four.csv"
    path.write_text("a,y\n1,p\n2,q\n3,p\n4,q\n")
    with pytest.raises(credence.errors.Error, match="depends on all rows"):
        credence.train(path, target="y", search="hill-climb", shard="1/2")
    schema = credence.schema(path, "y")
    assert credence.train(path, search="hill-climb", shard="1/2", schema=schema).facts["rows"] == 2


def test_a_summary_is_pickled_with_its_curves(model):
    summary = model.show()
    again = pickle.loads(pickle.dumps(summary))
    assert repr(again) == repr(summary) and again._repr_html_() == summary._repr_html_()
    network = credence.train(DAYS, target="play", method="tan", ignore="humidity").show()
    assert repr(pickle.loads(pickle.dumps(network))) == repr(network)


def test_arguments_of_a_wrong_kind_name_themselves(model):
    with pytest.raises(TypeError, match="text: expected a str"):
        model.terms(None)
    for goals in ([None], b"f1", 7):
        with pytest.raises(TypeError, match="choose_threshold: expected goals"):
            model.evaluate(DAYS, choose_threshold=goals)
    pandas = pytest.importorskip("pandas")
    for cost in (pandas.Series([1.0, 2.0]), pandas.DataFrame()):
        with pytest.raises(ValueError, match="cost: expected a table"):
            model.predict(DAYS, cost=cost)


def test_a_model_is_saved_pickled_and_copied_by_its_bytes(model, tmp_path):
    model.save(tmp_path / "days.model")
    for again in (credence.load(tmp_path / "days.model"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert again == model and again is not model
    with pytest.raises(ValueError):
        credence.Model.from_bytes(b"no model")


def test_settings_of_a_question_leave_the_model_as_it_was(model):
    row = {"outlook": "sunny"}
    other = model.posterior(row, smoothing="laplace:5", prior={"no": 0.25, "yes": 0.75})
    assert other != model.posterior(row)
    changed = model.with_settings(smoothing="laplace:5", prior={"no": 0.25, "yes": 0.75})
    assert changed.posterior(row) == other and changed.settings["smoothing"] == "laplace:5"
    assert model.settings["smoothing"] == "m:1"


def _noisy(rows=120, **more):
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, rows)
    table = {"x": rng.normal(size=rows) + 2 * truth, "w": np.where(rng.random(rows) < 0.8, truth, 1 - truth).astype(str)}
    return {**table, **more, "y": truth.astype(str)}


def test_a_method_that_is_chosen_is_among_the_facts():
    model = credence.train(_noisy(), target="y", method="auto")
    choice = model.facts["choice"]
    chosen = next(one for one in choice["candidates"] if one["name"] == choice["chosen"])
    assert chosen["log_loss"] == choice["log_loss"]
    for name, value in chosen["settings"].items():
        assert model.settings[name.replace("-", "_")] == value
    with pytest.raises(ValueError, match="family"):
        credence.train(_noisy(), target="y", method="auto", family="kernel")


def test_latent_classes_and_unlabeled_rows_are_learned():
    table = _noisy()
    del table["y"]
    model = credence.train(table, latent_class="kind:2")
    assert model.target == "kind" and model.classes == ("1", "2")
    assert model.facts["latent"]["classes"] == 2
    with pytest.raises(credence.errors.Error, match="latent classes cannot be merged"):
        credence.merge([model, credence.train(table, latent_class="kind:2")])
    table = _noisy()
    table["y"] = [label if i < 40 else None for i, label in enumerate(table["y"])]
    assert credence.train(table, target="y").facts["skipped"] == 80
    assert credence.train(table, target="y", unlabeled=1.0).facts["unlabeled"]["unlabeled"] == 80
    with pytest.raises(ValueError, match="unlabeled"):
        credence.train(table, target="y", unlabeled=2)


def test_columns_that_may_not_be_what_was_meant_are_warned_of():
    with pytest.warns(credence.CredenceWarning, match="row number"):
        credence.train(_noisy(id=np.arange(120)), target="y")
    with pytest.warns(credence.CredenceWarning, match="identifier") as caught:
        credence.train(_noisy(name=[f"n{i}" for i in range(120)]), target="y")
    assert caught[0].filename == __file__
    numbers = {"x": np.arange(200) % 7, "y": np.arange(200) + 0.5}
    for call in (credence.train, credence.evaluate, credence.compare):
        with pytest.raises(credence.Error, match="a quantity"):
            call(numbers, target="y")
    assert credence.evaluate(numbers, target="y", categorical=["y"]).rows == 200


def test_a_target_is_needed_but_of_networks_and_latent_classes():
    with pytest.raises(ValueError, match="target"):
        credence.train(DAYS)


@pytest.mark.parametrize("name", ["train", "model", "summary", "schema", "combination", "examples", "documents", "answers"])
def test_examples_of_docstrings(name):
    assert doctest.testmod(importlib.import_module(f"credence.{name}")).failed == 0


def test_columns_may_be_kept_beside_the_answers(model):
    found = model.predict(DAYS, with_input=True, typicality=True)
    assert found.columns[:4] == ["outlook", "humidity", "play", "prediction"] and found.columns[-1] == "typicality"
    one = model.predict({"outlook": "sunny", "humidity": 85.0}, typicality=True)
    assert one["posterior"] == model.posterior({"outlook": "sunny", "humidity": 85.0}) and 0 < one["typicality"] <= 1
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(DAYS, index=list("abcdef"))
    assert model.predict(frame, with_input=True).loc["b", "prediction"] == found["prediction"][1]
    assert model.predict(frame.iloc[1]) == model.predict({name: DAYS[name][1] for name in DAYS})


def test_a_summary_has_tables_and_a_picture(model):
    summary = model.show()
    assert summary.rows == 6 and summary.attributes == ("outlook", "humidity")
    assert sum(summary.table("outlook")["P(outlook | no)"]) == pytest.approx(1)
    assert list(summary.table("humidity")["class"]) == ["no", "yes"]
    assert "outlook (categorical)" in repr(summary)
    assert "<svg" in model._repr_html_()
    with pytest.raises(KeyError, match="wind"):
        summary.table("wind")
    with pytest.raises(AttributeError, match="pairs"):
        summary.pairs
    with pytest.raises(credence.Error):
        model.show(of="wind")


def test_a_file_is_changed_under_its_lock_or_not_at_all(model, tmp_path):
    path = tmp_path / "days.model"
    model.save(path)
    with pytest.raises(RuntimeError), credence.open_model(path) as held:
        held.update(DAYS)
        raise RuntimeError
    assert credence.load(path) == model
    with credence.open_model(path) as held:
        held.update(DAYS)
    assert credence.load(path).show().rows == 12


@pytest.mark.skipif("san" in os.environ.get("LD_PRELOAD", ""), reason="sanitizers take their time")
def test_one_row_takes_less_than_five_microseconds():
    model = credence.train(credence.example("iris"), target="species")
    row = {"sepal_length": 5.1, "sepal_width": 3.5, "petal_length": 1.4, "petal_width": 0.2}
    assert min(timeit.repeat(lambda: model.posterior(row), number=1000, repeat=20)) / 1000 < 5e-6


def test_threads_may_ask_a_model_that_others_change(model):
    before, stop, failures = model.to_bytes(), threading.Event(), []

    def change():
        while not stop.is_set():
            model.update(DAYS)
            model.forget(DAYS)

    def ask():
        while not stop.is_set():
            total = sum(model.posterior({"humidity": 80.0}).values())
            if abs(total - 1) > 1e-9 or len(model.predict(DAYS)) != 6:
                failures.append(total)
            model.show()

    threads = [threading.Thread(target=each) for each in (change, ask, ask)]
    for thread in threads:
        thread.start()
    stop.wait(0.5)
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures and model.to_bytes() == before


def test_naive_bayes_is_checked_where_it_is_asked_for():
    model = credence.train(credence.example("iris"), target="species", check=True)
    check = model.facts["check"]
    assert check["better"] is not None and check["better_log_loss"] < check["log_loss"] < check["baseline_log_loss"]
    rng = np.random.default_rng(5)
    column = rng.normal(size=200)
    copies = {f"c{i}": column for i in range(40)}
    with pytest.warns(credence.CredenceWarning, match="worse than the class prior"):
        credence.train({**copies, "y": rng.integers(0, 2, 200).astype(str)}, target="y", check=True)


def test_alpha_is_the_strength_of_smoothing():
    expected = credence.train(DAYS, target="play", smoothing="laplace:0.5")
    assert credence.train(DAYS, target="play", alpha=0.5) == expected
    assert credence.train(DAYS, target="play", smoothing=0.5) == expected
    assert credence.train(DAYS, target="play").with_settings(alpha=0.5) == expected
    with pytest.raises(ValueError, match="alpha and smoothing"):
        credence.train(DAYS, target="play", alpha=1, smoothing=1)
    with pytest.raises(ValueError, match="significance"):
        credence.train(DAYS, target="play", alpha=-1)


def test_a_prior_can_be_a_list_in_class_order():
    model = credence.train(DAYS, target="play", prior=[0.3, 0.7])
    assert model == credence.train(DAYS, target="play", prior=dict(zip(model.classes, [0.3, 0.7], strict=True)))
    row = {name: DAYS[name][0] for name in model.attributes}
    assert model.posterior(row, prior=np.array([0.5, 0.5])) == model.posterior(row, prior="uniform")
    with pytest.raises(ValueError, match="1 probabilities for 2 classes"):
        credence.train(DAYS, target="play", prior=[1.0])


def test_rows_counts_all_rows():
    model = credence.train(DAYS, target="play")
    count = len(DAYS["play"])
    assert model.rows == count and isinstance(model.rows, int)
    assert model.update(DAYS).rows == 2 * count
    assert model.forget(DAYS).rows == count
    assert credence.train({"x": [1.0, 2.0], "n": [3, 4], "y": ["a", "b"]}, "y", weight="n").rows == 7


def test_labels_that_come_by_themselves_are_refused_in_one_sentence():
    for labels in (np.arange(1000), list(range(1000))):
        with pytest.raises(TypeError, match="BayesClassifier") as found:
            credence.train(DAYS, labels)
        assert len(str(found.value)) < 250


def test_intervals_and_periods_of_pandas_are_cells_of_a_row():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"p": pandas.period_range("2020-01", periods=40, freq="M"), "y": rng.integers(0, 2, 40)})
    frame["b"] = pandas.cut(rng.normal(size=40), 3)
    for columns in (["b", "y"], ["p", "y"], ["b", "p", "y"]):
        model = credence.train(frame[columns], "y", check=False)
        row = frame[columns].iloc[3].to_dict()
        assert list(model.posterior(row).values()) == model.predict_proba(frame[columns])[3].tolist()


def test_the_names_of_the_package_are_its_own():
    assert {name for name in dir(credence) if not name.startswith("__")} == set(credence.__all__)


def test_similar_classes_are_warned_of() -> None:
    with pytest.warns(credence.CredenceWarning, match="'GOOD' and 'good' differ only in spelling"):
        credence.train({"a": ["x", "y", "x", "y"], "y": ["good", "bad", "GOOD", "bad"]}, target="y")
    with pytest.warns(credence.CredenceWarning, match="'GOOD' and 'good' differ only in spelling"):
        credence.BayesClassifier(method="naive").fit([[1.0], [2.0], [3.0]], ["good", "GOOD", "bad"])


def test_update_rejects_classes_that_differ_only_in_spelling() -> None:
    model = credence.train({"a": ["x", "y", "x", "y"], "y": ["good", "bad", "good", "bad"]}, target="y")
    before = copy.deepcopy(model)
    with pytest.raises(credence.errors.DataError, match="'GOOD' is new, and differs only in spelling from 'good'"):
        model.update({"a": ["x"], "y": ["GOOD"]})
    assert model == before
    model.update({"a": ["x"], "y": ["GOOD"]}, new_classes=True)
    assert sorted(model.classes) == ["GOOD", "bad", "good"]
    model.update({"a": ["x"], "y": ["ugly"]})
    assert "ugly" in model.classes


def test_a_loaded_model_has_the_comparison_that_chose_its_settings(tmp_path):
    draw = random.Random(4)
    table = {"x": [draw.gauss(i % 2, 0.6) for i in range(80)], "y": ["ab"[i % 2] for i in range(80)]}
    model = credence.train(table, "y", method="auto")
    choice = model.facts["choice"]
    assert choice["tried"] == sum(one["status"] == "scored" for one in choice["candidates"])
    assert choice["log_loss"] < choice["baseline_log_loss"]
    assert "over_budget" in {one["status"] for one in choice["candidates"]}
    assert "budget=" in choice["not_tried"]
    model.save(tmp_path / "chosen.model")
    loaded = credence.load(tmp_path / "chosen.model")
    assert loaded.facts["choice"] == choice
    assert loaded.show().to_dict()["choice"]["name"] == choice["chosen"]
    assert credence.train(table, "y", method="auto", budget=math.inf).facts["choice"]["tried"] > choice["tried"]
    loaded.update({"x": [0.5], "y": ["a"]})
    assert "choice" not in loaded.facts
    with pytest.raises(ValueError, match="budget"):
        credence.train(table, "y", method="auto", budget=-1)


def test_auto_warns_if_nothing_is_better_than_the_class_prior():
    table = {"x": [float(i // 2 % 5) for i in range(80)], "y": ["ab"[i % 2] for i in range(80)]}
    with pytest.warns(credence.CredenceWarning, match="better than the class prior"):
        credence.train(table, "y", method="auto")


def test_numbers_with_a_few_other_values_are_warned_of() -> None:
    amounts = ["-" if i % 6 == 0 else f"{i * 37 % 59 * 12.25:.2f}" for i in range(60)]
    labels = ["a", "b"] * 30
    message = (
        r"'amount' is categorical, though 50 of its 60 values are numbers and only '-' is not: "
        r"missing=\['-'\], numeric=\['amount'\] reads the others as numbers"
    )
    with pytest.warns(credence.CredenceWarning, match=message):
        credence.train({"amount": amounts, "y": labels}, target="y")
    read = credence.train({"amount": amounts, "y": labels}, target="y", missing=["-"], numeric=["amount"])
    plain = credence.train({"amount": [None if a == "-" else float(a) for a in amounts], "y": labels}, target="y")
    assert read.posterior({"amount": 500.0}) == plain.posterior({"amount": 500.0})
    with pytest.warns(credence.CredenceWarning, match="only '-' is not: replace it by NaN, and convert the column to numbers"):
        credence.BayesClassifier(method="naive").fit([[amount] for amount in amounts], labels)
    dates = ["11/24/24", "3/9/24", "12/1/23"] * 20
    with pytest.warns(credence.CredenceWarning, match="its values are dates in an unsupported format"):
        credence.train({"when": dates, "y": labels}, target="y")


def test_merge_and_evaluate_warn_of_classes_in_another_spelling() -> None:
    lower = credence.train({"a": [1.0, 2.0, 3.0, 4.0], "y": ["good", "bad", "good", "bad"]}, target="y")
    rows = {"a": [1.0, 2.0, 3.0, 4.0], "y": ["GOOD", "BAD", "GOOD", "BAD"]}
    upper = credence.train(rows, target="y")
    with pytest.warns(credence.CredenceWarning, match=r"their 4 rows count as wrong: 'BAD' \(the model has 'bad'\)"):
        lower.evaluate(rows)
    with pytest.warns(credence.CredenceWarning, match="'BAD' and 'bad' differ only in spelling, and so does 1 other pair"):
        lower.merge(upper)


def test_classes_with_one_row_are_warned_of() -> None:
    with pytest.warns(credence.CredenceWarning, match="the class 'Total' has one row, while every other class has many"):
        credence.train({"a": [1.0 + i % 7 for i in range(41)], "y": ["p", "q"] * 20 + ["Total"]}, target="y")


def test_row_numbers_are_warned_of_with_a_discretized_target() -> None:
    table = {"id": range(1, 61), "a": [i % 7 + 0.5 for i in range(60)], "y": [i * 37 % 59 + 0.25 for i in range(60)]}
    with pytest.warns(credence.CredenceWarning, match="'id' looks like a row number"):
        credence.train(table, target="y", discretize={"y": "quantile:3"})


def test_latent_classes_have_a_name_and_a_number() -> None:
    table = {"x": ["a", "b"] * 20, "z": ["u", "v"] * 20}
    model = credence.train(table, latent_class={"kind": 2}, check=False)
    assert model == credence.train(table, latent_class="kind:2", check=False)
    for name in ({}, {"kind": 0}, "kind:none", ":2"):
        with pytest.raises(ValueError, match="^latent_class: expected"):
            credence.train(table, latent_class=name)
    for others in ({"target": "z"}, {"keep_statistics": "rows"}, {"latent_nodes": "h:2"}, {"search": "pc"}):
        with pytest.raises(ValueError, match=f"latent_class and {next(iter(others))} cannot be combined"):
            credence.train(table, latent_class="kind:2", **others)
