# SPDX-License-Identifier: MIT
"""Drawing rows from a model, and the words of its text columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _settings, _tables
from ._explain import is_network
from ._label_types import column_type
from .query import given_values, split_target
from .table import label_column

if TYPE_CHECKING:
    from .model import Model


def sample(model: Model, rows: int, seed: int, given: Any, first: int, like: Any, settings: Mapping[str, Any]) -> Any:
    """Draw rows: see :meth:`credence.Model.sample`."""
    for name, value in (("rows", rows), ("seed", seed), ("first", first)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise TypeError(f"{name}: expected a whole number, got {value!r}")
        if value < 0:
            raise ValueError(f"{name}: expected a number from 0 on, got {value}")
    if is_network(str(settings.get("method") or model._core.info()["settings"]["method"])):
        from .network import Network

        return Network.from_model(model, **settings).sample(int(rows), given, seed=int(seed), first=int(first), like=like)
    classifier = model._classifier(settings, "sample")
    names = [*classifier.attributes(), *([] if model.target is None else [model.target])]
    attributes, class_given = split_target(given_values(model, given, names), model.target)
    drawn = _core.draw_rows(model._core, classifier, attributes, class_given, int(seed), int(first), int(rows))
    columns: dict[str, Any] = {}
    for name, values, labels in drawn:
        if labels is not None:
            type_ = model._label_type(labels) if name == model.target else column_type(model._kind, name)
            columns[name] = label_column(np.frombuffer(values, np.int32), labels, type_)
        elif isinstance(values, list):
            columns[name] = np.array(values, dtype=object)
        else:
            columns[name] = np.frombuffer(values, np.float64)
    return _tables.result(columns, model._kind if like is None else like)


def words(model: Model, top_terms: int, attribute: str | None, like: Any, settings: Mapping[str, Any]) -> Any:
    """Return the most informative words: see :meth:`credence.Model.words`."""
    if top_terms < 0:
        raise ValueError(f"top_terms: expected a number of words per class, got {top_terms}")
    classifier = model._classifier(settings, "words")
    record = _core.informative_words(classifier, text_attribute(model, attribute, settings), top_terms)
    rows = [(one["class"], word) for one in record["classes"] for word in one["words"]]
    labels = [one["class"] for one in record["classes"]]
    codes = [labels.index(label) for label, _ in rows]
    columns: dict[str, Any] = {"class": label_column(codes, labels, model._label_type(labels))}
    columns["word"] = np.array([word["word"] for _, word in rows], dtype=object)
    for key in ("documents", "others", "occurrences", "weight", "divergence"):
        columns[key] = np.array([word[key] for _, word in rows], dtype=np.float64)
    return _tables.result(columns, model._kind if like is None else like)


def text_attribute(model: Model, attribute: str | None, settings: Mapping[str, Any]) -> int:
    """Return the number of a text attribute; without a name, of the only one."""
    classifier = model._classifier(settings)
    names = classifier.attributes()
    columns = _core.make_query(model._core, classifier).columns()
    texts = [column["name"] for column in columns if column["type"] == "text"]
    if not texts:
        raise ValueError("the model has no column of texts")
    if attribute is None:
        if len(texts) > 1:
            raise ValueError(f"attribute: there are several columns of texts, {', '.join(texts)}: name one")
        attribute = texts[0]
    if attribute not in texts:
        raise ValueError(f"attribute: {attribute!r} is no column of texts; {', '.join(texts)} is")
    return list(names).index(attribute)


def terms(model: Model, text: str, like: Any, settings: Mapping[str, Any]) -> Any:
    """Return the terms of a text: see :meth:`credence.Model.terms`."""
    if not isinstance(text, str):
        raise TypeError(f"text: expected a str, got {type(text).__name__}")
    own = _core.make_settings(model._core.info()["settings"])
    made = _settings.make(settings, own, "terms") if settings else own
    data = text.encode("utf-8", "surrogateescape")
    found = _core.terms_of(text, made)
    columns = {
        "term": np.array([term for term, _, _ in found], dtype=object),
        "text": np.array([data[a:b].decode("utf-8", "surrogateescape") for _, a, b in found], dtype=object),
    }
    return _tables.result(columns, like)
