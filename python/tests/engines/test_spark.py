# SPDX-License-Identifier: MIT
"""Spark: models of DataFrames on a local cluster of two executors have the bytes of those that one process trains."""

import gzip
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pyspark = pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")
if shutil.which("java") is None:
    pytest.skip("there is no Java (Debian: default-jre-headless)", allow_module_level=True)

from pyspark import cloudpickle  # noqa: E402
from pyspark.ml import Pipeline, PipelineModel  # noqa: E402
from pyspark.ml.evaluation import MulticlassClassificationEvaluator  # noqa: E402
from pyspark.ml.feature import VectorAssembler  # noqa: E402
from pyspark.ml.tuning import CrossValidator, CrossValidatorModel, ParamGridBuilder, TrainValidationSplit  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql import functions as sql  # noqa: E402

import credence  # noqa: E402
import credence.spark  # noqa: E402
from credence.spark._frames import _for_workers  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
PARTITIONS = 5


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    package = str(Path(credence.__file__).parents[1])
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.executorEnv.PYTHONPATH": package,
        "spark.executor.memory": "900m",
        "spark.driver.memory": "1g",
        # Programs of Java that live for a minute are done before the second compiler has paid off.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.speculation": "true",
        "spark.sql.session.timeZone": "America/New_York",
        "spark.sql.shuffle.partitions": str(PARTITIONS),
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    work = Path(pyspark.__file__).parent / "work" / session.sparkContext.applicationId
    yield session
    session.stop()
    shutil.rmtree(work, ignore_errors=True)


def people(rows=250, seed=1):
    """Numbers, categories and missing cells; a category and a class that are rare."""
    draw = random.Random(seed)
    ages = [draw.choice([None, *(draw.gauss(40, 12) for _ in range(9))]) for _ in range(rows)]
    return pa.table(
        {
            "age": pa.array(ages, pa.float64()),
            "visits": pa.array([draw.randrange(5) for _ in range(rows)], pa.int64()),
            "town": ["Ulm" if draw.random() < 0.01 else draw.choice(["Bonn", "Kiel", None]) for _ in range(rows)],
            "smokes": pa.array([draw.choice([True, False]) for _ in range(rows)]),
            "weight": [draw.choice([1.0, 2.0, 0.5]) for _ in range(rows)],
            "ill": [draw.choice(["yes", "no", "no", None]) for _ in range(rows)],
        }
    )


def numbered_people():
    """People with a number each, by which rows are the same in any order."""
    table = people()
    return table.append_column("row", pa.array(range(len(table))))


def letters(rows=320):
    """Sequences of a state and an observation, whose ids are spread over the table."""
    draw = random.Random(7)
    return pa.table(
        {
            "id": [f"s{row % 20}" for row in range(rows)],
            "at": [row // 20 for row in range(rows)],
            "state": [draw.choice("ab") for _ in range(rows)],
            "seen": [draw.choice("xyz") for _ in range(rows)],
        }
    )


def reviews(rows=240):
    draw = random.Random(3)
    words = [f"word{number}" for number in range(40)]
    texts = [" ".join(draw.choices(words, k=draw.randrange(1, 9))) for _ in range(rows)]
    return pa.table({"text": texts, "stars": [draw.choice("135") for _ in range(rows)]})


def same(frame, target, table=None, **arguments):
    """Trains on the cluster and in this process, from the table where it is given, and compares the bytes."""
    model = credence.spark.train(frame, target, **arguments)
    whole = credence.train(frame.toArrow() if table is None else table, target, **arguments)
    assert model.to_bytes() == whole.to_bytes(), model.difference(whole)
    return model


def same_answers(answers, model, by):
    """Compares answers of the cluster with those of this process, for the same rows in the order of columns that tell them apart."""
    answers = answers.toArrow().sort_by([(name, "ascending") for name in by])
    whole = model.predict(answers.drop_columns(["prediction", "posterior"]))
    assert answers["prediction"].to_pylist() == whole["prediction"].to_pylist()
    for name in model.classes:
        found = [dict(pairs)[name] for pairs in answers["posterior"].to_pylist()]
        assert found == whole[f"P({name})"].to_pylist()


KINDS = {
    "naive": (people, "ill", {"ignore": ["weight"]}),
    "weighted": (people, "ill", {"weight": "weight"}),
    "histogram": (people, "ill", {"keep_statistics": "histogram", "family": {"age": "kernel"}}),
    "network": (people, "ill", {"ignore": ["weight", "age"], "arcs": [("ill", "town"), ("town", "smokes")]}),
    "searched": (people, "ill", {"ignore": ["weight", "age"], "search": "hill-climb"}),
    "text": (reviews, "stars", {"text": ["text"]}),
    "sequence": (letters, "state", {"sequence": "id", "time": "at", "unlabeled": "drop"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_models_have_the_bytes_of_one_process(spark, kind):
    make, target, arguments = KINDS[kind]
    table = make()
    same(spark.createDataFrame(table).repartition(PARTITIONS), target, table, **arguments)


# ---- Partitions ----


def test_uneven_partitions(spark):
    """One class a partition; one row a partition; partitions without rows; a category that one partition alone has."""
    table = people(20).append_column("row", pa.array(range(20)))
    frame = spark.createDataFrame(table)
    same(frame.repartition(PARTITIONS, "ill"), "ill", table, ignore=["row"])
    same(frame.repartitionByRange(20, "row"), "ill", table, ignore=["row"])
    same(frame.filter("row < 3").repartition(9, "row"), "ill", table.slice(0, 3), ignore=["row"])
    same(frame.repartitionByRange(PARTITIONS, "town"), "ill", table, ignore=["row"])
    same(frame.coalesce(1), "ill", table)


def test_settings_of_the_session(spark):
    """Without adaptive execution, and with batches of a few rows."""
    settings = {"spark.sql.adaptive.enabled": "false", "spark.sql.execution.arrow.maxRecordsPerBatch": "7"}
    before = {name: spark.conf.get(name) for name in settings}
    table, steps = numbered_people(), letters()
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        frame = spark.createDataFrame(table).repartition(PARTITIONS)
        model = same(frame, "ill", table, ignore=["row"])
        same_answers(credence.spark.predict(frame, model), model, ["row"])
        assert credence.spark.evaluate(frame, model).to_dict() == model.evaluate(table).to_dict()
        frame = spark.createDataFrame(steps)
        model = same(frame, "state", steps, sequence="id", time="at")
        same_answers(credence.spark.predict(frame, model), model, ["id", "at"])
        assert credence.spark.evaluate(frame, model).to_dict() == model.evaluate(steps).to_dict()
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def dying(how, marker):
    """Rows as they are; the first time that one partition is computed the worker, or the whole executor, dies after its first rows.
    The marker keeps it from dying again: attempts are counted anew for each attempt of a stage."""

    def work(batches):
        for batch in batches:
            yield batch
            if pyspark.TaskContext.get().partitionId() == 3 and not marker.exists():
                marker.touch()
                if how == "executor":
                    daemon = Path(f"/proc/{os.getppid()}/stat").read_text()
                    os.kill(int(daemon.rpartition(")")[2].split()[1]), signal.SIGKILL)
                os.kill(os.getpid(), signal.SIGKILL)

    return work


@pytest.mark.parametrize("how", ["worker", "executor"])
def test_what_dies_is_run_again(spark, how, tmp_path):
    table = numbered_people()
    frame = spark.createDataFrame(table).repartition(PARTITIONS)
    model = credence.train(table, "ill", ignore=["row"])

    def once(name):
        return frame.mapInArrow(dying(how, tmp_path / name), frame.schema)

    same(once("train"), "ill", table, ignore=["row"])
    if how == "worker":
        same_answers(credence.spark.predict(once("predict"), model), model, ["row"])
        assert credence.spark.evaluate(once("evaluate"), model).to_dict() == model.evaluate(table).to_dict()
    assert {file.name for file in tmp_path.iterdir()} == ({"train", "predict", "evaluate"} if how == "worker" else {"train"})


# ---- Columns ----


def test_parts_of_csv(spark, tmp_path):
    """Compressed parts, one of which has a word where others have numbers: strings are categories, in all partitions."""
    for part in range(PARTITIONS):
        rows = [f"{row % 7 if (part, row) != (4, 3) else 'many'},{row % 3},{'ab'[row % 2]}" for row in range(50)]
        (tmp_path / f"part-{part}.csv.gz").write_bytes(gzip.compress("\n".join(["n,m,y", *rows, ""]).encode()))
    read = spark.read.option("header", True)
    same(read.csv(str(tmp_path)), "y")
    model = same(read.option("inferSchema", True).csv(str(tmp_path)), "y")
    types = {column["name"]: column["type"] for column in model.schema().to_dict()["columns"]}
    assert (types["n"], types["m"]) == ("categorical", "numeric")


def test_types_of_columns(spark):
    frame = spark.range(300).selectExpr(
        "cast(id * 3 % 11 as decimal(10, 2)) as decimal",
        "id % 2 = 0 as truth",
        "date'2020-01-01' + cast(id as int) as date",
        "timestamp'2020-01-01 22:00:00' + make_dt_interval(0, cast(id % 77 as int)) as instant",
        "timestamp_ntz'2020-01-01 12:00:00' as wall",
        "cast(date'2020-01-01' + cast(id as int) as string) as written",
        "cast(cast(id % 5 as string) as binary) as bytes",
        "cast(id as float) / 7 as single",
        "null as nothing",
        "cast(null as double) as unknown",
        "array(id) as list",
        "named_struct('a', id) as struct",
        "map('a', id) as map",
        "cast(id % 3 as string) as y",
    )
    same(frame.repartition(PARTITIONS), "y", ignore=["list", "struct", "map"])
    unread = frame.selectExpr("*", "raise_error('a row was read') as fails")
    with pytest.raises(credence.errors.DataError, match="'list' is array<bigint>, 'struct' is struct<a:bigint>, 'map' is map<string,bigint>"):
        credence.spark.train(unread, "y")
    with pytest.raises(credence.errors.DataError, match="unknown column 'nothing here'"):
        credence.spark.train(unread, "nothing here", ignore=["list", "struct", "map"])


def test_names_of_columns(spark):
    names = ["a.b", "a b", "a`b", "größe", "a,b;c", "A B", "'q' \"r\"", "y.y"]
    table = pa.table({name: [row % (index + 2) for row in range(60)] for index, name in enumerate(names)})
    frame = spark.createDataFrame(table).repartition(PARTITIONS)
    model = same(frame, "y.y", table)
    answers = credence.spark.predict(frame, model)
    assert answers.columns == [*names, "prediction", "posterior"]
    assert answers.count() == 60
    with pytest.raises(ValueError, match="'a' occurs 2 times"):
        credence.spark.train(spark.range(3).selectExpr("id as a", "id as a", "id as y"), "y")


def test_columns_without_names(spark):
    """They are called by their places among all columns, though some of these are not read."""
    rows = [(float(row % 5), "ab"[row % 3 == 0], "p" if row % 5 > 2 else "q") for row in range(40)]
    frame = spark.createDataFrame(rows, "x double, k string, y string").select("y", "k", "x").repartition(2)
    for names, arguments in ((["y", "", ""], {"ignore": ["c2"]}), (["", "k", "x"], {})):
        named = frame.toDF(*names)
        model = same(named, "c1" if names[0] == "" else "y", **arguments)
        table = named.toArrow()
        assert credence.spark.evaluate(named, model).to_dict() == model.evaluate(table).to_dict()
        answers = credence.spark.predict(named, model)
        assert answers.columns == [*names, "prediction", "posterior"]
        assert sorted(row.prediction for row in answers.collect()) == sorted(model.predict(table)["prediction"].to_pylist())
    numbers = frame.selectExpr("x as ``", "k")
    assert dict(credence.spark.Classifier(target="c1").fit(numbers).transform(numbers).dtypes)["prediction"] == "double"
    with pytest.raises(credence.errors.DataError, match="both called 'c2'"):
        credence.spark.train(frame.toDF("c2", "", "y"), "y")


def test_a_model_of_a_file_without_names_counts_columns(spark, tmp_path):
    (tmp_path / "rows.csv").write_text("".join(f"{row % 5},{'ab'[row % 3 == 0]},{'pq'[row % 5 > 2]}\n" for row in range(40)))
    model = credence.train(tmp_path / "rows.csv", "c3", header=False)
    frame = spark.read.schema("x double, c1 string, c2 string").csv(str(tmp_path))
    assert credence.spark.evaluate(frame, model).accuracy == model.evaluate(frame.toArrow()).accuracy == 1
    assert credence.spark.predict(frame, model).filter("prediction = c2").count() == 40


def test_ids_whose_collation_has_no_case(spark):
    table = letters().sort_by([("id", "ascending"), ("at", "ascending")])
    ids = [name.swapcase() if row % 2 else name for row, name in enumerate(table["id"].to_pylist())]
    table = table.set_column(0, "id", pa.array(ids)).sort_by([("id", "ascending"), ("at", "ascending")])
    frame = spark.createDataFrame(table.sort_by("at")).withColumn("id", sql.expr("id collate UTF8_LCASE"))
    same(frame, "state", table, sequence="id", ignore=["at"])


def test_times_by_their_place(spark):
    table = letters()
    frame = spark.createDataFrame(table)
    model = same(frame, "state", table, sequence="id", time="2", only=["seen"])
    later = frame.selectExpr("at as before", "id", "-at as at", "state", "seen")
    assert credence.spark.evaluate(later, model, time="1").accuracy == model.evaluate(table).accuracy
    for ask in (credence.spark.predict, credence.spark.evaluate):
        with pytest.raises(ValueError, match="brought together by 'id'"):
            ask(frame, model, sequence="seen")


def test_failures_are_those_of_one_process(spark):
    frame = spark.createDataFrame(people(60)).repartition(PARTITIONS)
    for data, target, arguments in (
        (frame, "absent", {}),
        (frame.limit(0), "ill", {}),
        (frame.withColumn("ill", sql.lit(None).cast("string")), "ill", {}),
        (frame, "ill", {"smoothing": "much"}),
        (frame, "ill", {"smothing": "m:1"}),
    ):
        with pytest.raises(Exception) as found:
            credence.spark.train(data, target, **arguments)
        with pytest.raises(Exception) as expected:
            credence.train(data.toArrow(), target, **arguments)
        assert (type(found.value), str(found.value)) == (type(expected.value), str(expected.value))
    with pytest.raises(credence.errors.DataError, match=r"^partition \d+ \(from 0\), row 0 .* negative"):
        credence.spark.train(frame.withColumn("weight", sql.lit(-1)), "ill", weight="weight")
    with pytest.raises(ValueError, match="needs all rows at once"):
        credence.spark.train(frame, "ill", method="auto")
    for ask in (credence.spark.train, credence.spark.predict, credence.spark.evaluate):
        with pytest.raises(TypeError, match=r"^data: expected a pyspark.sql.DataFrame, got a pyarrow.lib.Table$"):
            ask(people(9), credence.train(people(9), "ill"))


# ---- Answers ----


def test_predictions(spark):
    table = numbered_people()
    frame = spark.createDataFrame(table).repartition(PARTITIONS)
    model = credence.train(table, "ill", ignore=["row", "weight"])
    answers = credence.spark.predict(frame, model)
    assert answers.columns == [*table.column_names, "prediction", "posterior"]
    same_answers(answers, model, ["row"])
    with pytest.raises(ValueError, match="'prediction' already"):
        credence.spark.predict(answers, model)
    decided = credence.spark.predict(frame, model, reject=0.9, smoothing="m:3").toArrow().sort_by("row")
    whole = model.predict(table, reject=0.9, smoothing="m:3")
    assert decided["decision"].to_pylist() == whole["decision"].to_pylist()
    assert [dict(pairs)["yes"] for pairs in decided["posterior"].to_pylist()] == whole["P(yes)"].to_pylist()


def test_what_is_wrong_is_told_before_any_row_is_read(spark):
    table = labeled(spark).toArrow()
    model = credence.train(table, "label")
    unread = spark.createDataFrame(table).withColumn("town", sql.expr("raise_error('a row was read')").cast("string"))
    for options in ({"nope": 1}, {"threshold": 0.5}, {"smoothing": "zz"}, {"method": "aode"}, {"reading": {"nope": 1}}):
        with pytest.raises(Exception) as expected:
            model.predict(table, **options)
        with pytest.raises(Exception) as found:
            credence.spark.predict(unread, model, **options)
        assert (type(found.value), str(found.value)) == (type(expected.value), str(expected.value))
        if "reading" not in options:
            with pytest.raises(type(expected.value)):
                credence.spark.evaluate(unread, model, **options)
    with pytest.raises(credence.errors.DataError, match="unknown: more"):
        credence.spark.predict(unread.selectExpr("*", "1 as more"), model, reading={"strict": True})
    with pytest.warns(credence.CredenceWarning, match="1 column is absent and counts as missing: age"):
        credence.spark.predict(unread.drop("age"), model)
    with pytest.warns(credence.CredenceWarning, match="1 column is absent and counts as missing: age"):
        credence.spark.evaluate(labeled(spark).drop("age"), model)
    steps = letters()
    model = credence.train(steps, "state", sequence="id", time="at")
    with pytest.raises(credence.errors.SettingError, match="zz"):
        credence.spark.predict(spark.createDataFrame(steps), model, smoothing="zz")


def test_a_target_that_is_evidence(spark):
    """Another node of a network is asked for; a labeling is compared with another column."""
    table = numbered_people()
    frame = spark.createDataFrame(table)
    model = credence.train(table, "ill", arcs="ill->town,ill->smokes", only=["town", "smokes"])
    answers = credence.spark.predict(frame, model, target="town").toArrow().sort_by("row")
    whole = model.predict(table, target="town")
    assert [dict(pairs)["Kiel"] for pairs in answers["posterior"].to_pylist()] == whole["P(Kiel)"].to_pylist()
    for labels in ("visits", "2", "last"):
        assert credence.spark.evaluate(frame, model, true_labels=labels).to_dict() == model.evaluate(table, true_labels=labels).to_dict()


def test_evaluations(spark):
    table = people()
    frame = spark.createDataFrame(table).repartition(PARTITIONS)
    model = credence.train(table, "ill", weight="weight")
    assert credence.spark.evaluate(frame, model).to_dict() == model.evaluate(frame.toArrow()).to_dict()


def test_rows_of_sequences(spark):
    """Ids are spread over the table. Without times rows stay in its order, which there is none of behind a shuffle."""
    table = letters()
    frame = spark.createDataFrame(table)
    moved = frame.repartition(PARTITIONS)
    model = credence.train(table, "state", sequence="id", time="at")
    same_answers(credence.spark.predict(moved, model), model, ["id", "at"])
    assert credence.spark.evaluate(frame, model).to_dict() == model.evaluate(table).to_dict()
    found, whole = credence.spark.evaluate(moved, model).to_dict(), model.evaluate(table).to_dict()
    assert (found["accuracy"], found["log_loss"]) == (whole["accuracy"], pytest.approx(whole["log_loss"], rel=1e-12))

    timeless = credence.spark.train(frame, "state", sequence="id", ignore=["at"])
    together = table.sort_by([("id", "ascending"), ("at", "ascending")])
    assert timeless.to_bytes() == credence.train(together, "state", sequence="id", ignore=["at"]).to_bytes()
    towns = spark.createDataFrame([("s1", "Exchange")], "id string, `Exchange rate` string")
    joined = frame.join(sql.broadcast(towns), "id", "left").drop("Exchange rate")
    assert credence.spark.train(joined, "state", sequence="id", ignore=["at"]).to_bytes() == timeless.to_bytes()
    for shuffled in (moved, frame.orderBy("at"), frame.join(towns.hint("merge"), "id", "left")):
        with pytest.raises(ValueError, match="come out of a shuffle.*train with time="):
            credence.spark.train(shuffled, "state", sequence="id", only=["seen"])
    for ask in (credence.spark.predict, credence.spark.evaluate):
        with pytest.raises(ValueError, match="come out of a shuffle"):
            ask(moved, timeless)


def test_a_worker_without_the_package():
    work = _for_workers(credence.spark._frames._spark_parts.merge_parts)
    program = "import pyspark.cloudpickle, sys; pyspark.cloudpickle.loads(sys.stdin.buffer.read())([])"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run([sys.executable, "-c", program], input=cloudpickle.dumps(work), capture_output=True, env=environment, check=False)
    last = ran.stderr.decode().splitlines()[-1]
    assert last.startswith(f"ImportError: No module named 'credence': {sys.executable} on ")
    assert "install credence there, or name a Python that has it (PYSPARK_PYTHON" in last


# ---- pyspark.ml ----


def labeled(spark):
    """Rows whose classes are 0, 1 and 2, by the town but for a tenth of them."""
    table = people().drop_columns(["ill", "weight"])
    draw = random.Random(5)
    labels = [{"Bonn": 0, "Kiel": 1}.get(town, 2) if draw.random() < 0.9 else 1 for town in table["town"].to_pylist()]
    return spark.createDataFrame(table.append_column("label", pa.array(labels, pa.int32())))


def values(stage):
    """What the Params of a stage of a pipeline are set to, by name."""
    return {param.name: value for param, value in stage.extractParamMap().items() if stage.isSet(param)}


def first_posterior(model, frame, **settings):
    """The posterior of the first row, by this process."""
    answers = model.predict(frame.toArrow().slice(0, 1), **settings)
    return {str(name): answers[f"P({name})"][0].as_py() for name in model.classes}  # Spark's labels are texts


def test_classifier(spark, tmp_path):
    frame = labeled(spark)
    classifier = credence.spark.Classifier(target="label", smoothing=("laplace", 1), predictionCol="guess")
    model = classifier.fit(frame, {classifier.smoothing: "m:2"})
    assert model.model.to_bytes() == credence.train(frame.toArrow(), "label", smoothing="m:2").to_bytes()
    assert classifier.copy({classifier.method: "tan"}).getOrDefault("method") == "tan"
    assert "smoothing: Additive smoothing" in classifier.explainParams()
    assert model.uid == classifier.uid
    assert values(model) == {"target": "label", "smoothing": "m:2", "predictionCol": "guess"}
    assert all(param.parent == model.uid for param in (*model.params, *model.extractParamMap()))
    assert "current: m:2)" in model.explainParam("smoothing")
    answers = model.transform(frame.select("visits", "town"))
    row = answers.first()
    assert row.guess in (0.0, 1.0, 2.0)
    assert list(row.probability) == [row.posterior[label] for label in model.labels] == list(row.posterior.values())
    other = model.copy({model.smoothing: "m:50"})
    assert values(other) == {**values(model), "smoothing": "m:50"}
    assert values(model)["smoothing"] == "m:2"
    assert other.transform(frame).first().posterior == first_posterior(model.model, frame, smoothing="m:50")
    other.save(str(tmp_path / "model"))
    loaded = credence.spark.ClassifierModel.load(str(tmp_path / "model"))
    assert loaded.model == model.model
    assert (loaded.uid, values(loaded)) == (other.uid, values(other))
    assert loaded.transform(frame).schema == other.transform(frame).schema
    assert loaded.transform(frame).first() == other.transform(frame).first()
    with pytest.raises(TypeError, match="did you mean smoothing"):
        credence.spark.Classifier(smothing="m:1")
    with pytest.raises(credence.errors.SettingError):
        credence.spark.Classifier(smoothing="much")
    with pytest.raises(ValueError, match="method='auto': needs all rows at once"):
        credence.spark.Classifier(target="label", method="auto").fit(frame)
    for settings in ({model.method: "aode"}, {model.method: "auto"}):
        with pytest.raises(credence.errors.SettingError):
            model.transform(frame, settings)
    with pytest.raises(ValueError, match="'Posterior' for two of them: 'guess', 'posterior', 'Posterior'"):
        model.transform(frame, {model.probabilityCol: "posterior", model.posteriorCol: "Posterior"})
    with pytest.raises(ValueError, match="has a column 'Town' already"):
        model.transform(frame, {model.predictionCol: "Town"})


def test_settings_of_training_are_no_questions(spark):
    """A model answers by what it was trained with, though some of that cannot be set afterwards."""
    frame = labeled(spark).drop("age")
    model = credence.spark.Classifier(target="label", search="hill-climb", method="network").fit(frame)
    assert values(model)["search"] == "hill-climb"
    assert model.transform(frame).first().posterior == first_posterior(model.model, frame)


def test_predictions_have_the_type_of_the_target(spark):
    frame = spark.createDataFrame(people(80))
    for target, kind in (("ill", "string"), ("smokes", "boolean"), ("visits", "double")):
        answers = credence.spark.Classifier(target=target, ignore=["weight"]).fit(frame).transform(frame)
        assert dict(answers.dtypes)["prediction"] == kind
    sparse = spark.createDataFrame([(2.0, "a"), (5.0, "b")], "y double, x string")
    model = credence.spark.Classifier(target="y").fit(sparse)
    assert model.labels == ["0", "1", "2", "3", "4", "5"]
    assert [answer.probability[5] > 0.5 for answer in model.transform(sparse).collect()] == [False, True]


def test_whole_numbers_that_are_no_doubles(spark):
    """2^53 and the next number are the same double."""
    numbers = spark.createDataFrame([(2**53, "a"), (2**53 + 1, "b")], "y bigint, x string")
    answers = credence.spark.Classifier(target="y").fit(numbers).transform(numbers)
    assert dict(answers.dtypes)["prediction"] == "bigint"
    assert [row.prediction - row.y for row in answers.collect()] == [0, 0]
    tenths = spark.createDataFrame([(2**60, 0.1, "a"), (-(2**60), 0.2, "b")], "y bigint, z double, x string")
    for target in ("y", "z"):
        answers = credence.spark.Classifier(target=target, only=["x"]).fit(tenths).transform(tenths)
        assert dict(answers.dtypes)["prediction"] == "double"


def test_pipeline_and_searches_of_parameters(spark, tmp_path):
    frame = labeled(spark).coalesce(2).cache()
    vectors = VectorAssembler(inputCols=["visits"], outputCol="vector")
    classifier = credence.spark.Classifier(target="label", ignore=["vector"])
    pipeline = Pipeline(stages=[vectors, classifier])
    fitted = pipeline.fit(frame, {classifier.smoothing: "m:1"})
    fitted.save(str(tmp_path / "fitted"))
    pipeline.save(str(tmp_path / "pipeline"))
    loaded = PipelineModel.load(str(tmp_path / "fitted"))
    assert loaded.stages[1].model == fitted.stages[1].model
    assert values(loaded.stages[1]) == values(fitted.stages[1]) == {"target": "label", "ignore": ["vector"], "smoothing": "m:1"}
    assert loaded.transform(frame).columns == fitted.transform(frame).columns
    assert values(Pipeline.load(str(tmp_path / "pipeline")).getStages()[1]) == values(classifier)
    grid = ParamGridBuilder().addGrid(classifier.smoothing, ["m:1", "m:100000"]).build()
    loss = MulticlassClassificationEvaluator(labelCol="label", metricName="logLoss")
    validated = CrossValidator(estimator=pipeline, estimatorParamMaps=grid, evaluator=loss, numFolds=2, seed=1).fit(frame)
    assert validated.avgMetrics[0] < validated.avgMetrics[1]
    assert validated.bestModel.stages[1].model == fitted.stages[1].model
    assert values(validated.bestModel.stages[1])["smoothing"] == "m:1"
    validated.save(str(tmp_path / "validated"))
    again = CrossValidatorModel.load(str(tmp_path / "validated"))
    assert again.avgMetrics == validated.avgMetrics
    assert values(again.bestModel.stages[1]) == values(fitted.stages[1])
    split = TrainValidationSplit(estimator=pipeline, estimatorParamMaps=grid, evaluator=loss, seed=1).fit(frame)
    assert split.validationMetrics[0] < split.validationMetrics[1]
    assert values(split.bestModel.stages[1])["smoothing"] == "m:1"


# ---- Speculative execution ----


@pytest.fixture
def second_host(spark, tmp_path_factory):
    """A further worker, at another address: Spark makes no second attempt at a task on the host that has the first."""
    context = spark.sparkContext._jsc.sc()
    masters = context.schedulerBackend().getClass().getDeclaredField("masters")
    masters.setAccessible(True)
    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    options = ["--host", "127.0.0.2", "--cores", "1", "--memory", "1024M", "--work-dir", str(tmp_path_factory.mktemp("worker"))]
    worker = subprocess.Popen(
        [program, "org.apache.spark.deploy.worker.Worker", *options, masters.get(context.schedulerBackend())[0]],
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.2"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield
    worker.terminate()
    worker.wait()


def doubled(folder):
    """Rows as they are; of one partition the first attempt, wherever it runs, waits for a second."""

    def work(batches):
        task = pyspark.TaskContext.get()
        if task.partitionId() == 3:
            (folder / str(task.attemptNumber())).touch()
            while not (folder / "1").exists():
                time.sleep(0.05)
        yield from batches

    return work


def test_attempts_at_the_same_time_count_once(spark, second_host, tmp_path):
    table = people()
    frame = spark.createDataFrame(table).repartition(PARTITIONS)
    same(frame.mapInArrow(doubled(tmp_path), frame.schema), "ill", table)
    assert {file.name for file in tmp_path.iterdir()} == {"0", "1"}
