# SPDX-License-Identifier: MIT
"""A classifier for ``pyspark.ml``: an Estimator and its Model, for pipelines and parameter searches."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasPredictionCol, HasProbabilityCol
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import DataFrame
from pyspark.sql.types import BooleanType, DataType, NumericType

from .. import _settings
from ..model import Model as _Learned
from ._frames import answered, columns_of, train

__all__ = ["Classifier", "ClassifierModel"]

_DATA = "data"
_MOST_LABELS = 10000

#: Arguments of :func:`credence.train` that are not settings, and their descriptions.
_ARGUMENTS = {
    "weight": "the column that has how many rows each row stands for",
    "ignore": "columns to leave out",
    "only": "columns to use alone",
    "numeric": "numeric columns",
    "categorical": "categorical columns",
    "text": "text columns",
    "column_types": "column types by name: numeric, categorical, text or ignore",
    "column_format": "column formats by name: how values are parsed",
    "discretize": "numeric columns to turn into intervals, by name: cut points",
    "missing": "further texts that mean missing",
    "keep_statistics": "further sufficient statistics to keep, for families and methods chosen later",
}


def _plain(value: Any) -> Any:
    """Convert a value to JSON types, because parameters are saved as JSON."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"expected texts, numbers, and lists and dicts of them, got {type(value).__name__}")


def _text_of(name: str) -> Callable[[Any], str]:
    """Return a function that converts values of a setting to text. The function raises an error for invalid values."""

    def convert(value: Any) -> str:
        if (name, value) == ("method", "auto"):  # not the method of a model: training handles it and raises its own error
            return value
        _settings.make({name: value})
        return _settings.text(name, value)

    return convert


class _Settings(Params):
    """One Param for each setting of the library, with the setting's name."""


for _name in _settings.names():
    _help = f"{_settings.help_text(_name)} ({_settings.syntax(_name)}; default {_settings.default(_name)})"
    setattr(_Settings, _name, Param(Params._dummy(), _name, _help, _text_of(_name)))


class _Shared(_Settings, HasPredictionCol, HasProbabilityCol):
    """The Params that the estimator and its model share."""

    target: Param[str] = Param(Params._dummy(), "target", "the column to predict", TypeConverters.toString)
    posteriorCol: Param[str] = Param(
        Params._dummy(), "posteriorCol", "posterior column name: a map of classes to probabilities", TypeConverters.toString
    )

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(posteriorCol="posterior")

    def getTarget(self) -> str:
        """Return the name of the column to predict."""
        return self.getOrDefault(self.target)

    def getPosteriorCol(self) -> str:
        """Return the name of the posterior column."""
        return self.getOrDefault(self.posteriorCol)

    def _given(self, names: Mapping[str, Any] | tuple[str, ...]) -> dict[str, Any]:
        """Return the values of those parameters in `names` that are set."""
        return {name: self.getOrDefault(name) for name in names if self.isSet(name)}


for _name, _help in _ARGUMENTS.items():
    setattr(_Shared, _name, Param(Params._dummy(), _name, _help, _plain))


class Classifier(Estimator["ClassifierModel"], _Shared, DefaultParamsReadable["Classifier"], DefaultParamsWritable):
    """A Bayesian classifier for ``pyspark.ml``.

    Its Params have the names of the arguments of :func:`credence.spark.train`: ``target``, ``weight``, column types
    (``ignore``, ``only``, ``categorical``, ``text``, ...), additional statistics (``keep_statistics``), and every setting (``smoothing``,
    ``method``, ``family``, ...). You can vary them in parameter searches. All columns of the DataFrame except the target and the weight
    are attributes, unless ``ignore`` or ``only`` excludes them.

    Examples
    --------
    >>> from credence.spark import Classifier
    >>> classifier = Classifier(target="play", smoothing=0.5)  # doctest: +SKIP
    >>> model = classifier.fit(df)  # doctest: +SKIP
    >>> model.transform(df).select("prediction", "probability", "posterior")  # doctest: +SKIP
    """

    __module__ = "credence.spark"
    _input_kwargs: dict[str, Any]

    @keyword_only
    def __init__(self, **params: Any) -> None:
        super().__init__()
        self._set_given(self._input_kwargs)

    @keyword_only
    def setParams(self, **params: Any) -> Classifier:
        """Set parameters by name."""
        return self._set_given(self._input_kwargs)

    def _set_given(self, given: Mapping[str, Any]) -> Classifier:
        for name in given:
            if not self.hasParam(name):
                raise _settings.unknown(name, "Classifier", [param.name for param in self.params])
        self._set(**given)
        return self

    def _fit(self, dataset: DataFrame) -> ClassifierModel:
        target = self.getTarget() if self.isDefined(self.target) else None
        arguments = self._given((*_ARGUMENTS, *_settings.names()))
        learned = train(dataset, target, **arguments)
        model = ClassifierModel(learned, _answer_type(dataset, learned), self._given(_settings.names()))
        return self._copyValues(model._resetUid(self.uid))


def _answer_type(dataset: DataFrame, model: _Learned) -> str:
    """Return the type of the predictions, which is the type of the target.

    Numbers are doubles, because Spark's evaluators expect labels that are doubles. If a double cannot represent a class exactly, the
    type of the target is kept, because two classes could have the same double.
    """
    kinds = dict(zip(columns_of(dataset).names, (field.dataType for field in dataset.schema.fields), strict=True))
    kind: DataType | None = None if model.target is None else kinds.get(model.target)
    if isinstance(kind, NumericType):
        return "double" if all(map(_is_a_double, model._class_texts())) else kind.simpleString()
    return "boolean" if isinstance(kind, BooleanType) else "string"


def _is_a_double(text: str) -> bool:
    """Return whether a double equals this number, or prints with the same digits, such as 0.1."""
    number = float(text)
    return not math.isfinite(number) or Decimal(text) in (Decimal(number), Decimal(repr(number)))


class ClassifierModel(Model, _Shared, MLReadable["ClassifierModel"], MLWritable):
    """A trained classifier, which adds the columns ``prediction``, ``probability`` and ``posterior``.

    ``prediction`` has the type of the target. A numeric target gives doubles, unless a double cannot represent some class exactly (a
    bigint above 2^53). ``posterior`` is a map from classes to probabilities. ``probability`` is a vector of the probabilities in the
    order of :attr:`labels`. If the classes are integers from 0 on, a label is its index in the vector, as in Spark's own
    classifiers.

    The model has the Params of the :class:`Classifier` that trained it, with the same values. If you change a setting, the new value
    replaces the model's own value.

    Attributes
    ----------
    model : credence.Model
        The model. Use it for explanations, queries and other results.
    """

    __module__ = "credence.spark"

    def __init__(self, model: _Learned | None = None, answer_type: str = "string", settings: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._learned = model
        self._answer_type = answer_type
        self._trained_with = dict(settings or {})

    @property
    def model(self) -> _Learned:
        """The model. Use it for explanations, queries and other results."""
        if self._learned is None:
            raise ValueError("ClassifierModel: there is no model yet: Classifier.fit() makes one, ClassifierModel.load() reads one")
        return self._learned

    @property
    def labels(self) -> list[str]:
        """The class of each element of the probability column."""
        places = self._places()
        classes = self.model._class_texts()
        if places is None:
            return list(classes)
        return [str(label) for label in range(max(places) + 1)]

    @property
    def numClasses(self) -> int:
        """The number of elements of the probability column."""
        return len(self.labels)

    def _places(self) -> list[int] | None:
        """Return the index of each class in the vector if the class labels are their own indices; None for class order."""
        classes = self.model._class_texts()
        if self._answer_type != "double" or not all(name.isascii() and name.isdecimal() for name in classes):
            return None
        places = [int(name) for name in classes]
        is_one_to_one = [str(place) for place in places] == list(classes)
        return places if is_one_to_one and max(places, default=_MOST_LABELS) < _MOST_LABELS else None

    def _transform(self, dataset: DataFrame) -> DataFrame:
        given = self._given(_settings.names())
        settings = {name: value for name, value in given.items() if value != self._trained_with.get(name)}
        prediction, probability = self.getPredictionCol(), self.getProbabilityCol()
        names = {"prediction": prediction, "probabilities": probability, "posterior": self.getPosteriorCol()}
        return answered(
            dataset,
            self.model,
            settings,
            names,
            self._places(),
            {"prediction": lambda column: column.cast(self._answer_type), "probabilities": array_to_vector},
        )

    def write(self) -> MLWriter:
        """Return a writer that saves the parameters in Spark's format, and the model."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[ClassifierModel]:
        """Return a reader of saved models."""
        return _Reader()


class _Writer(MLWriter):
    def __init__(self, instance: ClassifierModel) -> None:
        super().__init__()
        self._instance = instance

    def saveImpl(self, path: str) -> None:
        """Write the folders that all Spark models have: metadata, and data, which contains the model as one row."""
        model = self._instance
        extra = {"answerType": model._answer_type, "trainedWith": model._trained_with}
        DefaultParamsWriter.saveMetadata(model, path, self.sparkSession, extraMetadata=extra)
        rows = self.sparkSession.createDataFrame([(model.model.to_bytes(),)], "model binary")
        rows.coalesce(1).write.parquet(f"{path}/{_DATA}")


class _Reader(MLReader[ClassifierModel]):
    def load(self, path: str) -> ClassifierModel:
        """Read the model from a folder."""
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        (row,) = self.sparkSession.read.parquet(f"{path}/{_DATA}").collect()
        model = ClassifierModel(_Learned.from_bytes(bytes(row.model)), metadata["answerType"], metadata["trainedWith"])
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model
