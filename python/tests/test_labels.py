# SPDX-License-Identifier: MIT
"""Class labels have the type of the training target in all results, in every kind of table and model."""

import datetime
import decimal
import pickle
import warnings

import numpy as np
import pytest

import credence

pd = pytest.importorskip("pandas")

ROWS = 60
CLASS = np.random.default_rng(0).integers(0, 2, ROWS)
X = CLASS * 2 + np.random.default_rng(1).normal(size=ROWS)
TEXTS = np.array(["a", "b"])[CLASS]
DAYS = np.array(["2020-01-01", "2021-02-03"], dtype="M8[ns]")[CLASS]
TARGETS = {
    "int": CLASS,
    "int8": CLASS.astype("i1"),
    "negative": CLASS * 2 - 1,
    "large": CLASS + 2**60,
    "bool": CLASS == 1,
    "float": CLASS + 0.5,
    "whole float": CLASS.astype(float),
    "float32": (CLASS + 0.1).astype("f4"),
    "str": TEXTS,
    "words for missing": np.array(["None", "nan"])[CLASS],
    "digits": np.array(["0", "1"])[CLASS],
    "category": pd.Categorical(TEXTS),
    "category of int": pd.Categorical(CLASS),
    "category of bool": pd.Categorical(CLASS == 1),
    "Int64": pd.array(CLASS, dtype="Int64"),
    "boolean": pd.array(CLASS == 1, dtype="boolean"),
    "string": pd.array(TEXTS, dtype="string"),
    "date": DAYS,
    "zone": pd.to_datetime(DAYS).tz_localize("Europe/Berlin"),
    "date of Python": np.array([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], dtype=object)[CLASS],
    "duration": np.array([1, 2], dtype="m8[s]")[CLASS],
    "period": pd.PeriodIndex(np.array(["2020-01", "2021-01"])[CLASS], freq="M"),
    "interval": pd.cut(pd.Series(CLASS), [-1, 0.5, 2]),
    "decimal": np.array([decimal.Decimal("1.50"), decimal.Decimal(2)], dtype=object)[CLASS],
    "several types": np.array([0, "b"], dtype=object)[CLASS],
}
#: Types that a model file does not have: its labels are texts.
NOT_IN_FILES = {"digits", "date", "zone", "date of Python", "duration", "period", "interval", "several types"}


def accuracy(predicted, truth):
    return np.mean([a == b for a, b in zip(list(predicted), list(truth), strict=True)])


def check(model, frame):
    classes = model.classes
    predicted = model.predict(frame.drop(columns="y"))["prediction"]
    assert accuracy(predicted, frame["y"]) > 0.7
    assert set(model.posterior({"x": 1.0})) == set(classes)
    answer = model.predict({"x": 1.0})
    assert answer["prediction"] in classes and set(answer["posterior"]) == set(classes)
    why = model.explain({"x": 1.0})
    assert why.prediction in classes and set(why.posterior) == set(classes) and set(why.pair) == set(classes)
    assert why.changes[0]["prediction"] in classes
    assert repr(why) and why._repr_html_() and why.to_dict()["prediction"] is not None
    assert model.explain({"x": 1.0}, between=classes).pair == classes
    evaluation = model.evaluate(frame, per_row=True)
    assert list(evaluation.classes) == list(classes)
    assert accuracy(evaluation.per_row["prediction"], frame["y"]) > 0.7
    assert accuracy(evaluation.per_row["truth"], frame["y"]) == 1
    assert accuracy(evaluation.per_class["class"], classes) == 1
    assert all(label in classes for label in model.sample(3)["y"])
    assert model.predict({"x": 1.0}, threshold={classes[1]: 0.01})["decision"] == classes[1]


@pytest.mark.filterwarnings("ignore::credence.CredenceWarning")
@pytest.mark.parametrize("name", TARGETS)
def test_labels_of_every_type(name, tmp_path):
    frame = pd.DataFrame({"x": X, "y": TARGETS[name]})
    model = credence.train(frame, "y", check=False)
    check(model, frame)
    check(pickle.loads(pickle.dumps(model)), frame)
    check(model.copy().with_settings(smoothing=1), frame)
    check(credence.train(frame[:40], "y", check=False).update(frame[40:]), frame)
    first = frame["y"] == frame["y"][5]
    parts = [credence.train(frame[rows], "y", check=False) for rows in (first, ~first)]
    check(credence.merge(parts), frame)
    cross_validated = credence.evaluate(frame, "y", per_row=True)
    assert list(cross_validated.classes) == list(model.classes)
    assert accuracy(cross_validated.per_row["truth"], frame["y"]) == 1
    model.save(tmp_path / "m")
    if name not in NOT_IN_FILES:
        check(credence.load(tmp_path / "m"), frame)


@pytest.mark.filterwarnings("ignore::credence.CredenceWarning")
def test_a_loaded_model_has_the_type_of_the_target_in_the_table(tmp_path):
    """A model file has the texts of labels: the column in a table that is predicted shows the type."""
    for name in sorted(NOT_IN_FILES):
        frame = pd.DataFrame({"x": X, "y": TARGETS[name]})
        credence.train(frame, "y", check=False).save(tmp_path / "m")
        assert accuracy(credence.load(tmp_path / "m").predict(frame)["prediction"], frame["y"]) > 0.7, name


@pytest.mark.filterwarnings("ignore::credence.CredenceWarning")
def test_labels_of_files_are_what_pandas_reads(tmp_path):
    for labels in (["True", "False"], ["TRUE", "FALSE"], ["true", "false"], ["0", "1"], ["0.5", "1"], ["-1", "1"], ["a", "1"]):
        path = tmp_path / "t.csv"
        path.write_text("x,y\n" + "".join(f"{x},{labels[c]}\n" for x, c in zip(X, CLASS, strict=True)))
        model, frame = credence.train(path, "y", check=False), pd.read_csv(path)
        assert accuracy(model.predict(frame[["x"]])["prediction"], frame["y"]) > 0.7
        assert model.predict({"x": 1.0}, threshold={frame["y"][0]: 0.01})["decision"] == frame["y"][0]
        positive = model.evaluate(path, threshold_curves=True, positive=frame["y"][0]).threshold_curves.positive
        assert positive == labels[CLASS[0]]
    path.write_text("x,y\n1,007\n2,010\n3,007\n")
    assert credence.train(path, "y", check=False).classes == ("007", "010")
    path.write_text("x,y\n1,3.10\n2,3.9\n3,3.10\n")
    assert credence.train(path, "y", check=False).classes == ("3.10", "3.9")


@pytest.mark.filterwarnings("ignore::credence.CredenceWarning")
@pytest.mark.parametrize("kind", ["polars", "lazy", "arrow", "dict", "lists", "records", "array"])
def test_tables_of_every_kind(kind):
    truth = CLASS == 1
    if kind in ("polars", "lazy"):
        pl = pytest.importorskip("polars")
        table = pl.DataFrame({"x": X, "y": truth})
        table = table.lazy() if kind == "lazy" else table
    elif kind == "arrow":
        table = pytest.importorskip("pyarrow").table({"x": X, "y": truth})
    elif kind == "records":
        table = [{"x": x, "y": y} for x, y in zip(X.tolist(), truth.tolist(), strict=True)]
    elif kind == "array":
        table = np.rec.fromarrays([X, truth], names="x,y")
    else:
        table = {"x": X, "y": truth} if kind == "dict" else {"x": X.tolist(), "y": truth.tolist()}
    model = credence.train(table, "y", check=False)
    predicted = model.predict(table)["prediction"]
    assert model.classes == (False, True) and accuracy(np.asarray(predicted), truth) > 0.7
    assert model.evaluate(table).classes == [False, True]


@pytest.mark.filterwarnings("ignore::credence.CredenceWarning")
def test_networks_and_ensembles(tmp_path):
    frame = pd.DataFrame({"a": (X > 1), "b": TEXTS, "y": CLASS})
    for settings in ({"search": "tan"}, {"method": "aode"}, {"method": "stacking"}, {"method": "bagging:3"}):
        model = credence.train(frame, "y", check=False, **settings)
        model.save(tmp_path / "m")
        for one in (model, credence.load(tmp_path / "m")):
            assert one.classes == (0, 1) and accuracy(one.predict(frame)["prediction"], CLASS) > 0.7
            assert one.evaluate(frame).classes == [0, 1]
    network = credence.Network.learn(frame, arcs=["y->a", "y->b"])
    assert network.sample(3).dtypes.tolist()[::2] == [frame["a"].dtype, frame["y"].dtype]
    assert accuracy(network.predict(frame[["a", "b"]], "y")["prediction"], CLASS) > 0.7
    assert accuracy(network.predict(frame[["y", "b"]], "a")["prediction"], frame["a"]) > 0.7
    assert network.evaluate(frame, "y").classes == [0, 1]
    combined = credence.combine([model, credence.train(frame, "y", check=False)], data=frame)
    assert combined.classes == (0, 1) and combined.explain({"b": "b"}).prediction == 1


@pytest.mark.filterwarnings("ignore::credence.CredenceWarning")
def test_networks_without_rows_have_their_own_states():
    model = credence.read_network(credence.example("sprinkler")).to_model("Rain")
    assert model.classes == ("False", "True")
    rows = pd.DataFrame({"WetGrass": ["True", "False"], "Rain": [True, False]})
    assert model.predict(rows)["prediction"].dtype == bool


def test_latent_classes_have_their_own_names(tmp_path):
    model = credence.train(pd.DataFrame({"x": X, "z": CLASS}), latent_class="group:2", check=False)
    assert model.classes == ("1", "2")
    model.save(tmp_path / "m")
    assert credence.load(tmp_path / "m").classes == ("1", "2")


@pytest.mark.filterwarnings("ignore::credence.CredenceWarning")
def test_sequences(tmp_path):
    frame = pd.DataFrame({"s": np.repeat(range(6), 10), "x": X, "y": CLASS == 1})
    model = credence.train_sequences(frame, "y", sequence="s")
    model.save(tmp_path / "m")
    for one in (model, credence.load(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        assert one.classes == one.states == (False, True)
        assert accuracy(one.predict(frame)["prediction"], frame["y"]) > 0.7
        assert set(one.start_probabilities()) == set(one.next_probabilities([True])) == {False, True}
        assert one.evaluate(frame).classes == [False, True]
        assert one.explain(frame).state in (False, True)
        assert 0 <= one.probability(frame[:10], {1: True}) <= 1
        assert one.sample(1, rows=3)["y"].dtype == bool
    assert credence.evaluate(frame, "y", sequence="s").classes == [False, True]
    whole = frame.assign(y=np.repeat([0, 1, 0, 1, 0, 1], 10))
    assert credence.train_sequences(whole, "y", sequence="s", states=2).predict(whole)["prediction"].dtype == np.int64


@pytest.mark.filterwarnings("ignore::credence.CredenceWarning")
def test_labels_as_arguments(tmp_path):
    frame = pd.DataFrame({"x": X, "y": CLASS == 1})
    model = credence.train(frame, "y", check=False, prior={True: 0.5, False: 0.5})
    cost = {True: {True: 0, False: 3}, False: {True: 1, False: 0}}
    assert model.predict(frame, cost=cost)["decision"].dtype == bool
    assert set(model.predict(frame, reject=0.99)["decision"]) == {True, False, "unsure"}
    rows = model.rows
    assert model.update(frame[["x"]][:3], class_=True).rows == rows + 3
    assert model.forget(frame[["x"]][:3], class_=True).rows == rows
    assert model.evaluate(frame, threshold_curves=True, positive=False).threshold_curves.positive == "false"


def test_labels_of_estimators():
    pytest.importorskip("sklearn")
    for name, target in TARGETS.items():
        if name in ("float", "float32", "several types", "category of bool"):
            continue
        y = pd.Series(target)
        fitted = credence.BayesClassifier(method="naive").fit(pd.DataFrame({"x": X}), y)
        assert accuracy(fitted.predict(pd.DataFrame({"x": X})), y) > 0.7, name
        assert set(fitted.model_.classes) == set(fitted.classes_.tolist()) or fitted.classes_.dtype.kind in "mM", name
        assert fitted.model_.explain({"x": 1.0}).prediction in fitted.model_.classes, name


def test_a_summary_of_columns_lacks_those_without_a_name():
    frame = pd.DataFrame({"x": X, "s": CLASS, "y": CLASS})
    assert credence.train(frame, "y", ignore="s", check=False).schema().columns == ["x", "y"]


# ---- Labels are kept exactly as they are ----

SPELLINGS = [
    ["Yes", "No", "NO", "Yes"], ["Yes", "yes", "Yes", "yes"], ["True", "true", "TRUE", "False"], ["?", "a", "b", "a"], ["?", "", "NA", "None"], ["t", "T", "f", "F"],
]  # fmt: skip
NUMBERS = pd.DataFrame({"x": [1.5, 2.25, 3.125, 4.75] * 10})
MIXED = NUMBERS.assign(k=list("pqpq") * 10)


@pytest.mark.filterwarnings("ignore::credence.CredenceWarning")
@pytest.mark.parametrize("labels", SPELLINGS, ids=" ".join)
@pytest.mark.parametrize("method", ["naive", "tan", "aode"])
def test_estimators_keep_labels_whatever_the_columns_are(labels, method):
    pytest.importorskip("sklearn")
    y = labels * 10
    for X in (NUMBERS, MIXED):
        fitted = credence.BayesClassifier(method=method).fit(X, y)
        assert sorted(fitted.model_.classes) == sorted(set(labels)) == list(fitted.classes_)
        assert list(fitted.class_count_) == [y.count(label) for label in fitted.classes_]
        assert fitted.predict_proba(X).min(axis=0).max() < 0.5 and set(fitted.predict(X)) <= set(labels)
        parts = credence.BayesClassifier(method=method).partial_fit(X[:10], y[:10], classes=sorted(set(y))).partial_fit(X[10:], y[10:])
        assert np.array_equal(parts.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize("labels", [labels for labels in SPELLINGS if "" not in labels], ids=" ".join)
@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_labels_of_a_typed_frame_are_not_folded(labels, dtype):
    frame = MIXED.assign(y=pd.Series(labels * 10, dtype=dtype))
    has_similar = len({label.lower() for label in labels}) < len(set(labels))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model = credence.train(frame, target="y", check=False)
        part = credence.train(frame[:20], target="y", check=False)
    assert any("differ only in spelling" in str(one.message) for one in found) == has_similar
    assert model.classes == tuple(sorted(set(labels))) and model.facts["skipped"] == 0
    part.update(frame[20:])
    assert part.to_bytes() == model.to_bytes()


def test_the_question_mark_is_no_label_of_rows_to_judge_unless_the_model_knows_it():
    frame = MIXED.assign(y=["a", "b", "b", "a"] * 10)
    model = credence.train(frame, target="y", check=False)
    judged = model.evaluate(frame.assign(y=["a", "b", "?", "?"] * 10))
    assert judged.facts["judged"] == 20 and judged.facts["unlabeled"] == 20


# ---- Truth values in any spelling ----

TRUTHS = pd.DataFrame({"flag": CLASS == 1, "x": X, "y": TEXTS})
WORDS = [("True", "False"), ("true", "false"), ("TRUE", "FALSE")]


def spelled(words):
    return TRUTHS.assign(flag=np.where(TRUTHS.flag, *words))


def test_models_read_truth_values_in_any_spelling(tmp_path):
    tables = [TRUTHS, TRUTHS.astype({"flag": "boolean"}), TRUTHS.astype({"flag": object}), *map(spelled, WORDS)]
    for words in WORDS:
        path = tmp_path / f"{words[0]}.csv"
        spelled(words).to_csv(path, index=False)
        tables.append(path)
    expected = None
    for table in tables:
        model = credence.train(table, target="y")
        for other in tables:
            found = model.predict_proba(other)
            expected = found if expected is None else expected
            assert np.array_equal(found, expected)
        rows = [model.posterior({"flag": flag, "x": 1.0}) for flag in (True, np.True_, "true", "True", "TRUE")]
        assert all(row == rows[0] for row in rows)


def test_a_column_with_other_values_matches_truth_values_as_they_are_spelled():
    frame = TRUTHS.assign(flag=["True", "False", "maybe"] * (ROWS // 3))
    model = credence.train(frame, target="y", check=False)
    assert list(np.asarray(model.predict(pd.DataFrame({"flag": ["true", "True"], "x": [0.0, 0.0]}))["unseen"])) == [1, 0]


@pytest.mark.parametrize("change", [{"flag": "x"}, {"flag": (CLASS == 1).astype(int)}], ids=["words", "numbers"])
def test_a_column_without_any_known_value_is_named(change):
    pytest.importorskip("sklearn")
    model = credence.train(TRUTHS, target="y", check=False)
    fitted = credence.BayesClassifier(method="naive").fit(TRUTHS[["flag", "x"]], TRUTHS.y)
    other = TRUTHS.assign(**change)
    calls = [lambda: model.predict(other), lambda: model.evaluate(other)]
    if isinstance(change["flag"], str):
        calls.append(lambda: fitted.predict_proba(other[["flag", "x"]]))
    for call in calls:
        with pytest.warns(credence.CredenceWarning, match="no value of 'flag' occurred in training: the column was ignored"):
            call()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(other[:1])
        model.predict(TRUTHS)
