# SPDX-License-Identifier: MIT
"""Credence on Apache Spark: models of DataFrames, to the byte those of one process, and a classifier for ``pyspark.ml``.

PySpark 4.1 or later, with pyarrow; the package has to be there on the executors too.
"""

from __future__ import annotations

from ._frames import evaluate, predict, train
from ._ml import Classifier, ClassifierModel

__all__ = ["Classifier", "ClassifierModel", "evaluate", "predict", "train"]
