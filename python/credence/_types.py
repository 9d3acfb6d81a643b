# SPDX-License-Identifier: MIT
"""Types of arguments and results: tables and columns, rows, decision rules, and keyword arguments that several functions share."""

from __future__ import annotations

import datetime
import decimal
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar, TypedDict, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._label_types import Label
from ._setting_types import Settings, SettingsWithoutArcs

if TYPE_CHECKING:
    from .documents import Documents
    from .model import Model
    from .schema import Schema

__all__ = [
    "AnyFrame",
    "ColumnName",
    "ColumnNames",
    "ColumnOptions",
    "Cost",
    "EvaluationOptions",
    "Event",
    "ExplainOptions",
    "Frame",
    "FrameType",
    "Label",
    "ModelEvaluationOptions",
    "OneSequenceOptions",
    "NetworkLearningOptions",
    "PlainTable",
    "PredictOptions",
    "Probability",
    "Reading",
    "ReadingOptions",
    "Row",
    "RowPrediction",
    "SequenceEvaluationOptions",
    "SequenceOptions",
    "SequenceTrainingOptions",
    "Settings",
    "StateSettings",
    "TableInput",
    "TrainedExplainOptions",
    "TrainedPredictOptions",
    "TrainingOptions",
]


# ---- Tables ----


class Frame(Protocol):
    """A table with named columns: a pandas or polars DataFrame, a pyarrow table, or a :class:`credence.Table`."""

    @property
    def columns(self) -> Any: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __len__(self) -> int: ...


class ArrowStream(Protocol):
    """Any table that exports an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class ArrowArray(Protocol):
    """Any table that exports an Arrow array."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


class LazyFrame(Protocol):
    """A polars LazyFrame, which is not computed yet."""

    def collect_schema(self) -> Any: ...


class Readable(Protocol):
    """A file object."""

    def read(self, size: int = ..., /) -> Any: ...


FrameType = TypeVar("FrameType", bound=Frame)
#: A frame of the same type as the input (pandas, polars or pyarrow), or a :class:`credence.Table`.
AnyFrame: TypeAlias = Any
Path: TypeAlias = Union[str, "os.PathLike[str]"]
#: Rows: a path or several; bytes or a file object; a frame; an Arrow table; an array; a dict of columns; a list of dicts or lists.
TableInput: TypeAlias = Union[
    Path,
    bytes,
    bytearray,
    memoryview,
    Readable,
    Frame,
    LazyFrame,
    ArrowStream,
    ArrowArray,
    NDArray[Any],
    Mapping[str, Any],
    Sequence[Any],
    "Documents",
]
#: Tables whose results are a :class:`credence.Table`.
PlainTable: TypeAlias = Union[Path, bytes, Mapping[str, Sequence[Any]], Mapping[str, NDArray[Any]], Sequence[Mapping[str, Any]]]
#: A column by its name, by a selector such as ``"last"`` or ``"petal*"``, or by its position from 0.
ColumnName: TypeAlias = Union[str, int, "np.integer[Any]"]
ColumnNames: TypeAlias = Union[ColumnName, Iterable[ColumnName]]


# ---- Rows ----

#: A single value.
Cell: TypeAlias = Union[str, float, bool, None, datetime.date, datetime.time, datetime.timedelta, decimal.Decimal, "np.generic"]


class Series(Protocol):
    """A row of a pandas frame."""

    @property
    def index(self) -> Any: ...
    def items(self) -> Any: ...


#: One row: a mapping from columns to values, values in the order of the attributes, or a pandas Series.
Row: TypeAlias = Union[Mapping[str, Any], Sequence[Any], NDArray[Any], Series]
#: Evidence: a mapping from columns or nodes to values, or a text such as ``"Outlook=Sunny, Wind=Weak"``.
Event: TypeAlias = Union[str, Mapping[str, Any]]


class RowPrediction(TypedDict, total=False):
    """The prediction of one row, with the keys of the command's JSON."""

    prediction: Label
    probability: float | None
    posterior: dict[Label, float]
    log_evidence: float | None
    unseen: int
    typicality: float | None
    decision: Label
    expected_cost: float | None
    costs: dict[Label, float | None]


# ---- Decision rules ----

#: A cost table: a path, ``{class: {action: cost}}``, a frame, or an array of classes by classes.
Cost: TypeAlias = Union[Path, Mapping[Label, Union[Mapping[Label, float], Sequence[float]]], Frame, ArrayLike]
#: A probability, as a number or a text. With the class or action that it applies to: ``{"spam": 0.9}`` or ``("spam", 0.9)``.
Probability: TypeAlias = Union[float, str, Mapping[Label, float], tuple[Label, float]]


# ---- Keyword arguments ----


class FileOptions(TypedDict, total=False):
    """Options for reading files."""

    header: bool | int | str | None
    skip_lines: int | None
    input: str | None
    separator: str | None
    quote: str | None
    decimal: str | None
    encoding: Path | None
    missing: str | Iterable[str | float] | Mapping[str, Iterable[str]] | None
    max_categories: int | None
    bad_rows: Path | None
    shard: str | tuple[int, int] | None
    no_multiline_fields: bool | None
    tagged_text: bool | None
    threads: int | None


class ReadingOptions(FileOptions, total=False):
    """Options for reading tables."""

    strict: bool | None


class ColumnOptions(ReadingOptions, total=False):
    """Options for column types and for reading files."""

    ignore: ColumnNames | None
    only: ColumnNames | None
    numeric: ColumnNames | None
    categorical: ColumnNames | None
    text: ColumnNames | None
    column_types: Mapping[str, str] | None
    column_format: Mapping[str, str] | None
    discretize: str | Mapping[str, str | Sequence[float]] | None
    schema: Schema | Path | bytes | None
    declare: Mapping[str, Iterable[str]] | None
    columns: Sequence[str] | None


#: Reading options as one argument, such as ``{"separator": ";"}``.
Reading: TypeAlias = Mapping[str, Any]


class StepOptions(TypedDict, total=False):
    """Options for the order and the distance of steps."""

    time: str | None
    step: float | str | None


class SequenceOptions(StepOptions, total=False):
    """Options for the boundaries of sequences, and for the order and the distance of steps."""

    sequence: str | None
    sequence_break: Literal["empty-line"] | None


class SequenceTrainingOptions(Settings, ColumnOptions, total=False):
    """Settings, and options for column types and reading."""


class TrainingOptions(Settings, ColumnOptions, SequenceOptions, total=False):
    """Keyword arguments of functions that train a model."""

    select_states: str
    max_states: int
    start: Model | None


class NetworkLearningOptions(SettingsWithoutArcs, ColumnOptions, total=False):
    """Keyword arguments of functions that learn a network."""

    weight: ColumnName | None
    bootstrap: int
    threshold: float | None
    seed: int
    check: bool
    part: str | None
    keep_statistics: str | Iterable[str] | None
    unlabeled: str | float | None


class EvaluationOptions(TrainingOptions, total=False):
    """Keyword arguments of :func:`credence.evaluate`."""

    decoding: Literal["viterbi", "posterior"]


class ModelEvaluationOptions(Settings, FileOptions, total=False):
    """Keyword arguments of :meth:`credence.Model.evaluate`."""

    per_row: bool
    threshold_curves: bool | int
    choose_threshold: str | Sequence[str] | None
    positive: Label
    importance: bool | int
    top_k: int | None
    cost: Cost | None
    reject: Probability | None
    threshold: Probability | None
    seed: int


class OneSequenceOptions(ReadingOptions, total=False):
    """Keyword arguments of functions that use one sequence of a table."""

    time: str | None


class StateSettings(TypedDict, total=False):
    """Settings that estimate the probabilities of states and observations."""

    alpha: float | None
    smoothing: str | float | None
    transitions: str | None
    family: str | Mapping[str, str] | None


class PredictOptions(Settings, total=False):
    """Keyword arguments of functions that predict rows."""

    cost: Cost | None
    reject: Probability | None
    threshold: Probability | None
    typicality: bool
    with_input: bool
    reading: Reading | None


class ExplainOptions(Settings, total=False):
    """Keyword arguments of functions that explain rows."""

    between: Sequence[Label] | None
    top: int | None
    all: bool
    typicality: bool
    cost: Cost | None
    reject: Probability | None
    threshold: Probability | None
    reading: Reading | None


class TrainedPredictOptions(TrainingOptions, total=False):
    """Keyword arguments of :func:`credence.predict`."""

    cost: Cost | None
    reject: Probability | None
    threshold: Probability | None
    typicality: bool
    with_input: bool


class TrainedExplainOptions(TrainingOptions, total=False):
    """Keyword arguments of :func:`credence.explain`."""

    between: Sequence[Label] | None
    top: int | None
    all: bool
    typicality: bool
    cost: Cost | None
    reject: Probability | None
    threshold: Probability | None


class SequenceEvaluationOptions(Settings, ReadingOptions, SequenceOptions, total=False):
    """Keyword arguments of functions that accept a table of sequences."""
