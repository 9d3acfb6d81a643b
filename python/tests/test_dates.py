# SPDX-License-Identifier: MIT
"""Dates, moments in zones and times of day: the same rows mean the same in tables of every kind."""

import datetime as dt

import pytest

import credence

polars = pytest.importorskip("polars")
pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")

pytestmark = pytest.mark.filterwarnings("ignore::credence.CredenceWarning")
_CLASSES = list("aaaabbbb")


def _tables(frame):
    """The frame as tables of each kind, some of which can be read once only."""
    arrow = frame.to_arrow()
    return {
        "polars": frame,
        "lazy": frame.lazy(),
        "arrow": arrow,
        "batches": arrow.to_reader(),
        "batch": arrow.combine_chunks().to_batches()[0],
        "pandas": frame.to_pandas(),
        "pandas of arrow": frame.to_pandas(use_pyarrow_extension_array=True),
        "objects": frame.to_pandas().astype(object),
        "records": frame.to_dicts(),
        "columns": frame.to_dict(),
        "lists": frame.to_dict(as_series=False),
        "file": frame.write_csv().encode(),
    }


def _frame(cells):
    return polars.DataFrame({"x": cells, "y": _CLASSES})


def _zoned(zone):
    """Moments half an hour past midnight, on another day in UTC; the clocks of Berlin change among them."""
    days = [dt.datetime(2024, 3, 28 + i, 0, 30 + i) for i in range(4)] + [dt.datetime(2024, 4, 1 + i, 0, 1 + i) for i in range(4)]
    return _frame(days).with_columns(polars.col("x").dt.replace_time_zone(zone))


@pytest.mark.parametrize(
    "frame",
    [
        _zoned("Europe/Berlin"),
        _zoned("America/New_York"),
        _zoned("UTC"),
        _frame([dt.date(2024, 1, 1 + i) for i in range(7)] + [None]),
        _frame([dt.datetime(2024, 1, 1 + i, 3 * i, 30) for i in range(7)] + [None]),
        _frame([dt.time(i, 30, 15, 250000) for i in range(7)] + [None]),
    ],
    ids=["Berlin", "New York", "UTC", "dates", "moments", "times"],
)
def test_moments_give_one_model_and_one_answer_in_tables_of_every_kind(frame):
    expected = credence.train(frame, target="y")
    answers = expected.predict_proba(frame).tobytes()
    for kind, table in _tables(frame).items():
        assert expected.difference(credence.train(table, target="y")) is None, kind
    for kind, table in _tables(frame).items():
        assert expected.predict_proba(table).tobytes() == answers, kind


def test_moments_at_midnight_have_an_hour_but_for_those_of_numpy_which_may_be_dates():
    frame = _frame([dt.datetime(2024, 1, 1 + i) for i in range(8)])
    for kind, table in _tables(frame).items():
        with_hour = "x.hour" in credence.train(table, target="y").attributes
        assert with_hour == (kind not in ("pandas", "objects")), kind


@pytest.mark.parametrize("kind", [pyarrow.date32(), pyarrow.date64()])
def test_dates_of_arrow_in_frames_of_pandas(kind):
    days = [dt.date(2024, 1, 1 + i) for i in range(8)]
    frame = pandas.DataFrame({"x": pandas.array(days, dtype=pandas.ArrowDtype(kind)), "y": _CLASSES})
    assert credence.train(frame, target="y") == credence.train(_frame(days), target="y")


def test_a_row_with_a_date_is_answered_as_a_table_of_it():
    frame = _frame([dt.datetime(2024, 1, i + 1, i) for i in range(8)])
    model = credence.train(frame.with_columns(z=polars.Series([1.0, 2, 3, 4, 2, 3, 4, 5])), target="y")
    row = {"x": dt.datetime(2024, 1, 1, 0), "z": 2.5}
    expected = model.predict([row])
    series = pandas.DataFrame([row]).iloc[0]
    for one in (row, {**row, "y": "b"}, {**row, "x": "2024-01-01T00:00"}, series):
        answer = model.predict(one)
        assert answer["posterior"]["a"] == expected["P(a)"][0] and answer["log_evidence"] == expected["log_evidence"][0]
        assert model.posterior(one) == answer["posterior"]
        assert model.predict_proba(one).tolist() == [list(answer["posterior"].values())]
    parts = {"x.year": 2024, "x.month": "1", "x.weekday": "Mon", "x.hour": "0", "z": 2.5}
    assert model.posterior(parts)["a"] == pytest.approx(expected["P(a)"][0])
    with pytest.raises(ValueError, match="no attribute 'w'"):
        model.posterior({**row, "w": 1})


def test_a_row_has_the_forms_of_a_file():
    model = credence.train({"p": ["10%", "20%", "30%", "40%"], "b": ["Yes", "no", "YES", "no"], "y": list("aabb")}, "y")
    for row in ({"p": "15%"}, {"p": 0.15}, {"b": "yES"}, {"p": "15%", "b": "NO"}):
        table = [{"p": None, "b": None, **row}]
        assert list(model.posterior(row).values()) == model.predict_proba(table)[0].tolist()


@pytest.mark.parametrize(
    ("cells", "classes"),
    [
        ([dt.date(2024, 1, 1 + i // 4) for i in range(8)], ("2024-01-01", "2024-01-02")),
        ([dt.datetime(2024, 1, 1 + i // 4) for i in range(8)], ("2024-01-01", "2024-01-02")),
        ([dt.datetime(1969, 12, 31, 12 * (i // 4), 0, 5 * (i // 4), 250000 * (i // 4)) for i in range(8)],
         ("1969-12-31", "1969-12-31T12:00:05.25")),
        ([dt.time(1 + i // 4, 30) for i in range(8)], ("01:30:00", "02:30:00")),
    ],
)  # fmt: skip
def test_dates_and_times_are_classes_and_categories_by_their_texts(cells, classes):
    frame = polars.DataFrame({"x": [1.0, 2, 3, 2, 5, 6, 5, 7], "t": cells, "y": list("aaabbabb")})
    targets, categories = frame.select("x", "t"), frame.select("t", "y")
    model = credence.train(targets, target="t")
    assert model.classes == tuple(sorted(set(cells)))
    assert credence.Model.from_bytes(model.to_bytes()).classes == classes
    known = credence.train(categories, target="y", categorical=["t"])
    for kind, table in _tables(targets).items():
        if kind != "file":
            assert credence.train(table, target="t") == model, kind
    for kind, table in _tables(categories).items():
        if kind != "file":
            assert credence.train(table, target="y", categorical=["t"]) == known, kind
    as_categories = categories.to_pandas().astype({"t": "category"})
    assert known.predict_proba(as_categories).tolist() == known.predict_proba(categories).tolist()
    for cell in (cells[0], classes[0]):
        answer = known.predict({"t": cell})
        assert answer["unseen"] == 0 and list(answer["posterior"].values()) == known.predict_proba(categories)[0].tolist()


@pytest.mark.filterwarnings("error::credence.CredenceWarning")
def test_the_parts_of_dates_are_not_taken_for_codes():
    credence.train({"x": [dt.date(2020 + i % 2, 1 + i % 12, 1 + i % 28) for i in range(200)], "y": ["a", "b"] * 100}, "y")


def test_a_table_without_the_date_is_refused_by_the_name_of_its_field():
    model = credence.train(_frame([dt.date(2024, 1, 1 + i) for i in range(8)]), target="y")
    with pytest.raises(credence.errors.DataError, match="such as 'x'$"):
        model.predict_proba({"year": [2024], "z": [1]})


def test_parts_of_a_date_can_be_columns():
    model = credence.train(_frame([dt.date(2024, 1, 1 + i) for i in range(8)]), target="y")
    parts = {"x.year": [2024], "x.month": ["1"], "x.weekday": ["Wed"]}
    assert model.predict_proba(parts).tolist() == model.predict_proba({"x": [dt.date(2024, 1, 3)]}).tolist()
