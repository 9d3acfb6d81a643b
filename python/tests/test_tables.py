# SPDX-License-Identifier: MIT
"""Tables of every kind become rows, and results come back as tables of the same kind."""

import array
import datetime
import decimal
import gc
import io
import os
import pickle
import warnings
import weakref

import numpy as np
import pytest

import credence
from credence import Table, _core, _tables, errors

_NUMBERS = [1.0, 2.0, 4.0, 3.0]
_CLASSES = ["a", "b", "a", "b"]


def _bytes(table, target="y", **options):
    model, _ = _core.train_model(_tables.open_reader(table, target=target, **options))
    return model.encode()


def _of(column):
    """The model of one column beside the classes."""
    return _bytes({"x": column, "y": _CLASSES})


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f8", ">f4", "i1", "i2", ">i4", "i8", "u1", ">u2", "u4", "u8", "longdouble", "O"])
def test_arrays_of_every_type_of_number_are_the_same_numbers(dtype):
    expected = _bytes(b"x,y\n1,a\n2,b\n4,a\n3,b\n")
    column = np.array(_NUMBERS).astype(dtype)
    assert _of(column) == expected
    assert _of(np.repeat(column, 3)[::3]) == expected
    assert _of(column[::-1][::-1]) == expected


def test_lists_buffers_and_sequences_of_numbers_are_columns():
    expected = _of(np.array(_NUMBERS))
    for column in ([1, 2, 4, 3], (1.0, 2, 4, 3), array.array("i", [1, 2, 4, 3]), map(float, _NUMBERS),
                   [decimal.Decimal(x) for x in _NUMBERS], [np.float32(x) for x in _NUMBERS]):  # fmt: skip
        assert _of(column) == expected


def test_missing_cells_of_every_kind_are_missing():
    expected = _bytes(b"x,y\n1,a\n,b\n4,a\n3,b\n")
    masked = np.ma.masked_array([1, 9, 4, 3], mask=[0, 1, 0, 0])
    for column in ([1, None, 4, 3], [1, float("nan"), 4, 3], np.array([1, np.nan, 4, 3]), masked,
                   np.array([1, None, 4, 3], dtype=object)):  # fmt: skip
        assert _of(column) == expected
    pandas = pytest.importorskip("pandas")
    for dtype in ("Int64", "Float64", "Int8"):
        assert _of(pandas.array([1, None, 4, 3], dtype=dtype)) == expected
    assert _of(pandas.Series([1, pandas.NA, 4, 3], dtype=object)) == expected


def test_numbers_that_mean_missing_do_so_in_columns_too():
    expected = _bytes(b"x,y\n1,a\n-9,b\n4,a\n3,b\n", missing=[-9])
    for column in (np.array([1.0, -9.0, 4.0, 3.0]), [1, -9, 4, 3], np.array([1, -9, 4, 3], dtype="i2")):
        assert _bytes({"x": column, "y": _CLASSES}, missing=[-9]) == expected
    assert _bytes({"x": _NUMBERS, "y": _CLASSES}, missing={"only": ["b"]}) == _bytes(
        b"x,y\n1,a\n2,b\n4,a\n3,b\n", missing="=b"
    )


def test_texts_of_every_layout_are_the_same_categories():
    expected = _bytes("x,y\nä,a\nbb,b\nccc,a\nbb,b\n".encode())
    texts = ["ä", "bb", "ccc", "bb"]
    columns = [texts, np.array(texts), np.array(texts).astype(">U5"), np.array(texts, dtype=object),
               np.array([text.encode() for text in texts])]  # fmt: skip
    pandas = pytest.importorskip("pandas")
    columns += [pandas.Series(texts), pandas.Series(texts, dtype=object), pandas.Series(texts, dtype="string"),
                pandas.Categorical(texts, categories=["bb", "unused", "ä", "ccc"])]  # fmt: skip
    polars = pytest.importorskip("polars")
    columns += [polars.Series(texts), polars.Series(texts, dtype=polars.Categorical)]
    for column in columns:
        assert _of(column) == expected, type(column)


@pytest.mark.parametrize("distinct", [127, 129, 33000])
def test_objects_of_many_values_are_told_apart(distinct):
    texts = [f"value {i % distinct} of a column" for i in range(distinct + 40)]
    classes = [_CLASSES[i % 4] for i in range(len(texts))]
    lines = [f"{text},{name}" for text, name in zip(texts, classes, strict=True)]
    assert _bytes({"x": texts, "y": classes}) == _bytes("\n".join(["x,y", *lines]).encode())


def test_truth_values_and_mixed_objects_are_categories_by_their_texts():
    assert _of([True, False, True, None]) == _bytes(b"x,y\ntrue,a\nfalse,b\ntrue,a\n,b\n")
    assert _of(np.array([True, False, True, True])) == _bytes(b"x,y\ntrue,a\nfalse,b\ntrue,a\ntrue,b\n")
    assert _of(["low", 2, 2.5, True]) == _bytes(b"x,y\nlow,a\n2,b\n2.5,a\ntrue,b\n")


def test_categories_of_integers_stay_categories():
    pandas = pytest.importorskip("pandas")
    column = pandas.Series([3, 1, 3, 20]).astype("category")
    model, _ = _core.train_model(_tables.open_reader({"x": column, "y": _CLASSES}, target="y"))
    declared, _ = _core.train_model(_tables.open_reader(b"x,y\n3,a\n1,b\n3,a\n20,b\n", target="y", categorical="x"))
    assert len(model.encode()) == len(declared.encode())


def test_dates_times_and_spans_of_python_and_numpy():
    days = ["2024-02-29", "2024-03-01", "1999-12-31", "2000-01-01"]
    expected = _of(days)
    assert _of(np.array(days, dtype="datetime64[D]")) == expected
    assert _of(np.array(days, dtype="datetime64[ns]")) == expected
    assert _of([datetime.date.fromisoformat(day) for day in days]) == expected
    moments = [day + " 12:30:05" for day in days]
    assert _of(np.array(moments, dtype="datetime64[ms]").astype(">M8[ms]")) == _of(moments)
    assert _of([datetime.datetime.fromisoformat(moment) for moment in moments]) == _of(moments)
    assert _of(np.array([1, 2, 4, 3], dtype="timedelta64[s]")) == _of(_NUMBERS)
    assert _of([datetime.timedelta(seconds=x) for x in _NUMBERS]) == _of(_NUMBERS)


def test_an_array_is_a_file_without_a_header_unless_its_columns_are_named():
    table = np.column_stack([_NUMBERS, [0, 1, 0, 1]])
    assert _bytes(table, -1) == _bytes(b"1,0\n2,1\n4,0\n3,1\n", "last", header=False)
    assert _bytes(table, "y", columns=["x", "y"]) == _bytes(b"x,y\n1,0\n2,1\n4,0\n3,1\n")
    pandas = pytest.importorskip("pandas")
    assert _bytes(pandas.DataFrame(table), -1) == _bytes(table, -1)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros(3), "2-D"),
        (np.zeros((2, 2, 2)), "2-D"),
        ({"x": [1, 2], "y": ["a"]}, "'y' has 1 rows"),
        ({"x": [1 + 2j, 1j], "y": ["a", "b"]}, "x"),
        ({"x": np.array([1j, 2]), "y": ["a", "b"]}, "Complex data not supported"),
        ({"x": [[1], [2]], "y": ["a", "b"]}, "'x' is a list"),
        ({"x": [1.0, np.inf], "y": ["a", "b"]}, "x.*infinite"),
        ({"x": ["a\udc80", "b"], "y": ["a", "b"]}, "x"),
        ({"x": 3, "y": ["a"]}, "expected a column"),
        ([[1, 2], [1]], "different lengths"),
        (object(), "rows cannot be taken from a object"),
        (7, "rows cannot be taken from a int"),
    ],
)
def test_what_is_no_table_is_refused_by_name(table, message):
    with pytest.raises((TypeError, ValueError), match=message):
        _core.train_model(_tables.open_reader(table, target="y"))


def test_rows_at_fault_are_named_by_column_and_row():
    with pytest.raises(errors.DataError) as caught:
        _core.train_model(_tables.open_reader({"x": [1.0, 2.0, np.inf], "y": ["a", "b", "a"]}, target="y"))
    assert caught.value.line == 3 and caught.value.subject == "x"


def test_names_that_are_odd_are_kept_and_names_that_are_double_refused():
    names = ['a,"b"', "line\nbreak", "ü", " "]
    table = {name: [1.0, 2.0] for name in names} | {"y": ["a", "b"]}
    assert _tables.open_reader(table, target="y").column_names() == [*names, "y"]
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="'x' occurs 2 times"):
        _tables.open_reader(pandas.DataFrame([[1, 2]], columns=["x", "x"]))
    several = pandas.DataFrame([[1, 2]], columns=pandas.MultiIndex.from_tuples([("a", 1), ("a", 2)]))
    with pytest.raises(ValueError, match="MultiIndex"):
        _tables.open_reader(several)


def test_files_bytes_and_file_objects_are_the_same_rows(tmp_path):
    data = b"x;y\n1;a\n2;b\n"
    path = tmp_path / "rows.csv"
    path.write_bytes(data)
    expected = _bytes(path)
    for table in (str(path), data, bytearray(data), memoryview(data), io.BytesIO(data), io.StringIO(data.decode()), [path]):
        assert _bytes(table) == expected
    with path.open("rb") as file:
        assert _bytes(file) == expected
    assert _bytes([path, path]) == _bytes(data + b"1;a\n2;b\n")


def test_options_of_reading_have_the_names_and_values_of_the_command():
    assert _bytes(b"1|a\n2|b\n", "last", header="no", separator="|") == _bytes(b"1,a\n2,b\n", "last", header=False)
    assert _bytes(b"x,y\n-9,a\n2,b\n", missing=["-9"]) == _bytes(b"x,y\n-9,a\n2,b\n", missing=[-9])
    for wrong in ({"header": 0}, {"header": "maybe"}, {"skip_lines": -1}, {"separator": ";;"}, {"shard": "0/2"}, {"decimal": ":"}, {"max_categories": 0}, {"bad_rows": 3}, {"bad_rows": "skip:some"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            _tables.open_reader(b"x,y\n1,a\n", **wrong)
    with pytest.raises(TypeError, match="did you mean separator"):
        _tables.open_reader(b"x,y\n1,a\n", seperator=";")
    for given in ({"encoding": "latin1"}, {"header": 2}, {"skip_lines": 1}):
        with pytest.raises(ValueError, match=f"{next(iter(given))}: an option of files"):
            _tables.open_reader({"x": [1]}, **given)


def test_the_header_is_found_or_stated_as_the_command_does():
    rows = b"5.1,setosa\n7,versicolor\n4.9,setosa\n"
    assert _bytes(rows, "last") == _bytes(rows, "last", header="no") == _bytes(rows, 1)
    assert _tables.open_reader(b"p,q\np,r\ns,q\n").column_names() == ["c1", "c2"]
    assert _tables.open_reader(b"p,q\np,r\ns,q\n", target="q").column_names() == ["p", "q"]
    assert _tables.open_reader(b"p,q\np,r\ns,q\n", column_types={"p": "categorical"}).column_names() == ["p", "q"]
    title = b"Report,\n\nx,y\n1,a\n2,b\n"
    plain = _bytes(b"x,y\n1,a\n2,b\n", "y")
    for given in ({}, {"header": 3}, {"skip_lines": 2}, {"skip_lines": 1, "header": True}):
        assert _bytes(title, "y", **given) == plain
    model = credence.train(b"x,y\n1,a\n2,b\n", target="y")
    assert list(model.predict(title)) == list(model.predict(b"x,y\n1,a\n2,b\n"))
    with pytest.raises(credence.Error, match="expected columns?"):
        model.predict(b"1,a\n2,b\n3,a\n")
    assert len(model.predict(b"1,a\n2,b\n3,a\n", reading={"header": False})) == 3


def test_tagged_text_has_a_header_if_a_column_of_it_is_named():
    tagged = b"word\ttag\nthe\tD\ncat\tN\n\nthe\tD\ndog\tN\n"
    assert credence.train_sequences(tagged, "tag", sequence_break="empty-line").facts["rows"] == 4
    assert credence.train_sequences(tagged, 1, sequence_break="empty-line").facts["rows"] == 5


def test_rows_that_cannot_be_read_are_left_out_and_told_of(tmp_path):
    data = b"x,y\n1,a\nbad,row,here\n2,b\n"
    reader = _tables.open_reader(data, target="y", bad_rows="skip")
    with pytest.warns(errors.CredenceWarning, match="bytes:3: .* skipped"):
        _core.train_model(reader)
    assert [row["line"] for row in reader.bad_rows()] == [3]
    path = tmp_path / "bad.csv"
    with pytest.warns(errors.CredenceWarning, match=r"see .*bad\.csv"):
        _bytes(data, bad_rows=path)
    assert path.read_text() == 'file,line,fault,row\nbytes,3,3 fields instead of 2 as in the header,"bad,row,here"\n'
    with pytest.raises(errors.DataError), pytest.warns(errors.CredenceWarning, match="bytes:3"):
        _bytes(data + b"a,b,c\n", bad_rows="skip:1")


def test_columns_are_selected_by_name_selector_and_position():
    table = {"x": _NUMBERS, "z": _NUMBERS, "w": [1, 1, 2, 2], "y": _CLASSES}
    expected = _bytes({"x": _NUMBERS, "w": [1, 1, 2, 2], "y": _CLASSES}, weight="w")
    assert len(_bytes(table, -1, weight=2, ignore="z")) == len(expected)
    assert _bytes(table, "last", weight="w", ignore=["z"]) == _bytes(table, "y", weight="w", only=["x"])
    for wrong in ({"target": "absent"}, {"target": 9}, {"ignore": "absent"}, {"target": "*"}):
        with pytest.raises(ValueError):
            _tables.open_reader(table, **wrong)
    with pytest.raises(TypeError, match="target"):
        _tables.open_reader(table, target=1.5)


def test_a_model_reads_truth_values_by_the_spelling_it_knows():
    data = b"x,y\nTRUE,a\nFALSE,b\nTRUE,a\nFALSE,b\n"
    model, _ = _core.train_model(_tables.open_reader(data, target="y"))
    before = model.encode()
    table = {"x": np.array([True, False]), "y": ["a", "b"]}
    model.update(_tables.open_model_reader(model, table, to_learn=True, bind=False))
    model.forget(_tables.open_model_reader(model, b"x,y\nTRUE,a\nFALSE,b\n", to_learn=True, bind=False))
    assert model.encode() == before


def test_what_is_borrowed_lives_as_long_as_it_is_read_and_no_longer():
    class Watched(np.ndarray):
        pass

    column = np.array(_NUMBERS).view(Watched)
    gone = weakref.ref(column)
    reader = _tables.open_reader({"x": column, "y": _CLASSES}, target="y")
    del column
    gc.collect()
    assert _core.train_model(reader)[1]["rows"] == 4
    del reader
    gc.collect()
    assert gone() is None


def test_an_arrow_stream_is_released_once_and_read_again_where_it_is_a_table():
    pyarrow = pytest.importorskip("pyarrow", exc_type=ImportError)
    table = pyarrow.table({"x": _NUMBERS, "y": _CLASSES})
    before = pyarrow.total_allocated_bytes()
    expected = _bytes({"x": _NUMBERS, "y": _CLASSES})
    batches = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=1))
    assert _bytes(table) == _bytes(batches) == _bytes(table.to_batches()[0]) == expected
    with pytest.raises((ValueError, OSError)):
        _bytes(batches)
    del batches
    gc.collect()
    assert pyarrow.total_allocated_bytes() == before
    cuts = {"x": "quantile:2"}
    assert _bytes(table, discretize=cuts) == _bytes({"x": _NUMBERS, "y": _CLASSES}, discretize=cuts)


def test_a_million_rows_take_bounded_memory_beside_the_table():
    resource = pytest.importorskip("resource")
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("a sanitizer keeps freed memory")
    table = np.empty((1_000_000, 20))
    np.random.default_rng(3).standard_normal(out=table)
    columns = {f"c{i}": table[:, i] for i in range(20)} | {"y": np.arange(1_000_000, dtype=np.uint8) % 2}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _core.train_model(_tables.open_reader(columns, target="y"))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 * 1024


# ---- Results ----

_COLUMNS = {"class": ([0, -1, 1], ["no", "yes"]), "p": np.array([0.5, np.nan, 1.0]), "n": [1, 2, 3], "s": ["a", "b", "c"]}


def test_a_table_is_read_by_column_row_and_slice():
    table = Table(_COLUMNS)
    assert len(table) == 3 and table.shape == (3, 4)
    assert table["class"].tolist() == ["no", None, "yes"]
    assert table[-1] == {"class": "yes", "p": 1.0, "n": 3, "s": "c"}
    assert table[1:]["n"].tolist() == [2, 3]
    assert [row["n"] for row in table] == [1, 2, 3]
    assert table == Table(_COLUMNS) and table != Table({"n": [1, 2, 3]})
    with pytest.raises(KeyError, match="absent"):
        table["absent"]
    with pytest.raises(IndexError):
        table[3]
    with pytest.raises(ValueError, match="lengths"):
        Table({"a": [1], "b": [1, 2]})
    assert "class" in repr(table) and "no" in repr(table)
    assert "<table" in table._repr_html_()
    assert len(Table({})) == 0 and len(Table({"a": []})) == 0


def test_results_come_back_as_what_went_in():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = _tables.result(_COLUMNS, pandas.DataFrame({"x": [1, 2, 3]}, index=["r", "s", "t"]))
    assert list(frame.index) == ["r", "s", "t"] and frame["class"].dtype == "category"
    assert frame["class"].isna().tolist() == [False, True, False]
    made = _tables.result(_COLUMNS, polars.DataFrame({"x": [1, 2, 3]}))
    assert made["class"].to_list() == ["no", None, "yes"] and made["class"].dtype == polars.Enum(["no", "yes"])
    assert isinstance(_tables.result(_COLUMNS, np.zeros((3, 1))), Table)
    assert isinstance(_tables.result(_COLUMNS, None), Table)


def test_a_table_is_an_arrow_stream_and_a_table_to_read():
    polars = pytest.importorskip("polars")
    made = polars.DataFrame(Table(_COLUMNS))
    assert made["p"].to_list()[0] == 0.5 and made["class"].to_list() == ["no", None, "yes"]
    assert made["s"].to_list() == ["a", "b", "c"]
    table = Table({"x": _NUMBERS, "y": _CLASSES})
    assert _bytes(table) == _bytes({"x": _NUMBERS, "y": _CLASSES})
    pyarrow = pytest.importorskip("pyarrow", exc_type=ImportError)
    assert pyarrow.table(Table(_COLUMNS)).column("n").to_pylist() == [1, 2, 3]


def test_a_table_with_dates_can_be_read_again():
    """Parts of dates are categories, whose codes begin anew when rows are read a second time."""
    days = [f"2024-{month:02}-{day:02}" for month in range(1, 8) for day in range(1, 29)]
    table = {"when": days, "y": [i % 2 for i in range(len(days))]}
    reader = _tables.open_reader(table, target="y")
    model, _ = _core.train_model(reader)
    for _ in range(3):
        assert _core.check_rows(reader, 1000) == []
    assert _core.train_model(_tables.open_reader(table, target="y"))[0].encode() == model.encode()


def test_nested_cells_stop_no_table_whose_column_is_left_out():
    pandas = pytest.importorskip("pandas")
    rows = [{"x": x, "list": [1, 2], "struct": {"a": 1}, "y": y} for x, y in zip(_NUMBERS, _CLASSES, strict=True)]
    model = credence.train(rows, "y", ignore=["list", "struct"])
    assert model.attributes == ("x",)
    for table in (rows, pandas.DataFrame(rows)):
        assert model.predict_proba(table).tolist() == model.predict_proba({"x": _NUMBERS}).tolist()
        with pytest.raises(errors.DataError, match="column 'struct' is a struct.*ignore it"):
            credence.train(table, "y", ignore=["list"])
        with pytest.raises(errors.DataError, match="column 'list' is a list.*ignore it"):
            credence.train(table, "y", ignore=["struct"])


def test_no_rows_are_answered_with_none():
    model = credence.train({"x": _NUMBERS, "y": _CLASSES}, "y")
    assert len(model.predict([])) == 0 and model.predict_proba([]).shape == (0, 2)
    with pytest.raises(errors.DataError, match="the table has no columns"):
        credence.train([], "y")


def test_numbered_columns_of_pandas_are_met_by_their_numbers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({0: [1.0, 2, 3, 5], 1: list("aabb"), 2: [40.0, 30, 20, 10], 3: [7.0, 8, 9, 7]})
    model = credence.train(frame, target=1)
    expected = model.predict_proba(frame).tolist()
    for order in ([0, 2, 3], [3, 2, 0], [2, 1, 0, 3]):
        assert model.predict_proba(frame[order]).tolist() == expected, order
    missing = frame[[0, 3]]
    assert model.predict_proba(missing)[0].tolist() == list(model.posterior({"c1": 1.0, "c4": 7.0}).values())
    assert model == credence.train(frame[:2], target=1).update(frame[2:][[3, 1, 0, 2]])


def test_numbered_columns_of_pandas_are_met_by_name_where_a_model_has_names_and_past_ignored_ones():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({0: [1.0, 2, 3, 5], 1: [40.0, 30, 20, 10], 2: list("aabb"), 3: list("pqrs")})
    for model in (credence.train(frame[[1, 0, 2]], target=2), credence.train(frame, target=2, ignore=3)):
        expected = model.predict_proba(frame).tolist()
        for order in ([1, 0], [1, 0, 2], [3, 2, 1, 0], [0, 1, 2], [0, 1, 3]):
            if order == [0, 1, 2] and "0" not in model.attributes:
                continue  # numbered from 0 without a gap, as columns without names are: positions
            assert model.predict_proba(frame[order]).tolist() == expected, order
        assert len(model.predict([])) == 0
    named = credence.train({"a": [1.0, 2, 3, 5], "b": [40.0, 30, 20, 10], "y": list("aabb")}, target="y")
    assert named.predict_proba(frame[[0, 1]]).shape == (4, 2)


def test_what_is_no_dict_of_columns_is_refused():
    for argument in ("column_format", "column_types"):
        with pytest.raises(TypeError, match=f"{argument}: expected a dict"):
            credence.train({"x": _NUMBERS, "y": _CLASSES}, "y", **{argument: "x"})


# ---- Labels ----


def _targets(pandas):
    """Targets of every type, in which every other row has the second label."""
    stamps = pandas.to_datetime(["2024-01-01 10:00", "2024-02-01 11:30"] * 4)
    return {
        "int": [3, -1] * 4,
        "int8": np.array([0, 1] * 4, np.int8),
        "bool": [True, False] * 4,
        "float": [0.0, 1.0] * 4,
        "float32": np.array([0.1, 0.2] * 4, np.float32),
        "str": ["1", "2"] * 4,
        "Int64": pandas.array([1, 2] * 4, dtype="Int64"),
        "boolean": pandas.array([True, False] * 4, dtype="boolean"),
        "datetime": stamps,
        "zoned": stamps.tz_localize("Europe/Berlin"),
        "timedelta": pandas.to_timedelta([1, 2] * 4, "D"),
        "period": pandas.PeriodIndex(["2024-01", "2024-02"] * 4, freq="M"),
        "date": [datetime.date(2024, 1, 1), datetime.date(2024, 2, 1)] * 4,
        "decimal": [decimal.Decimal("1.5"), decimal.Decimal("2")] * 4,
        "objects": pandas.Series([1, "a"] * 4, dtype=object),
        "category": pandas.Categorical([2, 1] * 4),
        "ordered": pandas.Categorical(["lo", "hi"] * 4, categories=["lo", "mid", "hi"], ordered=True),
        "category of bool": pandas.Categorical([True, False] * 4),
    }


def _kinds_of(frame):
    """The frame as a table of every other kind, and the labels of each as a list."""
    labels = list(frame["y"])
    yield frame, labels
    yield {"x": list(frame["x"]), "y": labels}, labels
    yield [{"x": x, "y": y} for x, y in zip(frame["x"], labels, strict=True)], labels
    yield [[x, y] for x, y in zip(frame["x"], labels, strict=True)], labels
    yield frame.to_numpy(), labels
    if frame["y"].dtype != object or isinstance(labels[0], (datetime.date, decimal.Decimal)):
        polars = pytest.importorskip("polars").from_pandas(frame)
        yield polars, polars["y"].to_list()
        if not str(frame["y"].dtype).startswith("period"):  # an extension of Arrow, which has integers
            yield polars.to_arrow(), polars["y"].to_list()


@pytest.mark.parametrize("name", list(_targets(pytest.importorskip("pandas"))))
def test_labels_have_the_type_of_the_target(name):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [0.0, 5.0] * 4, "y": _targets(pandas)[name]})
    for table, labels in _kinds_of(frame):
        model = credence.train(table, 1 if isinstance(table, np.ndarray) or isinstance(table, list) and isinstance(table[0], list) else "y")
        answers = model.predict(table)
        found = answers["prediction"]
        listed = found.to_pylist() if hasattr(found, "to_pylist") else found.to_list() if hasattr(found, "to_list") else list(found)
        assert listed == labels
        assert set(model.classes) == set(labels)
        columns = answers.column_names if hasattr(answers, "column_names") else list(answers.columns)
        assert [f"P({label})" for label in model.classes] == [column for column in columns if column.startswith("P(")]
        row = {model.attributes[0]: 5.0}
        assert model.predict(row)["prediction"] == labels[1]
        assert list(model.posterior(row)) == list(model.classes) == list(model.predict(row)["posterior"])
        assert pickle.loads(pickle.dumps(model)).copy().predict(row)["prediction"] == labels[1]
        assert credence.Model.from_bytes(model.to_bytes()).predict(row)["prediction"] in credence.Model.from_bytes(model.to_bytes()).classes


def test_labels_keep_the_dtype_of_the_target_in_pandas():
    pandas = pytest.importorskip("pandas")
    for target in _targets(pandas).values():
        frame = pandas.DataFrame({"x": [0.0, 5.0] * 4, "y": target})
        predicted = credence.train(frame, "y").predict(frame)["prediction"]
        assert (predicted == frame["y"]).all()
        if frame["y"].dtype not in (object, "str"):
            assert predicted.dtype == frame["y"].dtype


def test_labels_of_rows_without_a_prediction_are_missing():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    frame = pandas.DataFrame({"a": ["x", "y"] * 4, "b": ["x", "y"] * 4, "y": [0, 1] * 4})
    model = credence.train(frame, "y", smoothing="none")
    rows = pandas.DataFrame({"a": ["x", "x"], "b": ["x", "y"]})  # no class can have the second
    assert model.predict(rows)["prediction"].isna().tolist() == [False, True]
    assert model.predict(polars.from_pandas(rows))["prediction"].to_list() == [0, None]
    assert model.predict({"a": ["x", "x"], "b": ["x", "y"]})["prediction"].tolist() == [0, None]


def test_labels_of_further_rows_and_of_rules():
    model = credence.train({"x": [0.0, 1.0] * 4, "y": [0, 1] * 4}, "y")
    assert model.update({"x": [9.0, 9.5], "y": [2, 2]}).classes == (0, 1, 2)
    assert model.update(b"x,y\n20,7\n21,7\n").classes == (0, 1, 2, 7)
    assert model.update(b"x,y\n30,x\n31,x\n").classes == (0, 1, 2, 7, "x")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [0.0, 1.0] * 4, "y": pandas.Categorical([0, 1] * 4)})
    assert credence.train(frame, "y").update(b"x,y\n9,7\n9.5,7\n").predict(pandas.DataFrame({"x": [0.0, 9.2]}))["prediction"].tolist() == [0, 7]
    model = credence.train({"x": [0.0, 1.0] * 4, "y": [False, True] * 4}, "y")
    assert model.predict({"x": [0.5]}, threshold={True: 0.01})["decision"].tolist() == [True]
    assert model.predict({"x": 0.5}, cost={True: {True: 0, False: 9}, False: {True: 1, False: 0}})["decision"] is True


def test_words_of_a_file_that_are_taken_for_missing_are_named():
    file = b"plan,x,y\n" + b"None,3,a\npro,4,b\nbasic,5,a\nNone,6,b\n" * 5
    with pytest.warns(credence.CredenceWarning, match="'plan' has values 'None', which are treated as missing"):
        credence.train(file, target="y", check=False)


def test_large_identifiers_are_no_spellings_of_one_class():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1.5, 2.5] * 10, "y": [10**17, 10**17 + 1] * 10})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        credence.train(frame, target="y", check=False)
