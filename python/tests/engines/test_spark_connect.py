# SPDX-License-Identifier: MIT
"""Spark Connect: the client has no Java of its own, and sends plans to a server, here one of this machine."""

import os
import shutil
import sys

import numpy as np
import pandas as pd
import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")
pytest.importorskip("grpc_status")
if shutil.which("java") is None:
    pytest.skip("there is no Java (Debian: default-jre-headless)", allow_module_level=True)

from pyspark.ml import Pipeline, PipelineModel  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

import credence  # noqa: E402
import credence.spark  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def session():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    builder = SparkSession.builder.remote("local[2]")
    for name, value in options.items():
        builder = builder.config(name, value)
    found = builder.getOrCreate()
    yield found
    found.stop()


@pytest.fixture(scope="module")
def numbered(table):
    return pa.Table.from_pandas(table.assign(row=range(len(table))), preserve_index=False)


def test_rows(session, numbered):
    frame = session.createDataFrame(numbered).repartition(3)
    assert type(frame).__module__ == "pyspark.sql.connect.dataframe"
    arguments = {"only": ["x", "code", "colour"], "weight": "w"}
    model = credence.spark.train(frame, "y", **arguments)
    assert model.to_bytes() == credence.train(numbered, "y", **arguments).to_bytes()
    answers = credence.spark.predict(frame, model).toArrow().sort_by("row")
    assert answers["prediction"].to_pylist() == model.predict(numbered)["prediction"].to_pylist()
    assert credence.spark.evaluate(frame, model).to_dict() == model.evaluate(numbered).to_dict()
    with pytest.raises(credence.errors.DataError, match=r"^partition \d+ \(from 0\), row 0 .* negative"):
        credence.spark.train(frame.selectExpr("*", "-1 as minus"), "y", weight="minus")


def test_sequences(session, numbered):
    frame = session.createDataFrame(numbered)
    arguments = {"sequence": "id", "time": "time", "only": ["x", "colour"]}
    model = credence.spark.train(frame, "y", **arguments)
    assert model.to_bytes() == credence.train(numbered, "y", **arguments).to_bytes()
    assert credence.spark.evaluate(frame, model).to_dict() == model.evaluate(numbered).to_dict()
    del arguments["time"]
    with pytest.raises(ValueError, match="come out of a shuffle"):
        credence.spark.train(frame.repartition(3), "y", **arguments)


def test_classifier(session, tmp_path):
    draw = np.random.default_rng(1)
    frame = session.createDataFrame(pd.DataFrame({"x": draw.choice(list("abc"), 60), "label": draw.integers(0, 2, 60)}))
    pipeline = Pipeline(stages=[credence.spark.Classifier(target="label", smoothing="m:3")])
    fitted = pipeline.fit(frame)
    model = fitted.stages[0]
    model.save(str(tmp_path / "model"))
    loaded = credence.spark.ClassifierModel.load(str(tmp_path / "model"))
    assert loaded.model == model.model
    assert loaded.getOrDefault("smoothing") == "m:3"
    assert loaded.transform(frame).collect() == fitted.transform(frame).collect()
    fitted.save(str(tmp_path / "fitted"))
    assert PipelineModel.load(str(tmp_path / "fitted")).stages[0].model == model.model
