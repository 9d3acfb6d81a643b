# SPDX-License-Identifier: MIT
"""Training, prediction and evaluation on tables in partitions, for any distributed backend. The Dask, Ray and Spark modules share it.

Sufficient statistics add up exactly. The model of all partitions is therefore byte-identical to the model that :func:`credence.train` makes
from the whole table. A backend runs :func:`train_part` for each partition, reduces the results with :func:`merge`, which is associative and
commutative, and passes the reduced part to :func:`settle`, until that returns None::

    plan = make_plan(target, arguments)
    while plan is not None:
        settled, merged = plan, reduce(merge, (train_part(rows, plan) for rows in partitions))
        plan = settle(settled, merged)
    model = finish(settled, merged)

(:func:`train_partitions` is this loop.) Plans can be pickled. Parts are bytes. A partition without rows is the neutral element of the merge.

One pass is enough if the column types agree in all partitions. They can differ: a column can have numbers in one partition and words in
another. Then all partitions together decide the types, and a second pass reads the columns with these types. If only the texts of a column can
decide its type, a pass before that one gathers them. Each column is decided once, so the number of passes is finite. Network structures need
a pass that finds the types of the nodes. A structure search needs one more pass, which stores rows.

:func:`predict_part` computes the predictions for the rows of a partition. :func:`evaluate_part` compares predictions with labels, and
:func:`merge_evaluations` merges the results into the result of :meth:`Model.evaluate`. Models are sent to workers as bytes, and
:func:`model_of` caches the latest models in each process. The backend must collect the rows of each sequence by their ids
(:attr:`Plan.grouped_by`, :func:`grouped_by`) in the order of the table. They need not be adjacent in the table.
"""

from __future__ import annotations

import json
import math
import pickle
import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from . import _core, _evaluation_parts, _settings, _tables
from ._label_types import TEXTS
from ._partition_kinds import (
    Decision,
    NodeCells,
    Shown,
    Texts,
    agreed_formats,
    check_limit,
    decide,
    formats_of_texts,
    may_have_format,
    node_cells,
    node_table,
    shown_by,
    texts_of,
    unite,
    unite_nodes,
    unite_texts,
    values_of,
    with_currencies,
)
from ._reader_options import selectors
from .errors import DataError, Error, no_rows
from .evaluation import Evaluation
from .model import Model
from .network_learning import check_search, network_of, structure_columns
from .sequences import _WHERE, _where
from .train import _check_arguments, _check_columns, _is_of_network, _is_of_sequences, _latent_classes, _split, _statistics

__all__ = [
    "Plan",
    "answer_options",
    "answered",
    "answers_for",
    "check_answer_options",
    "check_columns",
    "check_ids",
    "evaluate_part",
    "finish",
    "grouped_by",
    "make_plan",
    "merge",
    "merge_all",
    "merge_as_tree",
    "merge_evaluations",
    "model_of",
    "outcome_of",
    "parts_of",
    "place_of",
    "predict_part",
    "settle",
    "train_part",
    "train_partitions",
]

_FAN_IN = 8  # parts that one task merges
_ELSEWHERE = "use credence.train in one process, or credence-mpi"
_NODES, _SEARCH, _ROWS = "nodes", "search", "rows"
_SUMS = ("rows", "skipped", "weightless", "skipped_with_text", "inserted", "crowded", "sequences")
_FACTS_OF_SEQUENCES = ("rows", "sequences", "shortest", "longest")


@dataclass(frozen=True)
class Plan:
    """One pass over the rows: the work to do for each partition. Each further pass has its own plan."""

    target: Any
    weight: Any
    settings: Mapping[str, Any]
    reading: Mapping[str, Any]
    statistics: str | None = None
    #: The columns that define sequences; None if rows are not sequences. Rows of a sequence must be in one partition, adjacent and in order.
    sequence: Mapping[str, Any] | None = None
    #: The result of the pass: the types of network nodes, the rows for a structure search, or the model.
    stage: str = _ROWS
    #: The number of bootstrap resamples, the threshold and the seed of a structure search.
    search: tuple[int, float, int] = (0, -1.0, 1)
    #: The learned structure.
    structure: Mapping[str, Any] | None = None
    #: Attributes whose types follow from all partitions and were not declared by the caller.
    found: tuple[str, ...] = ()
    #: Columns whose texts the pass gathers. Such a pass does nothing else. Formats are then found from the texts of all partitions.
    opened: tuple[str, ...] = ()
    #: Columns whose type all partitions together have decided. Each is decided once, so the number of passes is finite.
    decided: tuple[str, ...] = ()

    @property
    def grouped_by(self) -> str | None:
        """The column of sequence ids, by which a backend must group the rows; None if any partitioning is valid."""
        return None if self.sequence is None else self.sequence["sequence"]


# ---- Plans ----


def make_plan(target: Any, arguments: Mapping[str, Any]) -> Plan:
    """Return the plan of the first pass for the arguments of :func:`credence.train`.

    Arguments that need all rows at once raise a ValueError: comparing methods, latent classes and hidden states, learning from
    unlabeled rows, and finding cut points.
    """
    given = {name: value for name, value in arguments.items() if value is not None and value is not False}
    for name in ("shard", "part", "bad_rows", "check"):
        if name in given:
            raise ValueError(f"{name}: not of rows that are in partitions: {_ELSEWHERE}")
    if _is_of_sequences(given):
        return _plan_sequences(target, given)
    weight, unlabeled = given.pop("weight", None), given.pop("unlabeled", "drop")
    statistics = _statistics(given.pop("keep_statistics", None))
    latent = _latent_classes(given.pop("latent_class", None))
    search = (given.pop("bootstrap", 0), given.pop("threshold", -1.0), given.pop("seed", 1))
    for name in ("select_classes", "max_classes", "budget"):  # they belong to arguments that are rejected below
        given.pop(name, None)
    settings, reading = _split_options(given)
    _tables.check_schema_alone(reading.get("schema"), {**reading, "weight": weight})
    if settings.get("arcs_from") is not None:
        settings.setdefault("method", "network")
        settings["arcs_from"] = network_of(settings["arcs_from"])
    _check_arguments(settings, reading, target, statistics, unlabeled, latent, search[0])
    _refuse(
        {
            "method='auto'": settings.get("method") == "auto",
            "latent_class": latent is not None,
            "unlabeled": unlabeled != "drop",
            "discretize": _finds_cuts(reading.get("discretize")),
        }
    )
    check_search(settings.get("search"))
    plan = Plan(target, weight, settings, reading, statistics, search=search)
    if _settings.has_structure(settings):
        return replace(plan, stage=_NODES)
    return replace(plan, stage=_stage_of(settings))


def _plan_sequences(target: Any, given: dict[str, Any]) -> Plan:
    unlabeled = given.pop("unlabeled", "use")
    where: dict[str, Any] = {name: given.pop(name) for name in _WHERE if name in given}
    given.pop("seed", None)
    _refuse({"states": target is None or "states" in given, "start": "start" in given})
    if where.get("sequence") is None:
        raise ValueError("sequence: expected the column of ids, by which rows in partitions are brought together")
    settings, reading = _split_options({name: value for name, value in given.items() if name not in ("select_states", "max_states")})
    _tables.check_schema_alone(reading.get("schema"), reading)
    _settings.make({**settings, "method": "sequence"}, None, "train")
    return Plan(target, None, {**settings, "method": "sequence"}, reading, sequence={**_where(where), "unlabeled": unlabeled})


def _split_options(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split arguments into settings and reading options. Files are replaced by their contents, because workers may not have them."""
    settings, reading = _split(given)
    if reading.get("schema") is not None:
        reading["schema"] = _tables._schema_text(reading["schema"])
    return settings, {"threads": 1, **reading}


def _refuse(needed: Mapping[str, bool]) -> None:
    for name, is_given in needed.items():
        if is_given:
            raise ValueError(f"{name}: needs all rows at once, which are in partitions: {_ELSEWHERE}")


def _finds_cuts(discretize: Any) -> bool:
    """Return whether cut points must be found from the rows, because the caller does not specify them."""
    rules = discretize.values() if isinstance(discretize, Mapping) else [] if discretize is None else [discretize]
    return any(isinstance(rule, str) for rule in rules)


def _stage_of(settings: Mapping[str, Any]) -> str:
    made = _settings.make(settings, None, "train")
    return _SEARCH if _is_of_network(settings) and _core.structure_search(made) is not None else _ROWS


# ---- Parts: the column types in a partition, and a model ----


@dataclass(frozen=True)
class _Part:
    """The result of a pass for some partitions. Without rows, all fields are empty.

    ``model`` is None if no row could be learned, or if the partitions do not agree.
    """

    shown: Shown = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    model: bytes | None = None
    nodes: NodeCells = field(default_factory=dict)
    texts: Texts = field(default_factory=dict)

    def encode(self) -> bytes:
        content = [self.shown, self.facts, self.nodes, self.texts, self.model is not None]
        head = json.dumps(content, sort_keys=True).encode("utf-8", "surrogateescape")
        return struct.pack("<I", len(head)) + head + (self.model or b"")

    @classmethod
    def decode(cls, data: bytes) -> _Part:
        size = 4 + struct.unpack_from("<I", data)[0]
        shown, facts, nodes, texts, has_model = json.loads(data[4:size].decode("utf-8", "surrogateescape"))
        return cls(shown, facts, data[size:] if has_model else None, nodes, texts)


def place_of(partition: int | None) -> str:
    """Return the name of a partition in error messages, given its number from 0. None means unknown, for example after a shuffle."""
    return "a partition" if partition is None else f"partition {partition} (from 0)"


@contextmanager
def _errors_of(place: str) -> Iterator[None]:
    """Make errors refer to rows of the given place, because the number of rows in the partitions before it is unknown."""
    try:
        yield
    except Error as error:
        if error.place.startswith("table ("):
            error.args = (*error.args[:-1], str(error.args[-1]).replace(error.place, place, 1))
            error.place = place
        raise


def train_part(table: Any, plan: Plan, partition: int | None = None) -> bytes:
    """Compute the part of one partition.

    Parameters
    ----------
    table
        The rows: a table that :func:`credence.train` accepts, a pandas frame or a pyarrow table; or an iterable of pyarrow record
        batches, all with the same columns.
    plan
        The plan of the pass.
    partition
        The number of the partition, from 0, for error messages. None means unknown.
    """
    table = _table_of(table)
    if table is None or len(table) == 0:
        return _Part().encode()
    with _errors_of(place_of(None if plan.sequence is not None else partition)):
        return _part_of(table, plan).encode()


def _part_of(table: Any, plan: Plan) -> _Part:
    if plan.stage == _NODES:
        return _Part({}, {"rows": len(table)}, None, node_cells(table, plan.reading))
    if plan.opened:
        return _Part({}, {"rows": len(table)}, None, {}, texts_of(table, plan.opened, plan.reading))
    try:
        core, facts = _learn_sequences(table, plan) if plan.sequence is not None else _learn_rows(table, plan)
    except DataError as error:
        if error.code != "empty":
            if error.code == "number" and "infinite" in error.message:
                # In one process, such a value is a text if the column contains words. The words can be in other partitions.
                error.hint = "if the column contains words in other partitions, convert all of its values to texts"
                error.args = (*error.args[:-1], f"{error.args[-1]} ({error.hint})")
            raise
        # No row has a target or a weight, but the values count for the column types.
        profile, text = _core.profile_table(_open(table, plan), False)
        weights = [one for column in profile["columns"] if column.get("role") == "weight" for one in column["most_frequent"]]
        weightless = sum(one["count"] for one in weights if one["value"] == 0)
        facts = {"rows": 0, "skipped": len(table) - weightless, "weightless": weightless, "refusal": error.message}
        return _Part(_with_currencies(shown_by(text, profile["columns"]), table, plan), facts)
    shown = _with_unlearned(shown_by(_core.schema_of_model(core, False)), facts, table, plan)
    return _Part(_with_currencies(shown, table, plan), facts, core.encode())


def _with_unlearned(shown: Shown, facts: Mapping[str, Any], table: Any, plan: Plan) -> Shown:
    """Fill in the types of columns that have no value in any learned row. The values in the other rows decide them."""
    absent = [name for name, pairs in shown.items() if pairs == [["none", ""]]]
    if not absent or (plan.sequence is None and not facts["skipped"] and not facts["weightless"]):
        return shown
    profile, text = _core.profile_table(_open(table, plan), False)
    found = shown_by(text, profile["columns"])
    return {**shown, **{name: found[name] for name in absent if name in found}}


def _with_currencies(shown: Shown, table: Any, plan: Plan) -> Shown:
    return shown if plan.reading.get("schema") is not None else with_currencies(shown, table, plan.reading.get("column_format") or {})


def _learn_rows(table: Any, plan: Plan) -> tuple[Any, dict[str, Any]]:
    statistics = ",".join(filter(None, (plan.statistics, "row-table"))) if plan.stage == _SEARCH else plan.statistics
    return _core.train_model(_open(table, plan), _settings.make(plan.settings, None, "train"), statistics)


def _learn_sequences(table: Any, plan: Plan) -> tuple[Any, dict[str, Any]]:
    where = dict(plan.sequence or {})
    unlabeled = where.pop("unlabeled")
    rows = _core.read_sequences(_open(table, plan), **where)
    steps, labels = np.empty(rows.rows(), np.int64), np.empty(rows.rows(), np.int32)
    rows.steps(steps, labels)
    if unlabeled == "use" and np.any(labels < 0):
        raise ValueError(f"unlabeled: some steps have no label, from which EM learns, which needs all rows at once: unlabeled='drop', or {_ELSEWHERE}")
    core, _ = _core.count_sequences(rows, _settings.make(plan.settings, None, "train"))
    lengths = rows.lengths()
    return core, {"rows": rows.rows(), "sequences": len(lengths), "shortest": min(lengths), "longest": max(lengths)}


def _open(table: Any, plan: Plan) -> Any:
    return _tables.open_reader(table, target=plan.target, weight=plan.weight, **plan.reading)


def _table_of(table: Any) -> Any:
    """Return a table that can be read repeatedly; None if there are no batches."""
    if hasattr(table, "columns") or hasattr(table, "__arrow_c_stream__") or isinstance(table, Mapping):
        return table
    import pyarrow

    batches = list(table)
    return pyarrow.Table.from_batches(batches) if batches else None


def merge(left: bytes, right: bytes) -> bytes:
    """Merge two parts. If they do not agree, the result has no model, and :func:`settle` requests another pass."""
    return merge_all((left, right))


def merge_all(parts: Iterable[bytes]) -> bytes:
    """Merge parts, in any order."""
    united = _Part()
    core: _core.Model | None = None
    for part in map(_Part.decode, parts):
        if not part.facts:
            continue
        lacking = set(united.shown) ^ set(part.shown)
        shown, agree = unite(united.shown, part.shown)
        united = _Part(shown, _add_facts(united.facts, part.facts), None, unite_nodes(united.nodes, part.nodes), unite_texts(united.texts, part.texts))
        if not agree:
            core = None
        elif part.model is not None:
            other = _core.decode_model(part.model)
            if core is None:
                core = other
            else:
                try:
                    core.merge(other)
                except DataError as error:
                    if not lacking:
                        raise
                    raise DataError(f"column {min(lacking)!r} is in some partitions only: give all of them the same columns") from error
    return replace(united, model=None if core is None else core.encode()).encode()


def merge_as_tree(parts: Sequence[Any], merge_groups: Callable[[list[Any]], list[Any]]) -> Any:
    """Merge all parts as a tree, until one is left.

    The parts are bytes, or a backend's references to future bytes. ``merge_groups`` merges each group of parts with :func:`merge_all`.
    """
    while len(parts) > 1:
        parts = merge_groups([parts[first : first + _FAN_IN] for first in range(0, len(parts), _FAN_IN)])
    return parts[0] if parts else merge_all(())


# ---- Data errors, for backends that wrap the exceptions of workers ----

#: The bytes of a part, or the bytes of the exception that was raised instead.
Outcome = tuple[bytes | None, bytes | None]


def outcome_of(make: Callable[..., bytes], *arguments: Any) -> Outcome:
    """Return the result of a function, or its exception for the driver to raise.

    A data error would occur at every attempt. It must not fail the task, because the backend would retry it.
    """
    try:
        return make(*arguments), None
    except (ValueError, TypeError) as fault:
        return None, pickle.dumps(fault)


def parts_of(outcomes: Iterable[Outcome]) -> list[bytes]:
    """Return the parts, or raise the first exception as it was in the worker."""
    parts = []
    for part, fault in outcomes:
        if part is None:
            raise pickle.loads(fault or b"")
        parts.append(part)
    return parts


def _weights(facts: Mapping[str, Any]) -> list[float]:
    """Return the weight of each merged part. The sum is not stored, because its last bits would depend on the order."""
    found: list[float] = facts.get("weights", [facts["weight"]] if "weight" in facts else [])
    return found


def _add_facts(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    facts = {name: one.get(name, 0) + other.get(name, 0) for name in _SUMS}
    facts["weights"] = sorted([*_weights(one), *_weights(other)])
    facts["shortest"] = min(found.get("shortest", 0) for found in (one or other, other))
    facts["longest"] = max(one.get("longest", 0), other.get("longest", 0))
    texts = [text for text in (one.get("skipped_text"), other.get("skipped_text")) if text]
    facts["skipped_text"] = min(texts, default="")
    refusals = {text for text in (one.get("refusal"), other.get("refusal")) if text}
    if refusals:
        facts["refusal"] = min(refusals) if len(refusals) == 1 else "every row has weight 0, or no target"
    return facts


# ---- After a pass ----


def settle(plan: Plan, merged: bytes) -> Plan | None:
    """Return the plan of the next pass that the partitions need; None if the model is complete."""
    part = _Part.decode(merged)
    if not part.facts:
        return None
    if plan.stage == _NODES:
        settings, reading = structure_columns(node_table(part.nodes), plan.target, plan.weight, plan.settings, plan.reading)
        return replace(plan, settings=settings, reading=reading, stage=_stage_of(settings))
    if plan.opened:
        formats = formats_of_texts(part.texts, plan.reading)
        check_limit(part.texts, plan.reading, formats)
        return _read_as(plan, Decision({name: "categorical" for name in plan.opened if name not in formats}, formats))
    decision = decide(part.shown)
    core = None if part.model is None else _core.decode_model(part.model)
    if decision is None and core is not None:
        target, values = core.info()["target"], values_of(core)
        decision = _find_formats(plan, target, values, part)
        check_limit(values, plan.reading, () if decision is None else decision.names, target)
    if decision is not None:
        _check_open(plan, decision)
        return _read_as(_told(plan, part.shown) if decision.opened else plan, decision)
    if plan.stage == _SEARCH and core is not None:
        structure = _core.find_structure(core, *plan.search)
        settings = {**plan.settings, "search": "none", "arcs": structure["structure"]}
        return replace(plan, settings=settings, stage=_ROWS, structure=structure)
    return None


def _check_open(plan: Plan, decision: Decision) -> None:
    """Raise a DataError if the caller or a pass has already decided a column. Otherwise passes could continue forever."""
    if plan.reading.get("schema") is not None:
        names = ", ".join(map(repr, decision.names))
        raise DataError(f"the schema leaves the type of {names} open, in which partitions differ: make one of all rows, or one that states it")
    again = [name for name in decision.names if name in plan.decided]
    if again:
        raise DataError(f"partitions differ in what column {again[0]!r} is, whatever it is read as: specify it by a schema of all rows, or by column_types")


def _find_formats(plan: Plan, target: str | None, values: Texts, part: _Part) -> Decision | None:
    """Find formats that follow only from all texts of a column together, not from any single partition.

    The values in the model are all texts of a column, unless rows were skipped. If rows were skipped, the texts of the columns that may
    have a format must be gathered.
    """
    told = {*(plan.reading.get("column_types") or {}), *(plan.reading.get("column_format") or {})}
    if plan.reading.get("schema") is not None or plan.reading.get("discretize") is not None:
        return None
    for name in ("numeric", "categorical", "text", "ignore"):
        told.update(map(str, selectors(plan.reading.get(name))))
    told = {*(told - {target}), *plan.decided}  # a target is always categorical
    plain = {name: values[name] for name, pairs in part.shown.items() if name not in told and any(pair == ["categorical", ""] for pair in pairs)}
    opened: list[str] = []
    if any(part.facts.get(name) for name in ("skipped", "weightless", "refusal")):
        counted = {target} if not part.facts.get("weightless") else set()  # if only rows without a target were skipped, the target's texts are complete
        opened = [name for name, texts in plain.items() if name not in counted and may_have_format(texts, plan.reading, name == target)]
        plain = {name: texts for name, texts in plain.items() if name == target and name not in opened}
    formats = formats_of_texts(plain, plan.reading, target)
    return Decision({}, formats, tuple(opened)) if formats or opened else None


def _told(plan: Plan, shown: Shown) -> Plan:
    """Return the plan with the agreed formats specified, and with the search for formats turned off.

    A single partition must not decide a format: a categorical target can have only words for true and false in one partition, but other
    words elsewhere.
    """
    formats = {**agreed_formats(shown), **(plan.reading.get("column_format") or {})}
    return replace(plan, reading=_with_formats({**plan.reading, "detect_formats": False}, formats))


def _with_formats(reading: Mapping[str, Any], formats: Mapping[str, str]) -> dict[str, Any]:
    """Return reading options that set these formats. A column that was specified as categorical gets the type of its format."""
    types = {name: type_ for name, type_ in (reading.get("column_types") or {}).items() if name not in formats}
    categorical = [name for name in selectors(reading.get("categorical")) if name not in formats]
    given = {**(reading.get("column_format") or {}), **formats}
    return {**reading, "column_types": types, "categorical": categorical, "column_format": given}


def _read_as(plan: Plan, decision: Decision) -> Plan:
    """Return a plan that reads columns with the decided types, or gathers the texts of undecided columns."""
    reading = _with_formats(plan.reading, decision.formats)
    reading["column_types"] |= decision.types
    return replace(
        plan,
        reading=reading,
        found=tuple(dict.fromkeys((*plan.found, *decision.types))),
        opened=decision.opened,
        decided=(*plan.decided, *decision.types, *decision.formats),
    )


def finish(plan: Plan, merged: bytes) -> Model:
    """Return the model after the last pass. It is byte-identical to the model that :func:`credence.train` makes from the whole table."""
    part = _Part.decode(merged)
    if part.model is None:
        raise no_rows(part.facts.get("refusal", "no rows to learn from" if plan.sequence is None else "no rows"))
    core = _core.decode_model(part.model)
    facts = {name: fact for name, fact in part.facts.items() if name not in ("refusal", "weights")}
    facts["weight"] = math.fsum(_weights(part.facts))
    if plan.sequence is not None:
        facts = {name: facts[name] for name in _FACTS_OF_SEQUENCES}
    if plan.structure is not None:
        facts["structure"] = plan.structure
    model = Model._of(core, facts)
    if plan.sequence is not None:  # the types of its columns follow from the values, even if declared
        return model
    target = core.info()["target"]
    for attribute in plan.found:
        if attribute != target:
            core.drop_declared_kind(attribute)
    if plan.target is not None:
        _check_columns(model, None, plan.reading)
    core.fit()
    if target is not None:
        classifier = model._classifier({})
        if core.info()["weight"] is not None:  # the weights of parts are rounded, the model stores all digits
            model.facts["weight"] = _core.show_model(core, classifier, [], False, 0)["rows"]
    return model


def train_partitions(target: Any, arguments: Mapping[str, Any], run: Callable[[Plan], bytes]) -> Model:
    """Train a model in passes. ``run`` executes a plan on all partitions and merges the parts into one."""
    plan = make_plan(target, arguments)
    while True:
        merged = run(plan)
        following = settle(plan, merged)
        if following is None:
            return finish(plan, merged)
        plan = following


# ---- Predictions ----


@lru_cache(maxsize=4)
def model_of(data: bytes) -> Any:
    """Decode a model. The latest models are cached, because a process predicts many partitions."""
    model = Model.from_bytes(data)
    model._labels = TEXTS  # prediction columns have the same type in all partitions, whatever the classes are
    return model


def grouped_by(model: Any) -> str | None:
    """Return the column of sequence ids, by which a backend must group rows before prediction; None if any partitioning is valid."""
    if not isinstance(model, Model):
        raise TypeError(f"model: expected a Model, as training makes it and credence.load reads it from a file, got a {type(model).__name__}")
    source = _core.sequence_source(model._core)
    if source is None:
        return None
    if source["is_of_classes"]:
        raise ValueError("the model has classes of whole sequences: its predict() and evaluate() take a table in one process")
    if source["sequence"] is None:
        raise ValueError("the model has sequences without ids, by which rows in partitions are brought together")
    return str(source["sequence"])


def answer_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of :meth:`Model.predict` that apply to partitions. ``with_input`` is dropped, because the rows are always kept."""
    if options.get("typicality"):
        raise ValueError("typicality: not supported for rows in partitions: use Model.predict in one process")
    return {name: value for name, value in options.items() if name not in ("typicality", "with_input")}


def check_answer_options(model: Any, options: Mapping[str, Any]) -> None:
    """Raise the errors of :meth:`Model.predict` for invalid options, before any partition is read."""
    ids, given = grouped_by(model), answer_options(options)
    cells: dict[str, list[Any]] = _tables._no_rows(model._core)
    if ids is not None:
        if str(given.get("sequence") or ids) != ids:
            raise ValueError(f"sequence: rows in partitions are brought together by {ids!r}, the column of ids that the model has: rename the other one")
        time = given.get("time") or (_core.sequence_source(model._core) or {})["time"]
        # A sequence needs at least one row, so use one row whose values are all missing.
        cells = {name: [None] for name in cells if name != model.target} | {ids: ["0"]} | ({} if time is None else {str(time): [0]})
    model.predict(cells, **given)


def check_columns(columns: Iterable[Any]) -> None:
    """Reject data that already has prediction columns."""
    names = [str(name) for name in columns]
    taken = [name for name in ("prediction", "posterior", "decision") if name in names]
    if taken:
        raise ValueError(f"data: it has a column {' and '.join(map(repr, taken))} already, as answers have it: drop or rename it")


def check_ids(column: str, columns: Collection[Any]) -> None:
    """Reject a column of ids that is not among the columns of the data."""
    if column not in columns:
        raise ValueError(f"sequence: there is no column {column!r}; there are {', '.join(map(str, columns)) or 'none'}")


def predict_part(batches: Iterable[Any], model: bytes, options: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the record batches of a partition with prediction columns. See :func:`answered`.

    For sequences, all batches are combined before prediction.

    Parameters
    ----------
    batches
        Record batches of pyarrow, or tables.
    model
        The bytes of the model.
    options
        Options of :meth:`Model.predict`.
    """
    import pyarrow

    found = model_of(model)
    if grouped_by(found) is not None:
        rows = list(batches)
        batches = pyarrow.Table.from_batches(rows).combine_chunks().to_batches() if rows else []
    for batch in batches:
        yield answered(batch, found, options)


def answered(batch: Any, model: Any, options: Mapping[str, Any]) -> Any:
    """Append the columns ``prediction`` and ``posterior`` to a pyarrow record batch or table.

    ``posterior`` is a map from classes to probabilities. With a decision rule, ``decision`` is appended too.
    """
    import pyarrow

    texts, classes, posteriors = answers_for(batch, model, options, "a batch of a partition")
    for name, column in texts.items():
        batch = batch.append_column(name, pyarrow.array(column, pyarrow.string(), from_pandas=True))
    keys = pyarrow.array(np.tile(np.asarray(classes, dtype=object), len(posteriors)), pyarrow.string())
    offsets = np.arange(len(posteriors) + 1, dtype=np.int32) * len(classes)
    return batch.append_column("posterior", pyarrow.MapArray.from_arrays(offsets, keys, posteriors.reshape(-1)))


def answers_for(table: Any, model: Any, options: Mapping[str, Any], place: str = "a partition") -> tuple[dict[str, Any], list[str], Any]:
    """Return the predictions for the rows of a table.

    The result contains the text columns (``prediction``, and ``decision`` with a decision rule), the classes, and an array with the
    probability of each class for each row. Error messages call the table by its place.
    """
    check_columns(_tables.columns_of(table))
    if len(table) == 0 and grouped_by(model) is not None:
        return {"prediction": np.empty(0, object)}, (classes := model._class_texts()), np.empty((0, len(classes)))
    options = dict(options)
    reading = {"threads": 1, **(options.pop("reading", None) or {})}
    with _errors_of(place):
        answers = model.predict(table, reading=reading, **options)
    names = list(getattr(answers, "column_names", None) or answers.columns)
    texts = {name: np.asarray(answers[name], dtype=object) for name in ("prediction", "decision") if name in names}
    classes = [name[2:-1] for name in names if name.startswith("P(") and name.endswith(")")]
    return texts, classes, np.column_stack([np.asarray(answers[f"P({name})"], np.float64) for name in classes])


def evaluate_part(table: Any, model: bytes, options: Mapping[str, Any], partition: int | None = None) -> bytes:
    """Evaluate the model on the rows of a partition, for :func:`merge_evaluations`. It accepts the options of :meth:`Model.evaluate`."""
    table = _table_of(table)
    if table is None or len(table) == 0:
        return b""
    found = model_of(model)
    with _errors_of(place_of(None if grouped_by(found) is not None else partition)):
        return _evaluation_parts.evaluate_part(found, table, **{"threads": 1, **options})


def merge_evaluations(model: Model, parts: Iterable[bytes], options: Mapping[str, Any], kind: Any = None) -> Evaluation:
    """Merge the parts of all partitions, which must be in order, into the result of :meth:`Model.evaluate` for all rows."""
    return _evaluation_parts.merge_parts(model, [part for part in parts if part], kind, **options)
