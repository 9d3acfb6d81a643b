# SPDX-License-Identifier: MIT
"""Hidden Markov models (HMMs) of sequences: rows in order."""

from __future__ import annotations

import datetime
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from . import _core, _settings, _tables
from ._label_types import Label, class_text
from ._reader_options import OPTIONS
from ._types import AnyFrame, ColumnName, OneSequenceOptions, Reading, SequenceEvaluationOptions, SequenceTrainingOptions, Settings, StateSettings, TableInput
from .model import Model
from .sequence_summary import SequenceSummary
from .table import Table, label_column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._labeling import Labeling
    from .evaluation import Evaluation

__all__ = ["SequenceModel", "StepExplanation", "hmm", "train_sequences"]

_UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_WHERE = ("sequence", "sequence_break", "time", "step")
_STATE_NAMES = ("state", "hidden state", "hidden state of the sequence")


def _step(value: Any) -> float:
    """Return the time between steps, in the unit of the times.

    The value is a number, a number with a unit such as ``"1h"``, or a timedelta.
    """
    if isinstance(value, datetime.timedelta):
        value = value.total_seconds()
    match = re.fullmatch(r"([0-9.eE+-]+?)\s*(s|sec|m|min|h|d|w|)", str(value).strip())
    try:
        seconds = float(match.group(1)) * _UNITS[match.group(2)] if match else 0.0
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e300:
        raise ValueError(f"step: expected a number above zero, a number with the unit s, m (min), h, d or w, or a timedelta, got {value!r}")
    return seconds


def _where(given: Mapping[str, Any], model: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the arguments that define where sequences begin and end; the model supplies those that are not given."""
    where: dict[str, Any] = {"sequence": None, "blank_lines": False, "time": None, "step": 0.0, "time_format": None}
    if model is not None:
        where.update({name: model[name] for name in where})
    if given.get("sequence") is not None:
        where.update(sequence=str(given["sequence"]).strip('"'), blank_lines=False)
    if given.get("sequence_break") is not None:
        if given["sequence_break"] != "empty-line":
            raise ValueError(f"sequence_break: expected 'empty-line', got {given['sequence_break']!r}")
        if given.get("sequence") is not None:
            raise ValueError("sequence and sequence_break cannot be combined")
        where.update(sequence=None, blank_lines=True)
    if given.get("time") is not None:
        time = str(given["time"])
        where.update(time=time, step=0.0, time_format=where["time_format"] if time == where["time"] else None)
    if given.get("step") is not None:
        where["step"] = _step(given["step"])
    return where


def _reading_of(where: Mapping[str, Any], reading: Mapping[str, Any], is_training: bool = False) -> dict[str, Any]:
    """Return the reading options, with the defaults for tagged text: no quotes, and only empty values are missing."""
    options: dict[str, Any] = {"selectors": [name for name in (where.get("sequence"), where.get("time")) if name is not None]}
    if where["blank_lines"]:
        options |= {"tagged_text": True, "quote": "none"}
        if is_training:
            options["missing"] = {"only": [""]}
    return {**options, **{name: value for name, value in reading.items() if value is not None}}


def train_sequences(
    table: TableInput,
    target: ColumnName | None = None,
    *,
    sequence: str | None = None,
    sequence_break: str | None = None,
    time: str | None = None,
    step: float | str | None = None,
    select_states: str = "bic",
    max_states: int = 12,
    seed: int = 1,
    unlabeled: str = "use",
    start: Model | None = None,
    **arguments: Unpack[SequenceTrainingOptions],
) -> SequenceModel:
    """Train a model of sequences. Labeled states are counted, hidden states are learned by the Baum-Welch algorithm.

    Parameters
    ----------
    table
        Rows, one for each step.
    target
        The column of states; ``None`` if the states are hidden. With ``states``, it is the class of whole sequences.
    sequence
        The column of sequence ids; ``None`` if the table is one sequence, or if ``sequence_break`` is given.
    sequence_break
        ``"empty-line"`` if sequences end at empty lines.
    time
        The column by which rows of a sequence are sorted.
    step
        The time between steps, such as ``1.0`` or ``"1h"``. Rows farther apart have steps without observations between them.
    select_states
        The criterion that selects the number of hidden states (``states="auto"``): ``"bic"`` or ``"held-out"``.
    max_states
        The maximum number of states to try.
    seed
        The seed of the EM initializations.
    unlabeled
        How to use rows without a label, if others have one: ``"use"`` learns from them by EM, ``"drop"`` skips them.
    start
        A model of sequences that EM starts from.
    arguments
        Settings, and reading options.
    """
    from .train import _split

    if select_states not in ("bic", "held-out"):
        raise ValueError(f"select_states: expected 'bic' or 'held-out', got {select_states!r}")
    if unlabeled not in ("use", "drop"):
        raise ValueError(f"unlabeled: expected 'use' or 'drop', got {unlabeled!r}")
    settings, reading = _split(dict(arguments), "train_sequences")
    of_classes = target is not None and settings.get("states") is not None
    is_part = reading.get("shard") is not None
    if is_part and (of_classes or (target is None and reading.get("schema") is None)):
        raise ValueError("shard: hidden states are found in all sequences at once; labels are counted in parts")
    made = _settings.make({**settings, "method": "sequence"}, None, "train")
    where = _where({"sequence": sequence, "sequence_break": sequence_break, "time": time, "step": step})
    reader = _tables.open_reader(table, target=target, **_reading_of(where, reading, True))
    rows = _core.read_sequences(reader, **where)
    source = {"sequence": where["sequence"], "time": where["time"], "step": where["step"]}
    report: dict[str, Any] | None = None
    if of_classes:
        core = _core.train_sequence_classes(rows, None, made, max_states, select_states == "held-out", seed, **source)
    elif rows.target() is not None and (unlabeled == "drop" or is_part):
        core, counted = _core.count_sequences(rows, made)
        if counted["skipped"] > 0 and unlabeled == "use":
            raise ValueError("shard: some rows have no label, and EM needs all rows: unlabeled='drop' leaves them out")
    else:
        columns = rows.columns()
        name = next((name for name in _STATE_NAMES if name not in columns), _STATE_NAMES[-1])
        begin = None if start is None else start._core
        core, report = _core.train_hmm(
            rows, rows.target() or name, made, max_states, select_states == "held-out", seed, begin, **source
        )
    lengths = rows.lengths()
    facts = {"rows": rows.rows(), "sequences": len(lengths), "shortest": min(lengths, default=0)}
    model = SequenceModel(core, {**facts, "longest": max(lengths, default=0)}, report)
    model._learn_labels(table, reading.get("columns"))
    return model


def hmm(specification: str | Mapping[str, Any] | os.PathLike[str]) -> SequenceModel:
    """Create a fully specified model of sequences: states, probabilities and densities (docs/hmm-file.md).

    Parameters
    ----------
    specification
        The JSON text, the object itself as a dict, or the path of a file (``pathlib.Path``). The states are sorted by name.
    """
    if isinstance(specification, Mapping):
        return SequenceModel(_core.read_hmm(json.dumps({"credence_hmm": 1, **specification})))
    return SequenceModel(_core.read_hmm(specification if isinstance(specification, str) else Path(specification).read_text("utf-8")))


class _Steps:
    """The sequences of a table, and the mapping from their steps to its rows."""

    def __init__(self, core: _core.Sequences) -> None:
        self.core = core
        steps = core.rows()
        self.rows = np.empty(steps, np.int64)
        self.labels = np.empty(steps, np.int32)
        core.steps(self.rows, self.labels)
        self.lengths = np.asarray(core.lengths(), np.int64)
        self.order = np.argsort(self.rows, kind="stable")
        self.order = self.order[self.rows[self.order] >= 0]

    def names(self) -> list[str]:
        """Return the ids of the sequences, or their numbers from 1 if they have no ids."""
        return [identity or str(number + 1) for number, identity in enumerate(self.core.ids())]

    def number(self, sequence: Any) -> int:
        """Return the number (from 0) of a sequence given by its id or number."""
        if isinstance(sequence, str):
            names = self.names()
            if sequence not in names:
                raise KeyError(f"sequence: there is none of the id {sequence!r}")
            return names.index(sequence)
        number = int(sequence)
        if not 0 <= number < len(self.lengths):
            shown = number if abs(number) < 10**12 else "so large a number"
            raise IndexError(f"sequence: there is no {shown}: there are {len(self.lengths)} sequences, numbered from 0")
        return number

    def numbers(self, sequence: Any) -> list[int]:
        """Return the numbers (from 0) of all sequences, or of the given one."""
        return list(range(len(self.lengths))) if sequence is None else [self.number(sequence)]

    def only(self, sequence: Any) -> int:
        """Return the number (from 0) of the given sequence, which may be omitted if there is only one."""
        if sequence is None and len(self.lengths) > 1:
            raise ValueError(f"sequence: the table has {len(self.lengths)} sequences: give the id of one, or its number from 0")
        return self.number(0 if sequence is None else sequence)

    def columns(self) -> dict[str, Any]:
        """Return the columns ``sequence`` and ``step`` for each row."""
        of_step = np.repeat(np.arange(len(self.lengths), dtype=np.int32), self.lengths)
        step = np.arange(len(self.rows)) - np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths) + 1
        return {"sequence": (of_step[self.order], self.names()), "step": step[self.order]}


class SequenceModel(Model):
    """A hidden Markov model: a chain of states, and observations that depend on the state.

    Attributes
    ----------
    report : dict or None
        How hidden states were learned: the log likelihood of each EM iteration, initializations, numbers of states tried.
    """

    __slots__ = ("_hmms", "report")

    def __init__(
        self, core: _core.Model, facts: Mapping[str, Any] | None = None, report: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(core, facts)
        self._hmms: dict[Any, Any] = {}
        self.report = None if report is None else dict(report)

    def _changed(self) -> None:
        super()._changed()
        self._hmms.clear()

    def _source(self) -> dict[str, Any]:
        source = _core.sequence_source(self._core)
        if source is None:
            raise TypeError("the model is none of sequences")
        return source

    def _hmm(self, settings: Mapping[str, Any], function: str = "predict") -> Any:
        """Return the model under settings: an ``_core.Hmm``, or ``_core.SequenceClasses`` for sequence classification."""
        key = tuple(sorted(_settings.texts(settings, function).items()))
        found = self._hmms.get(key)
        if found is None:
            own = _core.make_settings(self._core.info()["settings"])
            made = _settings.make(settings, own, function) if key else None
            make = _core.make_sequence_classes if self._source()["is_of_classes"] else _core.make_hmm
            found = self._hmms[key] = make(self._core, made)
        return found

    def _classifier(self, settings: Mapping[str, Any], function: str = "predict") -> Any:
        raise TypeError(
            f"{function}: the model is one of sequences, whose rows are not answered for by themselves: predict(), explain(), "
            "probability() and forecast() take a table of sequences"
        )

    def _sequences(self, table: TableInput, arguments: dict[str, Any]) -> tuple[_Steps, dict[str, Any]]:
        """Return the sequences of a table, and the settings among the arguments."""
        given = {name: arguments.pop(name) for name in _WHERE if name in arguments}
        reading = {name: arguments.pop(name) for name in list(arguments) if name in OPTIONS}
        where = _where(given, self._source())
        reader = _tables.open_model_reader(self._core, table, **_reading_of(where, reading))
        return _Steps(_core.read_sequences(reader, **where)), arguments

    def _single(self, settings: Mapping[str, Any], function: str = "predict") -> Any:
        found = self._hmm(settings, function)
        if isinstance(found, _core.SequenceClasses):
            raise TypeError("the model has classes of whole sequences: predict() and predict_proba() answer for it")
        return found

    # ---- Properties ----

    @property
    def states(self) -> tuple[Label, ...]:
        """The states, in the type of the training target; for sequence classification, the classes."""
        return tuple(self._class_labels(self._class_texts()))

    def _class_texts(self) -> list[str]:
        found = self._hmm({})
        return list(found.classes() if isinstance(found, _core.SequenceClasses) else found.states())

    @property
    def classes(self) -> tuple[Label, ...]:
        return self.states

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns of observations."""
        record = _core.show_hmm(self._hmm({}), top_terms=0)
        return tuple(one["attribute"] for one in record.get("models", [record])[0]["attributes"])

    def show(
        self, *, of: str | Iterable[str] | None = None, contrast: bool = False, top_terms: int = 10, **settings: Unpack[Settings]
    ) -> SequenceSummary:
        """Summarize the model: states, start and transition probabilities, and the tables and densities in each state.

        Parameters
        ----------
        of
            Columns to show, by name or selector; all by default.
        contrast
            Whether to compare each state with all other states, with the columns that differ most first.
        top_terms
            For text columns: how many of the most informative words to show per state.
        settings
            Settings to use instead of the model's own.
        """
        chosen = None if of is None else [of] if isinstance(of, str) else list(of)
        return SequenceSummary(_core.show_hmm(self._hmm(settings, "show"), chosen, contrast, top_terms))

    def start_probabilities(self, **settings: Unpack[Settings]) -> dict[Label, float]:
        """P(state) at the first step."""
        found = self._single(settings, "start_probabilities")
        return dict(zip(self._class_labels(found.states()), found.next([])[0], strict=True))

    def transitions(self, **settings: Unpack[Settings]) -> NDArray[np.float64]:
        """P(next state | state), one row per state, in the order of :attr:`states`; only for models of order 1."""
        found = self._single(settings, "transitions")
        if found.facts()["order"] != 1:
            raise ValueError("transitions: the next state depends on several before it; next_probabilities() takes them")
        return np.array([found.next([state])[0] for state in range(len(found.states()))])

    def next_probabilities(self, context: Sequence[Label] = (), **settings: Unpack[Settings]) -> dict[Label, float]:
        """Return P(next state | latest states), with the earliest state first in `context`.

        Without states, it is the distribution at the beginning of a sequence.
        """
        context = context if isinstance(context, (list, tuple)) else [context]
        found = self._single(settings, "next_probabilities")
        names = found.states()
        shares = found.next([self._state(names, state) for state in context])[0]
        return dict(zip(self._class_labels(names), shares, strict=True))

    def long_run(self, **settings: Unpack[Settings]) -> Table:
        """Compute the stationary share of time in each state, and the mean number of steps per visit."""
        found = self._single(settings, "long_run")
        stationary, durations = found.long_run()
        names = found.states()
        state = label_column(np.arange(len(names)), names, self._label_type(names))
        return Table({"state": state, "probability": stationary, "steps": durations})

    @staticmethod
    def _state(names: Sequence[str], state: Label) -> int:
        text = class_text(state, names)
        if text not in names:
            raise ValueError(f"state: there is no {text!r}; there are {', '.join(names)}")
        return list(names).index(text)

    # ---- Predictions ----

    def log_likelihood(self, table: TableInput, **arguments: Unpack[SequenceEvaluationOptions]) -> NDArray[np.float64]:
        """Compute log P(observations) of each sequence."""
        steps, settings = self._sequences(table, dict(arguments))
        found = self._single(settings, "log_likelihood")
        out = np.empty(len(steps.lengths))
        found.log_likelihoods(steps.core, out)
        return out

    def predict_proba(self, table: TableInput, **arguments: Unpack[SequenceEvaluationOptions]) -> NDArray[np.float64]:  # type: ignore[override]
        """Compute P(state | all observations of the sequence) for each row.

        For sequence classification, the result has one row per sequence, with the class probabilities.
        """
        steps, settings = self._sequences(table, dict(arguments))
        found = self._hmm(settings, "predict_proba")
        if isinstance(found, _core.SequenceClasses):
            probabilities: NDArray[np.float64] = self._of_classes(found, steps)[2]
        else:
            probabilities = self._decode(found, steps, "viterbi")[1][steps.order]
        return probabilities

    def _decode(self, found: Any, steps: _Steps, decoding: str) -> tuple[Any, Any, Any, Any, Any]:
        if decoding not in ("viterbi", "posterior"):
            raise ValueError(f"decoding: expected 'viterbi' or 'posterior', got {decoding!r}")
        count, sequences = len(steps.rows), len(steps.lengths)
        states = np.empty(count, np.int32)
        posteriors = np.empty((count, len(found.states())))
        evidence, likelihoods, paths = np.empty(count), np.empty(sequences), np.empty(sequences)
        found.decode(steps.core, decoding == "posterior", states, posteriors, evidence, likelihoods, paths)
        return states, posteriors, evidence, likelihoods, paths

    @staticmethod
    def _of_classes(found: Any, steps: _Steps) -> tuple[Any, Any, Any, Any]:
        shape = (len(steps.lengths), len(found.classes()))
        likelihoods, logs, probabilities = np.empty(shape), np.empty(shape), np.empty(shape)
        evidence = np.empty(len(steps.lengths))
        found.posteriors(steps.core, likelihoods, logs, probabilities, evidence)
        return likelihoods, logs, probabilities, evidence

    def predict(  # type: ignore[override]
        self,
        table: TableInput,
        *,
        decoding: str = "viterbi",
        stream: bool = False,
        lag: int = 0,
        reading: Reading | None = None,
        **arguments: Unpack[SequenceEvaluationOptions],
    ) -> AnyFrame:
        """Predict the state of each row, with posterior probabilities; for sequence classification, the class of each sequence.

        Parameters
        ----------
        table
            Rows. Sequences are delimited as in training, unless you pass ``sequence``, ``sequence_break``, ``time`` or ``step``.
        decoding
            ``"viterbi"``: the most likely path of states; ``"posterior"``: the most likely state at each step.
        stream
            Whether to condition on the rows so far (filtering), and on ``lag`` rows after (fixed-lag smoothing), instead of all
            rows of the sequence.
        """
        steps, settings = self._sequences(table, {**(reading or {}), **arguments})
        found = self._hmm(settings, "predict")
        if isinstance(found, _core.SequenceClasses):
            return self._predict_classes(found, steps, table)
        names = found.states()
        if stream or lag:
            posteriors, evidence = np.empty((len(steps.rows), len(names))), np.empty(len(steps.rows))
            found.filter(steps.core, lag, posteriors, evidence)
            missing = np.isnan(posteriors).any(axis=1)
            states = np.where(missing, -1, posteriors.argmax(axis=1) if len(posteriors) else -1).astype(np.int32)
        else:
            states, posteriors, evidence, _, _ = self._decode(found, steps, decoding)
        unseen = np.empty(len(steps.rows), np.int32)
        found.unseen(steps.core, unseen)
        order = steps.order
        return _answers(
            steps.columns(),
            label_column(states[order], names, self._label_type(names, table)),
            posteriors[order],
            evidence[order],
            unseen[order],
            table,
        )

    def _predict_classes(self, found: Any, steps: _Steps, table: Any) -> Any:
        _, logs, probabilities, evidence = self._of_classes(found, steps)
        possible = np.isfinite(logs).any(axis=1)
        decisions = np.where(possible, logs.argmax(axis=1) if len(logs) else -1, -1).astype(np.int32)
        columns = {"sequence": (np.arange(len(steps.lengths), dtype=np.int32), steps.names())}
        classes = found.classes()
        prediction = label_column(decisions, classes, self._label_type(classes, table))
        return _answers(columns, prediction, probabilities, evidence, None, table)

    def best_paths(self, table: TableInput, n_best: int = 5, *, sequence: int | str | None = None, **arguments: Unpack[OneSequenceOptions]) -> Table:
        """List the most likely paths of states of each sequence: ``sequence``, ``log_probability``, ``path``.

        Parameters
        ----------
        table
            Rows; sequences are delimited as in training.
        n_best
            The number of paths per sequence.
        sequence
            The id (a text) of one sequence, or its number from 0. None: all sequences.

        Returns
        -------
        Table
            The probability is the joint probability of the path and the observations.
        """
        if isinstance(n_best, bool) or not isinstance(n_best, (int, np.integer)) or n_best < 1:
            raise ValueError(f"n_best: expected a whole number from 1, got {n_best!r}")
        steps, settings = self._sequences(table, dict(arguments))
        found = self._single(settings, "best_paths")
        names = found.states()
        ids = steps.names()
        paths = [(ids[n], *one) for n in steps.numbers(sequence) for one in found.best_paths(steps.core, n, n_best)]
        return Table(
            {
                "sequence": [identity for identity, _, _ in paths],
                "log_probability": [log for _, _, log in paths],
                "path": [" ".join(names[s] for s in path) for _, path, _ in paths],
            }
        )

    def probability(
        self, table: TableInput, states: Mapping[int, Label], *, sequence: int | str | None = None, **arguments: Unpack[OneSequenceOptions]
    ) -> float:
        """Compute P(states at these steps | all observations of a sequence).

        `states` maps steps, numbered from 1, to states, such as ``{1: "rain", 2: "dry"}``. ``sequence`` is an id (a text), or a
        number from 0. It can be omitted if the table has one sequence.
        """
        if not isinstance(states, Mapping):
            raise TypeError(f"states: expected a mapping of steps and states, as {{1: 'rain'}}, got {type(states).__name__}")
        steps, settings = self._sequences(table, dict(arguments))
        found = self._single(settings, "probability")
        names = found.states()
        pairs = [(step - 1, self._state(names, state)) for step, state in sorted(states.items())]
        likelihood, joint = found.joint(steps.core, steps.only(sequence), pairs)
        return float(np.exp(joint - likelihood))

    def forecast(self, table: TableInput, horizon: int = 1, *, sequence: int | str | None = None, **arguments: Unpack[OneSequenceOptions]) -> AnyFrame:
        """Forecast the states after the last step of each sequence: ``sequence``, ``ahead``, and ``P(state)`` for each state.

        Parameters
        ----------
        table
            Rows; sequences are delimited as in training.
        horizon
            The number of steps to forecast.
        sequence
            The id (a text) of one sequence, or its number from 0. None: all sequences.

        Returns
        -------
        frame
            A frame of the same type as the table.
        """
        steps, settings = self._sequences(table, dict(arguments))
        found = self._single(settings, "forecast")
        names = found.states()
        numbers, ids = steps.numbers(sequence), steps.names()
        out = np.empty((len(numbers), max(horizon, 0), len(names)))
        for room, number in zip(out, numbers, strict=True):
            found.forecast(steps.core, number, horizon, room)
        places = {"sequence": [ids[n] for n in numbers for _ in range(horizon)], "ahead": np.tile(np.arange(1, horizon + 1), len(numbers))}
        labels = self._class_labels(names, table)
        return _tables.result({**places, **{f"P({name})": out[:, :, k].ravel() for k, name in enumerate(labels)}}, table)

    def explain(  # type: ignore[override]
        self, table: TableInput, step: int = 1, *, sequence: int | str = 0, **arguments: Unpack[OneSequenceOptions]
    ) -> StepExplanation:
        """Explain one step of a sequence: the contributions of past, observation and future to each state.

        Steps are numbered from 1. ``sequence`` is an id (a text), or a number from 0. By default it is the first sequence.
        """
        steps, settings = self._sequences(table, dict(arguments))
        found = self._single(settings, "explain")
        number = steps.number(sequence)
        if not 1 <= step <= steps.lengths[number]:
            raise IndexError(f"step: expected one from 1 to {steps.lengths[number]}, the length of the sequence, got {step}")
        states = self._class_labels(found.states(), table)
        return StepExplanation(states, step, found.explain(steps.core, number, step - 1))

    def sample(self, sequences: int = 1, seed: int = 1, *, rows: int = 0, **settings: Unpack[StateSettings]) -> AnyFrame:  # type: ignore[override]
        """Draw new sequences: ``sequence``, ``step`` and the columns of the model.

        ``sequences`` is the number of sequences. ``rows`` is the number of rows of each; with 0, each sequence ends by the
        model's end probabilities. The result is a frame of the same type as the training table, or a :class:`credence.Table`.
        """
        if sequences < 0 or rows < 0:
            raise ValueError("sample: expected 0 or more sequences, and 0 or more steps")
        names, drawn = self._single(settings, "sample").sample(sequences, rows, seed)
        steps = [(str(s + 1), t + 1, *row) for s, sequence in enumerate(drawn) for t, row in enumerate(sequence)]
        cells: Iterable[tuple[Any, ...]] = zip(*steps, strict=True) if steps else [()] * (len(names) + 2)
        columns: dict[str, Any] = dict(zip(["sequence", "step", *names], map(list, cells), strict=True))
        target = self.target
        if target in columns:
            states = self._single(settings, "sample").states()
            codes = [states.index(text) for text in columns[target]]
            columns[target] = label_column(codes, states, self._label_type(states))
        return _tables.result(columns, self._kind)

    # ---- Learning ----

    def plot(self, attribute: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw P(next state | state) with matplotlib; for sequence classification, the prior of each class.

        Parameters
        ----------
        attribute
            The column to draw for each state instead: its densities, or the probabilities of its values.
        ax
            The axes to draw into; None creates new axes.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from .plotting import plot_bars, plot_summary, plot_table

        if attribute is not None:
            return plot_summary(self.show(of=attribute), attribute, ax)
        if self._source()["is_of_classes"]:
            priors = [(one["class"], one["prior"]) for one in self.show().to_dict()["classes"]]
            return plot_bars(priors, probabilities=True, title="Prior", ax=ax)
        states = [str(state) for state in self.states]
        return plot_table(states, self.transitions().tolist(), states, "state", title="P(next state | state)", ax=ax)

    def plot_path(self, table: TableInput, *, sequence: int | str = 0, ax: Axes | None = None, **arguments: Unpack[OneSequenceOptions]) -> Axes:
        """Draw the most likely path of one sequence, over its posteriors, with matplotlib, and return the axes."""
        from .plotting import plot_path

        steps, settings = self._sequences(table, dict(arguments))
        found = self._single(settings, "plot_path")
        states, posteriors, *_ = self._decode(found, steps, "viterbi")
        number = steps.number(sequence)
        first = int(sum(steps.lengths[:number]))
        part = slice(first, first + int(steps.lengths[number]))
        return plot_path(found.states(), states[part].tolist(), posteriors[part], ax=ax)

    def evaluate(  # type: ignore[override]
        self, table: TableInput, *, decoding: str = "viterbi", top_k: int | None = None, true_labels: str | None = None, **arguments: Unpack[SequenceEvaluationOptions]
    ) -> Evaluation | Labeling:
        """Evaluate the model on labeled sequences that it was not trained on.

        Items are scored like rows, by the most probable path or by posteriors (``decoding="posterior"``). The result also
        contains the number of entirely correct sequences, their log-likelihood, the items with values never seen in training,
        and spans. ``true_labels`` names a column of labels to compare with the states, for example hidden states; the names may
        differ.
        """
        if true_labels is not None:
            from ._labeling import compare_states_with_labels

            return compare_states_with_labels(self, table, true_labels, dict(arguments))
        from ._sequence_evaluation import evaluate_sequence_model

        return evaluate_sequence_model(self, table, decoding, top_k, dict(arguments))

    def update(self, table: TableInput, **arguments: Unpack[SequenceEvaluationOptions]) -> SequenceModel:  # type: ignore[override]
        """Learn labeled sequences, in place."""
        return self._learn("update", table, dict(arguments))

    def forget(self, table: TableInput, **arguments: Unpack[SequenceEvaluationOptions]) -> SequenceModel:  # type: ignore[override]
        """Forget labeled sequences that the model has learned, in place."""
        return self._learn("forget", table, dict(arguments))

    def _learn(self, change: str, table: TableInput, arguments: dict[str, Any]) -> SequenceModel:
        _settings.check_names(change, arguments, (*OPTIONS, *_WHERE))
        given = {name: arguments.pop(name) for name in _WHERE if name in arguments}
        where = _where(given, self._source())
        reader = _tables.open_model_reader(self._core, table, to_learn=True, **_reading_of(where, arguments))
        self.facts = dict(_core.change_sequences(self._core, _core.read_sequences(reader, **where), change == "forget"))
        self._changed()
        return self


def _answers(
    columns: dict[str, Any], prediction: Any, probabilities: Any, evidence: Any, unseen: Any, like: Any
) -> Any:
    """Return the columns of the command's predictions."""
    decisions = prediction.codes
    chosen = np.full(len(decisions), np.nan)
    possible = decisions >= 0
    chosen[possible] = probabilities[possible, decisions[possible]]
    columns = {**columns, "prediction": prediction, "probability": chosen}
    columns.update({f"P({name})": np.ascontiguousarray(probabilities[:, k]) for k, name in enumerate(prediction.names)})
    columns["log_evidence"] = evidence
    if unseen is not None:
        columns["unseen"] = unseen
    return _tables.result(columns, like)


class StepExplanation:
    """The explanation of a step's state: log P(state | x) = past + observation + future, up to a constant.

    Attributes
    ----------
    state : state label or None
        The state with the largest posterior; ``path`` is the state in the most probable path.
    table : Table
        For each state its posterior probability, and its past, observation and future terms (logarithms).
    terms : Table
        The contribution of each column to the observation term.
    """

    def __init__(self, states: Sequence[Label], step: int, record: Mapping[str, Any]) -> None:
        self.step = step
        self._record = dict(record)
        self.state = states[record["posterior"]] if record["posterior"] >= 0 else None
        self.path = states[record["path"]] if record["path"] >= 0 else None
        self.log_likelihood = record["log_likelihood"]
        log_posterior = np.array(record["log_posterior"])
        parts = {name: record[name] for name in ("past", "observation", "future")}
        self.table = Table({"state": list(states), "probability": np.exp(log_posterior), **parts})
        names = [name or "(all columns together)" for name, _ in record["terms"]]
        values = np.array([terms for _, terms in record["terms"]])
        self.terms = Table({"column": names, **{state: values[:, k].copy() for k, state in enumerate(states)}})

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers of the explanation."""
        return {"step": self.step, "state": self.state, **self._record}

    def __repr__(self) -> str:
        return f"Step {self.step}: {self.state}\n{self.table!r}"

    def _repr_html_(self) -> str:
        from ._sequence_html import step_html

        return step_html(self)
