# SPDX-License-Identifier: MIT
"""Credence on Apache Spark: training, prediction and evaluation on DataFrames, and a classifier for ``pyspark.ml``.

Models are byte-identical to models trained in one process. You need PySpark 4.1 or later, with pyarrow. Install credence on the
executors too.
"""

from __future__ import annotations

from ._frames import evaluate, predict, train
from ._ml import Classifier, ClassifierModel

__all__ = ["Classifier", "ClassifierModel", "evaluate", "predict", "train"]
