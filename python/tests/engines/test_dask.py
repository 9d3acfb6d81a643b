# SPDX-License-Identifier: MIT
"""Dask: models that the workers of a local cluster train have the bytes of those that one process trains."""

import gzip
import os
import signal

import pandas as pd
import pytest

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

import dask.dataframe as dd  # noqa: E402

import credence  # noqa: E402
import credence.dask  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", autouse=True)
def client():
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 5, "dataframe.convert-string": False}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster,
        distributed.Client(cluster) as connected,
    ):
        yield connected


def frame_of(parts: list[pd.DataFrame]) -> dd.DataFrame:
    """A frame with just these partitions, whose types may differ."""
    return dd.from_map(lambda part: part, parts, meta=parts[0].iloc[:0])


def test_models_have_the_bytes_of_one_process(arguments, table, parts, one_process):
    model, whole = credence.dask.train(frame_of(parts), "y", **arguments), one_process(arguments)
    assert model.to_bytes() == whole.to_bytes()
    # Partitions are not compared with the class prior.
    assert model.facts == {name: fact for name, fact in whole.facts.items() if name != "check"}


def test_rows_of_sequences_that_do_not_stand_together(table):
    mixed = table.sample(frac=1, random_state=1)
    arguments = {"sequence": "id", "only": ["x", "colour"]}
    whole = credence.train(mixed.sort_values("id", kind="stable"), "y", **arguments)
    assert credence.dask.train(dd.from_pandas(mixed, npartitions=4, sort=False), "y", **arguments) == whole


def test_ids_of_sequences_by_any_name_and_unit(table):
    arguments = {"only": ["x", "colour"]}
    mixed = table.sample(frac=1, random_state=1).rename(columns={"id": 5})
    moments = mixed.assign(**{"5": pd.Timestamp("2024-01-01") + pd.to_timedelta(mixed[5], "h")}).drop(columns=5)
    for frame, ids, parts in (
        (mixed, 5, [mixed.iloc[:200], mixed.iloc[200:]]),
        (moments, "5", [part.astype({"5": f"datetime64[{unit}]"}) for part, unit in ((moments.iloc[:200], "us"), (moments.iloc[200:], "ns"))]),
    ):
        whole = credence.train(frame.sort_values(ids, kind="stable"), "y", sequence=ids, **arguments)
        model = credence.dask.train(frame_of(parts), "y", sequence=ids, **arguments)
        assert (model, model.facts) == (whole, whole.facts)
    indexed = mixed.rename(columns={5: "id"}).set_index("id", drop=False)
    frame, model = frame_of([indexed.iloc[:200], indexed.iloc[200:]]), credence.dask.train(frame_of([indexed]), "y", sequence="id", **arguments)
    assert credence.dask.train(frame, "y", sequence="id", **arguments) == model
    answers = credence.dask.predict(frame, model).compute()
    assert answers["prediction"].tolist() == model.predict(answers.drop(columns=["prediction", "posterior"]))["prediction"].tolist()
    assert (answers.index.name, answers.columns[0]) == ("id", "id")


def test_ids_that_some_partitions_lack(table):
    with pytest.raises(credence.Error, match="^column 'id' is in some partitions only"):
        credence.dask.train(frame_of([table.iloc[:200], table.iloc[200:].drop(columns="id")]), "y", sequence="id")


def test_columns_of_several_types_in_sequences_are_named(table):
    parts = [table.iloc[:200], table.iloc[200:].astype({"x": str})]
    with pytest.raises(credence.Error, match=r"^column 'x' has values of several types \(number, string\) in its partitions: .* astype"):
        credence.dask.train(frame_of(parts), "y", sequence="id")


def test_answers_can_be_written(parts, one_process, tmp_path):
    answers = credence.dask.predict(frame_of(parts), one_process({"only": ["x", "colour"]}), reject=0.5)
    answers.to_parquet(tmp_path / "all", schema=None)
    answers.drop(columns="posterior").to_parquet(tmp_path / "texts")
    written, expected = pd.read_parquet(tmp_path / "all"), answers.compute()
    for name in ("prediction", "decision", "posterior"):
        assert written[name].tolist() == expected[name].tolist()
    assert pd.read_parquet(tmp_path / "texts")["prediction"].tolist() == expected["prediction"].tolist()


def test_odd_partitions(odd):
    parts = [pd.DataFrame(part) for part in odd]
    whole = credence.train(pd.concat([part for part in parts if len(part)], ignore_index=True), "y")
    assert credence.dask.train(frame_of(parts), "y").to_bytes() == whole.to_bytes()


def test_categoricals_of_different_categories(table):
    parts = [part.assign(colour=part["colour"].astype("category")) for part in (table.iloc[:200], table.iloc[200:])]
    arguments = {"only": ["colour", "x"]}
    assert credence.dask.train(frame_of(parts), "y", **arguments) == credence.train(table, "y", **arguments)


def test_types_of_columns(typed, learning, table, partitions):
    frame = typed(table)
    assert credence.dask.train(frame_of(partitions(frame, 3)), "y", **learning).to_bytes() == credence.train(frame, "y", **learning).to_bytes()


def test_threads_in_the_place_of_a_cluster(learning, table, parts, one_process):
    with dask.config.set({"scheduler": "threads", "dataframe.shuffle.method": "disk"}):
        model = credence.dask.train(frame_of(parts), "y", **learning)
        answers = credence.dask.predict(frame_of(parts), model).compute().sort_index()
        judged = credence.dask.evaluate(frame_of(parts), model)
    assert model == one_process(learning)
    assert answers["prediction"].tolist() == model.predict(table)["prediction"].tolist()
    assert judged.accuracy == model.evaluate(table).accuracy


def test_another_process_in_the_place_of_a_cluster(parts, one_process):
    arguments = {"sequence": "id", "only": ["x", "colour"]}
    with dask.config.set({"scheduler": "processes", "num_workers": 1, "dataframe.shuffle.method": "disk"}):
        assert credence.dask.train(frame_of(parts), "y", **arguments) == one_process(arguments)


def test_many_partitions(table, partitions, one_process):
    arguments = {"only": ["x", "colour"]}
    frame = frame_of(partitions(table, 200))
    assert frame.npartitions == 200
    assert credence.dask.train(frame, "y", **arguments) == one_process(arguments)


def test_nothing_but_empty_partitions(learning, table, one_process, fault_of):
    empty, model = frame_of([table.iloc[:0]] * 2), one_process(learning)
    for several, one in (
        (lambda: credence.dask.train(empty, "y", **learning), lambda: credence.train(table.iloc[:0], "y", **learning)),
        (lambda: credence.dask.evaluate(empty, model), lambda: model.evaluate(table.iloc[:0])),
    ):
        assert fault_of(several) == fault_of(one)
    assert len(credence.dask.predict(empty, model).compute()) == 0


def test_answers_of_every_partition_have_the_types_of_the_frame(learning, table, one_process):
    frame = frame_of([table.iloc[:0], table.iloc[:1], table.iloc[1:], table.iloc[:0]])
    answers = credence.dask.predict(frame, one_process(learning), **({"reject": 0.5} if "ignore" in learning else {}))
    for partition in dask.compute(*answers.to_delayed()):
        assert partition.dtypes.equals(answers.dtypes)


def test_answers_are_those_of_one_process(table, parts, one_process):
    model = one_process({"ignore": ["id", "time", "note", "w"]})
    expected = model.predict(table, reject=0.5)
    answers = credence.dask.predict(frame_of(parts), model, reject=0.5).compute()
    assert answers["prediction"].tolist() == expected["prediction"].tolist()
    assert answers["decision"].tolist() == expected["decision"].tolist()
    assert [row["q"] for row in answers["posterior"]] == expected["P(q)"].tolist()
    assert answers["x"].equals(table["x"])
    judged, one = credence.dask.evaluate(frame_of(parts), model, top_k=2), model.evaluate(table, top_k=2)
    assert judged.to_dict() == one.to_dict()


def test_answers_for_sequences(table, parts, one_process):
    model = one_process({"sequence": "id", "only": ["x", "colour"]})
    expected = model.predict(table)["prediction"].tolist()
    answers = credence.dask.predict(frame_of(parts), model).compute().sort_index()
    assert answers["prediction"].tolist() == expected
    judged, one = credence.dask.evaluate(frame_of(parts), model), model.evaluate(table)
    assert judged.accuracy == one.accuracy
    assert judged.log_loss == pytest.approx(one.log_loss, rel=1e-12)


def test_a_worker_that_is_killed_is_replaced(table, parts, one_process, tmp_path):
    marks = tmp_path / "killed"

    def read(number: int) -> pd.DataFrame:
        if number == 4 and not marks.exists():
            marks.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return parts[number]

    frame = dd.from_map(read, range(len(parts)), meta=table.iloc[:0])
    arguments = {"ignore": ["id", "time", "note", "w"]}
    model = one_process(arguments)
    assert credence.dask.train(frame, "y", **arguments) == model
    marks.unlink()
    assert credence.dask.evaluate(frame, model).to_dict() == model.evaluate(table).to_dict()
    marks.unlink()
    assert credence.dask.predict(frame, model).compute()["prediction"].tolist() == model.predict(table)["prediction"].tolist()
    assert marks.exists()


def test_files_that_are_compressed(table, parts, tmp_path):
    for number, part in enumerate(parts):
        with gzip.open(tmp_path / f"{number}.csv.gz", "wt") as file:
            part.to_csv(file, index=False)
    frame = dd.read_csv(str(tmp_path / "*.csv.gz"), blocksize=None)
    whole = pd.concat([pd.read_csv(tmp_path / f"{number}.csv.gz") for number in range(len(parts))])
    arguments = {"ignore": ["id", "time", "w"], "text": "note"}
    assert credence.dask.train(frame, "y", **arguments) == credence.train(whole, "y", **arguments)


def test_what_cannot_be_done_is_an_error_of_the_caller(parts, one_process):
    frame = frame_of(parts)
    for arguments in ({"method": "auto"}, {"nonsense": 1}, {"sequence": "nothing"}):
        with pytest.raises((ValueError, TypeError)):
            credence.dask.train(frame, "y", **arguments)
    with pytest.raises(credence.Error, match=r"^partition 8 \(from 0\), row 0 .* negative"):
        credence.dask.train(frame_of([*parts[:-1], parts[-1].assign(w=-1)]), "y", weight="w")
    with pytest.raises(credence.Error, match=r"^partition 8 \(from 0\), row 0 .* infinite"):
        credence.dask.predict(frame_of([*parts[:-1], parts[-1].assign(x=float("inf"))]), one_process({"only": "x"})).compute()
    with pytest.raises(credence.Error, match="no rows"):
        credence.dask.train(frame_of([parts[0].iloc[:0]]), "y")
    with pytest.raises(ValueError, match="^schema and weight do not go together"):
        credence.dask.train(frame, "y", schema=credence.schema(parts[0], "y"), weight="w")
    with pytest.raises(TypeError, match=r"^data: expected a dask.dataframe.DataFrame, got a pandas\."):
        credence.dask.train(parts[0], "y")
    with pytest.raises(TypeError, match="^model: "):
        credence.dask.predict(frame, "m.model")
    with pytest.raises(ValueError, match="^typicality: "):
        credence.dask.predict(frame, one_process({"only": "colour"}), typicality=True)
    with pytest.raises(ValueError, match="prediction"):
        credence.dask.predict(frame.rename(columns={"x": "prediction"}), one_process({"only": "colour"}))


def test_the_guide(guide_fails):
    assert guide_fails("Dask", credence.dask) == 0
