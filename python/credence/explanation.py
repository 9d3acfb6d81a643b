# SPDX-License-Identifier: MIT
"""Explanations of predictions: weights of evidence, term by term; counterfactuals; information gain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core, _tables
from ._factors import evidence_text, factor_blocks, factors_of
from ._label_types import Label, class_text
from ._text import bar_text, columns_text, number_text, shown
from ._types import AnyFrame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Explanation", "Explanations"]

_LISTED = 20  # the default number of terms, and of words in a text, to list


class _Line:
    """One line of the weights: a term, or several attributes together, and its logarithm under each class."""

    __slots__ = ("form", "log_values", "term", "value", "weight")

    def __init__(self, term: str, value: Any, form: str, log_values: list[float], weight: float | None) -> None:
        self.term, self.value, self.form, self.log_values, self.weight = term, value, form, log_values, weight

    @property
    def size(self) -> float:
        """The rank of a line: a probability of zero in one class, or in both, ranks above any number."""
        return abs(self.weight) if self.weight is not None and math.isfinite(self.weight) else math.inf

    def label(self) -> str:
        if self.form in ("prior", "joint", "pair"):
            return self.term
        return f"{self.term}={_cell_text(self.value)}"


def _cell_text(value: Any, room: int = 24) -> str:
    if value is None:
        return "?"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
    text = str(value)
    return text if len(text) <= room else text[:room] + "..."


def _beginning(text: str, room: int = 24) -> str:
    """Return the first bytes of a text, without cutting a character."""
    begin = text.encode("utf-8", "surrogateescape")[:room].decode("utf-8", "ignore")
    return shown(begin) + ("" if begin == text else "...")


class Explanation:
    """The explanation of the prediction for one row.

    Attributes
    ----------
    prediction : class label or None
        The most probable class, in the type of the training target; None if every class has probability 0.
    posterior : dict
        The probability of each class; NaN if every class has probability 0.
    log_evidence : float
    pair : tuple of class labels or None
        The two classes that are compared: the predicted class and the second most probable, or the classes in ``between``.
    classes : list of dict
        For each class the terms of its posterior: ``log_prior``, ``terms``, ``log_joint`` and ``joint``, ``log_posterior`` and
        ``posterior``.
    unseen : int
        The number of values that never occurred in training. They are ignored.
    changes : list of dict
        Counterfactuals: for each attribute, the smallest change of its value that changes the decision.
    missing : list of dict
        The expected information gain of each missing value in bits, in descending order. It shows which value to find out next.
    uncertainty : float
        The entropy of the posterior in bits. No information gain exceeds it.
    typicality : float or None
        The typicality p-value of the row, if requested.
    decision : class label, str or None
        The decision of a decision rule (cost, reject, threshold). With costs, there are also ``costs`` and ``expected_cost``.

    Examples
    --------
    >>> import credence
    >>> model = credence.train(credence.example("tennis"), "Play", smoothing="none")
    >>> why = model.explain({"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"})
    >>> why.prediction, round(why.posterior["No"], 6)
    ('No', 0.795417)
    >>> [(line["term"], round(line["weight"], 4)) for line in why.weights[:3]]
    [('prior', -0.5878), ('Outlook', 0.9933), ('Humidity', 0.8755)]
    >>> why.factors["factor"].tolist()[:2], why.factors["working"].tolist()[:2]
    (['P(No)', 'P(Outlook=Sunny | No)'], ['5/14', '3/5'])
    >>> why.changes[0]["attribute"], why.changes[0]["value"]
    ('Outlook', 'Overcast')
    """

    def __init__(
        self,
        record: dict[str, Any],
        *,
        between: Sequence[Label] | None = None,
        top: int | None = None,
        like: Any = None,
        models: list[dict[str, Any]] | None = None,
        labels: Mapping[str, Label] | None = None,
    ) -> None:
        self._record = record
        self._like = like
        self._top = top
        self._models = models
        self._names: list[str] = [one["class"] for one in record["classes"]]
        self._labels = dict(labels or {})
        self.classes: list[dict[str, Any]] = [{**one, "class": self._label(one["class"])} for one in record["classes"]]
        self.prediction: Label | None = self._label(record["prediction"])
        self.posterior: dict[Label, float] = {
            one["class"]: math.nan if one["posterior"] is None else one["posterior"] for one in self.classes
        }
        self.log_evidence: float = record["log_evidence"]
        self.unseen: int = record["unseen"]
        self.typicality: float | None = record.get("typicality")
        self.decision: Label | None = self._label(record.get("decision"))
        self.expected_cost: float | None = record.get("expected_cost")
        costs: dict[str, float] | None = record.get("costs")
        self.costs: dict[Label, float] | None = costs and {self._label(action): cost for action, cost in costs.items()}
        self.changes: list[dict[str, Any]] = [self._change(change) for change in record.get("changes", [])]
        self.missing: list[dict[str, Any]] = record.get("missing", [])
        self.uncertainty: float | None = record.get("uncertainty")
        self._pair = self._choose_pair(between)
        self._has_terms = "terms" in self.classes[0] if self.classes and models is None else False
        self._lines = self._make_lines() if self._has_terms else []
        self.texts: list[dict[str, Any]] = [] if models is not None else [self._text(t) for t in record.get("texts", [])]

    def _label(self, text: Any) -> Label | None:
        """Return the label of a class or an action."""
        return self._labels.get(text, text)

    def _change(self, change: dict[str, Any]) -> dict[str, Any]:
        return {key: self._label(value) if key in ("prediction", "decision") else value for key, value in change.items()}

    # ---- Weights of evidence ----

    def _choose_pair(self, between: Sequence[Label] | None) -> tuple[int, int] | None:
        names = self._names
        if between is not None:
            texts = [class_text(label, names) for label in between]
            found = [names.index(text) if text in names else -1 for text in texts]
            if len(found) != 2 or found[0] == found[1]:
                raise ValueError(f"between: expected two classes, got {between!r}")
            if min(found) < 0:
                missing = between[found.index(-1)]
                raise ValueError(f"between: there is no class {missing!r}; the classes are {', '.join(names)}")
            return found[0], found[1]
        first = names.index(self._record["prediction"]) if self.prediction is not None else 0
        others = [k for k in range(len(names)) if k != first]
        if not others:
            return None
        return first, max(others, key=lambda k: (self.classes[k]["log_posterior"], -k))

    @property
    def pair(self) -> tuple[Label, Label] | None:
        if self._pair is None:
            return None
        return self.classes[self._pair[0]]["class"], self.classes[self._pair[1]]["class"]

    @property
    def _pair_names(self) -> tuple[str, str] | None:
        return None if self._pair is None else (self._names[self._pair[0]], self._names[self._pair[1]])

    def _weight(self, log_values: Sequence[float]) -> float | None:
        if self._pair is None:
            return None
        return _core.weight_of_evidence(log_values[self._pair[0]], log_values[self._pair[1]])

    def _line(self, term: str, value: Any, form: str, records: list[dict[str, Any]]) -> _Line:
        log_values = [record["log_value"] for record in records]
        return _Line(term, value, form, log_values, self._weight(log_values))

    def _cells(self, names: Sequence[str]) -> str:
        values = {term["attribute"]: term["value"] for term in self.classes[0]["terms"]}
        return ", ".join(f"{name}={_cell_text(values.get(name))}" for name in names)

    def _make_lines(self) -> list[_Line]:
        """List prior, attributes, joint densities and pairs, in the order in which the classifier adds them."""
        lines = [self._line("prior", None, "prior", [one["prior"] for one in self.classes])]
        for terms in zip(*(one["terms"] for one in self.classes)):
            lines.append(self._line(terms[0]["attribute"], terms[0]["value"], terms[0]["form"], list(terms)))
        for joints in zip(*(one.get("joints", []) for one in self.classes)):
            names = joints[0]["attributes"]
            label = self._cells(names) if len(names) <= 3 else f"{len(names)} attributes"
            lines.append(self._line(label, None, "joint", list(joints)))
        for pairs in zip(*(one.get("pairs", []) for one in self.classes)):
            label = self._cells(pairs[0]["attributes"]).replace(", ", " with ", 1)
            lines.append(self._line(label, None, "pair", list(pairs)))
        return lines

    def _ranked(self) -> list[_Line]:
        """Return the prior, then the contributing terms by descending weight; equal terms stay in column order."""
        covered = {"missing"} | ({"joint"} if any("joints" in c or "pairs" in c for c in self.classes) else set())
        attributes = len(self.classes[0]["terms"]) + 1
        counted = [
            line
            for index, line in enumerate(self._lines[1:], 1)
            if not (index < attributes and line.form in covered)
        ]
        return [self._lines[0], *sorted(counted, key=lambda line: -line.size)]

    @property
    def weights(self) -> list[dict[str, Any]]:
        """The prior, then the terms in descending order of their weight of evidence.

        Each has ``term``, ``value``, ``form``, ``weight`` in nats and ``log_values`` for the classes. The weights sum to the
        log odds of :attr:`pair` (before calibration).
        """
        lines = self._ranked() if self._lines else []
        names = [one["class"] for one in self.classes]
        return [
            {
                "term": line.term,
                "value": line.value,
                "form": line.form,
                "weight": line.weight,
                "log_values": dict(zip(names, line.log_values)),
            }
            for line in lines
        ]

    @property
    def total(self) -> float | None:
        """The sum of all weights of evidence: the log odds of :attr:`pair` in nats, before calibration."""
        return None if self._pair is None or not self._lines else self._sum(self._lines)

    def _sum(self, lines: Sequence[_Line]) -> float:
        total = scale = 0.0
        for line in lines:
            a, b = (line.log_values[k] for k in self._pair or ())
            total += line.weight or 0.0 if line.weight == line.weight else math.nan
            if math.isfinite(a) and math.isfinite(b):
                scale += max(1.0, abs(a), abs(b))
        return _core.weight_settle(total, scale)

    # ---- Texts ----

    def _text(self, raw: dict[str, Any]) -> dict[str, Any]:
        words = raw["words"]
        ranked = [
            (index, self._weight(values) or 0.0)
            for index, (_, _, _, counts, values) in enumerate(words)
            if counts
        ]
        ranked.sort(key=lambda item: -abs(item[1]))
        listed = ranked[: _LISTED if self._top is None else self._top]
        marked = {index: weight for index, weight in listed if weight != 0}
        whole = self._weight(raw["whole"]) or 0.0
        names = self._names
        total = 0.0
        for _, weight in ranked:
            total += weight
        record: dict[str, Any] = {"attribute": raw["attribute"]}
        if self._pair_names is not None:
            record["for"], record["against"] = self._pair_names
        record["words"] = [
            {"word": words[index][0], "times": words[index][1], "weight": weight}
            for index, weight in (ranked if self._top is None else listed)
        ]
        record["whole"] = whole
        record["total"] = total + whole
        record["log_values"] = {words[index][0]: dict(zip(names, words[index][4])) for index, _ in listed}
        record["unknown_words"] = [word for word, _, is_known, _, _ in words if not is_known]
        record["places"] = [
            {"word": words[index][0], "from": begin, "to": end}
            for index, begin, end in raw["places"]
            if index in marked
        ]
        return record

    def marked_text(self, attribute: str | None = None) -> list[tuple[str, float]]:
        """Split a text into pieces, each with the weight of evidence of its word.

        The weight is 0 for pieces that are not informative words. If words overlap, the most informative word is marked.
        """
        raws = {raw["attribute"]: raw for raw in self._record.get("texts", [])}
        if not raws:
            raise ValueError("the row has no text")
        if attribute is not None and attribute not in raws:
            raise ValueError(f"attribute: {attribute!r} has no text in the row; {', '.join(raws)} has")
        name = attribute if attribute is not None else next(iter(raws))
        record = next(text for text in self.texts if text["attribute"] == name)
        weights = {word["word"]: word["weight"] for word in record["words"]}
        data = raws[name]["text"].encode("utf-8", "surrogateescape")
        spans = sorted(record["places"], key=lambda place: (-abs(weights[place["word"]]), place["from"]))
        taken = bytearray(len(data))
        kept = []
        for span in spans:
            if not any(taken[span["from"] : span["to"]]):
                taken[span["from"] : span["to"]] = b"\1" * (span["to"] - span["from"])
                kept.append(span)
        pieces: list[tuple[str, float]] = []
        at = 0
        for span in sorted(kept, key=lambda span: span["from"]):
            if span["from"] > at:
                pieces.append((data[at : span["from"]].decode("utf-8", "surrogateescape"), 0.0))
            piece = data[span["from"] : span["to"]].decode("utf-8", "surrogateescape")
            pieces.append((piece, weights[span["word"]]))
            at = span["to"]
        if at < len(data):
            pieces.append((data[at:].decode("utf-8", "surrogateescape"), 0.0))
        return pieces

    # ---- Tables ----

    @property
    def table(self) -> AnyFrame:
        """The weights as a frame of the same type as the input.

        Its columns are ``term``, ``value``, ``form``, ``weight``, and ``log factor of CLASS`` for each class: log P(class) for
        the prior, log P(value | class) for an attribute. For an ensemble there is one row per member: ``member``, ``weight``,
        ``P(class)``.
        """
        names = self._names
        columns: dict[str, Any]
        if self._models is not None:
            columns = {
                "model": [one["model"] for one in self._models],
                "weight": [one["weight"] for one in self._models],
                "prediction": [one["prediction"] for one in self._models],
            }
            for name in names:
                columns[f"P({name})"] = [_nan(one["probabilities"][name]) for one in self._models]
        elif not self._has_terms:
            members = self._record.get("members", [])
            columns = {
                "member": [one["settings"]["method"] for one in members],
                "weight": [one["weight"] for one in members],
            }
            for name in names:
                columns[f"P({name})"] = [math.exp(one["log_posterior"][name]) for one in members]
        else:
            lines = self._ranked()
            columns = {
                "term": [line.term for line in lines],
                "value": ["" if line.value is None else _cell_text(line.value) for line in lines],
                "form": [line.form for line in lines],
                "weight": [math.nan if line.weight is None else line.weight for line in lines],
            }
            for k, name in enumerate(names):
                columns[f"log factor of {name}"] = [line.log_values[k] for line in lines]
        return _tables.result(columns, self._like)

    @property
    def factors(self) -> AnyFrame:
        """The factors of the product P(class) P(row | class), as a frame of the same type as the input.

        Its columns are ``class``, ``factor`` such as ``P(Wind=Strong | No)``, ``working`` such as ``3/5``, and ``value``. The
        value is 1 for an ignored factor.
        """
        columns: dict[str, list[Any]] = {"class": [], "factor": [], "working": [], "value": []}
        for k, one in enumerate(self.classes if self._lines else ()):
            for what, how, log_value in factors_of(self, k):
                for name, cell in zip(columns, (one["class"], what, how, math.exp(min(log_value, 709.0)))):
                    columns[name].append(cell)
        return _tables.result(columns, self._like)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation with the keys of ``credence explain --format json``."""
        if self._models is not None:
            keys = ("log_evidence", "unseen", "typicality", "decision", "expected_cost", "costs")
            rest = {key: self._record[key] for key in keys if key in self._record}
            probabilities = {name: _none(p) for name, p in zip(self._names, self.posterior.values(), strict=True)}
            return {
                "rule": self._record["rule"],
                "models": self._models,
                "prediction": self._record["prediction"],
                "probabilities": probabilities,
                **rest,
            }
        record = {key: value for key, value in self._record.items() if key not in ("tied", "texts")}
        if self._top is not None and self._has_terms:
            record["classes"] = [self._top_terms(k, one) for k, one in enumerate(record["classes"])]
        made: dict[str, Any] = {}
        for key, value in record.items():
            made[key] = value
            if key == "unseen" and self._lines and self._pair_names is not None:
                made["weights"] = self._weights_record(self._pair_names)
            if key == "unseen" and self.texts:
                made["texts"] = self.texts
        return made

    def _weights_record(self, pair: tuple[str, str]) -> dict[str, Any]:
        """Return the weights of evidence: all terms, or the strongest terms and the sum of the others."""

        def with_weight(key: str, weight: float | None) -> dict[str, Any]:
            made: dict[str, Any] = {key: weight if weight is not None and math.isfinite(weight) else None}
            if weight is not None and math.isinf(weight):
                made["rules_out"] = pair[1] if weight > 0 else pair[0]
            return made

        prior, *ranked = self._ranked()
        listed = ranked if self._top is None else ranked[: self._top]
        others = ranked[len(listed) :]
        made: dict[str, Any] = {"for": pair[0], "against": pair[1], **with_weight("prior", prior.weight)}
        made["terms"] = []
        for line in listed:
            attribute = {} if line.form in ("joint", "pair") else {"attribute": line.term}
            label = f'{line.term}="{_beginning(line.value)}"' if line.form == "text" else line.label()
            made["terms"].append({"term": label, **attribute, **with_weight("weight", line.weight)})
        if others:
            made["others"] = with_weight("others", self._sum(others))["others"]
        made["total"] = with_weight("total", self.total)["total"]
        return made

    def _top_terms(self, k: int, one: dict[str, Any]) -> dict[str, Any]:
        """Return a class with only its strongest terms, and the combined term of the other attributes."""
        ranked = self._ranked()[1:]
        listed, others = ranked[: self._top], ranked[self._top or 0 :]
        terms = {term["attribute"]: term for term in one["terms"]}
        mine = [terms[line.term] for line in listed if line.form not in ("joint", "pair")]
        total = 0.0
        for line in others:
            if line.form not in ("joint", "pair"):
                total += line.log_values[k]
        made = {}
        for key, value in one.items():
            made[key] = mine if key == "terms" else value
            if key == "terms":
                made["others"] = {"count": len(terms) - len(mine), "log_value": total}
        return made

    # ---- Display ----

    def _heading(self) -> str:
        if self.prediction is None:
            return "Prediction: none, because every class has probability 0"
        tied = self._record["tied"]
        tie = f", the first of {tied} tied classes" if tied > 1 else ""
        return f"Prediction: {shown(str(self.prediction))}{tie}"

    def _remarks(self) -> list[str]:
        remarks = []
        left_out = [line.term for line in self._lines[1:] if line.form == "missing"]
        if left_out:
            remarks.append("missing, ignored: " + _listed(left_out))
        unseen = [line.label() for line in self._lines[1:] if line.form == "unseen"]
        if unseen:
            remarks.append("never seen, ignored: " + _listed(unseen))
        if self.typicality is not None:
            remarks.append(f"Typicality: {number_text(self.typicality)} of the rows drawn from the model, with the same values present, are at most as likely")
        if "decision" in self._record:
            decided = "none" if self.decision is None else shown(str(self.decision))
            cost = "" if self.expected_cost is None else f", expected cost {number_text(self.expected_cost)}"
            remarks.append(f"Decision: {decided}{cost}")
        if self.changes:
            change = self.changes[0]
            then = change.get("prediction", change.get("decision"))
            is_number = isinstance(change["value"], float)  # a category has no distance
            away = f", {number_text(change['deviations'])} deviations away" if is_number else ""
            remarks.append(
                f"Counterfactual, the smallest change: {shown(change['attribute'])} → "
                f"{shown(_change_text(change['value']))}{away}; "
                f"then {shown(str(then))}"
            )
        if self.missing and self.missing[0]["bits"] >= 5e-5:
            most = self.missing[0]
            remarks.append(
                f"Expected information gain: of missing values {shown(most['attribute'])} has the most, "
                f"{number_text(most['bits'])} of {number_text(self.uncertainty)} bits"
            )
        return remarks

    def _weight_rows(self) -> tuple[list[list[str]], float]:
        ranked = self._ranked()
        listed = 1 + (_LISTED if self._top is None else self._top)
        largest = max((abs(l.weight) for l in ranked if l.weight is not None and math.isfinite(l.weight)), default=0.0)
        rows = [
            [line.label(), _nats(line.weight), _bar(line.weight, largest), _factor(line.weight)]
            for line in ranked[:listed]
        ]
        others = ranked[listed:]
        if others:
            rest = sum(line.weight or 0.0 for line in others)
            rows.append([f"{len(others)} other{'s' if len(others) > 1 else ''}", _nats(rest), "", _factor(rest)])
        rows.append(["total", _nats(self.total), "", _factor(self.total)])
        return rows, largest

    def __repr__(self) -> str:
        parts = [self._heading()]
        if self._lines:
            blocks = factor_blocks(self, _LISTED if self._top is None else self._top)
            parts += [f"{title}\n{columns_text(['', '', ''], rows)}" for title, rows in blocks]
            parts.append(evidence_text(self))
        if self.prediction is not None:
            best = sorted(self.posterior.items(), key=lambda item: -item[1])[:10]
            rows = [[f"P({name} | x)", number_text(p)] for name, p in best]
            parts.append("Posterior\n" + columns_text(["", ""], rows))
        if self.pair is not None and self._lines:
            against = f"{shown(str(self.pair[0]))} against {shown(str(self.pair[1]))}"
            title = f"Weight of evidence for {against}, in nats and as a factor"
            parts.append(title + "\n" + columns_text(["", "", "", ""], self._weight_rows()[0]))
        elif not self._lines:
            parts.append(repr(self.table))
        for text in self.texts:
            rows = [
                [word["word"], str(word["times"]), _nats(word["weight"]), _factor(word["weight"])]
                for word in text["words"][: _LISTED if self._top is None else self._top]
            ]
            parts.append(f"Words of {shown(text['attribute'])}\n" + columns_text(["word", "times", "nats", ""], rows))
        parts += self._remarks()
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        from ._explanation_html import explanation_html

        return explanation_html(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the weights of evidence as bars with matplotlib, and return the axes."""
        from .plotting import plot_evidence

        if self.pair is None or not self._lines:
            raise ValueError("there are no weights of evidence to draw")
        lines = self._ranked()[: 1 + (_LISTED if self._top is None else self._top)]
        bars = [(line.label(), line.weight) for line in lines]
        return plot_evidence(bars, unit="nats", positive=str(self.pair[0]), negative=str(self.pair[1]), ax=ax)


class Explanations(Sequence[Explanation]):
    """Explanations of the rows of a table: a sequence of :class:`Explanation`."""

    def __init__(self, items: list[Explanation], like: Any = None) -> None:
        self._items = items
        self._like = like

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        return Explanations(self._items[index], self._like) if isinstance(index, slice) else self._items[index]

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self._items)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return each explanation with the keys of the command's JSON."""
        return [item.to_dict() for item in self._items]

    @property
    def table(self) -> AnyFrame:
        """The weights of evidence for the predicted class against the second most probable class.

        The frame has the same type as the input, one row per explanation, and one column for the prior and for each attribute.
        """
        columns: dict[str, list[Any]] = {"prediction": [item.prediction for item in self._items]}
        names = ["prior"] + [n for n in dict.fromkeys(l.term for i in self._items for l in i._lines) if n != "prior"]
        for name in names:
            columns[name] = [
                next((_nan(line.weight) for line in item._lines if line.term == name), math.nan)
                for item in self._items
            ]
        return _tables.result(columns, self._like)

    def __repr__(self) -> str:
        listed = [f"Row {index}\n{item!r}" for index, item in enumerate(self._items[:3])]
        more = [f"and {len(self._items) - 3} more"] if len(self._items) > 3 else []
        return "\n\n".join(listed + more)

    def _repr_html_(self) -> str:
        more = f"<p>and {len(self._items) - 5} more</p>" if len(self._items) > 5 else ""
        return "".join(item._repr_html_() for item in self._items[:5]) + more


def _none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _nan(value: float | None) -> float:
    return math.nan if value is None else value


def _listed(names: Sequence[str], most: int = 3) -> str:
    more = f" and {len(names) - most} others" if len(names) > most else ""
    return ", ".join(shown(name) for name in names[:most]) + more


def _change_text(value: Any) -> str:
    return number_text(value) if isinstance(value, float) else str(value)


def _nats(weight: float | None) -> str:
    if weight is None or math.isnan(weight):
        return "-"
    return ("+" if weight > 0 else "") + number_text(weight)


def _factor(weight: float | None) -> str:
    if weight is None or math.isnan(weight):
        return "both at zero"
    if math.isinf(weight):
        return "a zero decides"
    return "×" + (number_text(math.exp(weight)) if weight < 700 else f"e^{number_text(weight)}")


def _bar(weight: float | None, largest: float, width: int = 12) -> str:
    if weight is None or math.isnan(weight) or weight == 0:
        return " " * width + "│"
    share = 1.0 if math.isinf(weight) or largest == 0 else abs(weight) / largest
    if weight > 0:
        return " " * width + "│" + bar_text(share, width)
    return ("█" * round(share * width)).rjust(width) + "│"
