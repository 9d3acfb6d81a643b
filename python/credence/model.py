# SPDX-License-Identifier: MIT
"""Trained models: prediction, evaluation, updates, merging and export."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast, overload

import numpy as np
from numpy.typing import NDArray

from . import _core, _settings, _tables
from ._candidates import left_out_reason, options_of
from ._label_types import TEXTS, Label, LabelType, class_text, inferred_type, label_type
from ._core import Classifier as _CoreClassifier
from ._core import Model as _CoreModel
from ._questions import Questions
from ._reader_options import OPTIONS
from ._records import kind_of
from ._tables import reads_once
from ._types import (
    Cell,
    Cost,
    FrameType,
    ModelEvaluationOptions,
    PlainTable,
    PredictOptions,
    Probability,
    Reading,
    ReadingOptions,
    Row,
    RowPrediction,
    Settings,
    TableInput,
)
from .decisions import make_rule
from .errors import Error
from .schema import Schema
from .summary import Summary
from .table import Table, label_column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._labeling import Labeling
    from .evaluation import Evaluation

__all__ = ["Model", "load", "open_model"]

_CLASSIFIERS_KEPT = 8
_ATTRIBUTES_DRAWN = 30


class Model(Questions):
    """A trained model: sufficient statistics of the training rows, plus settings.

    :func:`credence.train` creates a model and :func:`credence.load` reads one from a file. Every prediction is derived from the
    counts and sums under the settings.

    A model depends only on its columns and the multiset of its rows. The bytes are identical for any row order, batches or
    merges. Learning rows and then forgetting them restores the earlier bytes.

    You can pass settings (smoothing, prior, family, ...) with every query. Settings that you do not pass have the model's own
    values.

    Attributes
    ----------
    facts : dict
        Facts about the last rows that were read: ``rows`` learned or forgotten, rows ``skipped`` because the target is missing,
        ``weightless`` rows, and their ``weight``. :attr:`rows` is the number of all rows. ``choice`` describes how
        ``method="auto"`` chose the settings, with all candidates and their scores. Model files contain ``choice`` until the
        model learns or forgets rows.
    """

    __slots__ = ("__weakref__", "_classifiers", "_core", "_formed", "_is_fitted", "_kind", "_labels", "_row_labels", "facts")

    _core: _CoreModel
    facts: dict[str, Any]

    def __init__(self, core: _CoreModel, facts: Mapping[str, Any] | None = None) -> None:
        if not isinstance(core, _core.Model):
            raise TypeError("Model() takes a model of the extension module; credence.train() makes models of tables")
        self._core = core
        self._classifiers: dict[Any, _CoreClassifier] = {}
        self._formed: frozenset[str] | None = None
        self._is_fitted = True
        self._kind: Any = None  # an empty frame of the same type as the training table
        self._labels: LabelType | None = None  # the type of the training target; None if unknown, for example after loading a file
        self._row_labels: dict[Any, list[Label] | None] = {}
        self.facts = dict(facts or {})
        choice = _core.model_selection(core)
        if choice is not None:
            self.facts.setdefault("choice", choice)

    # ---- Creation ----

    @classmethod
    def _of(cls, core: _CoreModel, facts: Mapping[str, Any] | None = None) -> Model:
        """Create an instance of the suitable class: :class:`SequenceModel` for a model of sequences."""
        if cls is Model and _core.sequence_source(core) is not None:
            from .sequences import SequenceModel

            return SequenceModel(core, facts)
        return cls(core, facts)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Read a model from a file."""
        return cls._of(_core.load_model(path))

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """Read a model from the bytes of a model file."""
        return cls._of(_core.decode_model(data))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file atomically.

        The file contains either the complete old model or the complete new model at every moment.
        """
        self._settle()
        self._core.save(path)

    def to_bytes(self) -> bytes:
        """Return the canonical bytes of the model, which are also the contents of its file."""
        self._settle()
        return self._core.encode()

    def copy(self) -> Model:
        """Copy the model."""
        model = type(self)(_core.decode_model(self._core.encode()), self.facts)
        model._is_fitted, model._kind, model._labels = self._is_fitted, self._kind, self._labels
        return model

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.to_bytes(), self.facts, self._kind, self._labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self._core is other._core or self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    # ---- Properties ----

    @property
    def target(self) -> str | None:
        """The target column; None if the model has no target."""
        target: str | None = self._core.info()["target"]
        return target

    @property
    def weight(self) -> str | None:
        """The weight column, which contains the number of rows that each row represents; None if there is none."""
        weight: str | None = self._core.info()["weight"]
        return weight

    @property
    def rows(self) -> int:
        """The number of rows learned over all updates; with weights, the sum of the weights."""
        return round(_core.model_rows(self._core))

    @property
    def settings(self) -> dict[str, str]:
        """The model's own settings, as keyword argument names and canonical texts."""
        return {_settings.keyword(name): value for name, value in self._core.info()["settings"].items()}

    @property
    def parts(self) -> tuple[str, ...]:
        """The ids of the parts that the model contains (``credence.train(..., part=...)``), sorted."""
        return tuple(self._core.parts())

    @property
    def classes(self) -> tuple[Label, ...]:
        """The class labels in the type of the training target, in the order that all results use.

        A model file stores labels as texts. After :func:`credence.load`, and after training on a file, Credence converts labels
        as ``pandas.read_csv`` would: to int or float if all are numbers, to bool if all are true or false, else to str.
        """
        return tuple(self._class_labels(self._classifier({}).classes()))

    def _label_type(self, texts: Sequence[str], table: Any = None) -> LabelType:
        """Return the label type for these classes.

        It is the type of the training target if known, else the type of the target column of `table`, else the type inferred
        from the texts.
        """
        target = self.target
        if self._labels is not None or target is None:
            return self._labels or TEXTS
        found = label_type(table, target) if table is not None and not reads_once(table) else None
        if found is not None and found.labels(texts) is not None:
            return found
        return TEXTS if self._has_own_classes(target) else inferred_type(texts)

    def _has_own_classes(self, target: str) -> bool:
        """Return whether the classes do not come from a column: latent classes, or the states of a network."""
        settings = self._core.info()["settings"]
        if _settings.has_structure(settings):
            return False
        return bool(settings["latent-nodes"].rpartition(":")[0] == target or settings["method"] == "network")

    def _class_texts(self) -> list[str]:
        """Return the class texts, as the model file stores them."""
        return list(self._classifier({}).classes())

    def _class_text(self, label: Label) -> str:
        """Return the text of the class with this label."""
        return label if isinstance(label, str) else class_text(label, self._class_texts())

    def _class_labels(self, texts: Sequence[str], table: Any = None) -> list[Label]:
        """Convert class texts to labels in the type of the training target."""
        return list(label_column([], texts, self._label_type(texts, table)).names)

    def _learn_labels(self, table: Any, names: Any = None) -> None:
        """Record the type of the target column in a training table."""
        self._kind = kind_of(table)
        if self.target is not None and not reads_once(table):
            self._labels = label_type(table, self.target, names)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns that the class is predicted from."""
        return self._classifier({}).attributes()

    @_settings.documented
    def with_settings(self, **settings: Unpack[Settings]) -> Model:
        """Copy the model with changed settings. Settings that you do not pass keep their values.

        Parameters
        ----------
        {settings}
        """
        model = self.copy()
        like = _core.make_settings(self._core.info()["settings"])
        model._core.set_settings(_settings.make(self._with_prior(settings), like, "with_settings"))
        return model

    def _with_prior(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings with class names in the prior, if the prior is a list in class order."""
        if not _settings.is_prior_list(settings.get("prior")):
            return dict(settings)
        return {**settings, "prior": _settings.named_prior(settings["prior"], self._classifier({}).classes())}

    def difference(self, other: Model) -> dict[str, str] | None:
        """Return the first difference from another model; None if both are equal.

        The result has the keys ``aspect``, ``subject`` and ``message``.
        """
        if not isinstance(other, Model):
            raise TypeError(f"other: expected a Model, got {type(other).__name__}")
        found: dict[str, str] = self._core.difference(other._core)
        return None if found["aspect"] == "equal" else found

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    def __repr__(self) -> str:
        target = self.target
        own = [
            f"{name}={value!r}"
            for name, value in self.settings.items()
            if value != _settings.default(name) and len(value) < 60
        ]
        return f"{type(self).__name__}({', '.join([f'target={target!r}', *own])})"

    # ---- Classifiers ----

    def _classifier(self, settings: Mapping[str, Any], function: str = "predict") -> _CoreClassifier:
        """Return the classifier for these settings, which is cached until the model changes."""
        key: Any = None
        if settings:
            key = tuple(sorted(_settings.texts(self._with_prior(settings), function).items()))
        found = self._classifiers.get(key)
        if found is None:
            if key is None:
                self._settle()
            own = self._core.info()["settings"]
            made = None if key is None else _settings.make(self._with_prior(settings), _core.make_settings(own), function)
            kept = self._classifiers
            found = _core.make_classifier(self._core, made)
            if len(kept) >= _CLASSIFIERS_KEPT:
                kept = self._classifiers = {}
            kept[key] = found
        return found

    def _changed(self) -> None:
        self._classifiers = {}
        self._is_fitted = False

    def _settle(self) -> None:
        """Refit the fitted parameters if rows have changed since the last fit."""
        if not self._is_fitted:
            self._core.fit()
            self._is_fitted = True

    # ---- Learning ----

    def update(
        self,
        table: TableInput,
        *,
        class_: Label | None = None,
        was: Label | None = None,
        new_classes: bool = False,
        **reading: Unpack[ReadingOptions],
    ) -> Model:
        """Learn further rows. If this fails, the model is unchanged.

        Parameters
        ----------
        table
            Rows with the target.
        class_
            The class of all rows, if the rows have no class of their own.
        was
            The class that the rows were learned as. The rows are moved from this class to `class_`.
        new_classes
            Whether to add classes that differ from a known class only in case, surrounding spaces, or the way a number is
            written. By default such a class is an error.
        reading
            Reading options, as in :func:`train`.

        Returns
        -------
        Model
            The model itself. Its :attr:`facts` describe these rows.
        """
        if was is not None and class_ is None:
            raise ValueError("was: rows are moved to class_, which is needed too")
        return self._change("update", table, class_, was, dict(reading), new_classes)

    def forget(self, table: TableInput, *, class_: Label | None = None, **reading: Unpack[ReadingOptions]) -> Model:
        """Remove rows that the model has learned, and return the model itself. If this fails, the model is unchanged."""
        return self._change("forget", table, class_, None, dict(reading))

    def _change(
        self,
        change: str,
        table: Any,
        class_: Label | None,
        was: Label | None,
        reading: dict[str, Any],
        new_classes: bool = False,
    ) -> Model:
        _settings.check_names(change, reading, (*OPTIONS, "columns"))
        reader = _tables.open_model_reader(self._core, table, to_learn=True, bind=False, **reading)
        if new_classes:
            reader.accept_similar_classes()
        try:
            if was is not None:
                self.facts = self._core.move(reader, self._class_text(was), self._class_text(class_))
            else:
                if class_ is not None:
                    reader.set_class(self._class_text(class_))
                self.facts = getattr(self._core, change)(reader)
        finally:
            self._changed()
        if self._labels is not None and self.target is not None and not reads_once(table):
            self._labels = self._labels.with_rows(label_type(table, self.target, reading.get("columns")))
        return self

    def merge(self, *others: Model, duplicates: str = "error") -> Model:
        """Add the statistics of other models, and return the model itself.

        The result equals a model that has learned all rows itself.

        Parameters
        ----------
        others
            Models with the same columns, settings and statistics.
        duplicates : {"error", "skip"}
            How to treat a model whose parts (``credence.train(..., part=...)``) have all been merged already: raise an error,
            or skip the model. A model with only some of its parts merged already is always an error.
        """
        if duplicates not in ("error", "skip"):
            raise ValueError(f"duplicates: expected 'error' or 'skip', got {duplicates!r}")
        for other in others:
            if not isinstance(other, Model):
                raise TypeError(f"merge: expected models, got {type(other).__name__}")
        if len(others) > 1:
            merged = self.copy()
            for number, other in enumerate(others, start=2):
                try:
                    merged._core.merge(other._core, duplicates == "skip")
                except Error as error:
                    error.add_note(f"It was model {number} of {len(others) + 1} that could not be merged into the first.")
                    raise
            self._core = merged._core
        elif others:
            self._core.merge(others[0]._core, duplicates == "skip")
        self._changed()
        for other in others:
            self._labels = other._labels if self._labels is None else self._labels.with_rows(other._labels)
        if self.target is not None:
            from .train import _check_classes

            _check_classes(_core.check_model(self._core))
        return self

    def retract(self, part: Model) -> Model:
        """Remove a model that was merged, and return the model itself. If this fails, the model is unchanged.

        The statistics and the part ids of `part` are removed. The part ids must be in this model.
        """
        if not isinstance(part, Model):
            raise TypeError(f"retract: expected a model, got {type(part).__name__}")
        self._core.retract(part._core)
        self._changed()
        return self

    def fit(self) -> Model:
        """Fit the parameters that the settings require (weights, calibration, ...).

        The model stores the fitted parameters, also in its file.
        """
        self._is_fitted = False
        self._settle()
        self._classifiers = {}
        return self

    # ---- Inspection ----

    def show(
        self,
        *,
        of: str | Iterable[str] | None = None,
        contrast: bool = False,
        top_terms: int = 10,
        **settings: Unpack[Settings],
    ) -> Summary:
        """Summarize the model: priors, conditional tables, densities, decision boundaries.

        Parameters
        ----------
        of
            Attributes to show, by name or selector (``"petal*"``); all by default.
        contrast
            Whether to compare each class with all other classes, with the columns that differ most first.
        top_terms
            For text columns: how many of the most informative words to show per class.
        settings
            Settings to use instead of the model's own.
        """
        info = self._core.info()
        if info["kind"] == "rows" and self._is_network(settings):
            from .network import Network

            network = Network.from_model(self, **settings)
            own = _core.make_settings(info["settings"])
            used = _settings.make(settings, own, "show").values() if settings else info["settings"]
            fit = network.fit_report()
            record = {**network.show(), "settings": used, **({} if fit is None else {"fit": fit}), **self._choice()}
            return Summary(record, picture=network)
        classifier = self._classifier(settings, "show")
        if info["kind"] == "members":
            record = _core.members_of(self._core)
            if record["rule"] != "gibbs":
                del record["seed"]
            return Summary({**record, "classes": list(classifier.classes())})
        chosen = None if of is None else [of] if isinstance(of, str) else list(of)
        contrasts = contrast or info["settings"]["latent-nodes"] != "none"
        record = _core.show_model(self._core, classifier, chosen, contrasts, top_terms)
        return Summary({**record, **self._choice()}, classifier)

    def _choice(self) -> dict[str, Any]:
        """Return how ``method="auto"`` chose the settings, with the command's keys; empty if they were not chosen."""
        found = _core.model_selection(self._core)
        if found is None:
            return {}
        options = {one["name"]: options_of(one["settings"]) for one in found["candidates"]}
        scored = [one for one in found["candidates"] if one["status"] == "scored"]
        scored.sort(key=lambda one: math.inf if one["log_loss"] is None else one["log_loss"])
        measures = ("accuracy", "log_loss", "log_loss_error")
        choice = {
            "name": found["chosen"],
            "options": options[found["chosen"]],
            **{name: found[name] for name in ("log_loss", "baseline_log_loss", "rows", "budget", "why")},
            "candidates": [
                {"name": one["name"], "options": options[one["name"]], **{name: one[name] for name in measures}}
                for one in scored
            ],
            "not_tried": [
                {"name": one["name"], "reason": left_out_reason(one)} for one in found["candidates"] if one["status"] != "scored"
            ],
        }
        return {"choice": choice}

    def _is_network(self, settings: Mapping[str, Any]) -> bool:
        method = str(settings.get("method") or self.settings["method"])
        return method.partition(":")[0] in ("network", "tan", "kdb")

    def schema(self, values: bool = False) -> Schema:
        """Return the schema of the model's columns.

        With `values`, the schema also declares the values seen in training, including the classes.
        """
        return Schema(_core.schema_of_model(self._core, values))

    def export(
        self, format: str, path: str | os.PathLike[str] | None = None, *, table: str | None = None, **settings: Unpack[Settings]
    ) -> str | bytes | None:
        """Export the model to another format. Programs that read it compute the same probabilities.

        Parameters
        ----------
        format : {"json", "c", "sql", "onnx", "pmml", "hmm"}
            The format.
        path
            The file to write. If None, the export is returned: as text, or as bytes for ONNX.
        table
            For SQL: the name of the table that the query reads.
        """
        made = None
        if settings:
            made = _settings.make(settings, _core.make_settings(self._core.info()["settings"]), "export")
        written = _core.export_model(self._core, made, format, table)
        if path is not None:
            Path(path).write_bytes(written)
            return None
        return written if format == "onnx" else written.decode()

    def _information(self) -> dict[str, float]:
        """Compute the expected information gain of each attribute in bits, when no other attribute is known."""
        record = _core.make_explainer(self._core, self._classifier({}), False).row({}, True)
        return {one["attribute"]: one["bits"] for one in record.get("missing", ())}

    def plot(self, attribute: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the model with matplotlib.

        Parameters
        ----------
        attribute
            The attribute to draw for each class: its densities, or the probabilities of its values. If None, the plot shows the
            mutual information of each attribute with the class in bits; for a network it shows the graph.
        ax
            The axes to draw into; None creates new axes.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from .plotting import plot_bars, plot_summary

        if attribute is not None:
            is_naive = self._core.info()["kind"] != "rows" or self.settings["method"] == "naive"
            shown = self.show(of=attribute) if is_naive else self.show(of=attribute, method="naive")
            return plot_summary(shown, attribute, ax)
        if self._core.info()["kind"] == "rows" and self._is_network({}):
            from .network import Network

            return Network.from_model(self).plot(ax=ax)
        gains = sorted(self._information().items(), key=lambda gain: -gain[1])[:_ATTRIBUTES_DRAWN]
        return plot_bars(gains, unit="mutual information with the class (bits)", ax=ax)

    # ---- Predictions ----

    def posterior(self, row: Row, **settings: Unpack[Settings]) -> dict[Label, float]:
        """Compute the probability of each class for one row.

        The row is a mapping of attributes, or a sequence in the order of the attributes. An attribute that is absent, None or
        NaN is missing and ignored. All probabilities are NaN if every class is impossible.
        """
        classifier = self._classifier(settings, "posterior")
        if (formed := self._rows_of(row)) is None:
            return self._by_label(classifier.posterior(row))
        found = classifier.classify(_tables.open_model_reader(self._core, formed))
        labels = self._class_labels(classifier.classes())
        return dict(zip(labels, np.frombuffer(found["probabilities"], np.float64).tolist(), strict=True))

    def _by_label(self, by_text: dict[str, float]) -> dict[Label, float]:
        """Replace class texts by labels as keys.

        The labels are cached, because a prediction for a single row takes only microseconds.
        """
        key = (id(self._labels), *by_text)
        if key not in self._row_labels:
            labels = self._class_labels(list(by_text))
            self._row_labels = {key: None if labels == list(by_text) else labels}
        kept = self._row_labels[key]
        return by_text if kept is None else dict(zip(kept, by_text.values(), strict=True))

    def _rows_of(self, row: Any) -> list[dict[str, Any]] | None:
        """Return the row as a table if a value needs a column format, such as a date from which attributes are derived.

        The result is None for any other row.
        """
        if self._formed is None:
            columns = json.loads(_core.schema_of_model(self._core, False))["columns"]
            self._formed = frozenset(column["name"] for column in columns if column.get("format", ""))
        if not self._formed or not hasattr(row, "keys"):
            return None
        read = self._formed.intersection(row.keys())
        attributes = self.attributes
        if all(name in attributes and isinstance(row[name], (bool, int, float, type(None))) for name in read):
            return None
        names = [column["name"] for column in json.loads(_core.schema_of_model(self._core, False))["columns"]]
        known = {*names, *attributes, self.target, self.weight}
        for name in row.keys():
            if name not in known:
                raise ValueError(f"row: the model has no attribute {name!r}; it has {attributes!r}")
        whole = {**dict.fromkeys(name for name in names if name not in self._formed or name in attributes), **dict(row.items())}
        whole.pop(self.target, None)
        return [whole]

    def _of_node(self, target: str, settings: Mapping[str, Any]) -> Model:
        """Return the model that predicts this node of the model's network."""
        from .network import Network

        return Network.from_model(self, **settings).to_model(target)

    def predict_proba(
        self,
        table: Row | TableInput,
        *,
        target: str | None = None,
        reading: Reading | None = None,
        **settings: Unpack[Settings],
    ) -> NDArray[np.float64]:
        """Compute the probability of each class (:attr:`classes`) for each row.

        `table` can also be one row, a dict of single values. For a network, `target` can be another node.
        """
        if target is not None and target != self.target:
            return self._of_node(target, settings).predict_proba(table, reading=reading)
        classifier = self._classifier(settings, "predict_proba")
        if _is_row(table):
            return np.array([list(self.posterior(cast(Row, table), **settings).values())])
        reader = _tables.open_model_reader(self._core, table, **(reading or {}))
        return _matrix(classifier.classify(reader)["probabilities"], len(classifier.classes()))

    @overload
    def predict(self, table: FrameType, *, target: str | None = None, **options: Unpack[PredictOptions]) -> FrameType: ...
    @overload
    def predict(
        self, table: Mapping[str, Cell], *, target: str | None = None, **options: Unpack[PredictOptions]
    ) -> RowPrediction: ...
    @overload
    def predict(self, table: PlainTable, *, target: str | None = None, **options: Unpack[PredictOptions]) -> Table: ...
    @overload
    def predict(self, table: Row | TableInput, *, target: str | None = None, **options: Unpack[PredictOptions]) -> Any: ...
    def predict(
        self,
        table: Row | TableInput,
        *,
        target: str | None = None,
        cost: Cost | None = None,
        reject: Probability | None = None,
        threshold: Probability | None = None,
        typicality: bool = False,
        with_input: bool = False,
        reading: Reading | None = None,
        **settings: Unpack[Settings],
    ) -> Any:
        """Predict the class of each row, with posterior probabilities.

        Parameters
        ----------
        table
            Rows: a path, a frame, an array, a list of dicts, ...; or one row: a dict of single values, or a list of values in
            the order of :attr:`attributes`. A list of texts that are all names of existing files is a list of paths.
        target
            For a network: the node to predict.
        cost, reject, threshold
            A decision rule; pass at most one. `cost` is a cost table (a path, ``{"class": {"action": cost}}``, a frame or an
            array): the decision is the action with the smallest expected cost. `reject` is a probability (``0.9``, or ``{"ask":
            0.9}``): no class is decided for below it. `threshold` is for two classes (``0.3``, or ``{"spam": 0.3}``): the
            second class is decided for if its probability is at least this.
        typicality
            Whether to compute the typicality p-value of each row: the fraction of rows drawn from the model, with the same
            values present, that are at most as likely. A row below 1% is an outlier.
        with_input
            Whether the result begins with the columns of the table.
        reading
            Reading options, such as ``{"separator": ";"}``.
        settings
            Settings to use instead of the model's own.

        Returns
        -------
        A frame of the same type as the input, with the command's columns: ``prediction``, ``probability``, ``P(class)`` for
        each class, ``log_evidence``, and ``unseen``, the number of values that never occurred in training. ``typicality`` is
        added on request. A decision rule adds ``decision``; costs also add ``expected_cost`` and ``cost(action)`` for each action. For
        one row, the result is a dict: ``prediction``, ``probability``, ``posterior``, ``log_evidence``, ``unseen``, ...
        """
        if target is not None and target != self.target:
            return self._of_node(target, settings).predict(
                table, cost=cost, reject=reject, threshold=threshold, typicality=typicality, with_input=with_input, reading=reading
            )
        classifier = self._classifier(settings, "predict")
        rule = make_rule(classifier.classes(), cost, reject, threshold)
        rows: Any = self._named_cells(table)
        return self._answer(classifier, rows, typicality, rule, with_input, reading or {})

    def _answer(
        self, classifier: _CoreClassifier, table: Any, typicality: bool, rule: Any, with_input: bool, reading: Mapping[str, Any]
    ) -> Any:
        """Predict one row, or the rows of a table."""
        if _is_row(table):
            formed = self._rows_of(table)
            if formed is None and not typicality and rule is None:
                found = classifier.predict_row(table)
                posterior = self._by_label(found["posterior"])
                found["prediction"] = dict(zip(found["posterior"], posterior, strict=True)).get(found["prediction"])
                found["posterior"] = posterior
                return found
            rows = formed or [dict(table.items())]
            return _one_row(self._predict(classifier, rows, typicality, rule, {}), self._class_labels(classifier.classes()))
        if with_input and hasattr(table, "collect"):
            table = table.collect()
        result = _tables.result(self._predict(classifier, table, typicality, rule, reading), table)
        return _beside(table, result) if with_input else result

    def _named_cells(self, table: Any) -> Any:
        """Convert one row of values in attribute order to a dict; return any other input unchanged.

        A list of texts that are all names of existing files is a list of paths, not a row.
        """
        if self.target is None or not _may_be_cells(table):
            return table
        names = self.attributes
        if len(table) != len(names) or all(isinstance(cell, str) and os.path.exists(cell) for cell in table):
            return table
        return dict(zip(names, table))

    def _predict(
        self, classifier: _CoreClassifier, table: Any, typicality: bool, rule: Any, reading: Mapping[str, Any]
    ) -> dict[str, Any]:
        reader = _tables.open_model_reader(self._core, table, **reading)
        found = classifier.classify(reader, typicality_of=self._core if typicality else None, rule=rule)
        classes = classifier.classes()
        type_ = self._label_type(classes, table)
        probabilities = _matrix(found["probabilities"], len(classes))
        decisions = np.frombuffer(found["decisions"], np.int32)
        prediction = label_column(decisions, classes, type_)
        columns: dict[str, Any] = {
            "prediction": prediction,
            "probability": _of_decision(probabilities, decisions),
        }
        for index, label in enumerate(prediction.names):
            columns[f"P({label})"] = probabilities[:, index]
        columns["log_evidence"] = np.frombuffer(found["log_evidence"], np.float64)
        columns["unseen"] = np.frombuffer(found["unseen"], np.int32)
        if typicality:
            columns["typicality"] = np.frombuffer(found["typicality"], np.float64)
        if rule is not None:
            decision = label_column(np.frombuffer(found["actions"], np.int32), rule.actions(), type_)
            columns["decision"] = decision
        if "costs" in found:
            costs = _matrix(found["costs"], len(rule.actions()) + 1)
            columns["expected_cost"] = costs[:, 0]
            for index, action in enumerate(decision.names, 1):
                columns[f"cost({action})"] = costs[:, index]
        return columns

    @overload
    def evaluate(
        self, table: TableInput, *, strict: bool = False, true_labels: None = None, **arguments: Unpack[ModelEvaluationOptions]
    ) -> Evaluation: ...

    @overload
    def evaluate(
        self, table: TableInput, *, strict: bool = False, true_labels: str, **arguments: Unpack[ModelEvaluationOptions]
    ) -> Labeling: ...

    def evaluate(
        self,
        table: TableInput,
        *,
        strict: bool = False,
        true_labels: str | None = None,
        **arguments: Unpack[ModelEvaluationOptions],
    ) -> Evaluation | Labeling:
        """Evaluate the model on labeled rows that it was not trained on.

        Parameters
        ----------
        table
            Rows with the target.
        strict : bool
            Whether columns that the model does not have, and a missing weight column, are errors.
        true_labels : str
            A column with another labeling, whose names may differ from the classes, for example to compare with latent classes.
            The result is then a :class:`Labeling`, which scores the agreement of the two labelings.
        arguments
            Evaluation options (per_row, threshold_curves, choose_threshold, positive, importance, top_k, cost, reject,
            threshold, seed), as in
            :func:`credence.evaluate`; settings to use instead of the model's own; reading options.
        """
        if true_labels is not None:
            from ._labeling import compare_with_labels

            return compare_with_labels(self, table, true_labels, dict(arguments))
        from .evaluation import evaluate_model

        return evaluate_model(self, table, strict, dict(arguments))


def _restore(
    type_: type[Model], data: bytes, facts: Mapping[str, Any], kind: Any = None, labels: LabelType | None = None
) -> Model:
    model = type_.from_bytes(data)
    model.facts, model._kind, model._labels = dict(facts), kind, labels
    return model


def _is_row(table: Any) -> bool:
    """Return whether the table is one row: a mapping of single values, or a pandas series such as ``frame.iloc[0]``."""
    if hasattr(table, "items") and hasattr(table, "index") and not hasattr(table, "columns"):
        return True
    return isinstance(table, Mapping) and not any(
        hasattr(value, "__len__") and not isinstance(value, (str, bytes)) for value in table.values()
    )


def _may_be_cells(table: Any) -> bool:
    """Return whether the table is a list or a one-dimensional array of single values."""
    if isinstance(table, np.ndarray):
        return table.ndim == 1 and table.dtype.names is None
    return (
        isinstance(table, (list, tuple))
        and len(table) > 0
        and all(cell is None or isinstance(cell, (str, bool, int, float, np.generic)) for cell in table)
    )


def _beside(table: Any, answers: Any) -> Any:
    """Append the prediction columns to the columns of a table in memory."""
    package = type(table).__module__.partition(".")[0]
    if package == "pandas":
        import pandas

        return pandas.concat([table, answers], axis=1)
    if package == "polars":
        return table.hstack(answers.get_columns())
    if package == "pyarrow" and hasattr(table, "append_column"):
        for name in answers.column_names:
            table = table.append_column(name, answers[name])
        return table
    if isinstance(table, Table):
        table = {name: table[name] for name in table.columns}
    elif isinstance(table, list) and all(isinstance(row, Mapping) for row in table):
        table = {name: [row.get(name) for row in table] for name in dict.fromkeys(key for row in table for key in row)}
    if not isinstance(table, Mapping):
        raise ValueError(f"with_input: expected a table in memory with named columns, got {type(table).__name__}")
    return Table({**table, **{name: answers[name] for name in answers.columns}})


def _one_row(columns: Mapping[str, Any], classes: Sequence[Label]) -> dict[str, Any]:
    """Convert the prediction for a single row to a dict with the keys of the command's JSON."""
    prediction = columns["prediction"]
    answer: dict[str, Any] = {
        "prediction": prediction.names[prediction.codes[0]] if prediction.codes[0] >= 0 else None,
        "probability": _value(columns["probability"][0]),
        "posterior": {name: _value(columns[f"P({name})"][0]) for name in classes},
    }
    for key in ("log_evidence", "unseen", "typicality"):
        if key in columns:
            answer[key] = _value(columns[key][0])
    if "decision" in columns:
        codes, actions = columns["decision"].codes, columns["decision"].names
        answer["decision"] = actions[codes[0]] if codes[0] >= 0 else None
    if "expected_cost" in columns:
        answer["expected_cost"] = _value(columns["expected_cost"][0])
        answer["costs"] = {action: _value(columns[f"cost({action})"][0]) for action in actions}
    return answer


def _value(cell: Any) -> Any:
    value = cell.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _matrix(block: Any, columns: int) -> NDArray[np.float64]:
    return np.frombuffer(block, np.float64).reshape(-1, columns)


def _of_decision(probabilities: NDArray[np.float64], decisions: NDArray[np.int32]) -> NDArray[np.float64]:
    if probabilities.shape[1] == 0:
        return np.full(len(decisions), np.nan)
    return np.take_along_axis(probabilities, np.maximum(decisions, 0)[:, None].astype(np.intp), 1)[:, 0]


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model from a file."""
    return Model.load(path)


@contextmanager
def open_model(path: str | os.PathLike[str]) -> Iterator[Model]:
    """Open a model file to change it in place.

    The file is locked and read. At the end of the ``with`` block it is written, unless an exception was raised. Other processes
    and threads that open the same file this way wait meanwhile; so does the command.

    Examples
    --------
    >>> import credence, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "days.model"
    >>> credence.train({"x": [1.0, 2.0], "y": ["a", "b"]}, target="y").save(path)
    >>> with credence.open_model(path) as model:
    ...     model.update({"x": [3.0], "y": ["b"]}).facts["rows"]
    1
    >>> credence.load(path).show().rows
    3.0
    """
    lock = _core.take_lock(path)
    try:
        model = Model.load(path)
        yield model
        model.save(path)
    finally:
        lock.release()
