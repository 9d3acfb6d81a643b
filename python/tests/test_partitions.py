# SPDX-License-Identifier: MIT
"""Models of tables in partitions, merged in any order: to the byte those of one process."""

from __future__ import annotations

import datetime
import pickle
import random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import credence
from credence import _partitions, _sequence_buckets

pytestmark = pytest.mark.filterwarnings("ignore::credence.CredenceWarning")


def by_parts(parts: list[Any], target: Any, **arguments: Any) -> credence.Model:
    """The model of partitions that are merged as a random tree."""
    draw = random.Random(7)

    def run(plan: _partitions.Plan) -> bytes:
        plan = pickle.loads(pickle.dumps(plan))
        made = [_partitions.train_part(part, plan) for part in parts]
        while len(made) > 1:
            one, other = draw.sample(range(len(made)), 2)
            made[min(one, other)] = _partitions.merge(made[one], made[other])
            del made[max(one, other)]
        return made[0]

    return _partitions.train_partitions(target, arguments, run)


def arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


def cut(frame: pd.DataFrame, count: int) -> list[pd.DataFrame]:
    edges = np.linspace(0, len(frame), count + 1).astype(int)
    return [frame.iloc[begin:end] for begin, end in zip(edges, edges[1:], strict=False)]


def made_frame(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=rows),
            "code": rng.integers(0, 3, rows),
            "colour": rng.choice(list("abcd"), rows),
            "flag": rng.random(rows) < 0.5,
            "w": rng.integers(0, 4, rows),
            "day": pd.date_range("2024-01-01", periods=rows),
            "y": rng.choice(["p", "q", "r"], rows),
        }
    )
    frame.loc[::7, "x"] = np.nan
    frame.loc[::11, "colour"] = None
    frame.loc[::13, "y"] = None
    return frame


ARGUMENTS = [
    {},
    {"weight": "w"},
    {"keep_statistics": "histogram,joint-counts,cross-products,pair-counts,rows"},
    {"method": "aode", "ignore": "x"},
    {"categorical": "code", "only": ["x", "code"], "family": "kernel"},
    {"calibration": "platt", "discretize": {"x": [0.0, 1.0]}},
    {"arcs": "y->code,code->colour,y->x"},
    {"search": "hill-climb", "ignore": "day"},
    {"search": "hill-climb", "bootstrap": 3, "ignore": "day", "weight": "w"},
    {"method": "tan", "ignore": "day"},
]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lambda arguments: "-".join(arguments) or "plain")
@pytest.mark.parametrize(("convert", "count"), [(pd.DataFrame, 60), (arrow, 8)], ids=["pandas", "arrow"])
def test_a_model_is_that_of_the_whole_table(arguments: dict[str, Any], convert: Any, count: int) -> None:
    frame = made_frame()
    whole = credence.train(convert(frame), "y", **arguments)
    parts = [convert(part) for part in [*cut(frame, count), frame.iloc[:0]]]
    model = by_parts(parts, "y", **arguments)
    assert model.to_bytes() == whole.to_bytes()
    assert model.facts == whole.facts


def test_texts_and_sequences() -> None:
    frame = pd.DataFrame(
        {
            "id": np.repeat(np.arange(12), 4),
            "time": np.tile([3, 1, 2, 0], 12),
            "note": ["red red", "blue cat", "the cat", "a red hat"] * 12,
            "seen": list("uvvu") * 12,
            "y": list("aabbab") * 8,
        }
    )
    for convert in (pd.DataFrame, arrow):
        parts = [convert(part) for part in cut(frame, 6)]
        given: dict[str, Any]
        for given in (
            {"text": "note", "ignore": ["id", "time"]},
            {"sequence": "id", "time": "time", "ignore": "note", "order": 2},
            {"sequence": "id", "time": "time", "step": 0.5, "ignore": "note", "unlabeled": "drop"},
        ):
            model, whole = by_parts(parts, "y", **given), credence.train(convert(frame), "y", **given)
            assert model.to_bytes() == whole.to_bytes()
            assert model.facts == whole.facts


def texts(*cells: str | None) -> pd.DataFrame:
    return pd.DataFrame({"t": pd.Series(cells, dtype=object), "y": (["a", "b"] * len(cells))[: len(cells)]})


ODD = {
    "words among numbers": [texts(1, 2), texts("u", 3), texts(1.5, None), texts(None)],
    "words where no row has a target": [texts(1, 2), pd.DataFrame({"t": ["u", 3], "y": [None, None]})],
    "a word where the row with a target has no cell": [pd.DataFrame({"t": ["word", None], "y": [None, "a"]}), texts("2021-03-01", "2021-04-01")],
    "a word among numbers where the row with a target has no cell": [pd.DataFrame({"t": ["u", None], "y": [None, "a"]}), texts(1.0, 2.0)],
    "categoricals": [
        pd.DataFrame({"t": pd.Categorical(["u", "v"], ["u", "v", "z"]), "y": ["a", "b"]}),
        pd.DataFrame({"t": pd.Categorical(["q", "v"]), "y": ["c", "b"]}),
    ],
    "classes of whole numbers": [pd.DataFrame({"t": [1, 2], "y": [0, 1]}), pd.DataFrame({"t": [1, 2], "y": [0.0, np.nan]})],
    "times of day": [texts(*pd.to_datetime(["2024-01-01"])), texts(*pd.to_datetime(["2024-01-01 10:00"]))],
    "dates and a time": [texts("2024-01-05"), texts("2024-01-05 10:00"), texts(None)],
    "a day that is no month": [texts("01/02/2024"), texts("13/02/2024")],
    "dates and a word": [texts("2024-01-05"), texts("x")],
    "grouped digits": [texts("1,234"), texts("1.5")],
    "a decimal comma": [texts("1,234"), texts("1,5")],
    "spellings of yes": [texts("Yes", "No"), texts("yes", "no")],
    "currencies": [texts("$5"), texts("€5")],
    "one currency": [texts("$5"), texts("5.5"), texts("$1,000.5")],
    "classes of dates": [pd.DataFrame({"t": [1.0, 2.0], "y": pd.to_datetime(["2024-01-01", day])}) for day in ("2024-01-02", "2024-01-03")],
    "classes of texts of dates": [pd.DataFrame({"t": [1.0, 2.0], "y": ["2024-01-01", day]}) for day in ("2024-01-02", "2024-01-03")],
    "classes of percentages": [pd.DataFrame({"t": [1.0, 2.0], "y": ["10%", share]}) for share in ("20%", "30%")],
    "classes of spellings of yes": [pd.DataFrame({"t": [1.0, 2.0], "y": words}) for words in (["Yes", "No"], ["yes", "no"])],
    "one class each": [pd.DataFrame({"t": [1.0, 2.0], "y": [name] * 2}) for name in "abc"],
}


@pytest.mark.parametrize("parts", ODD.values(), ids=ODD)
def test_kinds_and_forms_are_decided_by_all_partitions(parts: list[pd.DataFrame]) -> None:
    whole = credence.train(pd.concat(parts, ignore_index=True), "y")
    assert by_parts(parts, "y").to_bytes() == whole.to_bytes()
    assert by_parts(parts[::-1], "y").to_bytes() == whole.to_bytes()


@pytest.mark.parametrize("words", [["Yes", "No", "yes"], ["Yes", "No", "maybe"], ["1", "2", "03"]], ids=" ".join)
def test_classes_of_rows_without_weight_count_for_how_classes_are_spelled(words: list[str]) -> None:
    parts = [pd.DataFrame({"t": ["u", "v"], "w": [1, 1], "y": words[:2]}), pd.DataFrame({"t": ["u"], "w": [0], "y": words[2:]})]
    whole = credence.train(pd.concat(parts), "y", weight="w")
    assert by_parts(parts, "y", weight="w").to_bytes() == whole.to_bytes()


def test_cells_of_rows_without_weight_count_where_no_other_row_has_one() -> None:
    parts = [texts("word", None).assign(w=[0, 1]), texts("2021-03-01", "2021-04-01").assign(w=1)]
    assert by_parts(parts, "y", weight="w").to_bytes() == credence.train(pd.concat(parts), "y", weight="w").to_bytes()


#: Cells of one sort each; sorts together have a form, another one, or none.
SORTS = [
    ["1", "2", "-35", "0"],
    ["1.5", "2.25", "-3.125", "1e5"],
    ["1.234", "999", "12.345", "7"],
    ["1,5", "22,75", "0,5", "3"],
    ["$5", "$1,234.50", "($7)", "$0"],
    ["5 EUR", "7 EUR", "1,50 EUR", "0"],
    ["1,234", "5,678", "12", "9,000"],
    ["5%", "0.5%", "0", "12%"],
    ["2024-02-29", "2023-12-01", "1999-01-05"],
    ["2024-02-29 12:30", "2023-12-01", "1999-01-05T01:02"],
    ["01/02/2024", "03/04/2024", "5/5/2023", "1/1/2020"],
    ["13/02/2024", "30/04/2024", "15/5/2023", "1/1/2020"],
    ["12:30", "1:05", "23:59:59", "0:00"],
    ["TRUE", "FALSE"],
    ["yes", "no", "yes"],
    ["YES", "NO", "Yes"],
    ["true", "yes", "No", "FALSE"],
    ["a", "b", "none", "x y"],
    ["007", "012", "12345678901234567890"],
    ["", "NA", "?", "none"],
    ["none", "NONE", "None"],
    ["nan", "NaN", "null", "5"],
    [None],
]
CLASSES = [("u", "v"), ("yes", "YES"), ("1", "2"), ("true", "no"), ("n", "y", "Y"), ("y", "Y", "p"), ("1,234", "1.5")]


def drawn_table(draw: random.Random) -> pa.Table:
    """Texts of which each third of the rows may have another sort, sorted by it or not."""
    rows, is_sorted, classes = draw.choice([1, 2, 5, 20, 60]), draw.random() < 0.5, draw.choice(CLASSES)
    columns: dict[str, list[str | None]] = {}
    for name in "pqr":
        first = draw.choice(SORTS)
        sorts = [first, *(draw.choice(SORTS) if draw.random() < 0.35 else first for _ in range(2))]
        columns[name] = [draw.choice(sorts[row * 3 // rows] if is_sorted else draw.choice(sorts)) for row in range(rows)]
    labels = [classes[row * len(classes) // rows] if is_sorted else draw.choice(classes) for row in range(rows)]
    columns["y"] = [None if draw.random() < 0.05 else label for label in labels]
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})


@pytest.mark.parametrize("block", range(4))
def test_any_texts_in_any_partitions_have_the_model_of_one_process(block: int) -> None:
    for seed in range(100 * block, 100 * (block + 1)):
        draw = random.Random(seed)
        table = drawn_table(draw)
        given: dict[str, Any] = {}
        if draw.random() < 0.4:
            table, given = table.append_column("w", pa.array([draw.choice([0, 0, 1, 2]) for _ in range(len(table))])), {"weight": "w"}
        edges = sorted([0, len(table), *(draw.randint(0, len(table)) for _ in range(draw.randint(0, 7)))])
        parts = [table.slice(begin, end - begin) for begin, end in zip(edges, edges[1:], strict=False)]
        if draw.random() < 0.3:
            parts, table = [part.to_pandas() for part in parts], table.to_pandas()
        try:
            whole = credence.train(table, "y", **given).to_bytes()
        except credence.Error:
            with pytest.raises(credence.Error):
                by_parts(parts, "y", **given)
        else:
            assert by_parts(parts, "y", **given).to_bytes() == whole, f"seed {seed}"


@pytest.mark.parametrize("given", [{}, {"categorical": "y"}, {"column_types": {"y": "categorical"}}], ids=str)
@pytest.mark.parametrize("words", [["n", "y", "Y"], ["y", "Y", "p"]], ids=" ".join)
def test_a_target_of_truth_words_spelled_differently(words: list[str], given: dict[str, Any]) -> None:
    frame = pd.DataFrame({"x": np.arange(24.0), "day": pd.date_range("2024-01-01", periods=24, freq="h"), "y": words * 8})
    whole = credence.train(frame, "y", **given)
    for count in (2, 12, 24):
        assert by_parts(cut(frame, count), "y", **given).to_bytes() == whole.to_bytes()


def test_what_was_decided_is_not_decided_again() -> None:
    plan = _partitions.make_plan("y", {})
    parts = [_partitions.train_part(part, plan) for part in (texts(1, 2), texts("u", "v"))]
    following = _partitions.settle(plan, _partitions.merge_all(parts))
    assert following is not None
    assert following.decided == ("t",)
    with pytest.raises(credence.Error, match="^partitions differ in what column 't' is, .* by a schema of all rows, or by column_types"):
        _partitions.settle(following, _partitions.merge_all(parts))


def test_columns_whose_names_are_numbers() -> None:
    parts = [pd.DataFrame({8: ["$1,000.50", cell], "y": ["p", "q"]}) for cell in ("$2,000.50", "$7")]
    assert by_parts(parts, "y").to_bytes() == credence.train(pd.concat(parts), "y").to_bytes()


SMALL = pd.DataFrame({"k": ["a", "b"], "y": ["p", "q"]})
STATED = [{}, {"categorical": ["k"]}, {"column_types": {"k": "categorical"}}, {"arcs": "y->k"}, {"schema": credence.schema(SMALL, "y")}]


@pytest.mark.parametrize("given", STATED, ids=lambda given: "".join(given) or "plain")
def test_a_column_has_no_more_values_in_all_partitions_than_in_one_process(given: dict[str, Any]) -> None:
    parts = [SMALL, SMALL.assign(k=["c", "d"])]
    for run in (lambda: credence.train(pd.concat(parts), "y", max_categories=2, **given), lambda: by_parts(parts, "y", max_categories=2, **given)):
        with pytest.raises(credence.errors.DataError, match="more than 2 different values") as raised:
            run()
        assert (raised.value.code, raised.value.subject) == ("limit", "k")
    assert str(raised.value).startswith("column 'k' has more than 2 different values in all partitions together: is it an identifier? (ignore=['k'] leaves")
    assert by_parts(parts, "y", max_categories=4, **given).to_bytes() == credence.train(pd.concat(parts), "y", max_categories=4, **given).to_bytes()


def test_values_are_limited_where_texts_are_gathered_or_declared() -> None:
    with pytest.raises(credence.Error, match="^column 'y' has more than 2 different values in all partitions together: is it an identifier"):
        by_parts([SMALL, SMALL.assign(y=["r", "s"])], "y", max_categories=2)
    parts = [SMALL, pd.DataFrame({"k": ["a"], "y": [None]})]
    for given in ({"max_categories": 2}, {"max_categories": 2, "declare": {"k": ["a", "b", "c"]}}):
        assert by_parts(parts, "y", **given).to_bytes() == credence.train(pd.concat(parts), "y", **given).to_bytes()
    for labels in (["p", "q"], [None, None]):
        parts = [pd.DataFrame({"k": ["yes", "No"], "y": ["p", "q"]}), pd.DataFrame({"k": ["YES", "NO"], "y": labels})]
        assert by_parts(parts, "y", max_categories=2).to_bytes() == credence.train(pd.concat(parts), "y", max_categories=2).to_bytes()
    with pytest.raises(credence.Error, match="^column 'k' has more than 2 different values in all partitions together"):
        by_parts([pd.DataFrame({"k": ["7a", "8b"], "y": ["p", "q"]}), pd.DataFrame({"k": ["9c"], "y": [None]})], "y", max_categories=2)


def test_the_weight_of_all_rows_has_the_bits_of_one_process() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({"x": rng.normal(size=60), "w": rng.random(60) * 10.0 ** rng.integers(-9, 9, 60), "y": rng.choice(list("pqr"), 60)})
        assert by_parts(cut(frame, 7), "y", weight="w").facts == credence.train(frame, "y", weight="w").facts


def test_a_partition_that_lacks_a_column_is_named() -> None:
    plan = _partitions.make_plan("y", {"weight": "w"})
    for name in ("y", "w"):
        with pytest.raises(credence.Error, match=rf"^partition 3 \(from 0\): unknown column '{name}'"):
            _partitions.train_part(made_frame().drop(columns=name), plan, 3)


def test_an_infinite_number_among_words_of_other_partitions_has_a_remedy() -> None:
    parts = [texts(np.inf, 1.0), texts("u", "v")]
    with pytest.raises(credence.Error, match=r"'t' is infinite: .* \(if the column contains words in other partitions, convert all of its values to texts"):
        by_parts(parts, "y")


@pytest.mark.parametrize("parts", [[texts("u").iloc[:0]], [pd.DataFrame({"t": [1], "y": [None]})]], ids=["no rows", "no target"])
def test_nothing_to_learn_is_the_error_of_one_process(parts: list[pd.DataFrame]) -> None:
    with pytest.raises(credence.Error) as one:
        credence.train(parts[0], "y")
    with pytest.raises(credence.Error) as several:
        by_parts(parts * 2, "y")
    assert str(one.value) == str(several.value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"method": "auto"},
        {"latent_class": "h:2"},
        {"unlabeled": "use"},
        {"discretize": "quantile:4"},
        {"sequence": "id", "states": 2},
        {"method": "sequence"},
        {"shard": "1/2"},
        {"part": "monday"},
        {"check": True},
        {"nonsense": 1},
    ],
    ids=str,
)
def test_what_needs_all_rows_is_refused_before_the_work(arguments: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        _partitions.make_plan(None if "latent_class" in arguments else "y", arguments)
    with pytest.raises((ValueError, TypeError)):
        _partitions.make_plan("y", arguments)


def test_latent_nodes_of_specified_arcs() -> None:
    frame, given = made_frame(), {"latent_nodes": "h:2", "arcs": "y->h,h->colour,h->flag"}
    assert by_parts(cut(frame, 4), "y", **given).to_bytes() == credence.train(frame, "y", **given).to_bytes()


@pytest.mark.parametrize(
    "given", [{"weight": "w"}, {"ignore": ["x"]}, {"column_types": {"code": "categorical"}}, {"declare": {"colour": ["e"]}}, {"sequence": "w", "only": ["x"]}], ids=str
)
def test_what_a_schema_settles_is_refused_beside_it(given: dict[str, Any]) -> None:
    schema = credence.schema(made_frame(), "y")
    with pytest.raises(ValueError, match="^schema and .* do not go together: the schema settles"):
        _partitions.make_plan("y", {"schema": schema, **given})


def test_steps_without_a_label_are_refused() -> None:
    frame = pd.DataFrame({"id": [1, 1, 1], "o": ["u", "v", "u"], "y": ["a", None, "b"]})
    with pytest.raises(ValueError, match="unlabeled"):
        by_parts([frame], "y", sequence="id")


def test_errors_name_rows_of_partitions() -> None:
    frame = pd.DataFrame({"x": [1.0, np.inf], "y": ["a", "b"]})
    model = credence.train(frame.iloc[:1], "y")
    plan = _partitions.make_plan("y", {})
    for number, expected in ((7, "partition 7 (from 0), row 1"), (None, "a partition, row 1")):
        for call in (
            lambda number=number: _partitions.train_part(frame, plan, number),
            lambda number=number: _partitions.answers_for(frame, model, {}, _partitions.place_of(number)),
            lambda number=number: _partitions.evaluate_part(frame, model.to_bytes(), {}, number),
        ):
            with pytest.raises(credence.errors.DataError) as error:
                call()
            assert str(error.value).startswith(expected)
            assert (error.value.line, error.value.subject) == (2, "x")


def test_answers_stand_beside_the_rows() -> None:
    frame = made_frame()
    model = credence.train(frame, "y", ignore="day")
    batches = arrow(frame.drop(columns="y")).to_batches(max_chunksize=40)
    answered = pa.Table.from_batches(list(_partitions.predict_part(batches, model.to_bytes(), {"prior": "uniform"})))
    expected = model.predict(frame, prior="uniform")
    assert answered["prediction"].to_pylist() == expected["prediction"].tolist()
    assert [dict(row)["q"] for row in answered["posterior"].to_pylist()] == expected["P(q)"].tolist()
    assert answered.column_names == [*frame.columns[:-1], "prediction", "posterior"]


@pytest.mark.parametrize("ids", [[3, 1, None, 2, 1, 3, 70], ["u", "v", None, "w", "v", "u", "x"]], ids=["numbers", "texts"])
def test_an_id_has_the_same_bucket_whatever_its_type(ids: list[Any]) -> None:
    whole = pa.array(ids)
    types = [pa.int8(), pa.int64(), pa.float64(), pa.decimal128(21, 2)] if pa.types.is_integer(whole.type) else [pa.string(), pa.large_string()]
    columns = [*map(whole.cast, types), whole.dictionary_encode()]
    tables = [pa.table({"id": column, "row": range(len(ids))}) for column in columns]
    rows = [[piece["row"].to_pylist() for piece in _sequence_buckets.split(table, "id", 3)] for table in tables]
    assert rows == [rows[0]] * len(rows)
    assert sorted(sum(rows[0], [])) == list(range(len(ids)))
    for bucket in zip(*(_sequence_buckets.split(table, "id", 3) for table in tables[:2]), strict=True):
        expected: dict[Any, list[int]] = {}
        for row in [*bucket[0].to_pylist(), *bucket[1].to_pylist()]:
            expected.setdefault(row["id"], []).append(row["row"])
        assert _sequence_buckets.join("id", *bucket)["row"].to_pylist() == sum(expected.values(), [])


MOMENTS = [datetime.datetime(2021, 3, 1, 10, 0, i % 3) for i in range(12)]
DAYS = [datetime.date(2021, 3, 1 + i % 5) for i in range(12)]


@pytest.mark.parametrize(
    "columns",
    [
        [pa.array(MOMENTS, pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")],
        [pa.array(DAYS, pa.date32()), pa.array(DAYS, pa.date64()), pa.array(DAYS, pa.date32()).cast(pa.timestamp("ns"))],
        [pa.array([moment.time() for moment in MOMENTS], kind) for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"))],
        [pa.array([1, 2, 3, None] * 3), pa.array([1.0, 2.0, 3.0, None] * 3), pa.array(["1", "2", "3", None] * 3).dictionary_encode()],
        [pa.array([0.0, 1.0, 2.0, 3.0] * 3), pa.array([-0.0, 1.0, 2.0, 3.0] * 3)],
    ],
    ids=["moments", "days", "times of day", "numbers and texts", "zeros"],
)
def test_equal_ids_of_several_types_have_the_same_bucket(columns: list[Any]) -> None:
    tables = [pa.table({"id": column, "row": range(12)}) for column in columns]
    rows = [[piece["row"].to_pylist() for piece in _sequence_buckets.split(table, "id", 4)] for table in tables]
    assert rows == [rows[0]] * len(rows)
    assert sum(map(bool, rows[0])) > 1
    series = [column.to_pandas() for column in columns]
    hashes = [_sequence_buckets.hashes_of(ids) for one in series for ids in (one, one.astype(object), one.astype("category"))]
    assert all(np.array_equal(one, hashes[0]) for one in hashes)
    assert {tuple(np.flatnonzero(hashes[0] % 4 == bucket).tolist()) for bucket in range(4)} == set(map(tuple, rows[0]))


def test_ids_of_several_types_in_one_column() -> None:
    ids = pd.Series([1, "1", 2.0, "2", None, "u"], dtype=object)
    assert _sequence_buckets.keys_of(ids).tolist()[:4] == ["1", "1", "2", "2"]
    assert len(set(_sequence_buckets.hashes_of(ids)[:4])) == 2


def test_ids_that_are_none() -> None:
    table = pa.table({"id": [{"q": 1}], "y": ["a"]})
    with pytest.raises(credence.Error, match="^sequence: column 'id' has the type struct<q: int64>, where ids are texts, numbers or moments"):
        _sequence_buckets.split(table, "id", 2)
    with pytest.raises(credence.Error, match="^column 'no' is in some partitions only"):
        _sequence_buckets.split(table, "no", 2)
    with pytest.raises(credence.Error, match="^2 columns are called 'id'"):
        _sequence_buckets.split(table.append_column("id", table["id"]), "id", 2)


def _labeled(x: Any, y: Any = ("p", "q")) -> pd.DataFrame:
    return pd.DataFrame({"x": x, "y": list(y)})


@pytest.mark.parametrize(
    "parts",
    [
        [_labeled(np.array(["a", "b"], dtype=object)), _labeled(np.array([], dtype=object), ())],
        [_labeled(np.array(["a", "b"], dtype=object)), _labeled([None, None])],
        [_labeled(["a", "b"]), _labeled([np.nan, np.nan])],
        [_labeled([1.5, 2.5]), _labeled([None, None])],
        [_labeled([1.5, 2.5]), _labeled(pd.array([None, None], dtype="str"))],
        [_labeled([True, False]), _labeled([None, None])],
        [_labeled(["2024-01-01", "2024-01-02"]), _labeled([np.nan, np.nan])],
        [_labeled(pd.to_datetime(["2024-01-01", "2024-01-02"])), _labeled(pd.to_datetime(["2024-01-01 10:00", "2024-01-02 11:00"]))],
        [_labeled(pd.to_datetime(["2024-01-01", "2024-01-02"])), _labeled(pd.to_datetime([]), ())],
        [_labeled(pd.to_datetime(["2024-01-01", "2024-01-02"])), _labeled([None, None])],
        [_labeled(["a", "b"]), _labeled(["a", "b"], (None, None))],
        [_labeled(["a", "b"]), _labeled(["a", "b"], (np.nan, np.nan))],
        [_labeled(["a", "b"], (0, 1)), _labeled(["a", "b"], (np.nan, np.nan))],
    ],
)
@pytest.mark.parametrize("values", [False, True])
def test_parts_of_frames_have_the_schema_of_the_whole(parts: list[pd.DataFrame], values: bool) -> None:
    whole = pd.concat(parts, ignore_index=True)
    found = [credence.schema(part, "y", shard="1/1", values=values) for part in parts]
    schema = credence.schema(whole, "y", values=values)
    for ordered in (found, found[::-1], [found[1], *found]):
        assert credence.Schema.merge_all(ordered) == schema
    models = [credence.train(part, "y", schema=schema, part=str(number)) for number, part in enumerate(parts)]
    assert credence.merge(models).posterior({"x": whole["x"][0]}) == credence.train(whole, "y").posterior({"x": whole["x"][0]})


def test_numbers_and_texts_in_parts_of_frames_need_a_kind() -> None:
    parts = [_labeled([1, 2]), _labeled(["many", "2"])]
    with pytest.raises(credence.Error, match="column 'x' has a specified type or format in one part, .* specify the same for every part"):
        credence.Schema.merge_all([credence.schema(part, "y", shard="1/1") for part in parts])
    schema = credence.Schema.merge_all([credence.schema(part, "y", shard="1/1", categorical=["x"]) for part in parts])
    assert schema == credence.schema(pd.concat(parts), "y", categorical=["x"])


def test_arguments_of_what_is_not_asked_for_do_nothing_as_in_one_process() -> None:
    given = {"select_classes": "held-out", "max_classes": 3, "budget": 1}
    frame = made_frame()
    assert by_parts(cut(frame, 3), "y", **given) == credence.train(frame, "y", **given)


def test_columns_that_some_partitions_lack_are_named() -> None:
    parts = [pd.DataFrame({"x": [1.0, 2.0], "z": ["u", "v"], "y": ["p", "q"]}), pd.DataFrame({"x": [1.0, 2.0], "y": ["p", "q"]})]
    for ordered in (parts, parts[::-1]):
        with pytest.raises(credence.Error, match="^column 'z' is in some partitions only: give all of them the same columns"):
            by_parts(ordered, "y")


def test_kinds_that_a_schema_leaves_open_are_an_error_where_partitions_differ() -> None:
    schema = credence.schema(pd.DataFrame({"x": [None, None], "y": ["p", "q"]}), "y")
    with pytest.raises(credence.Error, match="^the schema leaves the type of 'x' open"):
        by_parts([_labeled([1.0, 2.0]), _labeled(["u", "v"])], "y", schema=schema)


def test_answers_have_options_that_partitions_can_answer() -> None:
    with pytest.raises(ValueError, match="^typicality: "):
        _partitions.answer_options({"typicality": True})
    assert _partitions.answer_options({"with_input": True, "typicality": False, "reject": 0.9}) == {"reject": 0.9}
    with pytest.raises(TypeError, match="^model: expected a Model, .* got a str$"):
        _partitions.grouped_by("m.model")


@pytest.mark.parametrize("given", [{"ignore": ["id", "t"]}, {"sequence": "id"}, {"sequence": "id", "time": "t"}], ids=str)
def test_options_of_answers_are_checked_before_the_work(given: dict[str, Any]) -> None:
    frame = pd.DataFrame({"id": [1, 1, 1, 2, 2, 2], "t": range(6), "x": np.arange(6.0), "day": ["2024-01-01"] * 6, "y": list("abcabc")})
    model = credence.train(frame, "y", **given)
    wrong: list[dict[str, Any]] = [{"nope": 1}, {"threshold": 0.5}, {"smoothing": "zz"}, {"reading": {"nope": 1}}]
    for options in [*wrong, *([{"decoding": "zz"}, {"sequence": "t"}] if "sequence" in given else [{"reject": 5}])]:
        with pytest.raises((ValueError, TypeError), match=next(iter(options["reading"] if "reading" in options else options))):
            _partitions.check_answer_options(model, options)
    for options in ({}, {"reading": {"missing": "?"}}, {"decoding": "posterior"} if "sequence" in given else {"reject": 0.9, "with_input": True}):
        _partitions.check_answer_options(model, options)


def test_schemas_to_merge_are_schemas() -> None:
    with pytest.raises(TypeError, match="^schemas: expected Schemas, .* got a str$"):
        credence.Schema.merge_all(["x"])  # type: ignore[list-item]


def test_answers_of_partitions_are_texts_whatever_the_classes_are():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"x": [0.0, 1.0, 0.1, 1.1] * 10, "y": [0, 1, 0, 1] * 10})
    model = credence.train(table, "y", check=False)
    for found in _partitions.predict_part(table.select(["x"]).to_batches(), model.to_bytes(), {"threshold": {"1": 0.5}}):
        assert found["prediction"].type == found["decision"].type == pyarrow.string()
        assert found["posterior"].type == pyarrow.map_(pyarrow.string(), pyarrow.float64())
        assert found["prediction"].to_pylist()[:2] == ["0", "1"]
