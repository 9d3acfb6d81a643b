# SPDX-License-Identifier: MIT
"""Ray: models that the workers of a local cluster train have the bytes of those that one process trains."""

import gzip
import os
import signal

import pandas as pd
import pyarrow as pa
import pytest

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

import credence  # noqa: E402
import credence.ray  # noqa: E402

STORE = 80 << 20  # bytes in memory; what does not fit is spilled

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    os.environ["RAY_AUTH_MODE"] = "disabled"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=STORE)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def dataset(parts):
    return ray.data.from_arrow([pa.Table.from_pandas(part, preserve_index=False) for part in parts])


def test_models_have_the_bytes_of_one_process(arguments, table, parts, one_process):
    if arguments.get("time"):
        pytest.skip("rows of sequences are brought together as without times")
    model, whole = credence.ray.train(dataset(parts), "y", **arguments), one_process(arguments)
    assert model.to_bytes() == whole.to_bytes()
    # Partitions are not compared with the class prior.
    assert model.facts == {name: fact for name, fact in whole.facts.items() if name != "check"}


def test_odd_partitions(odd):
    parts = [pd.DataFrame(part) for part in odd]
    whole = credence.train(pd.concat([part for part in parts if len(part)], ignore_index=True), "y")
    assert credence.ray.train(dataset(parts), "y").to_bytes() == whole.to_bytes()


def test_types_of_columns(typed, learning, table, partitions):
    frame = typed(table)
    data = ray.data.from_pandas(partitions(frame, 3))
    assert credence.ray.train(data, "y", **learning).to_bytes() == credence.train(frame, "y", **learning).to_bytes()


def test_rows_of_sequences_that_do_not_stand_together(table, partitions):
    mixed = table.sample(frac=1, random_state=1)
    parts = partitions(mixed, 4)
    parts[1:3] = parts[1].astype({"id": "Int16"}), parts[2].astype({"id": float})
    arguments = {"sequence": "id", "only": ["x", "colour"]}
    whole = credence.train(mixed.sort_values("id", kind="stable"), "y", **arguments)
    assert credence.ray.train(dataset(parts), "y", **arguments) == whole


def test_ids_of_sequences_in_several_units(table):
    frame = table.assign(id=pd.Timestamp("2024-01-01") + pd.to_timedelta(table["id"], "h"))
    parts = [frame.iloc[:200].astype({"id": "datetime64[us]"}), frame.iloc[200:].astype({"id": "datetime64[ns]"})]
    arguments = {"sequence": "id", "only": ["x", "colour"]}
    model, whole = credence.ray.train(dataset(parts), "y", **arguments), credence.train(frame, "y", **arguments)
    assert (model, model.facts) == (whole, whole.facts)


def test_ids_that_are_none(table):
    with pytest.raises(credence.Error, match="^column 'id' is in some partitions only"):
        credence.ray.train(dataset([table.iloc[:200], table.iloc[200:].drop(columns="id")]), "y", sequence="id")
    structs = table.assign(id=[{"q": 1}] * len(table))
    with pytest.raises(credence.Error, match="^sequence: column 'id' has the type struct"):
        credence.ray.train(dataset([structs.iloc[:200], structs.iloc[200:]]), "y", sequence="id")


def test_columns_of_objects():
    frame = pd.DataFrame({"o": pd.Series([1, "u", None, 2.5] * 3, dtype=object), "s": [{1}, "v", {2}, {3}] * 3, "y": list("pqq") * 4})
    data = ray.data.from_pandas([frame.iloc[:7], frame.iloc[7:]])
    model = credence.ray.train(data, "y", ignore="s")
    assert model.to_bytes() == credence.train(frame, "y", ignore="s").to_bytes()
    answers = credence.ray.predict(data, model).take_all()
    assert sorted(row["prediction"] for row in answers) == sorted(model.predict(frame)["prediction"])
    assert {row["o"] for row in answers} == {1, "u", None, 2.5}
    assert credence.ray.evaluate(data, model).accuracy == model.evaluate(frame).accuracy
    with pytest.raises(credence.Error, match="column 's' is a list, .* ignore it"):
        credence.ray.train(data, "y")


def test_many_partitions(learning, table, partitions, one_process):
    assert credence.ray.train(dataset(partitions(table, 200)), "y", **learning) == one_process(learning)


def test_blocks_that_are_spilled(table):
    arguments = {"only": ["x", "colour"]}

    def large(batch: pa.Table) -> pa.Table:
        return pa.Table.from_pandas(table.assign(noise="." * (STORE // 2000)), preserve_index=False)

    data = ray.data.range(6, override_num_blocks=6).map_batches(large, batch_format="pyarrow", batch_size=None).materialize()
    assert data.size_bytes() > STORE
    whole = pd.concat([table.assign(noise=".")] * 6)
    model = credence.ray.train(data, "y", **arguments)
    assert model == credence.train(whole, "y", **arguments)
    assert credence.ray.evaluate(data, model).to_dict() == model.evaluate(whole).to_dict()


def test_nothing_but_empty_partitions(learning, table, one_process, fault_of):
    none, model = table.iloc[:0], one_process(learning)
    for empty in (dataset([none] * 2), ray.data.from_items([])):
        assert fault_of(lambda: credence.ray.train(empty, "y", **learning)) == fault_of(lambda: credence.train(none, "y", **learning))
        assert fault_of(lambda: credence.ray.evaluate(empty, model)) == fault_of(lambda: model.evaluate(none))
        assert credence.ray.predict(empty, model).count() == 0


def test_answers_are_those_of_one_process(table, parts, one_process):
    model = one_process({"ignore": ["id", "time", "note", "w"]})
    expected = model.predict(table, reject=0.5)
    answers = credence.ray.predict(dataset(parts), model, reject=0.5).to_pandas().sort_values(["id", "time"])
    order = table.reset_index(drop=True).sort_values(["id", "time"]).index
    assert answers["prediction"].tolist() == expected["prediction"].iloc[order].tolist()
    assert [row["q"] for row in answers["posterior"]] == expected["P(q)"].iloc[order].tolist()
    assert answers["decision"].isna().sum() == expected["decision"].isna().sum()
    judged, one = credence.ray.evaluate(dataset(parts), model, top_k=2), model.evaluate(table, top_k=2)
    assert judged.to_dict() == one.to_dict()


def test_answers_for_sequences(table, parts, one_process):
    model = one_process({"sequence": "id", "only": ["x", "colour"]})
    numbered = [part.assign(number=part.index) for part in parts]
    answers = credence.ray.predict(dataset(numbered), model).to_pandas().sort_values("number")
    assert answers["prediction"].tolist() == model.predict(table)["prediction"].tolist()
    judged, one = credence.ray.evaluate(dataset(parts), model), model.evaluate(table)
    assert judged.accuracy == one.accuracy
    assert judged.log_loss == pytest.approx(one.log_loss, rel=1e-12)


def test_a_worker_that_is_killed_is_replaced(table, parts, one_process, tmp_path):
    marks = tmp_path / "killed"

    def read(block: pa.Table) -> pa.Table:
        if block.num_rows == 1 and not marks.exists():
            marks.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    data = dataset(parts).map_batches(read, batch_format="pyarrow", batch_size=None)
    arguments = {"ignore": ["id", "time", "note", "w"]}
    model = one_process(arguments)
    assert credence.ray.train(data, "y", **arguments) == model
    marks.unlink()
    assert credence.ray.evaluate(data, model).to_dict() == model.evaluate(table).to_dict()
    marks.unlink()
    answers = credence.ray.predict(data, model).to_pandas().sort_values("time")
    assert answers["prediction"].tolist() == model.predict(table.sort_values("time"))["prediction"].tolist()
    assert marks.exists()


def test_files_that_are_compressed(table, parts, tmp_path):
    for number, part in enumerate(parts):
        with gzip.open(tmp_path / f"{number}.csv.gz", "wt") as file:
            part.to_csv(file, index=False)
    data = ray.data.read_csv(str(tmp_path), file_extensions=None, arrow_open_stream_args={"compression": "gzip"})
    whole = pd.concat([pd.read_csv(tmp_path / f"{number}.csv.gz") for number in range(len(parts))])
    arguments = {"ignore": ["id", "time", "w", "day"], "text": "note"}
    assert credence.ray.train(data, "y", **arguments) == credence.train(whole, "y", **arguments)


def test_what_cannot_be_done_is_an_error_of_the_caller(parts, one_process):
    data = dataset(parts)
    for arguments in ({"method": "auto"}, {"nonsense": 1}, {"sequence": "nothing"}):
        with pytest.raises((ValueError, TypeError)):
            credence.ray.train(data, "y", **arguments)
    with pytest.raises(TypeError, match=r"^data: expected a ray.data.Dataset, got a pandas\."):
        credence.ray.train(parts[0], "y")
    with pytest.raises(ValueError, match="^typicality: "):
        credence.ray.predict(dataset(parts), one_process({"only": "colour"}), typicality=True)
    for options in ({"nope": 1}, {"threshold": 0.5}, {"smoothing": "zz"}):
        with pytest.raises((ValueError, TypeError), match=next(iter(options))):
            credence.ray.predict(dataset(parts), one_process({"only": "colour"}), **options)
    with pytest.raises(ValueError, match="prediction"):
        credence.ray.predict(dataset([part.rename(columns={"x": "prediction"}) for part in parts]), one_process({"only": "colour"}))


def test_faults_of_rows_are_those_of_one_process(parts, one_process, fault_of):
    model, last = one_process({"only": "x"}), parts[-1]
    weights, infinite = last.assign(w=-1), last.assign(x=float("inf"))
    one = fault_of(lambda: credence.train(weights, "y", weight="w"))
    assert fault_of(lambda: credence.ray.train(dataset([*parts[:-1], weights]), "y", weight="w")) == one
    data = dataset([*parts[:-1], infinite])
    one = fault_of(lambda: model.evaluate(infinite))
    assert fault_of(lambda: credence.ray.evaluate(data, model)) == one
    with pytest.raises(credence.Error, match="a partition, row 0 .* infinite") as raised:
        credence.ray.predict(data, model).take_all()
    assert isinstance(raised.value, ray.exceptions.RayTaskError)
    assert (type(raised.value.cause), raised.value.code, raised.value.message, raised.value.line) == one


def test_a_column_of_several_types_in_sequences_is_an_error(parts):
    def spell(block: pa.Table) -> pa.Table:
        return block.drop_columns(["x"]).append_column("x", pa.array(["word"])) if block.num_rows == 1 else block

    data = dataset(parts).map_batches(spell, batch_format="pyarrow", batch_size=None)
    with pytest.raises(TypeError, match="incompatible types") as raised:
        credence.ray.train(data, "y", sequence="id")
    assert not isinstance(raised.value, ray.exceptions.RayError)


def test_the_guide(guide_fails):
    assert guide_fails("Ray", credence.ray) == 0
