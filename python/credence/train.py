# SPDX-License-Identifier: MIT
"""Training of models from tables."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from . import _core, _settings, _tables
from ._reader_options import OPTIONS, selectors
from ._types import ColumnName, TableInput, TrainingOptions
from .documents import Documents
from .errors import DataError, issue
from .model import Model
from .network_learning import check_search, network_of, node_states, structure_columns, warn_of_states

if TYPE_CHECKING:
    from .network import Network

__all__ = ["train"]

_READING = tuple(
    name
    for name, parameter in inspect.signature(_tables.open_reader).parameters.items()
    if parameter.kind is inspect.Parameter.KEYWORD_ONLY and name not in ("target", "weight")
)
_ROWS_LOOKED_AT = 10000
_ROWS_READ_AGAIN = 200_000  # reopening a larger table takes too long for a mere warning
_MOST_NAMED = 10


def _is_of_sequences(arguments: Mapping[str, Any]) -> bool:
    method = arguments.get("method")
    if method is not None:
        return bool(method == "sequence")
    return any(arguments.get(name) is not None for name in ("sequence", "sequence_break", "time", "states"))


def _train_sequences(
    table: Any, target: Any, refused: Mapping[str, Any], unlabeled: Any, seed: int, arguments: dict[str, Any]
) -> Model:
    from .sequences import train_sequences

    for name, value in refused.items():
        if value is not None:
            raise ValueError(f"{name} is not for sequences (method='sequence')")
    given = {name: value for name, value in arguments.items() if value is not None and name != "method"}
    return train_sequences(table, target, unlabeled=unlabeled, seed=seed, **given)


@_settings.documented
def train(
    table: TableInput,
    target: ColumnName | None = None,
    *,
    weight: ColumnName | None = None,
    keep_statistics: str | Iterable[str] | None = None,
    arcs_from: Network | str | os.PathLike[str] | None = None,
    latent_class: str | Mapping[str, int] | None = None,
    unlabeled: str | float | None = None,
    select_classes: str = "bic",
    max_classes: int = 12,
    budget: float = 1,
    bootstrap: int = 0,
    threshold: float | None = None,
    seed: int = 1,
    check: bool = True,
    part: str | None = None,
    **options: Unpack[TrainingOptions],
) -> Model:
    """Train a model from a table.

    Parameters
    ----------
    table
        Rows: a path, or several; bytes; a pandas or polars frame; a pyarrow table; a numpy array; a dict of columns; a list of
        dicts.
    target
        The column to predict, by name or position. Pass None to learn a network (``arcs``, ``arcs_from`` or ``search``) or
        latent classes (``latent_class``).
    weight
        The column that contains the number of rows that each row represents.
    keep_statistics
        Further sufficient statistics to keep, for families and methods that you choose later: names (signs, logs, min-max,
        histogram, joint-counts, cross-products, pair-counts, rows, row-table), or ``"all"`` for all statistics of single
        numeric columns.
    arcs_from
        A :class:`credence.Network`, or the path of a network file, whose arcs and states are used. You can also pass the arcs
        (``arcs``), or search for them (``search``).
    latent_class
        Latent classes to find in rows without a target: ``"name"``, ``"name:K"`` or ``{"name": K}`` for K classes.
    unlabeled
        How to use rows with a missing target. ``"drop"``, the default, skips them. ``"use"``, the default for sequences, learns
        from them by EM at a weight that is chosen on held-out labels. A number from 0 to 1 is the weight to use.
    select_classes : {"bic", "held-out"}
        For latent classes: the criterion that selects the number of classes.
    max_classes
        For latent classes: the maximum number of classes to try.
    budget
        The work that the candidates of ``method="auto"`` may take, as a multiple of the default. ``method="auto"`` compares
        methods and families by cross-validation and trains the recommended one. Work is counted in operations, never in time,
        so the result does not depend on the machine. ``math.inf`` tries every candidate.
    bootstrap, threshold
        For a structure search: the number of resamples of the rows to search. The averaged network contains the arcs with a
        strength above the threshold. By default, the threshold is computed from all strengths.
    seed
        The seed for bootstrap, restarts, latent classes and hidden states.
    sequence, sequence_break, time, step, select_states, max_states, start
        For models of sequences (``method="sequence"``): see :func:`credence.train_sequences`.
    check
        Whether to check plain naive Bayes by cross-validation on a sample of the rows, as the command does. Credence warns if
        it is worse than the class prior. If another method is clearly better, ``facts["check"]`` contains it.
    part
        An id that marks the rows as one part of a larger table. A part may be empty. Merging accepts each part once, and
        :meth:`Model.retract` removes it again. Credence fits parameters and searches structures only after the parts are
        merged.
    ignore, only, numeric, categorical, text, column_types, column_format, discretize, schema, declare
        Column types: columns to ignore, or the only ones to use; numeric, categorical and text columns; column formats;
        intervals. A schema contains all of these, so do not combine it with the others or with ``weight``. ``declare`` maps
        columns to their possible values. A network uses declared values as states in this order, and adds other values after
        them.
    header, skip_lines, input, separator, quote, decimal, encoding, missing, max_categories, bad_rows, strict, shard, no_multiline_fields, threads
        Reading options.
    {settings}

    Returns
    -------
    Model
        Its :attr:`Model.facts` describe this training: ``rows`` learned, rows ``skipped`` because the target is missing, ...
        Depending on the kind of training, they also contain ``choice`` (``method="auto"``), ``latent``, ``unlabeled`` or
        ``structure``, which describe how the model was found.

    Examples
    --------
    >>> import credence
    >>> days = {"outlook": ["sun", "sun", "rain", "rain"], "play": ["no", "no", "yes", "no"]}
    >>> model = credence.train(days, target="play")
    >>> model.posterior({"outlook": "rain"})
    {'no': 0.6000000000000001, 'yes': 0.39999999999999997}
    """
    arguments: dict[str, Any] = dict(options)
    _check_target(target)
    if _is_of_sequences(arguments):
        refused: dict[str, Any] = {"weight": weight, "keep_statistics": keep_statistics, "bootstrap": bootstrap or None}
        refused |= {"arcs_from": arcs_from, "latent_class": latent_class}
        return _with_part(_train_sequences(table, target, refused, unlabeled or "use", seed, arguments), part)
    unlabeled = "drop" if unlabeled is None else unlabeled
    settings, reading = _split(arguments)
    if isinstance(table, Documents) and table.has_classes and target is None:
        target = "class"
    kept = _statistics(keep_statistics)
    is_auto = settings.get("method") == "auto"
    is_part = reading.get("shard") is not None or part is not None
    if arcs_from is not None:
        settings["arcs_from"] = arcs_from
        settings.setdefault("method", "network")
    latent = _latent_classes(latent_class)
    _check_arguments(settings, reading, target, kept, unlabeled, latent, bootstrap)
    if part is not None:
        if is_auto or latent is not None or unlabeled != "drop" or bootstrap:
            raise ValueError("part: what is fitted to all rows at once is no part of others")
        reading.setdefault("shard", (1, 1))  # a part may have no rows
    network = None
    has_structure = _settings.has_structure(settings)
    if has_structure:
        check_search(settings.get("search"))
        table = _tables._kept(table)
        if arcs_from is not None:
            network = settings["arcs_from"] = network_of(arcs_from)
        settings, reading = structure_columns(table, target, weight, settings, reading)
    if is_auto:
        settings.pop("method")
    is_mail = isinstance(table, Documents) and table.is_mail
    settings = _settings.with_alpha(settings, bool(selectors(reading.get("text"))) or isinstance(table, Documents))
    prior = settings.pop("prior") if _settings.is_prior_list(settings.get("prior")) else None
    made = _settings.make(settings, _core.mail_settings() if is_mail else None, "train")
    is_dropped = target is not None and unlabeled == "drop" and not has_structure
    reader = _tables.open_reader(table, target=target, weight=weight, skip_unlabeled=is_dropped, **reading)
    found: dict[str, Any]
    if latent is not None:
        core, facts, found = _core.train_latent(
            reader, latent[0], made, latent[1], max_classes, _is_held_out(select_classes), seed
        )
        facts["latent"] = found
    elif unlabeled != "drop":
        core, facts, found = _core.train_unlabeled(reader, made, -1.0 if unlabeled == "use" else float(unlabeled))
        facts["unlabeled"] = found
    elif is_auto:
        core, facts, found = _core.train_auto(reader, made, kept, _budget(budget))
        facts["choice"] = found
    elif _is_of_network(settings) and not is_part and _core.structure_search(made) is not None:
        limit = -1.0 if threshold is None else float(threshold)
        found, core, facts = _core.learn_structure(reader, made, kept, bootstrap, limit, seed)
        facts["structure"] = found
    else:
        core, facts = _core.train_model(reader, made, kept)
    model = Model(core, facts)
    model._learn_labels(table, reading.get("columns"))
    if prior is not None:
        core.set_settings(_settings.make(model._with_prior({"prior": prior}), _core.make_settings(core.info()["settings"]), "train"))
        model._changed()
    if not is_part:
        if latent is None and target is not None:
            _check_columns(model, reader, reading)
        if network is not None and check:
            warn_of_states(node_states(network), core)
        core.fit()
        if core.info()["target"] is not None:
            model._classifier({})
        if check and latent is None and target is not None:
            _check_method(model, reader)
    return _with_part(model, part)


def _with_part(model: Model, part: str | None) -> Model:
    if part is not None:
        model._core.set_part(part)
    return model


# ---- Arguments ----


def _split(arguments: dict[str, Any], function: str = "train") -> tuple[dict[str, Any], dict[str, Any]]:
    """Split the arguments into settings and reading options."""
    known = ("alpha", "arcs_from", *_settings.names())
    settings = {name: value for name, value in arguments.items() if name in known and value is not None}
    reading = {name: value for name, value in arguments.items() if name not in known}
    for name in reading:
        if name not in _READING and name not in OPTIONS:
            raise _settings.unknown(name, function, [*_READING, *OPTIONS])
    if _settings.has_structure(settings):
        settings.setdefault("method", "network")
    return settings, reading


def _check_target(target: Any) -> None:
    """Reject a separate array of labels, which scikit-learn estimators accept."""
    if target is None or isinstance(target, (str, int, np.integer)) or np.ndim(target) == 0:
        return
    raise TypeError(
        f"target: expected the name or the position of a column, got a {type(target).__name__}: make the labels a column of the "
        "table, as by table.assign(y=y), or use credence.BayesClassifier().fit(X, y)"
    )


def _statistics(keep_statistics: str | Iterable[str] | None) -> str | None:
    """Return the names of the statistics to keep as one text; None if there are none."""
    names = [] if keep_statistics is None else [keep_statistics] if isinstance(keep_statistics, str) else keep_statistics
    return ",".join(names) or None


def _latent_classes(latent_class: str | Mapping[str, int] | None) -> tuple[str, int] | None:
    """Return the name and the number of the latent classes; None if there are none.

    The number is 0 if Credence has to choose it.
    """
    if latent_class is None:
        return None
    if isinstance(latent_class, Mapping):
        if len(latent_class) != 1:
            raise ValueError(f"latent_class: expected one name of latent classes, got {latent_class!r}")
        name, count = next(iter(latent_class.items()))
        latent_class = f"{name}:{count}"
    name, colon, number = str(latent_class).rpartition(":")
    if not colon:
        name, number = number, "1"
    if not number.isdecimal() or not 1 <= int(number) <= 1000 or not name:
        raise ValueError(f"latent_class: expected NAME or NAME:K with a number of classes from 1 to 1000, got {latent_class!r}")
    if not colon:
        return name, 0
    return name, int(number)


def _is_of_network(settings: Mapping[str, Any]) -> bool:
    return str(settings.get("method", "")).partition(":")[0] in ("network", "tan", "kdb")


def _is_held_out(select_classes: str) -> bool:
    if select_classes not in ("bic", "held-out"):
        raise ValueError(f"select_classes: expected 'bic' or 'held-out', got {select_classes!r}")
    return select_classes == "held-out"


def _check_arguments(
    settings: Mapping[str, Any],
    reading: Mapping[str, Any],
    target: Any,
    kept: str | None,
    unlabeled: str | float,
    latent: tuple[str, int] | None,
    bootstrap: int,
) -> None:
    """Raise an exception if arguments cannot be combined."""
    is_number = isinstance(unlabeled, (int, float)) and not isinstance(unlabeled, bool)
    if unlabeled not in ("drop", "use") and not (is_number and 0 <= float(unlabeled) <= 1):
        raise ValueError(f"unlabeled: expected 'drop', 'use' or a weight from 0 to 1, got {unlabeled!r}")
    structures = [name for name in ("arcs", "arcs_from", "search") if settings.get(name) not in (None, "none")]
    if len(structures) > 1:
        raise ValueError(f"{structures[0]} and {structures[1]} cannot be combined: each specifies the arcs")
    given = {
        "unlabeled": unlabeled != "drop",
        "shard": reading.get("shard") is not None,
        "keep_statistics": kept is not None,
        "target": target is not None,
        "latent_nodes": settings.get("latent_nodes") not in (None, "none"),
        **{name: name in structures for name in ("arcs", "arcs_from", "search")},
    }
    if settings.get("method") == "auto":
        chosen = {_settings.keyword(name) for name in _core.chosen_settings()} - {"method"}
        others = [name for name in settings if name in chosen]
        others += [name for name in ("unlabeled", "shard", *structures) if given[name]]
        if others:
            raise ValueError(f"method='auto' and {others[0]} do not go together: leave {others[0]} out")
    if latent is not None:
        others = [name for name in ("target", "shard", "keep_statistics", "unlabeled", "latent_nodes", *structures) if given[name]]
        if others:
            raise ValueError(f"latent_class and {others[0]} cannot be combined")
        if settings.get("method") not in (None, "naive"):
            raise ValueError(f"latent_class trains naive Bayes: it cannot be combined with method={settings['method']!r}")
    elif given["unlabeled"]:
        others = [name for name in ("shard", *structures, "keep_statistics") if given[name]]
        if others:
            raise ValueError(f"unlabeled and {others[0]} do not go together")
    if bootstrap < 0:
        raise ValueError(f"bootstrap: expected a number of resamples, got {bootstrap!r}")
    if given["shard"] and reading.get("discretize") is not None:
        raise ValueError("shard and discretize do not go together: cut points are those of all rows, in a schema")
    if target is None and reading.get("schema") is None and latent is None:
        needs = settings.get("method") not in ("network", "sequence")
        if needs:
            raise ValueError("target: expected the column to predict; without one, arcs, arcs_from, search or latent_class is needed")


# ---- Warnings about the data ----


def _named(columns: Any, name: str) -> bool:
    return any(isinstance(column, str) and column == name for column in selectors(columns))


@dataclass(frozen=True)
class Remedies:
    """The arguments that change a column's type, as warnings name them."""

    ignore: str = "ignore=[{0!r}] leaves it out"
    text: str = "text=[{0!r}] counts its words"
    categorical: str = "categorical=[{0!r}] makes it categorical"
    missing: str = "missing={1} reads {2} as missing"
    numeric: str = "missing={1}, numeric=[{0!r}] reads the others as numbers"


def _check_classes(found: Mapping[str, Any]) -> None:
    """Warn if two classes are probably the same class."""
    if found["similar_classes"] is not None:
        first, second, pairs = found["similar_classes"]
        others = "" if pairs == 1 else ", and so does 1 other pair" if pairs == 2 else f", and so do {pairs - 1} other pairs"
        issue(f"the classes {first!r} and {second!r} differ only in spelling{others}: if they are one class, give them one name")


def _check_lone_classes(found: Mapping[str, Any]) -> None:
    """Warn about classes with one row if all other classes have many rows."""
    names = ", ".join(repr(name) for name in found["lone_classes"])
    if len(found["lone_classes"]) == 1:
        issue(
            f"the class {names} has one row, while every other class has many: if the row is a line of totals or a "
            "misspelled label, remove or correct it"
        )
    elif names:
        issue(
            f"the classes {names} have one row each, while every other class has many: if the rows are lines of totals or "
            "misspelled labels, remove or correct them"
        )


def _is_category(name: str, reading: Mapping[str, Any]) -> bool:
    return _named(reading.get("categorical"), name) or (reading.get("column_types") or {}).get(name) == "categorical"


def check_target(found: Mapping[str, Any], target: str, reading: Mapping[str, Any]) -> None:
    """Raise an exception if the target is a quantity, and warn if it may be one."""
    if reading.get("schema") is not None or _is_category(target, reading):
        return
    if found["target_is_quantity"]:
        raise DataError(
            f"the target {target!r} has {found['classes']} distinct numbers: it is a quantity, not a class; "
            f"discretize={{{target!r}: 'quantile:4'}} makes classes of intervals, categorical=[{target!r}] takes each "
            "number for a class"
        )
    if found["target_may_be_quantity"]:
        issue(
            f"the target {target!r} has {found['classes']} distinct numbers, and each is a class: "
            f"discretize={{{target!r}: 'quantile:4'}} makes classes of intervals"
        )


def _check_columns(
    model: Model, reader: Any, reading: Mapping[str, Any], remedies: Remedies = Remedies(), has_labels: bool = False
) -> None:
    """Warn about columns with a probably unintended type; raise an exception if the target is a quantity.

    ``has_labels`` means that the target was passed as labels, so it is not a quantity.
    """
    found = _core.check_model(model._core)
    settled = reading.get("schema") is not None
    target = model.target or ""
    if not has_labels:
        check_target(found["target"], target, reading)
    _check_classes(found)
    _check_lone_classes(found)
    for name in found["dropped"]:
        issue(
            f"the statistics {name!r} were dropped: these columns have too many value combinations. Settings that need them are "
            "skipped or rejected"
        )
    if found["target"]["classes"] == 1 and model.weight is None:
        issue(one_class(target, model.classes[0]))
    if found["attributes"] == 0:
        issue("no columns remain except the target, so every prediction will be the prior")
    for column in found["columns"][:_MOST_NAMED]:
        if not settled and not _is_category(column["column"], reading):
            issue(_doubt(column, remedies))
    is_quick = model.facts["rows"] <= _ROWS_READ_AGAIN
    if reader is not None and found["has_numbers"] and is_quick and not settled and model.weight is None:
        _check_numbers(model, reader, reading, remedies)


def one_class(target: str, label: Any) -> str:
    """Return the warning about a target with one class."""
    return f"the target {target!r} has one class, {label!r}: every row is predicted to be {label!r}"


def _check_method(model: Model, reader: Any) -> None:
    """Warn if the model is worse than the class prior, and store a better method in the facts."""
    choice = model.facts.get("choice")
    if choice is not None and choice["reason"] == "none":
        issue(choice["why"].rstrip("."))
    found = _core.check_method(reader, model._core)
    if found is None:
        return
    model.facts["check"] = found
    if found["warning"] is not None:
        better = ", ".join(f"{_settings.keyword(name)}={value!r}" for name, value in found["settings"].items())
        issue(
            found["warning"]
            + (f"; {better} has {found['better_log_loss']:.5g}" if better else "; method='auto' compares other methods")
        )


def _budget(budget: Any) -> float:
    if isinstance(budget, bool) or not isinstance(budget, (int, float)) or not budget > 0:
        raise ValueError(f"budget: expected a number above 0, got {budget!r}")
    return float(budget)


def _other_values(found: Mapping[str, Any], remedies: Remedies) -> str:
    """Return the warning about a column of numbers, or dates, with a few other values."""
    name, others, count = found["column"], found["others"], found["other_values"]
    kind = "dates" if found["is_nearly_date"] else "numbers"
    is_all, is_one = len(others) == count, count == 1
    shown = [repr(value) for value in others]
    listed = ", ".join(shown[:-1]) + " and " + shown[-1] if is_all and not is_one else ", ".join(shown)
    values = "[" + ", ".join(shown) + ("]" if is_all else ", ...]")
    words = (name, values, "it" if is_one else "them")
    are_plain = found["is_nearly_numeric"] and found["plain_numbers"] == found["numbers"]
    remedy = (remedies.numeric if are_plain else remedies.missing).format(*words)
    return (
        f"{name!r} is categorical, though {found[kind]:.0f} of its {found['cells']:.0f} values are {kind} and only "
        f"{listed if is_all else f'some, such as {listed},'} {'is' if is_one else 'are'} not: {remedy}"
    )


def _doubt(found: Mapping[str, Any], remedies: Remedies) -> str:
    name, cells, values = found["column"], f"{found['cells']:.0f}", found["values"]
    if found["has_both_marks"]:
        return f"{name!r} is categorical: its values are numbers, some with a decimal point and some with a decimal comma"
    if found["is_nearly_numeric"] or found["is_nearly_date"]:
        return _other_values(found, remedies)
    if found["unit"]:
        return f"{name!r} is categorical: its values are numbers followed by a unit, such as {found['unit']!r}; remove the unit to make it numeric"
    if found["date_formats"]:
        kind = "an unsupported format" if found["date_formats"] == 1 else f"{found['date_formats']} formats"
        return f"{name!r} is categorical: its values are dates in {kind}; convert them to one date type"
    if found["is_text"]:
        return (
            f"{name!r} has {values} values of several words in {cells} rows and looks like text: {remedies.text.format(name)}, "
            f"{remedies.ignore.format(name)}"
        )
    return f"{name!r} has {values} values in {cells} rows and looks like an identifier: {remedies.ignore.format(name)}"


def row_number(name: str, remedies: Remedies) -> str:
    """Return the warning about a column that contains row numbers."""
    return f"{name!r} looks like a row number, which predicts nothing: {remedies.ignore.format(name)}"


def _check_numbers(model: Model, reader: Any, reading: Mapping[str, Any], remedies: Remedies) -> None:
    attributes = set(model.attributes)
    types = reading.get("column_types") or {}
    for name, appearance in _core.check_rows(reader, _ROWS_LOOKED_AT):
        told = _named(reading.get("numeric"), name) or _named(reading.get("only"), name) or name in types
        if name not in attributes or told:
            continue
        if appearance == "row number":
            issue(row_number(name, remedies))
        elif appearance == "codes":
            issue(f"{name!r} has few distinct integers, and may be codes: {remedies.categorical.format(name)}")
