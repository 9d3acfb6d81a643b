# SPDX-License-Identifier: MIT
"""Rows in the form that the caller passed: numeric arrays, which are read without a copy, term counts, documents and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from .. import _core, _tables

#: The number of values in each piece of an array that has to be converted.
_PIECE_CELLS = 1 << 20


class Task:
    """The column names, settings and options that models, rows and labels share."""

    def __init__(
        self,
        names: list[str],
        target: str,
        weight: str,
        settings: Any,
        *,
        text: Iterable[str] = (),
        categorical: Iterable[str] = (),
        threads: int = 1,
        chooses: bool = False,
        budget: float = 1,
    ) -> None:
        self.names = names
        self.target = target
        self.weight = weight
        self.settings = settings
        self.text = list(text)
        self.categorical = list(categorical)
        self.threads = threads
        self.chooses = chooses
        self.budget = budget
        self.facts: dict[str, Any] = {}
        self.reader: Any = None

    def train(self, reader: Any) -> Any:
        """Train a model from the rows, using the given settings or the settings that cross-validation chooses.

        Stores the reader, and the facts about the training for :attr:`credence.Model.facts`.
        """
        if self.chooses:
            core, facts, choice = _core.train_auto(reader, self.settings, None, self.budget)
            facts = {**facts, "choice": choice}
        else:
            core, facts = _core.train_model(reader, self.settings)
        self.facts, self.reader = facts, reader
        return core


class Outcome:
    """The class codes of the rows, the class text of each code, and the row weights."""

    def __init__(self, codes: NDArray[np.int32], texts: list[str], weights: NDArray[np.float64] | None) -> None:
        self.codes = codes
        self.texts = texts
        self.weights = weights


class Answers:
    """Buffers for the predictions of rows. A result whose buffer is None is not computed."""

    #: The memory layout of the library's crd_answer.
    RECORD = np.dtype([("decision", "i4"), ("tied", "u4"), ("unseen", "u4"), ("", "u4"), ("log_evidence", "f8")])

    def __init__(self, rows: int, classes: int, asked: str) -> None:
        self.probabilities = np.empty((rows, classes)) if asked in ("probabilities", "all") else None
        self.log_posteriors = np.empty((rows, classes)) if asked in ("logs", "joint", "all") else None
        self.decisions = np.empty(rows, dtype=np.int32) if asked == "decisions" else None
        self.records = np.empty(rows, dtype=self.RECORD) if asked == "joint" else None

    def buffers(self, first: int, last: int) -> tuple[Any, Any, Any, Any]:
        """Return the buffers of the rows from `first` up to `last`."""
        probabilities, log_posteriors, decisions = (
            None if part is None else part[first:last]
            for part in (self.probabilities, self.log_posteriors, self.decisions)
        )
        records = None if self.records is None else self.records[first:last].view(np.uint8)
        return probabilities, log_posteriors, decisions, records


class NumberRows:
    """Numeric rows. An array of doubles or floats in any memory order is read without a copy. Other arrays are converted in pieces."""

    def __init__(self, values: Any) -> None:
        self.values = values
        self.count = int(values.shape[0])
        self.is_direct = (
            isinstance(values, np.ndarray)
            and values.dtype in (np.float64, np.float32)
            and values.dtype.isnative
            and all(stride > 0 and stride % values.itemsize == 0 for stride in values.strides)
        )

    def pieces(self) -> Iterator[tuple[int, int, NDArray[Any]]]:
        """Yield the first row, the end row and the values of each piece."""
        if self.is_direct:
            yield 0, self.count, self.values
            return
        step = max(1, _PIECE_CELLS // max(1, self.values.shape[1]))
        for first in range(0, self.count, step):
            last = min(first + step, self.count)
            piece = self.values[first:last]
            if not isinstance(piece, np.ndarray):
                piece = piece.toarray()
            if isinstance(piece, np.ma.MaskedArray):
                piece = np.ma.filled(piece.astype(np.float64), np.nan)
            yield first, last, np.ascontiguousarray(piece, dtype=np.float64)

    def train(self, task: Task, outcome: Outcome, declared: list[str] | None) -> Any:
        weight = None if outcome.weights is None else task.weight
        model = _core.make_rows_model(task.names, task.target, task.settings, declared, weight)
        self._change(_core.update_rows, model, task, outcome)
        return model

    def sample(self, task: Task, outcome: Outcome, most: int) -> Any:
        """Return a reader of at most `most` rows, taken at equal distances."""
        return self._reader(task, outcome, slice(None, None, -(-self.count // most)))

    def first(self, task: Task, outcome: Outcome, most: int) -> Any:
        """Return a reader of the first rows, at most `most` of them."""
        return self._reader(task, outcome, slice(most))

    def _reader(self, task: Task, outcome: Outcome, rows: slice) -> Any:
        piece = self.values[rows]
        array = np.asarray(piece.toarray() if issparse(piece) else piece, dtype=np.float64)
        texts = np.array(outcome.texts, dtype=object)
        table = {name: array[:, i] for i, name in enumerate(task.names)}
        return _tables.open_reader({**table, task.target: texts[outcome.codes[rows]]}, target=task.target, threads=task.threads)

    def update(self, model: Any, task: Task, outcome: Outcome) -> None:
        if self.is_direct:
            self._change(_core.update_rows, model, task, outcome)
        else:  # all or nothing
            model.merge(self.train(task, outcome, None))

    def forget(self, model: Any, task: Task, outcome: Outcome) -> None:
        self._change(_core.forget_rows, model, task, outcome)

    def _change(self, change: Any, model: Any, task: Task, outcome: Outcome) -> None:
        done = []
        try:
            for first, last, piece in self.pieces():
                self._change_piece(change, model, task, outcome, first, last, piece)
                done.append((first, last))
        except Exception:
            if change is _core.forget_rows and done:  # all or nothing: add the forgotten rows again
                for first, last, piece in self.pieces():
                    if (first, last) in done:
                        self._change_piece(_core.update_rows, model, task, outcome, first, last, piece)
            raise

    @staticmethod
    def _change_piece(
        change: Any, model: Any, task: Task, outcome: Outcome, first: int, last: int, piece: NDArray[Any]
    ) -> None:
        weights = None if outcome.weights is None else outcome.weights[first:last]
        change(model, piece, outcome.codes[first:last], outcome.texts, weights, task.threads)

    def classify(self, model: Any, classifier: Any, task: Task, answers: Answers) -> None:
        for first, last, piece in self.pieces():
            _core.classify_rows(classifier, piece, *answers.buffers(first, last), task.threads)


class CountRows:
    """Rows of term counts. Each row is a document, and each value counts the occurrences of the term that its column name is."""

    #: The name of the model's only column, which is a text column.
    COLUMN = "terms"

    def __init__(self, values: Any) -> None:
        self.values = values
        self.count = int(values.shape[0])

    def _frames(self, task: Task) -> Iterator[tuple[int, int, Any]]:
        """Yield the first row, the end row and the frame of each piece."""
        rows, columns = self.values.shape
        entries = self.values.nnz if issparse(self.values) else rows * columns
        step = max(1, int(rows * _PIECE_CELLS / max(1, entries)))
        terms = np.array(task.names, dtype=object)
        for first in range(0, rows, step):
            last = min(first + step, rows)
            piece = csr_array(self.values[first:last])
            used, places = np.unique(piece.indices, return_inverse=True)
            frame = _core.make_frame(last - first)
            _core.add_term_counts(
                frame,
                self.COLUMN,
                terms[used].tolist(),
                np.ascontiguousarray(piece.indptr, dtype=np.int64),
                np.ascontiguousarray(places.ravel(), dtype=np.int32),
                np.ascontiguousarray(piece.data, dtype=np.float64),
            )
            yield first, last, frame

    def _learned(self, task: Task, outcome: Outcome, texts: list[str]) -> Iterator[Any]:
        """Yield frames with the class and the weight of each row."""
        for first, last, frame in self._frames(task):
            frame.add_codes(task.target, outcome.codes[first:last], texts)
            if outcome.weights is not None:
                frame.add_numbers(task.weight, outcome.weights[first:last])
            yield frame

    def train(self, task: Task, outcome: Outcome, declared: list[str] | None) -> Any:
        model = None
        texts = outcome.texts + [text for text in declared or () if text not in outcome.texts]
        for frame in self._learned(task, outcome, texts):
            if model is None:
                weight = None if outcome.weights is None else task.weight
                model = _core.make_frame_model(frame, task.target, task.settings, weight, declared is not None)
            _core.update_frame(model, frame)
        return model

    def update(self, model: Any, task: Task, outcome: Outcome) -> None:
        model.merge(self.train(task, outcome, None))

    def forget(self, model: Any, task: Task, outcome: Outcome) -> None:
        done: list[Any] = []
        try:
            for frame in self._learned(task, outcome, outcome.texts):
                _core.forget_frame(model, frame)
                done.append(frame)
        except Exception:  # all or nothing: add the forgotten rows again
            for frame in done:
                _core.update_frame(model, frame)
            raise

    def classify(self, model: Any, classifier: Any, task: Task, answers: Answers) -> None:
        for first, last, frame in self._frames(task):
            _core.classify_frame(classifier, frame, *answers.buffers(first, last), task.threads)


class DocumentRows:
    """Rows that are documents: a list of str or bytes, with None for a missing document."""

    def __init__(self, documents: list[Any]) -> None:
        self.documents = documents
        self.count = len(documents)

    def _frame(self, task: Task) -> Any:
        frame = _core.make_frame(self.count)
        _core.add_documents(frame, task.names[0], self.documents)
        return frame

    def _reader(self, task: Task, outcome: Outcome, declared: list[str] | None = None) -> Any:
        frame = self._frame(task)
        frame.add_codes(task.target, outcome.codes, outcome.texts)
        if outcome.weights is not None:
            frame.add_numbers(task.weight, outcome.weights)
        reader = _core.open_frames([frame], {"threads": task.threads})
        reader.set_target(1)
        if outcome.weights is not None:
            reader.set_weight(2)
        for text in declared or ():
            reader.declare(1, text)
        return reader

    def train(self, task: Task, outcome: Outcome, declared: list[str] | None) -> Any:
        return task.train(self._reader(task, outcome, declared))

    def update(self, model: Any, task: Task, outcome: Outcome) -> None:
        model.update(self._reader(task, outcome))

    def forget(self, model: Any, task: Task, outcome: Outcome) -> None:
        model.forget(self._reader(task, outcome))

    def classify(self, model: Any, classifier: Any, task: Task, answers: Answers) -> None:
        _core.classify_frame(classifier, self._frame(task), *answers.buffers(0, self.count), task.threads)


def _library(table: Any) -> str:
    return type(table).__module__.partition(".")[0]


def _named(table: Any, names: list[str]) -> Any:
    """Return the table with the column names `names`."""
    if isinstance(table, np.ndarray):
        return {name: table[:, i] for i, name in enumerate(names)}
    if _library(table) == "pandas" and list(table.columns) != names:
        return table.set_axis(names, axis=1)
    return table


def _joined(table: Any, target: str, outcome: Outcome, weight: str | None) -> Any:
    """Return the table with additional columns for the class and the weight of each row."""
    library = _library(table)
    weights = {} if weight is None else {weight: outcome.weights}
    if library == "pandas":
        import pandas

        classes = pandas.Categorical.from_codes(outcome.codes, outcome.texts)  # type: ignore[call-overload,unused-ignore]
        return table.assign(**{target: classes, **weights})
    if library == "polars":
        import polars

        classes = polars.Series(target, outcome.texts, dtype=polars.Enum(outcome.texts)).gather(outcome.codes)
        return table.with_columns(classes, *(polars.Series(name, column) for name, column in weights.items()))
    if not isinstance(table, Mapping):
        import pyarrow

        classes = pyarrow.DictionaryArray.from_arrays(pyarrow.array(outcome.codes), pyarrow.array(outcome.texts))
        joined = pyarrow.table(table).append_column(target, classes)
        for name, column in weights.items():
            joined = joined.append_column(name, pyarrow.array(column))
        return joined
    texts = np.array(outcome.texts, dtype=object)
    return {**table, target: texts[outcome.codes], **weights}


def _missing(classes: list[str]) -> Any:
    """Return the `missing` option for a table in which the empty text is a class; None if the empty text means missing."""
    if "" not in classes:
        return None
    names = set(classes)
    return {"only": [next(text for text in ("NaN", "null", "NA", "?", *map(str, range(len(names)))) if text not in names)]}


class TableRows:
    """Rows of a table: a pandas or polars frame, an Arrow table, or an array of any type."""

    def __init__(self, table: Any, names: list[str], count: int) -> None:
        self.table = _named(table, names)
        self.names = names
        self.count = count

    def dtypes(self) -> dict[str, str]:
        """Return the name of each column's dtype, in lower case."""
        if isinstance(self.table, Mapping):
            return {name: str(column.dtype).lower() for name, column in self.table.items()}
        types = self.table.schema.types if hasattr(self.table, "column_names") else self.table.dtypes
        return {name: str(dtype).lower() for name, dtype in zip(self.names, types, strict=True)}

    def train(self, task: Task, outcome: Outcome, declared: list[str] | None) -> Any:
        weight = None if outcome.weights is None else task.weight
        reader = _tables.open_reader(
            _joined(self.table, task.target, outcome, weight),
            target=task.target,
            weight=weight,
            text=task.text,
            categorical=[*task.categorical, task.target],
            declare=None if declared is None else {task.target: declared},
            missing=_missing([*outcome.texts, *(declared or ())]),
            threads=task.threads,
        )
        return task.train(reader)

    def update(self, model: Any, task: Task, outcome: Outcome) -> None:
        model.update(self._reader(model, task, outcome))

    def forget(self, model: Any, task: Task, outcome: Outcome) -> None:
        model.forget(self._reader(model, task, outcome))

    def _reader(self, model: Any, task: Task, outcome: Outcome) -> Any:
        weight = None if outcome.weights is None else task.weight
        joined = _joined(self.table, task.target, outcome, weight)
        return _tables.open_model_reader(model, joined, to_learn=True, bind=False, threads=task.threads)

    def classify(self, model: Any, classifier: Any, task: Task, answers: Answers) -> None:
        reader = _tables.open_model_reader(model, self.table, threads=task.threads)
        _core.classify_all(classifier, reader, self.count, *answers.buffers(0, self.count))
