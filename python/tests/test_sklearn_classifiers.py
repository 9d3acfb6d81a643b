# SPDX-License-Identifier: MIT
"""The classifiers for scikit-learn on tables, labels and parameters of all kinds, and inside of its tools."""

import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")
pd = pytest.importorskip("pandas")
import sklearn
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.feature_selection import RFE
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import CategoricalNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_sample_weight

import credence
from credence import BayesClassifier, TextBayesClassifier

try:
    import polars
except ImportError:
    polars = None
try:
    import pyarrow
except ImportError:  # also where it needs a later numpy
    pyarrow = None

RNG = np.random.default_rng(5)
N = 240
FRAME = pd.DataFrame(
    {
        "number": RNG.normal(size=N),
        "whole": RNG.integers(0, 9, N),
        "string": RNG.choice(["a", "b", "c"], N),
        "category": pd.Categorical(RNG.choice(["u", "v"], N)),
        "flag": RNG.integers(0, 2, N).astype(bool),
        "date": pd.date_range("2020-01-01", periods=N),
    }
)
Y = np.where(FRAME["number"] + (FRAME["string"] == "a") > 0.3, "yes", "no")
FRAME.loc[3, "number"] = np.nan
FRAME.loc[5, "string"] = None
X = RNG.normal(size=(N, 4))
X[::7, 1] = np.nan
TEXTS = [f"{'good' if label == 'yes' else 'bad'} thing {number}" for number, label in enumerate(Y)]


def tables():
    yield FRAME
    if polars is not None:
        columns = {name: [None if pd.isna(cell) else cell for cell in FRAME[name]] for name in FRAME}
        yield polars.DataFrame(columns)
        yield polars.DataFrame(columns).lazy()
    if pyarrow is not None:
        yield pyarrow.Table.from_pandas(FRAME, preserve_index=False)


def test_tables_of_all_libraries_give_the_same_model():
    first = BayesClassifier(method="naive").fit(FRAME, Y)
    assert first.score(FRAME, Y) > 0.9
    assert list(first.feature_names_in_) == list(FRAME)
    for table in tables():
        model = BayesClassifier(method="naive", n_jobs=2).fit(table, Y)
        np.testing.assert_array_equal(model.predict_proba(FRAME), first.predict_proba(table))
        np.testing.assert_array_equal(model.predict_proba(table), first.predict_proba(FRAME))
        weighted = BayesClassifier(method="naive").fit(table, Y, sample_weight=np.full(N, 2.0))
        assert weighted.class_count_.sum() == 2 * N
        assert list(model.feature_names_in_) == list(FRAME)
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(table.drop(["whole"], **({"axis": 1} if table is FRAME else {})))


def test_the_model_is_the_one_of_train():
    model = BayesClassifier(method="naive").fit(FRAME, pd.Series(Y, name="answer"))
    assert model.model_ == credence.train(FRAME.assign(answer=pd.Categorical(Y)), target="answer")
    by_columns = pd.DataFrame(X, columns=["p", "q", "r", "s"])
    model = BayesClassifier(method="naive").fit(by_columns, pd.Series(Y, name="answer"))
    assert model.model_ == credence.train(by_columns.assign(answer=Y), target="answer")


@pytest.mark.parametrize("rows", [FRAME, X, np.abs(np.round(3 * np.nan_to_num(X))), TEXTS], ids=["frame", "array", "counts", "texts"])
def test_rows_are_learned_forgotten_and_merged(rows):
    def make():
        if rows is TEXTS:
            return TextBayesClassifier()
        is_counts = isinstance(rows, np.ndarray) and not np.isnan(rows).any()
        return BayesClassifier(method="naive", family="multinomial" if is_counts else "gaussian")

    whole = make().fit(rows, Y)
    parts = make().partial_fit(rows[:100], Y[:100], classes=["no", "yes"]).partial_fit(rows[100:], Y[100:])
    assert parts.model_ == whole.model_
    np.testing.assert_array_equal(parts.class_count_, whole.class_count_)
    no, yes = np.flatnonzero(Y == "no"), np.flatnonzero(Y == "yes")
    take = (lambda at: [rows[i] for i in at]) if rows is TEXTS else (lambda at: rows.iloc[at] if rows is FRAME else rows[at])
    sorted_ = make().partial_fit(take(no), Y[no], classes=["no", "yes"]).partial_fit(take(yes), Y[yes])
    assert sorted_.model_ == whole.model_  # though the first rows lacked a class
    merged = make().fit(rows[:100], Y[:100]).merge(make().fit(rows[100:], Y[100:]))
    assert merged.model_ == whole.model_
    parts.forget(rows[:100], Y[:100])
    rest = make().fit(rows[100:], Y[100:])
    assert parts.model_ == rest.model_
    np.testing.assert_array_equal(parts.class_count_, rest.class_count_)
    with pytest.raises(ValueError, match="were not all learned"):
        parts.forget(rows[:100], Y[:100])
    assert parts.model_ == rest.model_
    again = pickle.loads(pickle.dumps(whole))
    np.testing.assert_array_equal(again.predict_proba(rows), whole.predict_proba(rows))
    np.testing.assert_allclose(np.exp(whole.predict_log_proba(rows)), whole.predict_proba(rows), atol=1e-14)
    assert (whole.classes_[whole.predict_proba(rows).argmax(axis=1)] == whole.predict(rows)).all()


def test_weights_may_come_late():
    late = BayesClassifier(method="naive").partial_fit(X[:100], Y[:100], classes=["no", "yes"])
    late.partial_fit(X[100:], Y[100:], sample_weight=np.full(N - 100, 2.5)).partial_fit(X[:10], Y[:10])
    weights = np.concatenate([np.ones(100), np.full(N - 100, 2.5), np.ones(10)])
    once = BayesClassifier(method="naive").fit(np.r_[X, X[:10]], np.r_[Y, Y[:10]], weights)
    np.testing.assert_array_equal(late.predict_proba(X), once.predict_proba(X))


def test_merging_classifiers_that_differ():
    plain, weighted = BayesClassifier(method="naive").fit(X[:100], Y[:100]), BayesClassifier(method="naive").fit(X[100:], Y[100:], np.full(N - 100, 2.0))
    both = BayesClassifier(method="naive").fit(X, Y, np.r_[np.ones(100), np.full(N - 100, 2.0)])
    assert clone(plain).fit(X[:100], Y[:100]).merge(weighted).model_ == both.model_
    assert weighted.merge(plain).model_ == both.model_
    # A class that one of them has never met.
    others = BayesClassifier(method="naive").fit(X, np.full(N, "other")).merge(plain)
    assert list(others.classes_) == ["no", "other", "yes"] and others.class_count_[1] == N
    np.testing.assert_allclose(others.predict_proba(X).sum(axis=1), 1)
    for wrong, message in [
        (BayesClassifier(method="naive").fit(X[:, :2], Y), "expecting 4 features"),
        (BayesClassifier(method="naive").fit(X, Y == "yes"), "labels of dtype bool"),
        (BayesClassifier(method="naive", smoothing="none").fit(X, Y), "settings differ"),
    ]:
        with pytest.raises(ValueError, match=message):
            plain.merge(wrong)
    with pytest.raises(NotFittedError):
        plain.merge(BayesClassifier(method="naive"))


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (list(Y), "U"),
        (Y.astype(object), "O"),
        (Y == "yes", "b"),
        ((Y == "yes").astype(np.int8), "i"),
        ((Y == "yes").astype(np.float32), "f"),
        (pd.Series(Y), "O"),
        (pd.Categorical(Y), "O"),
        (pd.Series(Y == "yes", dtype="boolean"), "b"),
        (pd.Series(Y == "yes").astype("Int64"), "i"),
        (np.where(Y == "yes", "10", "9"), "U"),
        (np.where(Y == "yes", "NA", ""), "U"),
        (np.where(Y == "yes", "größer", "a,\"b\n"), "U"),
        (np.where(Y == "yes", np.datetime64("2020-01-01"), np.datetime64("2021-01-01")), "M"),
        (["only"] * N, "U"),
    ],
)
@pytest.mark.parametrize("rows", [X, FRAME], ids=["array", "frame"])
def test_labels(labels, kind, rows):
    model = BayesClassifier(method="naive").fit(rows, labels)
    expected = np.unique(np.asarray(labels))
    assert model.classes_.dtype.kind in (kind, expected.dtype.kind)
    np.testing.assert_array_equal(model.classes_, expected.astype(model.classes_.dtype))
    probabilities = model.predict_proba(rows)
    assert probabilities.shape == (N, len(expected))
    np.testing.assert_array_equal(model.predict(rows), model.classes_[probabilities.argmax(axis=1)])
    if len(expected) == 2:
        reference = BayesClassifier(method="naive").fit(rows, np.asarray(labels) == model.classes_[1])
        np.testing.assert_allclose(probabilities, reference.predict_proba(rows), rtol=1e-12)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "requires y to be passed"),
        (RNG.normal(size=N), "Unknown label type: continuous"),
        (np.r_[np.nan, np.ones(N - 1)], "Input y contains NaN"),
        (pd.Series([None, *Y[1:]]), "Input y contains NaN"),
        (np.r_[np.inf, np.ones(N - 1)], "Input y contains infinity"),
        (np.c_[Y, Y], "y should be a 1d array"),
        (np.ones(N) * 1j, "Complex data not supported"),
        (Y[1:], "inconsistent numbers of samples"),
        (np.array([1, (2, 3)] * (N // 2), dtype=object), "Unknown label type"),
    ],
)
def test_labels_that_are_none(labels, message):
    with pytest.raises(ValueError, match=message):
        BayesClassifier(method="naive").fit(X, labels)


def test_a_column_of_labels_is_warned_of():
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        BayesClassifier(method="naive").fit(X, Y.reshape(-1, 1))


@pytest.mark.parametrize(
    "rows",
    [
        np.asfortranarray(X),
        X.astype(np.float32),
        X.astype(">f8"),
        X[::-1][::-1],
        np.repeat(X, 2, axis=1)[:, ::2],
        X.astype(object),
        X.astype(np.longdouble),
        np.ma.masked_invalid(X),
        X.tolist(),
    ],
    ids=["F", "float32", "big-endian", "reversed", "strided", "objects", "long double", "masked", "lists"],
)
def test_arrays_of_any_layout(rows):
    expected = BayesClassifier(method="naive").fit(np.asarray(rows, dtype=object).astype(np.float64) if not hasattr(rows, "mask") else X, Y)
    model = BayesClassifier(method="naive", n_jobs=2).fit(rows, Y)
    assert model.model_ == expected.model_
    np.testing.assert_array_equal(model.predict_proba(rows), expected.predict_proba(rows))


def test_what_is_wrong_with_rows():
    model = BayesClassifier(method="naive").fit(FRAME, Y)
    for wrong, message in [
        (FRAME[FRAME.columns[::-1]], "must be in the same order"),
        (FRAME.assign(z=1), "unseen at fit time"),
        (FRAME.drop(columns="number"), "now missing"),
        (FRAME[:0], "0 sample"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.predict(wrong)
    with pytest.raises(ValueError, match="contains infinity"):
        BayesClassifier(method="naive").fit([[1.0, 2], [np.inf, 3]], [0, 1])
    with pytest.raises(ValueError, match="contains infinity"):
        BayesClassifier(method="naive").fit(X, Y).predict(np.full((1, 4), -np.inf))
    with pytest.raises(ValueError, match="Expected 2D array"):
        BayesClassifier(method="naive").fit(X[:, 0], Y)
    with pytest.raises(ValueError, match="Complex data"):
        BayesClassifier(method="naive").fit(X * 1j, Y)
    with pytest.raises(NotFittedError):
        BayesClassifier(method="naive").predict(X)
    counts = BayesClassifier(method="naive", family="multinomial")
    for wrong, message in [(-1.0, "Negative values"), (0.5, "not whole"), (np.nan, "contains NaN")]:
        with pytest.raises(ValueError, match=message):
            counts.fit(csr_array(np.full((N, 2), wrong)), Y)
    with pytest.raises(ValueError, match="string object received"):
        TextBayesClassifier().fit("a text", ["a"])


def test_what_is_wrong_with_parameters():
    for parameters, message in [
        ({"smoothing": "often"}, "The 'smoothing' parameter of BayesClassifier must be a number"),
        ({"iterations": -1}, "The 'iterations' parameter of BayesClassifier must be"),
        ({"method": None, "variance": 3}, "The 'variance' parameter"),
        ({"text": ["absent"]}, "text has 'absent'"),
        ({"n_jobs": "two"}, "The 'n_jobs' parameter of BayesClassifier must be an instance of 'int' or None"),
    ]:
        with pytest.raises(ValueError, match=message):
            BayesClassifier(**parameters).fit(FRAME, Y)
    with pytest.raises(ValueError, match="classes must be passed on the first call to partial_fit"):
        BayesClassifier(method="naive").partial_fit(X, Y)
    part = BayesClassifier(method="naive").partial_fit(X, Y, classes=["no", "yes"])
    with pytest.raises(ValueError, match="is not the same as on last call to partial_fit"):
        part.partial_fit(X, Y, classes=["no", "maybe"])
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        part.partial_fit(X, ["other"] * N)
    with pytest.raises(ValueError, match="Negative values"):
        part.partial_fit(X, Y, sample_weight=-np.ones(N))
    with pytest.raises(TypeError, match="unexpected keyword"):
        BayesClassifier(method="naive", smooting=1)


def test_classes_without_rows():
    for rows in (X, FRAME):
        model = BayesClassifier(method="naive", prior="laplace:1").partial_fit(rows, Y, classes=["maybe", "no", "yes"])
        probabilities = model.predict_proba(rows)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        assert probabilities.shape == (N, 3) and model.class_count_[0] == 0
    # A class whose rows all weigh nothing is a class without rows.
    model = BayesClassifier(method="naive").fit(X, Y, sample_weight=(Y == "yes").astype(float))
    np.testing.assert_array_equal(model.predict_proba(X), np.tile([0.0, 1.0], (N, 1)))


def test_decisions():
    model = BayesClassifier(method="naive").fit(X, Y)
    probabilities = model.predict_proba(X)
    unsure = clone(model).set_params(reject=0.7).fit(X, Y).predict(X)
    np.testing.assert_array_equal(unsure == "unsure", probabilities.max(axis=1) < 0.7)
    strict = clone(model).set_params(threshold={"no": 0.9}).fit(X, Y).predict(X)
    np.testing.assert_array_equal(strict == "no", probabilities[:, 0] >= 0.9)
    costs = np.array([[0.0, 5], [1, 0]])  # of deciding for a column where a row is true
    cheapest = clone(model).set_params(cost=costs).fit(X, Y == "yes").predict(X)
    np.testing.assert_array_equal(cheapest, (probabilities @ costs).argmin(axis=1).astype(bool))
    acts = clone(model).set_params(cost={"no": {"keep": 0, "drop": 1}, "yes": {"keep": 3, "drop": 0}}).fit(X, Y)
    assert set(acts.predict(X)) <= {"keep", "drop"}


@pytest.mark.parametrize("labels", [Y, (Y == "yes").astype(int), Y == "yes"], ids=["texts", "numbers", "truths"])
def test_undecided_rows_are_scored(labels):
    model = BayesClassifier(method="naive", reject=0.7).fit(X, labels)
    right = (model.predict(X) == labels) & (model.predict_proba(X).max(axis=1) >= 0.7)
    assert 0 < model.score(X, labels) == right.mean() < 1
    weights = np.arange(N)
    assert model.score(X, labels, weights) == pytest.approx(np.average(right, weights=weights))
    assert np.isfinite(cross_val_score(model, X, labels)).all()


def test_undecided_rows_have_a_number():
    model = BayesClassifier(method="naive", reject={-1: 0.7}).fit(X, (Y == "yes").astype(int))
    assert model.predict(X).dtype.kind == "i" and {-1, 0} <= set(model.predict(X).tolist()) <= {-1, 0, 1}
    assert np.isfinite(cross_val_score(model, X, (Y == "yes").astype(int), scoring="accuracy")).all()


def test_stop_words_of_scikit_learn():
    with pytest.raises(ValueError, match="no list is built in"):
        TextBayesClassifier(stop_words="english").fit(TEXTS, Y)
    TextBayesClassifier(stop_words=["english"]).fit(TEXTS, Y)


@pytest.mark.parametrize("method", ["joint", "aode", "pairwise", "bagging:3", "boosting:3", "stacking", "tan", "kdb:2", "network"])
def test_methods(method):
    model = BayesClassifier(method=method).fit(FRAME.drop(columns="date"), Y)
    assert model.score(FRAME.drop(columns="date"), Y) > 0.85


def test_the_method_is_chosen():
    for rows in (FRAME[["number"]], X[:, :1]):
        model = BayesClassifier(method="auto").fit(rows[:40], Y[:40])
        assert model.predict_proba(rows).shape == (N, 2)
    assert TextBayesClassifier(method="auto").fit(TEXTS[:40], Y[:40]).score(TEXTS, Y) > 0.9
    with pytest.raises(ValueError, match="method='auto' and family do not go together"):
        BayesClassifier(method="auto", family="kernel").fit(X, Y)


def test_texts_of_any_container():
    expected = TextBayesClassifier().fit(TEXTS, Y)
    assert expected.score(TEXTS, Y) == 1 and expected.n_features_in_ == 1
    containers = [tuple(TEXTS), np.array(TEXTS), np.array(TEXTS, dtype=object), pd.Series(TEXTS), [t.encode() for t in TEXTS]]
    containers += [polars.Series(TEXTS)] if polars is not None else []
    containers += [pyarrow.chunked_array([TEXTS])] if pyarrow is not None else []
    for texts in containers:
        model = TextBayesClassifier(n_jobs=2).fit(texts, Y)
        assert model.model_ == expected.model_
        np.testing.assert_array_equal(model.predict_proba(texts), expected.predict_proba(TEXTS))
    assert TextBayesClassifier().fit((text for text in TEXTS), Y).model_ == expected.model_
    with_none = expected.predict_proba([None, "", "word never seen"])
    np.testing.assert_allclose(with_none, np.tile(expected.class_count_ / N, (3, 1)))
    mixed = TextBayesClassifier().fit(FRAME.assign(body=TEXTS)[["number", "body"]], Y)
    assert mixed.model_._classifier({}).types() == ("numeric", "text")
    named = BayesClassifier(method="naive", text=["body"]).fit(FRAME.assign(body=TEXTS), Y)
    assert named.score(FRAME.assign(body=TEXTS), Y) == 1


def test_tools_of_scikit_learn():
    search = GridSearchCV(BayesClassifier(method="naive"), {"family": ["gaussian", "kernel"], "smoothing": ["m:1", "none"]}, cv=3)
    search.fit(FRAME, Y)
    assert search.best_score_ > 0.8
    assert cross_val_score(BayesClassifier(method="naive"), FRAME, Y, cv=3).mean() > 0.8
    assert cross_val_score(TextBayesClassifier(), TEXTS, Y, cv=3).mean() > 0.9
    numbers = np.nan_to_num(X)
    pipeline = make_pipeline(StandardScaler(), BayesClassifier(method="naive", family="student")).fit(numbers, Y)
    assert pipeline.predict_proba(numbers).shape == (N, 2)
    transform = ColumnTransformer([("scaled", StandardScaler(), ["whole"])], remainder="passthrough", verbose_feature_names_out=False)
    framed = make_pipeline(transform.set_output(transform="pandas"), BayesClassifier(method="naive")).fit(FRAME, Y)
    assert framed.score(FRAME, Y) > 0.9
    calibrated = CalibratedClassifierCV(BayesClassifier(method="naive"), cv=3).fit(FRAME, Y)
    np.testing.assert_allclose(calibrated.predict_proba(FRAME).sum(axis=1), 1)
    importance = permutation_importance(BayesClassifier(method="naive").fit(FRAME, Y), FRAME, Y, n_repeats=2, random_state=1)
    assert importance.importances_mean[0] > 0.1
    assert "BayesClassifier" in BayesClassifier(method="naive", smoothing="laplace:1")._repr_html_()
    assert repr(BayesClassifier(smoothing="laplace:1")) == "BayesClassifier(smoothing='laplace:1')"


def test_metadata_is_routed():
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = BayesClassifier(method="naive").set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(estimator, {"smoothing": ["m:1"]}, cv=3)
        search.fit(X, Y, sample_weight=np.arange(1.0, N + 1))
    assert search.best_estimator_.class_count_.sum() == N * (N + 1) / 2


def test_no_warning_and_no_change_of_what_came_in():
    frame, array, labels = FRAME.copy(), X.copy(), Y.copy()
    for part in (array, labels):
        part.setflags(write=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BayesClassifier(method="naive").fit(frame, labels).predict_proba(frame)
        BayesClassifier(method="naive", n_jobs=2).fit(array, labels).predict_proba(array)
    pd.testing.assert_frame_equal(frame, FRAME)


def test_the_default_chooses_the_method():
    rows, few = FRAME[["number", "whole"]], slice(0, 9)
    automatic = BayesClassifier().fit(rows, Y)
    assert automatic.model_ == BayesClassifier(method="auto").fit(rows, Y).model_
    assert automatic.choice_["candidates"]
    naive = BayesClassifier(method="naive").fit(rows, Y).model_
    for changed in (BayesClassifier(smoothing="laplace:1"), BayesClassifier(family="kernel"), BayesClassifier(alpha=1)):
        assert "choice" not in changed.fit(rows, Y).model_.facts
    assert BayesClassifier().partial_fit(rows, Y, classes=np.unique(Y)).model_ == naive
    assert BayesClassifier().fit(rows[few], Y[few]).model_.settings["method"] == "naive"
    assert "choice" in BayesClassifier(prior="uniform").fit(rows, Y).model_.facts


def test_structures_are_of_networks():
    rows = FRAME[["number", "whole"]]
    implied = BayesClassifier(method="naive", search="tan").fit(rows, Y)
    assert implied.model_ == BayesClassifier(method="network", search="tan").fit(rows, Y).model_
    assert implied.model_.settings["method"] == "network"
    for parameters in ({"latent_nodes": "H:2"}, {"estimator": "em"}):
        with pytest.raises(ValueError, match="is for networks, and method='naive' is none"):
            BayesClassifier(**parameters).fit(rows, Y)


def test_families_of_no_column_are_refused():
    rows = FRAME[["number", "whole"]]
    with pytest.raises(ValueError, match="X has none: use categorical_features="):
        BayesClassifier(method="naive", family="categorical").fit(rows, Y)
    BayesClassifier(method="naive", family="categorical", categorical_features=["whole"]).fit(rows, Y)
    with pytest.raises(ValueError, match="X has none: use text="):
        BayesClassifier(method="naive", family="multinomial").fit(rows.assign(colour=np.where(Y == "no", "red", "blue")), Y)


def test_the_package_lists_its_classifiers():
    names: dict = {}
    exec("from credence import *", names)
    assert names["BayesClassifier"] is BayesClassifier
    assert {"BayesClassifier", "SequenceClassifier", "TextBayesClassifier"} <= set(dir(credence))


def test_truth_values_stay_truth_values():
    rows = pd.DataFrame({"number": X[:, 0], "truth": Y == "yes"})
    tables = [rows, rows[["truth"]].to_numpy()]
    tables += [polars.from_pandas(rows)] if polars is not None else []
    tables += [pyarrow.Table.from_pandas(rows)] if pyarrow is not None else []
    for table in tables:
        model = BayesClassifier(method="naive").fit(table, Y)
        assert model.score(table, Y) == 1
        numbers = rows.assign(truth=rows["truth"].astype(int))
        given = numbers[["truth"]].to_numpy() if isinstance(table, np.ndarray) else numbers
        with pytest.raises(ValueError, match="had truth values when BayesClassifier was fitted"):
            model.predict(given)
        with pytest.raises(ValueError, match="had truth values"):
            model.partial_fit(given, Y)


def test_texts_as_vectorizers_take_them():
    pairs = TextBayesClassifier(ngrams=(1, 2)).fit(TEXTS, Y)
    assert pairs.model_ == TextBayesClassifier(ngrams="1-2").fit(TEXTS, Y).model_
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        pairs.predict([])
    assert ", default multinomial" in TextBayesClassifier.__doc__ and ", default gaussian" in BayesClassifier.__doc__


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int16, str, object])
def test_masked_cells_are_missing(kind):
    X = np.array([[1, 0], [2, 1], [3, 0], [1, 1], [2, 2], [4, 3]]).astype(kind)
    mask = np.zeros(X.shape, bool)
    mask[1, 0] = mask[4, 1] = True
    y = [0, 0, 0, 1, 1, 1]
    filled = X.astype(object)
    filled[mask] = None
    if kind not in (str, object):
        filled = filled.astype(np.float64)
    masked = np.ma.array(X, mask=mask)
    ours, wanted = BayesClassifier(method="naive").fit(masked, y), BayesClassifier(method="naive").fit(filled, y)
    np.testing.assert_array_equal(ours.predict_proba(masked), wanted.predict_proba(filled))
    assert not np.array_equal(ours.predict_proba(masked), ours.predict_proba(X))


# ---- Warnings, weights of classes, importances ----


def _identified(count=200):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    frame = pandas.DataFrame({"id": [f"u{i}" for i in range(count)], "row": range(count), "x": rng.normal(size=count)})
    return frame, rng.integers(0, 2, count)


def test_fit_issues_the_warnings_of_train():
    frame, y = _identified()
    with pytest.warns(credence.CredenceWarning) as found:
        BayesClassifier(method="naive").fit(frame, y)
    texts = [str(one.message) for one in found]
    assert any(text.startswith("'id' has 200 values in 200 rows and looks like an identifier: leave the column") for text in texts)
    assert any(text.startswith("'row' looks like a row number") for text in texts)
    assert all(one.filename == __file__ for one in found)
    same = np.repeat(np.random.default_rng(1).normal(size=(300, 1)), 8, axis=1)  # counted eight times: far too sure
    labels = np.random.default_rng(2).integers(0, 2, 300)
    for table in (same, {f"x{i}": same[:, i] for i in range(8)}):
        with pytest.warns(credence.CredenceWarning, match="worse than"):
            if isinstance(table, dict):
                credence.train({**table, "y": labels}, "y")
            else:
                BayesClassifier(method="naive").fit(table, labels)


def test_the_comparison_behind_auto_is_kept():
    frame, y = _identified(60)
    classifier = BayesClassifier(method="auto").fit(frame[["x"]], y)
    assert classifier.choice_ is classifier.model_.facts["choice"]
    expected = credence.train(frame[["x"]].assign(y=y), "y", method="auto", categorical=["y"]).facts["choice"]
    assert classifier.choice_["chosen"] == expected["chosen"] and classifier.choice_["log_loss"] == expected["log_loss"]
    with pytest.raises(AttributeError, match="method='auto'"):
        BayesClassifier(method="naive").fit(frame[["x"]], y).choice_


@pytest.mark.parametrize("alpha", [0.0, 0.3, 2])
def test_alpha_smooths_as_in_scikit_learn(alpha):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (60, 3)), rng.integers(0, 2, 60)
    theirs = CategoricalNB(alpha=alpha, force_alpha=True).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(BayesClassifier(method="naive", alpha=alpha, categorical_features=[0, 1, 2]).fit(X, y).predict_proba(X), theirs)
    theirs = MultinomialNB(alpha=max(alpha, 1e-10)).fit(X, y).predict_proba(X)
    ours = BayesClassifier(method="naive", alpha=alpha, family="multinomial", tf="count", length_normalization="none").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs, atol=1e-12)


def test_alpha_and_smoothing_exclude_each_other_and_priors_may_be_lists():
    X, y = np.arange(8.0).reshape(-1, 1), np.array([0, 1] * 4)
    with pytest.raises(ValueError, match="alpha and smoothing"):
        BayesClassifier(method="naive", alpha=1, smoothing="m:2").fit(X, y)
    ours = BayesClassifier(method="naive", prior=[0.3, 0.7], variance="mle", smoothing="none").fit(X, y)
    theirs = GaussianNB(priors=[0.3, 0.7], var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    with pytest.raises(ValueError, match="3 probabilities for 2 classes"):
        BayesClassifier(method="naive", prior=[0.2, 0.3, 0.5]).fit(X, y)


def test_class_weights_are_weights_of_rows():
    frame, y = _identified()
    X, y = frame[["x"]], (y * (np.arange(200) % 3 == 0)).astype(int)
    weights = compute_sample_weight("balanced", y)
    expected = BayesClassifier(method="naive").fit(X, y, sample_weight=weights).predict_proba(X)
    assert np.array_equal(BayesClassifier(method="naive", class_weight="balanced").fit(X, y).predict_proba(X), expected)
    expected = BayesClassifier(method="naive").fit(X, y, sample_weight=np.where(y == 1, 6.0, 2.0)).predict_proba(X)
    twice = BayesClassifier(method="naive", class_weight={1: 3}).fit(X, y, sample_weight=np.full(200, 2.0))
    assert np.array_equal(twice.predict_proba(X), expected)
    parts = BayesClassifier(method="naive", class_weight={1: 3}).partial_fit(X[:100], y[:100], classes=[0, 1]).partial_fit(X[100:], y[100:])
    assert parts.model_ == BayesClassifier(method="naive", class_weight={1: 3}).fit(X, y).model_
    with pytest.raises(ValueError, match="balanced"):
        BayesClassifier(method="naive", class_weight="balanced").partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="'class_weight' parameter"):
        BayesClassifier(method="naive", class_weight="even").fit(X, y)


def test_importances_are_the_mutual_information_of_columns():
    # Two columns of bits: the first is the class with probability 3/4, the second is independent.
    rows = [(a, b, y) for y in (0, 1) for b in (0, 1) for a in [y] * 3 + [1 - y]]
    X, y = np.array([row[:2] for row in rows]), np.array([row[2] for row in rows])
    classifier = BayesClassifier(method="naive", categorical_features=[0, 1], smoothing="none").fit(X, y)
    entropy = -(0.25 * np.log2(0.25) + 0.75 * np.log2(0.75))
    np.testing.assert_allclose(classifier.feature_importances_, [1 - entropy, 0], atol=1e-12)
    assert RFE(BayesClassifier(method="naive"), n_features_to_select=1).fit(X, y).support_.tolist() == [True, False]
    with pytest.raises(AttributeError, match="documents"):
        TextBayesClassifier().fit(["a b", "c d"], [0, 1]).feature_importances_


def test_wrong_parameters_and_columns_are_named():
    with pytest.raises(TypeError, match=r"^BayesClassifier\(\) got an unexpected keyword argument 'smothing'; did you mean smoothing"):
        BayesClassifier(method="naive", smothing=1)
    pandas = pytest.importorskip("pandas")
    columns = pandas.MultiIndex.from_tuples([("a", "b"), ("a", "c")])
    with pytest.raises(ValueError, match="several levels"):
        BayesClassifier(method="naive").fit(pandas.DataFrame(np.zeros((4, 2)), columns=columns), [0, 1, 0, 1])
    X = pandas.DataFrame({"x": [1.0, np.inf, 2.0]})
    for table in (X, X.to_numpy(), X.assign(z=["a", "b", "a"])):
        with pytest.raises(ValueError, match=r"row 1 \(from 0\): the (value|cell) of column 'x0?' is infinite"):
            BayesClassifier(method="naive").fit(table, [0, 1, 0])


def test_candidates_that_were_not_tried_have_no_scores():
    X = np.random.default_rng(0).normal(size=(60, 3))
    fitted = BayesClassifier(method="auto", budget=0.01).fit(X, X[:, 0] > 0)
    left_out = [one for one in fitted.choice_["candidates"] if one["status"] != "scored"]
    assert left_out and all(one["log_loss"] is None and one["accuracy"] is None for one in left_out)


def test_partial_fit_says_that_auto_chooses_by_the_first_rows():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = X[:, 0] > 0
    with pytest.warns(credence.CredenceWarning, match="chooses by the rows of the first call of partial_fit only"):
        fitted = BayesClassifier(method="auto").partial_fit(X[:40], y[:40], classes=[False, True])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.partial_fit(X[40:], y[40:])
    assert fitted.model_.facts["rows"] == 60
    assert fitted.forget(X[:10], y[:10]).model_.facts["rows"] == 50


def test_costs_by_pairs_are_refused_with_the_form_that_is_expected():
    X = np.random.default_rng(0).normal(size=(30, 1))
    with pytest.raises(ValueError, match=r"cost: expected a dict of true classes and dicts of actions, such as \{0: \{1: 5"):
        BayesClassifier(method="naive", cost={(0, 1): 5}).fit(X, (X[:, 0] > 0).astype(int)).predict(X)
