# SPDX-License-Identifier: MIT
"""Bayes' rule for given numbers: a finite set of hypotheses, their priors, and the likelihoods of outcomes."""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, SupportsFloat, Union

from . import _core
from ._text import columns_text, number_text
from .errors import CredenceWarning

Number = Union[SupportsFloat, str]
Likelihoods = Union[
    Mapping[str, Mapping[str, Number]],
    Mapping[tuple[str, str], Number],
    Iterable[tuple[str, str, Number]],
]


def number_of(value: Number, argument: str) -> float:
    """Parse a probability or another number: a number, or a text such as ``"0.25"``, ``"2/8"`` or ``"25%"``."""
    if not isinstance(value, str):
        try:
            return float(value)
        except (TypeError, ValueError):
            raise TypeError(f"{argument}: expected a number or a text such as '2/8', got {value!r}") from None
    text = value.strip()
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100
        above, slash, below = text.rpartition("/")
        return float(above) / float(below) if slash else float(text)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{argument}: expected a number such as 0.25, '2/8' or '25%', got {value!r}") from None


def _names(value: str | Iterable[str] | None) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Iterable):
        raise TypeError(f"observed: expected the name of an outcome, or several, got {value!r}")
    return list(value)


def _likelihoods(value: Likelihoods | None) -> list[tuple[str, str, float]]:
    if value is None:
        return []
    if not isinstance(value, Mapping):
        return [(o, h, number_of(p, "likelihood")) for o, h, p in value]
    found: list[tuple[str, str, float]] = []
    for key, item in value.items():
        if isinstance(item, Mapping):
            found += [(str(key), h, number_of(p, "likelihood")) for h, p in item.items()]
        elif isinstance(key, tuple) and len(key) == 2:
            found.append((key[0], key[1], number_of(item, "likelihood")))
        else:
            raise TypeError(
                "likelihood: expected {outcome: {hypothesis: p}} or {(outcome, hypothesis): p}, "
                f"got the item {key!r}: {item!r}"
            )
    return found


def _bracketed(name: str) -> tuple[str, bool]:
    """Return the text between the brackets of P(...), the notation of textbooks, and whether there are brackets."""
    is_probability = len(name) > 3 and name.startswith("P(") and name.endswith(")")
    return (name[2:-1] if is_probability else name), is_probability


def _statement(kind: str, item: str) -> tuple[Any, ...] | None:
    """Parse one item of a line in a file; return None if it is not valid."""
    if kind == "observed":
        return ("observed", item) if item else None
    if kind == "predicts":
        name, equals, answer = item.partition("=")
        return ("predicts", name, answer) if name and equals and answer else None
    text, equals, number = item.rpartition("=")
    name, has_brackets = _bracketed(text)
    if not equals or not name:
        return None
    try:
        value = number_of(number, kind)
    except ValueError:
        return None
    if kind == "prior":
        return ("prior", name, value)
    sign = next((sign for sign in ("|:" if has_brackets else ":|") if sign in name), ":")
    outcome, _, hypothesis = name.partition(sign)
    return ("likelihood", outcome, hypothesis, value) if outcome and hypothesis else None


def _read_statements(path: str) -> list[tuple[Any, ...]]:
    """Read the lines of a file. Each line is an option without its dashes; a line that begins with # is a comment."""
    found = []
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for number, line in enumerate(lines, 1):
            kind, _, rest = line.strip().partition(" ")
            if not kind or kind.startswith("#"):
                continue
            if kind not in ("prior", "likelihood", "observed", "predicts"):
                raise ValueError(
                    f"{path}:{number}: a line begins with prior, likelihood, observed or predicts, not {kind!r}"
                )
            for item in next(csv.reader([rest], skipinitialspace=True), []):
                statement = _statement(kind, item.strip())
                if statement is None:
                    raise ValueError(f"{path}:{number}: {kind} cannot be read: {item!r}")
                found.append(statement)
    return found


class BayesAnswer:
    """The result of Bayes' rule, given priors, likelihoods and observed outcomes.

    Attributes
    ----------
    prior, posterior : dict
        The probability of each hypothesis before and after the observations.
    observations : list of dict
        For each outcome its evidence, and for each hypothesis ``before``, ``likelihood``, ``joint`` and ``posterior``.
    log_evidence : float
        The logarithm of the probability of all observations.
    map, ml : str
        The hypotheses with the largest posterior and the largest likelihood; ``ml`` is None without observations.
    best_accuracy : float
        The probability that the best guess from one outcome is right; None if no likelihood is specified.
    optimal : str
        The prediction with the largest posterior weight (Bayes optimal); None if the hypotheses make no predictions.
    gibbs : dict
        The probability of each prediction, if a hypothesis is drawn from the posterior; None if there are no predictions.
    tied : dict
        The number of hypotheses or predictions that tie for ``map``, ``ml`` and ``optimal``, including the winner.
    inferred : dict
        The numbers that were not specified: hypotheses with an inferred prior, and pairs with an inferred likelihood. Each is
        the complement of the specified ones.
    """

    _KEYS = ("prior", "observations", "posterior", "log_evidence", "map", "ml", "best_accuracy", "optimal", "gibbs")

    def __init__(self, record: dict[str, Any], predicts: dict[str, str]) -> None:
        self._record = record
        self._predicts = predicts
        self.prior: dict[str, float] = record["prior"]
        self.observations: list[dict[str, Any]] = record["observations"]
        self.posterior: dict[str, float] = record["posterior"]
        self.log_evidence: float = record["log_evidence"]
        self.map: str = record["map"]
        self.ml: str | None = record.get("ml")
        self.best_accuracy: float | None = record.get("best_accuracy")
        self.optimal: str | None = record.get("optimal")
        self.gibbs: dict[str, float] | None = record.get("gibbs")
        self.tied: dict[str, int] = record["tied"]
        self.inferred: dict[str, list[Any]] = record["inferred"]

    def to_dict(self) -> dict[str, Any]:
        """Return the result with the keys of ``credence bayes --format json``."""
        return {key: self._record[key] for key in self._KEYS if key in self._record}

    def _tables(self) -> list[tuple[str, list[str], list[list[str]]]]:
        tables = []
        priors, likelihoods = set(self.inferred["prior"]), {tuple(pair) for pair in self.inferred["likelihood"]}
        for index, step in enumerate(self.observations):
            outcome = step["outcome"]
            rows = []
            for row in step["hypotheses"]:
                name = row["hypothesis"]
                before = number_text(row["before"]) + ("*" if index == 0 and name in priors else "")
                likelihood = number_text(row["likelihood"]) + ("*" if (outcome, name) in likelihoods else "")
                rows.append([name, before, likelihood, number_text(row["joint"]), number_text(row["posterior"])])
            rows.append(["evidence", "", "", number_text(step["evidence"]), ""])
            head = ["hypothesis h", "so far" if index else "P(h)", f"x P({outcome}|h)", "= joint"]
            head.append(f"P(h|{outcome}, ...)" if index else f"P(h|{outcome})")
            tables.append((f"Observed {outcome}", head, rows))
        if not self.observations:
            rows = [[name, number_text(p) + ("*" if name in priors else "")] for name, p in self.prior.items()]
            tables.append(("Weights of the hypotheses", ["hypothesis h", "P(h)"], rows))
        tables.append(("Answers", ["rule", "answer"], self._rules()))
        return tables

    def _rules(self) -> list[list[str]]:
        def choice(rule: str, name: str) -> list[str]:
            says = f" says {self._predicts[name]}" if name in self._predicts else ""
            key = "map" if "MAP" in rule else "ml"
            tie = f" (the first of {self.tied[key]} that tie)" if self.tied[key] > 1 else ""
            return [rule, f"{name}{says}{tie}"]

        rows = [choice("maximum a posteriori (MAP)", self.map)]
        if self.ml is not None:
            rows.append(choice("maximum likelihood (ML)", self.ml))
        if self.optimal is not None and self.gibbs is not None:
            weight = number_text(self.gibbs[self.optimal])
            rows.append(["Bayes optimal", f"{self.optimal}, with weight {weight}"])
            drawn = ", ".join(f"{name} with probability {number_text(p)}" for name, p in self.gibbs.items())
            rows.append(["Gibbs", drawn])
        if self.best_accuracy is not None:
            rows.append(["best accuracy from one outcome", number_text(self.best_accuracy)])
        return rows

    def __repr__(self) -> str:
        parts = [f"{title}\n{columns_text(head, rows)}" for title, head, rows in self._tables()]
        return "\n\n".join([*parts, *self._remarks()])

    def _remarks(self) -> list[str]:
        has_inferred = self.inferred["prior"] or self.inferred["likelihood"]
        return ["* not given: the complement of the others, or uniform"] if has_inferred else []

    def _repr_html_(self) -> str:
        from ._html import card_html, escape, table_html

        tables = [table_html(head, rows, caption=title) for title, head, rows in self._tables()]
        return card_html("Bayes' rule", {}, *tables, *(f"<p>{escape(remark)}</p>" for remark in self._remarks()))


def _warn_of_unstated(record: dict[str, Any]) -> None:
    """Warn about an observed outcome without a specified likelihood.

    Its likelihood is the complement of the other outcomes. If its name is misspelled, this is the opposite of the intended
    outcome.
    """
    hypotheses, inferred = list(record["prior"]), {tuple(pair) for pair in record["inferred"]["likelihood"]}
    unstated = [o for o in record["outcomes"] if all((o, h) in inferred for h in hypotheses)]
    for outcome in unstated:
        others = [o for o in record["outcomes"] if o != outcome]
        taken = ("not " if len(others) == 1 else "none of ") + ", ".join(others)
        warnings.warn(
            f"no likelihood of '{outcome}' is given: it is computed as {taken}", CredenceWarning, stacklevel=3
        )


def bayes(
    prior: Mapping[str, Number] | None = None,
    likelihood: Likelihoods | None = None,
    observed: str | Iterable[str] | None = None,
    predicts: Mapping[str, str] | None = None,
    *,
    file: str | os.PathLike[str] | None = None,
) -> BayesAnswer:
    """Apply Bayes' rule to given numbers: posterior = prior x likelihood / evidence.

    You can omit numbers that follow from the rest. The prior of one hypothesis is inferred as the complement of the others, and
    so is the likelihood of one outcome under a hypothesis. Without any prior, all hypotheses are equally probable.

    Parameters
    ----------
    prior : mapping
        P(hypothesis). Numbers may be texts such as ``"2/8"`` or ``"25%"``.
    likelihood : mapping or iterable
        P(outcome | hypothesis), as ``{outcome: {hypothesis: p}}``, ``{(outcome, hypothesis): p}`` or triples.
    observed : str or iterable of str
        Outcomes, in the order of their observation.
    predicts : mapping
        The prediction of each hypothesis. Predictions are combined by MAP, ML, all hypotheses (Bayes optimal), and one drawn
        hypothesis (Gibbs).
    file : path
        A file with lines such as ``prior H=P``, as ``credence bayes --file`` accepts. Its lines are processed before the
        arguments.

    Returns
    -------
    BayesAnswer

    Examples
    --------
    >>> import credence
    >>> test = credence.bayes({"cancer": 0.008}, {"+": {"cancer": 0.98, "no cancer": 0.03}}, "+")
    >>> round(test.posterior["cancer"], 6), test.map, test.ml
    (0.208511, 'no cancer', 'cancer')
    >>> boxes = credence.bayes({"red": "40%"}, {"orange": {"red": "6/8", "blue": "1/4"}}, "orange")
    >>> round(boxes.posterior["red"], 4), round(boxes.best_accuracy, 4)
    (0.6667, 0.75)
    >>> vote = credence.bayes({"h1": 0.4, "h2": 0.3, "h3": 0.3}, predicts={"h1": "+", "h2": "-", "h3": "-"})
    >>> vote.optimal, vote.gibbs, vote.map
    ('-', {'+': 0.4, '-': 0.6}, 'h1')
    """
    for argument, given in (("prior", prior), ("predicts", predicts)):
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"{argument}: expected a mapping of hypotheses, got {type(given).__name__}")
    statements: list[tuple[Any, ...]] = [] if file is None else _read_statements(os.fspath(file))
    statements += [("prior", name, number_of(p, "prior")) for name, p in (prior or {}).items()]
    statements += [("likelihood", *item) for item in _likelihoods(likelihood)]
    statements += [("observed", name) for name in _names(observed)]
    statements += [("predicts", name, answer) for name, answer in (predicts or {}).items()]
    if file is None and not any(item[0] in ("observed", "predicts") for item in statements):
        raise ValueError("bayes needs something to answer: observed=outcome or predicts={hypothesis: prediction}")
    record = _core.apply_bayes_rule(statements)
    _warn_of_unstated(record)
    return BayesAnswer(record, {item[1]: item[2] for item in statements if item[0] == "predicts"})
