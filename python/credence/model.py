# SPDX-License-Identifier: MIT
"""Model: what was learned of rows, and its answers."""

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

    from ._labelling import Labelling
    from .evaluation import Evaluation

__all__ = ["Model", "load", "open_model"]

_CLASSIFIERS_KEPT = 8
_ATTRIBUTES_DRAWN = 30


class Model(Questions):
    """A model: counts and sums of the rows that it has learned, from which all answers are derived under settings.

    :func:`credence.train` makes one, :func:`credence.load` reads one. It is a function of its columns and the multiset of
    its rows: the same bytes in any order, any batches, any merges; and learning, then forgetting, restores the bytes from before.

    Settings (smoothing, prior, family, ...) can be given with every question; those that are not are the model's own.

    Attributes
    ----------
    facts : dict
        What happened when rows were read last: ``rows`` learned or forgotten, ``skipped`` for want of a target,
        ``weightless``, their ``weight``. :attr:`rows` is the number of all rows. ``choice``: how ``method="auto"`` chose the
        settings, with all candidates and their scores; model files contain it until the model learns or forgets rows.
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
        self._kind: Any = None  # a frame without rows, like the table that it was trained on
        self._labels: LabelType | None = None  # the type of the training target; None: unknown, as of a file
        self._row_labels: dict[Any, list[Label] | None] = {}
        self.facts = dict(facts or {})
        choice = _core.model_selection(core)
        if choice is not None:
            self.facts.setdefault("choice", choice)

    # ---- Making ----

    @classmethod
    def _of(cls, core: _CoreModel, facts: Mapping[str, Any] | None = None) -> Model:
        """The model in the class that suits it: one of sequences has further answers."""
        if cls is Model and _core.sequence_source(core) is not None:
            from .sequences import SequenceModel

            return SequenceModel(core, facts)
        return cls(core, facts)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Reads a model from its file."""
        return cls._of(_core.load_model(path))

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """The model of these bytes, those of a model's file."""
        return cls._of(_core.decode_model(data))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file, which holds the old or the new model at every moment."""
        self._settle()
        self._core.save(path)

    def to_bytes(self) -> bytes:
        """The canonical bytes of the model, those of its file."""
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

    # ---- What it is ----

    @property
    def target(self) -> str | None:
        """The column that is predicted; None where there is none."""
        target: str | None = self._core.info()["target"]
        return target

    @property
    def weight(self) -> str | None:
        """The column that has how many rows a row stands for; None where there is none."""
        weight: str | None = self._core.info()["weight"]
        return weight

    @property
    def rows(self) -> int:
        """How many rows the model has learned, over all updates; with weights, their sum."""
        return round(_core.model_rows(self._core))

    @property
    def settings(self) -> dict[str, str]:
        """The model's own settings: names as keyword arguments have them, and canonical texts."""
        return {_settings.keyword(name): value for name, value in self._core.info()["settings"].items()}

    @property
    def parts(self) -> tuple[str, ...]:
        """The ids of the parts that it holds (``credence.train(..., part=...)``), in order."""
        return tuple(self._core.parts())

    @property
    def classes(self) -> tuple[Label, ...]:
        """The class labels, in the order of all answers, in the type of the training target.

        A model file stores labels as texts. After :func:`credence.load`, and after training on a file, labels are what
        ``pandas.read_csv`` would make of them: int or float if all are numbers, bool if all are true or false, else str.
        """
        return tuple(self._class_labels(self._classifier({}).classes()))

    def _label_type(self, texts: Sequence[str], table: Any = None) -> LabelType:
        """The type of the labels of these classes: the training target's, else that of the target of `table`, else by the texts."""
        target = self.target
        if self._labels is not None or target is None:
            return self._labels or TEXTS
        found = label_type(table, target) if table is not None and not reads_once(table) else None
        if found is not None and found.labels(texts) is not None:
            return found
        return TEXTS if self._has_own_classes(target) else inferred_type(texts)

    def _has_own_classes(self, target: str) -> bool:
        """Whether the classes are not those of a column: latent classes, or the states of a network."""
        settings = self._core.info()["settings"]
        if settings["structure"] != "none":
            return False
        return bool(settings["hidden"].rpartition(":")[0] == target or settings["method"] == "network")

    def _class_texts(self) -> list[str]:
        """The texts of the classes, by which the model file knows them."""
        return list(self._classifier({}).classes())

    def _class_text(self, label: Label) -> str:
        """The text of the class with this label."""
        return label if isinstance(label, str) else class_text(label, self._class_texts())

    def _class_labels(self, texts: Sequence[str], table: Any = None) -> list[Label]:
        """The labels of classes in the type of the training target."""
        return list(label_column([], texts, self._label_type(texts, table)).names)

    def _learn_labels(self, table: Any, names: Any = None) -> None:
        """Notes the type of the target of a table that the model is trained on."""
        self._kind = kind_of(table)
        if self.target is not None and not reads_once(table):
            self._labels = label_type(table, self.target, names)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns that the class is predicted from."""
        return self._classifier({}).attributes()

    @_settings.documented
    def with_settings(self, **settings: Unpack[Settings]) -> Model:
        """A copy of the model whose own settings are these; those that are not given stay.

        Parameters
        ----------
        {settings}
        """
        model = self.copy()
        like = _core.make_settings(self._core.info()["settings"])
        model._core.set_settings(_settings.make(self._with_prior(settings), like, "with_settings"))
        return model

    def _with_prior(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings whose prior has class names, if it was given as a list in class order."""
        if not _settings.is_prior_list(settings.get("prior")):
            return dict(settings)
        return {**settings, "prior": _settings.named_prior(settings["prior"], self._classifier({}).classes())}

    def difference(self, other: Model) -> dict[str, str] | None:
        """The first difference from another model, as ``aspect``, ``subject`` and ``message``; None where both are equal."""
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
        """The classifier under these settings, kept until the model changes."""
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
        """Fits anew, once it is asked for, what changed rows have left unfitted."""
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
        """Learns further rows; returns the model itself, whose :attr:`facts` are of these rows. A failure changes nothing.

        Parameters
        ----------
        table
            Rows with the target.
        class_
            The class of all rows, which have none of their own.
        was
            The class that they were learned as: they are moved to `class_`.
        new_classes
            Whether to add classes that differ from a known class only in case, surrounding spaces, or the way a number is
            written. By default such a class is an error.
        reading
            Options of reading, as :func:`train` takes them.
        """
        if was is not None and class_ is None:
            raise ValueError("was: rows are moved to class_, which is needed too")
        return self._change("update", table, class_, was, dict(reading), new_classes)

    def forget(self, table: TableInput, *, class_: Label | None = None, **reading: Unpack[ReadingOptions]) -> Model:
        """Takes rows out again that were learned; returns the model itself. A failure changes nothing."""
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

    def merge(self, *others: Model, duplicates: str = "refuse") -> Model:
        """Adds what other models have learned; returns the model itself, as if it had learned all rows itself.

        Parameters
        ----------
        others
            Models of the same columns, settings and statistics.
        duplicates : {"refuse", "ignore"}
            Models all of whose parts (``credence.train(..., part=...)``) are there already: an error, or left out. One of which
            only some are there is always an error.
        """
        if duplicates not in ("refuse", "ignore"):
            raise ValueError(f"duplicates: expected 'refuse' or 'ignore', got {duplicates!r}")
        for other in others:
            if not isinstance(other, Model):
                raise TypeError(f"merge: expected models, got {type(other).__name__}")
        if len(others) > 1:
            merged = self.copy()
            for number, other in enumerate(others, start=2):
                try:
                    merged._core.merge(other._core, duplicates == "ignore")
                except Error as error:
                    error.add_note(f"It was model {number} of {len(others) + 1} that could not be merged into the first.")
                    raise
            self._core = merged._core
        elif others:
            self._core.merge(others[0]._core, duplicates == "ignore")
        self._changed()
        for other in others:
            self._labels = other._labels if self._labels is None else self._labels.with_rows(other._labels)
        if self.target is not None:
            from .train import _check_classes

            _check_classes(_core.check_model(self._core))
        return self

    def retract(self, part: Model) -> Model:
        """Takes out what a model that was merged has learned, and the ids of its parts, which have to be there; returns the model
        itself. A failure changes nothing."""
        if not isinstance(part, Model):
            raise TypeError(f"retract: expected a model, got {type(part).__name__}")
        self._core.retract(part._core)
        self._changed()
        return self

    def fit(self) -> Model:
        """Fits what the settings have fitted to the rows (weights, calibration, ...), so that it is kept, also in the file."""
        self._is_fitted = False
        self._settle()
        self._classifiers = {}
        return self

    # ---- Looking inside ----

    def show(
        self,
        *,
        of: str | Iterable[str] | None = None,
        contrast: bool = False,
        words: int = 10,
        **settings: Unpack[Settings],
    ) -> Summary:
        """What the model knows: priors, conditional tables, densities, cut points.

        Parameters
        ----------
        of
            Attributes to show, by name or selector (``"petal*"``); all by default.
        contrast
            Whether each class is compared with the rest, the columns that differ most first.
        words
            Of texts: how many telling words of each class.
        settings
            In the place of the model's own.
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
        contrasts = contrast or info["settings"]["hidden"] != "none"
        record = _core.show_model(self._core, classifier, chosen, contrasts, words)
        return Summary({**record, **self._choice()}, classifier)

    def _choice(self) -> dict[str, Any]:
        """How ``method="auto"`` chose the settings, with the keys of the command; nothing if they were not chosen."""
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
        """What its columns are. `values`: the values that it has met are declared, the classes among them."""
        return Schema(_core.schema_of_model(self._core, values))

    def export(
        self, as_: str, path: str | os.PathLike[str] | None = None, *, table: str | None = None, **settings: Unpack[Settings]
    ) -> str | bytes | None:
        """The model for other programs, which then answer as it does.

        Parameters
        ----------
        as_ : {"json", "c", "sql", "onnx", "pmml", "hmm"}
            The format.
        path
            A file to write to; None: the text is returned, of ONNX bytes.
        table
            Of SQL: the table that the query reads.
        """
        made = None
        if settings:
            made = _settings.make(settings, _core.make_settings(self._core.info()["settings"]), "export")
        written = _core.export_model(self._core, made, as_, table)
        if path is not None:
            Path(path).write_bytes(written)
            return None
        return written if as_ == "onnx" else written.decode()

    def _information(self) -> dict[str, float]:
        """The expected information gain of each attribute in bits, when no other is known."""
        record = _core.make_explainer(self._core, self._classifier({}), False).row({}, True)
        return {one["attribute"]: one["bits"] for one in record.get("missing", ())}

    def plot(self, attribute: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the model with matplotlib.

        Parameters
        ----------
        attribute
            The attribute whose densities, or probabilities of values, are drawn for each class. None: how informative each attribute
            is, as the mutual information with the class in bits; of a network the graph.
        ax
            The axes to draw into; None: new ones.

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

    # ---- Answers ----

    def posterior(self, row: Row, **settings: Unpack[Settings]) -> dict[Label, float]:
        """The probability of each class for one row: a mapping of attributes, or a sequence in their order.

        An attribute that is absent, None or NaN is missing, and left out. All are NaN where every class is impossible.
        """
        classifier = self._classifier(settings, "posterior")
        if (formed := self._rows_of(row)) is None:
            return self._by_label(classifier.posterior(row))
        found = classifier.classify(_tables.open_model_reader(self._core, formed))
        labels = self._class_labels(classifier.classes())
        return dict(zip(labels, np.frombuffer(found["probabilities"], np.float64).tolist(), strict=True))

    def _by_label(self, by_text: dict[str, float]) -> dict[Label, float]:
        """Probabilities by labels instead of texts; the labels are kept, because single rows are answered in microseconds."""
        key = (id(self._labels), *by_text)
        if key not in self._row_labels:
            labels = self._class_labels(list(by_text))
            self._row_labels = {key: None if labels == list(by_text) else labels}
        kept = self._row_labels[key]
        return by_text if kept is None else dict(zip(kept, by_text.values(), strict=True))

    def _rows_of(self, row: Any) -> list[dict[str, Any]] | None:
        """A table of the row, where it has a cell to be read in a form, such as a date, that attributes are made of."""
        if self._formed is None:
            columns = json.loads(_core.schema_of_model(self._core, False))["columns"]
            self._formed = frozenset(column["name"] for column in columns if "form" in column)
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
        """The model that predicts this node of the network that it is."""
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
        """The probability of each class (:attr:`classes`) for each row, or of one row, a dict of single values; of a network `target`
        may be another node."""
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
        fit: bool = False,
        keep: bool = False,
        reading: Reading | None = None,
        **settings: Unpack[Settings],
    ) -> Any:
        """The class of each row, with posterior probabilities.

        Parameters
        ----------
        table
            Rows: a path, a frame, an array, a list of dicts, ...; or one row: a dict of single values, or a list of them in
            the order of :attr:`attributes` (texts that are all there as files are paths).
        target
            Of a network, the node to predict.
        cost, reject, threshold
            A rule of decision, of which one may be given: a table of costs (a path, ``{"class": {"action": cost}}``, a frame
            or an array), by which the action of least expected cost is decided for; a probability below which no class is
            decided for (``0.9``, or ``{"ask": 0.9}``); of two classes, the probability from which on the second is decided
            for (``0.3``, or ``{"spam": 0.3}``).
        fit
            Whether the typicality of each row is computed, a p-value: the fraction of rows drawn from the model, with the
            same cells present, that are at most as likely. Below 1% a row is an outlier.
        keep
            Whether the columns of the table come first.
        reading
            Options of reading, such as ``{"separator": ";"}``.
        settings
            In the place of the model's own.

        Returns
        -------
        A frame by what came in, with the columns of the command: ``prediction``, ``probability``, ``P(class)`` for each
        class, ``log_evidence``, and ``unseen``, the number of cells whose value was never seen in training; ``fit``; by a rule
        ``decision``, and of costs ``expected_cost`` and ``cost(action)`` for each action. For one row a dict: ``prediction``,
        ``probability``, ``posterior``, ``log_evidence``, ``unseen``, ...
        """
        if target is not None and target != self.target:
            return self._of_node(target, settings).predict(
                table, cost=cost, reject=reject, threshold=threshold, fit=fit, keep=keep, reading=reading
            )
        classifier = self._classifier(settings, "predict")
        rule = make_rule(classifier.classes(), cost, reject, threshold)
        rows: Any = self._named_cells(table)
        return self._answer(classifier, rows, fit, rule, keep, reading or {})

    def _answer(
        self, classifier: _CoreClassifier, table: Any, fit: bool, rule: Any, keep: bool, reading: Mapping[str, Any]
    ) -> Any:
        """The predictions of one row, or of the rows of a table."""
        if _is_row(table):
            formed = self._rows_of(table)
            if formed is None and not fit and rule is None:
                found = classifier.predict_row(table)
                posterior = self._by_label(found["posterior"])
                found["prediction"] = dict(zip(found["posterior"], posterior, strict=True)).get(found["prediction"])
                found["posterior"] = posterior
                return found
            rows = formed or [dict(table.items())]
            return _one_row(self._predict(classifier, rows, fit, rule, {}), self._class_labels(classifier.classes()))
        if keep and hasattr(table, "collect"):
            table = table.collect()
        result = _tables.result(self._predict(classifier, table, fit, rule, reading), table)
        return _beside(table, result) if keep else result

    def _named_cells(self, table: Any) -> Any:
        """One row, where it is given as cells in the order of the attributes, as a dict; else what was given.

        Texts that are all there as files are paths of a table.
        """
        if self.target is None or not _may_be_cells(table):
            return table
        names = self.attributes
        if len(table) != len(names) or all(isinstance(cell, str) and os.path.exists(cell) for cell in table):
            return table
        return dict(zip(names, table))

    def _predict(
        self, classifier: _CoreClassifier, table: Any, fit: bool, rule: Any, reading: Mapping[str, Any]
    ) -> dict[str, Any]:
        reader = _tables.open_model_reader(self._core, table, **reading)
        found = classifier.classify(reader, fit_of=self._core if fit else None, rule=rule)
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
        if fit:
            columns["fit"] = np.frombuffer(found["fit"], np.float64)
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
        self, table: TableInput, *, strict: bool = False, against: None = None, **arguments: Unpack[ModelEvaluationOptions]
    ) -> Evaluation: ...

    @overload
    def evaluate(
        self, table: TableInput, *, strict: bool = False, against: str, **arguments: Unpack[ModelEvaluationOptions]
    ) -> Labelling: ...

    def evaluate(
        self,
        table: TableInput,
        *,
        strict: bool = False,
        against: str | None = None,
        **arguments: Unpack[ModelEvaluationOptions],
    ) -> Evaluation | Labelling:
        """Evaluates the model on rows with labels, which it should not have learned.

        Parameters
        ----------
        table
            Rows with the target.
        strict : bool
            Columns other than those of the model are an error, and so is a weight that is not there.
        against : str
            The column of a labelling whose names may be others, as beside latent classes: what the labellings have in
            common is scored instead (a :class:`Labelling`).
        arguments
            Questions (each, sweep, best, positive, importance, top_k, cost, reject, threshold, seed), as in
            :func:`credence.evaluate`; settings in the place of the model's own; options of reading.
        """
        if against is not None:
            from ._labelling import compare_with_labels

            return compare_with_labels(self, table, against, dict(arguments))
        from .evaluation import evaluate_model

        return evaluate_model(self, table, strict, dict(arguments))


def _restore(
    type_: type[Model], data: bytes, facts: Mapping[str, Any], kind: Any = None, labels: LabelType | None = None
) -> Model:
    model = type_.from_bytes(data)
    model.facts, model._kind, model._labels = dict(facts), kind, labels
    return model


def _is_row(table: Any) -> bool:
    """Whether it is one row: a mapping of single values, or a series of pandas, as ``frame.iloc[0]`` is."""
    if hasattr(table, "items") and hasattr(table, "index") and not hasattr(table, "columns"):
        return True
    return isinstance(table, Mapping) and not any(
        hasattr(value, "__len__") and not isinstance(value, (str, bytes)) for value in table.values()
    )


def _may_be_cells(table: Any) -> bool:
    """Whether it is a list of single values, or an array of them."""
    if isinstance(table, np.ndarray):
        return table.ndim == 1 and table.dtype.names is None
    return (
        isinstance(table, (list, tuple))
        and len(table) > 0
        and all(cell is None or isinstance(cell, (str, bool, int, float, np.generic)) for cell in table)
    )


def _beside(table: Any, answers: Any) -> Any:
    """The columns of a table in memory, and those of the answers behind them."""
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
        raise ValueError(f"keep: expected a table in memory with named columns, got {type(table).__name__}")
    return Table({**table, **{name: answers[name] for name in answers.columns}})


def _one_row(columns: Mapping[str, Any], classes: Sequence[Label]) -> dict[str, Any]:
    """The answer to a single row, under the keys of the command's JSON."""
    prediction = columns["prediction"]
    answer: dict[str, Any] = {
        "prediction": prediction.names[prediction.codes[0]] if prediction.codes[0] >= 0 else None,
        "probability": _value(columns["probability"][0]),
        "posterior": {name: _value(columns[f"P({name})"][0]) for name in classes},
    }
    for key in ("log_evidence", "unseen", "fit"):
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
    """Reads a model from its file."""
    return Model.load(path)


@contextmanager
def open_model(path: str | os.PathLike[str]) -> Iterator[Model]:
    """A model's file, to be changed in place: locked, read, and written at the end, unless an exception was raised.

    Other processes and threads that do the same, the command among them, wait meanwhile.

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
