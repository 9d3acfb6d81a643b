# SPDX-License-Identifier: MIT
"""A model has the very bytes of the command's, whatever kind of table its rows came in."""

import functools
import gzip
import io
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np
import pytest

import credence
from credence import _core, _tables

_ROOTS = [path / "shared" / "data" for path in pathlib.Path(__file__).resolve().parents]
_DATA = next((root for root in _ROOTS if root.is_dir()), None)
_MOST = 1500  # lines of a table that are read: enough to meet every column's kinds, and fast

pytestmark = pytest.mark.skipif(_DATA is None, reason="the folder of data sets is absent")

_TABLES = {
    "adult_train.csv.gz": "last",
    "adult_test.csv.gz": "last",
    "car.csv": "class",
    "contact_lenses.csv": "contact-lenses",
    "house_votes_84.csv": "class",
    "iris.csv": "class",
    "letter_recognition.csv": "letter",
    "mushroom.csv": "class",
    "nursery.csv": "class",
    "titanic.csv": "survived",
    "wdbc.csv": "diagnosis",
    "weather_nominal.csv": "play",
    "weather_numeric.csv": "play",
    "wine.csv": "class",
}
#: Truth values have no spelling in a typed frame; the command's model has that of the file.
_SPELLED = {"weather_nominal.csv": "windy", "weather_numeric.csv": "windy"}


@functools.cache
def _beginning(name):
    """The first lines of a table, as bytes."""
    path = _DATA / name
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return b"".join(data.splitlines(keepends=True)[:_MOST])


def _command():
    if "CREDENCE" in os.environ:
        return os.environ["CREDENCE"]
    beside = pathlib.Path(_core.__file__).resolve().parents
    found = next((folder / "credence" for folder in beside if (folder / "credence").is_file()), None)
    return str(found) if found else shutil.which("credence")


@functools.cache
def _command_model(name, target, *options):
    command = _command()
    if command is None:
        pytest.skip("the command is absent")
    with tempfile.TemporaryDirectory() as folder:
        path, out = pathlib.Path(folder) / "table", pathlib.Path(folder) / "model"
        path.write_bytes(_beginning(name))
        subprocess.run([command, "train", path, "--target", target, "-o", out, *options], check=True, capture_output=True)
        return out.read_bytes()


def _train(table, target, **options):
    model, _ = _core.train_model(_tables.open_reader(table, target=target, **options))
    return model


def _pandas(data, name):
    pandas = pytest.importorskip("pandas")
    dtype = {_SPELLED[name]: str} if name in _SPELLED else None
    return pandas.read_csv(io.BytesIO(data), dtype=dtype)


def _polars(data, name):
    polars = pytest.importorskip("polars")
    types = {_SPELLED[name]: polars.String} if name in _SPELLED else None
    return polars.read_csv(data, infer_schema_length=None, schema_overrides=types)


def _arrow(data, name):
    csv = pytest.importorskip("pyarrow.csv", exc_type=ImportError)
    import pyarrow

    types = {_SPELLED[name]: pyarrow.string()} if name in _SPELLED else None
    return csv.read_csv(io.BytesIO(data), convert_options=csv.ConvertOptions(column_types=types))


def _structured(data, name):
    return _pandas(data, name).to_records(index=False)


def _objects(data, name):
    frame = _pandas(data, name)
    return {column: frame[column].to_numpy(dtype=object) for column in frame}


def _bytes(data, name):
    return data


@pytest.mark.parametrize("make", [_bytes, _pandas, _polars, _arrow, _structured, _objects])
@pytest.mark.parametrize("name", _TABLES)
def test_tables_of_every_kind_give_the_model_of_the_command(name, make):
    data = _beginning("tabular/" + name)
    command = _command_model("tabular/" + name, _TABLES[name])
    table = make(data, name)
    names = _tables.columns_of(table) if make is not _bytes else None
    target = names[-1] if names and _TABLES[name] == "last" else _TABLES[name]
    assert _train(table, target).encode() == command


@pytest.mark.parametrize("name", ["pendigits_training", "satellite_training", "yeast_training", "string_labels/yeast_string_training"])
def test_arrays_give_the_model_of_the_command_for_a_file_without_a_header(name):
    data = _beginning(f"uta/{name}.txt")
    command = _command_model(f"uta/{name}.txt", "last", "--header", "no")
    rows = [line.split() for line in data.decode().splitlines()]
    is_text = "string" in name
    arrays = [np.array([row[:-1] for row in rows], dtype=np.float64), np.array([row[-1] for row in rows])]
    if is_text:
        table = np.empty((len(rows), len(rows[0])), dtype=object)
        table[:, :-1], table[:, -1] = arrays
        tables = [table]
    else:
        table = np.column_stack([arrays[0], arrays[1].astype(np.float64)])
        swapped = table.astype(">f8")
        tables = [table, np.asfortranarray(table), swapped, np.repeat(table, 2, axis=1)[:, ::2], np.ma.masked_array(table)]
    for one in tables:
        assert _train(one, -1).encode() == command


def _dated(pandas):
    """Columns of which a file shows more than their texts: dates, moments, percentages, amounts, words that mean missing."""
    rng = np.random.default_rng(7)
    count = 300
    frame = pandas.DataFrame(
        {
            "when": pandas.date_range("1999-12-25", periods=count, freq="D"),
            "at": pandas.date_range("2020-02-27 22:10:05", periods=count, freq="7h13min"),
            "share": [f"{x:.1f}%" for x in rng.random(count) * 100],
            "price": [f"{x:,.2f}" for x in rng.random(count) * 1e6],
            "word": rng.choice(["a", "b", "?", ""], count),
            "number": rng.normal(size=count).round(3),
            "nothing": [None] * count,
            "y": rng.choice(["no", "yes"], count),
        }
    )
    frame.loc[3, "when"] = frame.loc[5, "at"] = pandas.NaT
    return frame


def test_dates_amounts_and_missing_words_of_frames_are_those_of_a_file():
    pandas = pytest.importorskip("pandas")
    frame = _dated(pandas)
    data = frame.to_csv(index=False).encode()
    expected = _train(data, "y").encode()
    dates = frame.assign(when=frame["when"].dt.date)
    tables = [frame, dates, frame.astype(object), pandas.read_csv(io.BytesIO(data)), frame.convert_dtypes()]
    tables.append(frame.assign(word=frame["word"].astype("category")))
    polars = pytest.importorskip("polars")
    tables += [polars.read_csv(data), polars.read_csv(data, try_parse_dates=True)]
    for table in tables:
        assert _train(table, "y").encode() == expected


_MISSING_WORDS = ["None", "null", "nan", "NaN", "NA", "N/A", "#N/A", "<NA>", "NULL", "-NaN", "1.#IND"]


@pytest.mark.parametrize("word", _MISSING_WORDS)
def test_missing_words_in_typed_tables_are_values_as_between_quotes(word):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 60)
    words = np.where(y == 1, word, rng.choice(["BSc", "MSc"], 60)).astype(object)
    frame = pandas.DataFrame({"edu": words, "y": y})
    quoted = ('"edu","y"\n' + "".join(f'"{a}","{b}"\n' for a, b in zip(words, y, strict=True))).encode()
    expected = _train(quoted, "y").encode()
    records = frame.to_dict("records")
    kinds = [frame, frame.astype({"edu": "category"}), polars.from_pandas(frame), polars.from_pandas(frame).to_arrow(), records]
    for table in [*kinds, {"edu": words.tolist(), "y": y}]:
        model = credence.train(table, "y")
        assert model.to_bytes() == expected
        assert model.predict_proba(table).argmax(1).tolist() == y.tolist()
    half = credence.train(frame[:30], "y")
    assert half.update(frame[30:]).to_bytes() == expected
    listed = credence.train(frame, "y", missing=[word])
    nulls = frame.assign(edu=frame["edu"].where(frame["edu"] != word, None))
    assert listed.predict_proba(frame).tobytes() == credence.train(nulls, "y").predict_proba(nulls).tobytes()
    assert credence.train(frame[:30], "y", missing=[word]).update(frame[30:]).to_bytes() == listed.to_bytes()


@pytest.mark.parametrize("name", ["titanic.csv", "house_votes_84.csv", "wine.csv", "weather_numeric.csv"])
def test_posteriors_have_the_same_bits_from_tables_of_every_kind(name):
    data = _beginning("tabular/" + name)
    model = credence.Model.from_bytes(_command_model("tabular/" + name, _TABLES[name]))
    expected = np.asarray(model.predict_proba(data))
    pandas = pytest.importorskip("pandas")
    frames = [pandas.read_csv(io.BytesIO(data)), _structured(data, name), _objects(data, name), _polars(data, name)]
    for table in frames:  # the first has truth values without a spelling
        assert np.asarray(model.predict_proba(table)).tobytes() == expected.tobytes()
