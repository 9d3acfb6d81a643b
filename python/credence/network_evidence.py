# SPDX-License-Identifier: MIT
"""Evidence about a network's nodes, and queries that use it."""

from __future__ import annotations

import contextlib
import math
import numbers
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _tables
from ._network_parts import APPROXIMATIONS, CHANCE, GAUSSIAN, UTILITY, state_texts, unknown
from ._text import is_event
from .errors import CredenceWarning, DataError
from .network_answers import Answer, EvidenceExplanation, Posterior, Joint, Moments, NormalPosterior, Policy

if TYPE_CHECKING:
    from .network import Network

_MOST_JOINT = 32


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def listed(argument: str, names: Any) -> list[str]:
    """Return a list of names, given one name, several, or none."""
    made = [] if names is None else [names] if isinstance(names, str) else names
    if not isinstance(made, Iterable):
        raise TypeError(f"{argument}: expected the names of nodes, got {names!r}")
    made = list(made)
    for name in made:
        if not isinstance(name, str):
            raise TypeError(f"{argument}: expected the names of nodes, got {name!r}")
    return made


@contextlib.contextmanager
def limit_hint(is_estimated: bool = True) -> Iterator[None]:
    """Add a hint to an error about the resources that exact inference needs."""
    try:
        yield
    except DataError as error:
        if error.code == "limit" and not error.hint:
            error.hint = "memory='2G' allows more" + ("; approximate='weighting' estimates the answer instead" if is_estimated else "")
            error.args = (f"{error.args[0]} ({error.hint})", *error.args[1:])
        raise


def is_missing(value: Any) -> bool:
    """Return whether a value of a node means missing, as in a row: None, NaN, NaT or pandas.NA."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, numbers.Real) and value != value)


class Evidence:
    """Evidence about a network's nodes: observed states and numbers, and likelihoods of states."""

    def __init__(
        self,
        network: Network,
        given: Mapping[str, Any] | None,
        likelihood: Mapping[str, Any] | None = None,
        argument: str = "given",
    ) -> None:
        self.network = network
        self.findings: list[tuple[int, Any]] = []
        for argument, evidence, read in ((argument, given, self._certain), ("likelihood", likelihood, self._virtual)):
            if evidence is None:
                continue
            if not isinstance(evidence, Mapping):
                raise TypeError(f"{argument}: expected a mapping of nodes, got {evidence!r}")
            for name, value in evidence.items():
                number = network._node(argument, name)
                if argument != "likelihood" and is_missing(value):
                    continue
                if any(number == known for known, _ in self.findings):
                    raise ValueError(f"{argument}: {name!r} is given twice")
                self.findings.append((number, read(argument, number, value)))

    def state(self, argument: str, node: int, value: Any) -> int:
        """Return the number of a state of a node."""
        facts = self.network._facts[node]
        for text in state_texts(value):
            found = self.network._core.find_state(node, text)
            if found is not None:
                return found
        raise unknown(f"{argument}: {facts.name!r}", "state", value, facts.states)

    def _certain(self, argument: str, node: int, value: Any) -> Any:
        facts = self.network._facts[node]
        if isinstance(value, Mapping):
            raise TypeError(f"{argument}: {facts.name!r} has several states; likelihood takes these")
        if facts.kind != GAUSSIAN:
            return self.state(argument, node, value)
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real) or not math.isfinite(value):
            raise ValueError(f"{argument}: {facts.name!r} is a continuous node, but {value!r} is not a number")
        return float(value)

    def _virtual(self, argument: str, node: int, value: Any) -> list[float]:
        facts = self.network._facts[node]
        if facts.kind == GAUSSIAN:
            raise ValueError(f"{argument}: {facts.name!r} is a continuous node, which has no states; given takes its number")
        made: list[float | None] = [None] * len(facts.states)
        if isinstance(value, Mapping):
            for state, number in value.items():
                made[self.state(argument, node, state)] = number
        elif isinstance(value, Iterable) and not isinstance(value, str):
            made = list(value)
        if len(made) != len(facts.states) or any(number is None for number in made):
            left = [state for state, number in zip(facts.states, made, strict=False) if number is None]
            lacks = f"; it lacks {', '.join(left)}" if left else ""
            raise ValueError(f"{argument}: {facts.name!r} needs a likelihood of each of its states{lacks} (0 rules one out)")
        numbers_given = [float(number) for number in made if number is not None]
        if not all(0 <= number < math.inf for number in numbers_given):
            raise ValueError(f"{argument}: likelihoods of {facts.name!r} are numbers of 0 or more, got {value!r}")
        return numbers_given

    def nodes(self, argument: str, of: Any) -> list[int]:
        """Return the nodes selected by names, numbers, ranges or globs; "all" selects every chance node."""
        network = self.network
        made: list[int] = []
        for item in listed(argument, of):
            if item in network._numbers:
                found = [network._numbers[item]]
            elif item == "all":
                found = [i for i, node in enumerate(network._facts) if node.kind == CHANCE and i not in made]
            else:
                found = self.selected(argument, item)
            for number in found:
                if number in made:
                    raise ValueError(f"{argument}: {network._facts[number].name!r} stands there twice")
                made.append(number)
        return made

    def selected(self, argument: str, selector: Any) -> list[int]:
        """Return the chance nodes that a selector matches. A selector for a single node may match any kind."""
        found = self.network._core.select(selector) if isinstance(selector, str) else None
        if not found:
            raise unknown(argument, "node", selector, self.network._numbers)
        chances = [number for number in found if self.network._facts[number].kind in (CHANCE, GAUSSIAN)]
        return chances if len(found) > 1 and chances else found

    def assignment(self, argument: str, text: Any) -> tuple[int, int]:
        """Parse "node=state" into the node and the state."""
        if isinstance(text, str):
            split = self.split(text)
            if split is not None:
                return split
            name, equals, state = text.partition("=")
            if equals and name in self.network._numbers:
                self.state(argument, self.network._numbers[name], state)
        raise unknown(argument, "node", text, self.network._numbers)

    def split(self, text: str) -> tuple[int, int] | None:
        """Parse "node=state" into the node and the state, for any characters in their names; None if it is not such a text."""
        at = text.find("=")
        while at >= 0:
            number = self.network._numbers.get(text[:at].strip(), self.network._numbers.get(text[:at]))
            if number is not None and self.network._facts[number].kind != GAUSSIAN:
                for rest in (text[at + 1 :], text[at + 1 :].strip()):
                    state = self.network._core.find_state(number, rest)
                    if state is not None:
                        return number, state
            at = text.find("=", at + 1)
        return None

    # ---- Explanations and decisions ----

    def _distribution(self, node: int, values: Sequence[float] | None) -> dict[str, float] | None:
        return None if values is None else dict(zip(self.network._facts[node].states, values, strict=True))

    def _finding(self, index: int) -> dict[str, Any]:
        node, value = self.findings[index]
        facts = self.network._facts[node]
        if facts.kind == GAUSSIAN:
            return {"node": facts.name, "number": value}
        if isinstance(value, list):
            return {"node": facts.name, "likelihood": self._distribution(node, value)}
        return {"node": facts.name, "state": facts.states[value]}

    def explanation(self, node: int, record: Mapping[str, Any]) -> dict[str, Any]:
        """Convert the result of the evidence analysis to names."""
        facts = self.network._facts
        findings = []
        for i, told in enumerate(record["findings"]):
            one = self._finding(i)
            if told is not None:
                one["alone"] = self._distribution(node, told["alone"])
                one["without"] = self._distribution(node, told["without"])
                one["weight"], one["information"] = told["weight"], told["information"]
                one["path"] = None if told["path"] is None else self.network._names(told["path"])
            findings.append(one)
        pairs = []
        for told in record["interplay"]:
            pair = {
                "finding": facts[self.findings[told["finding"]][0]].name,
                "does": told["does"],
                "to": facts[self.findings[told["to"]][0]].name,
                "without_both": self._distribution(node, told["without_both"]),
                "of": facts[node].states[told["of"]],
            }
            if told["does"] == "explains away":
                pair["path"] = None if told["path"] is None else self.network._names(told["path"])
            pairs.append(pair)
        most = record["moved_most"]
        name = facts[node].name
        made = {
            "node": name,
            "state": facts[node].states[record["state"]],
            "before": Posterior(name, self._distribution(node, record["before"]) or {}),
            "posterior": Posterior(name, self._distribution(node, record["posterior"]) or {}),
            "log_evidence": record["log_evidence"],
            "findings": findings,
            "moved_most": None if most is None else facts[self.findings[most][0]].name,
            "interplay": pairs,
        }
        if record["approximation"]:
            made["approximation"] = APPROXIMATIONS[record["approximation"]]
            made["largest_standard_error"] = record["largest_standard_error"]
        return made

    def explain(self, node: int, state: int, options: Any) -> EvidenceExplanation:
        """Explain the effect of the evidence on a node. If `state` is negative, explain the state with the most support."""
        record = _core.network_analysis(self.network._core, self.findings, node, state, options)
        return EvidenceExplanation(self.explanation(node, record))

    def policy(self, observed: list[int], value_of: Any, options: Any) -> Policy:
        """Compute the best decisions, and the value of observing nodes before them."""
        core, facts = self.network._core, self.network._facts
        utility, log_evidence, decisions = _core.network_policy(core, self.findings, observed, options)
        known_already = {node for node, _ in self.findings} | set(observed)
        worths: list[tuple[str, float | None, float | None]] = []
        for node in self.nodes("value_of", value_of):
            if node in known_already:
                continue
            try:
                more, _, then = _core.network_policy(core, self.findings, [*observed, node], options)
            except DataError as error:
                if error.code != "schema differs":
                    raise
                worths.append((facts[node].name, None, None))
                continue
            # The value is zero if no decision depends on the node, or if the sums differ only by rounding.
            depends = any(node in known for _, known, _ in then)
            with_it = more if depends and more > utility else utility
            worths.append((facts[node].name, with_it, with_it - utility))
        worths.sort(key=lambda one: -math.inf if one[1] is None else one[1], reverse=True)
        policy = []
        for decision, known, choices in decisions:
            situations = []
            for combination, choice, utilities in choices:
                states = {}
                for node in reversed(known):
                    count = len(facts[node].states)
                    states[facts[node].name] = facts[node].states[combination % count]
                    combination //= count
                situations.append(
                    {
                        "known": dict(reversed(states.items())),
                        "choice": facts[decision].states[choice],
                        "expected_utility": {
                            state: None if math.isnan(value) else value
                            for state, value in zip(facts[decision].states, utilities, strict=True)
                        },
                    }
                )
            policy.append({"decision": facts[decision].name, "choices": situations})
        return Policy(utility, policy, log_evidence, {name: worth for name, _, worth in worths})


class Question:
    """A query for posteriors given evidence."""

    def __init__(self, network: Network, known: Evidence, options: tuple[Any, ...]) -> None:
        self.network = network
        self.known = known
        self.options = options
        self.facts: dict[str, Any] = {
            "log_evidence": 0.0,
            "log_evidence_error": 0.0,
            "approximation": 0,
            "draws": 0.0,
            "effective_draws": 0.0,
            "cells": 0.0,
            "bytes": 0.0,
        }

    def _note(self, result: dict[str, Any]) -> None:
        """Record the accuracy of a result. Several results share the values of the least accurate one."""
        if self.facts["approximation"] == 0 or result["effective_draws"] < self.facts["effective_draws"]:
            self.facts = result

    def nodes_alone(self, names: Sequence[str]) -> dict[str, Any]:
        """Compute the posterior of each node separately."""
        facts = self.network._facts
        chosen = [self.network._numbers[name] for name in names]
        made: dict[str, Any] = dict.fromkeys(names)
        discrete = [number for number in chosen if facts[number].kind != GAUSSIAN]
        if discrete or not chosen:
            values, errors, result = _core.network_posteriors(
                self.network._core, self.known.findings, discrete, self.options
            )
            self._note(result)
            numbers_found = np.frombuffer(values, np.float64).tolist()
            deviations = np.frombuffer(errors, np.float64).tolist() if result["approximation"] else None
            at = 0
            for number in discrete:
                states = facts[number].states
                end = at + len(states)
                error = None if deviations is None else dict(zip(states, deviations[at:end], strict=True))
                made[facts[number].name] = Posterior(
                    facts[number].name, dict(zip(states, numbers_found[at:end], strict=True)), error
                )
                at = end
        continuous = [number for number in chosen if facts[number].kind == GAUSSIAN]
        if continuous:
            mixtures, result = _core.network_mixtures(self.network._core, self.known.findings, continuous, self.options)
            self._note(result)
            for place, number in enumerate(continuous):
                asked = (self.network, self.known.findings, continuous, place, self.options)
                made[facts[number].name] = NormalPosterior(facts[number].name, mixtures[place], asked)
        return made

    def joint(self, chosen: list[int]) -> Joint | Moments:
        """Compute the joint posterior of nodes with states, or the moments of continuous nodes."""
        facts = self.network._facts
        names = [facts[number].name for number in chosen]
        kinds = {facts[number].kind == GAUSSIAN for number in chosen}
        if len(kinds) > 1:
            name = next(facts[number].name for number in chosen if facts[number].kind == GAUSSIAN)
            raise ValueError(f"joint_distribution: {name!r} is a continuous node, which cannot be combined with discrete nodes")
        if len(chosen) > _MOST_JOINT:
            raise ValueError(f"joint_distribution: at most {_MOST_JOINT} nodes are possible, got {len(chosen)}")
        if kinds == {True}:
            means, covariance, result = _core.network_moments(
                self.network._core, self.known.findings, chosen, self.options
            )
            self._note(result)
            matrix = np.frombuffer(covariance, np.float64).reshape(len(chosen), len(chosen))
            return Moments(names, np.frombuffer(means, np.float64), matrix)
        values, errors, result = _core.network_joint(self.network._core, self.known.findings, chosen, self.options)
        self._note(result)
        states = [facts[number].states for number in chosen]
        shape = tuple(len(one) for one in states)
        deviations = np.frombuffer(errors, np.float64).reshape(shape) if result["approximation"] else None
        return Joint(names, states, np.frombuffer(values, np.float64).reshape(shape), deviations)

    def event(self, event: Any) -> Posterior:
        """Compute the probability that an event holds, and that it does not."""
        if isinstance(event, Mapping):
            parts = []
            for name, value in event.items():
                number = self.network._node("event", name)
                if self.network._facts[number].kind == GAUSSIAN:
                    parts.append(f"{_quoted(name)}={_quoted(repr(float(value)))}")
                else:
                    state = self.network._facts[number].states[self.known.state("event", number, value)]
                    parts.append(f"{_quoted(name)}={_quoted(state)}")
            text = shown = " and ".join(parts)
        elif isinstance(event, str):
            split = self.known.split(event)
            text = shown = event
            if split is not None:
                node = self.network._facts[split[0]]
                text = f"{_quoted(node.name)}={_quoted(node.states[split[1]])}"
        else:
            raise TypeError(f"event: expected a text, or a mapping of nodes to states, got {event!r}")
        holds, fails, deviation, result = _core.network_event(
            self.network._core, self.known.findings, text, self.options
        )
        self._note(result)
        errors = {"true": deviation, "false": deviation} if result["approximation"] else None
        return Posterior(shown, {"true": holds, "false": fails}, errors)

    def _items(self, of: Any) -> list[tuple[str, int | None]]:
        """Return nodes with their numbers, and events as (text, None). Each node occurs once."""
        items: list[tuple[str, int | None]] = []
        network = self.network
        has_all = False
        for item in listed("of", of):
            there = {number for _, number in items}
            if item in network._numbers:
                found = [network._numbers[item]]
            elif item == "all":
                has_all = True
                found = [i for i, node in enumerate(network._facts) if node.kind in (CHANCE, GAUSSIAN)]
            elif is_event(item):
                items.append((item, None))
                continue
            else:
                found = self.known.selected("of", item)
            for number in found:
                if number not in there:
                    items.append((network._facts[number].name, number))
                elif not has_all:
                    raise ValueError(f"of: {network._facts[number].name!r} stands there twice")
        return items

    def answer(self, of: Any, joint_distribution: bool) -> Answer:
        """Compute all results of the query."""
        items = self._items(of)
        if of is not None and not items:
            raise ValueError("of: names no node")
        chosen = [number for _, number in items if number is not None]
        posterior: dict[str, Any]
        if joint_distribution:
            if len(chosen) < len(items):
                raise ValueError("joint_distribution: takes nodes; join events by 'and' or 'or'")
            if "all" in listed("of", of):
                with_states = [number for number in chosen if self.network._facts[number].kind == CHANCE]
                chosen = with_states or chosen
            if len(chosen) == 1:
                posterior = self.nodes_alone([self.network._facts[chosen[0]].name])
            else:
                posterior = {",".join(self.network._names(chosen)): self.joint(chosen)}
        else:
            alone = self.nodes_alone([text for text, number in items if number is not None]) if chosen or not items else {}
            posterior = {text: alone[text] if number is not None else self.event(text) for text, number in items}
        facts = dict(self.facts)
        facts["approximation"] = APPROXIMATIONS[facts["approximation"]]
        if not self.known.findings:
            facts["log_evidence"] = 0.0
        return Answer(posterior, facts)


def rows_answer(
    network: Network, known: Evidence, of: Any, joint_distribution: bool, data: Any, reading: dict[str, Any], options: Any
) -> Any:
    """Compute the posteriors of nodes for each row of a table."""
    if joint_distribution or options[2]:
        raise ValueError("data: for the rows of a table, posteriors of each node are computed exactly")
    facts = network._facts
    items = listed("of", of)
    asks_all = "all" in items and "all" not in network._numbers
    nodes = known.nodes("of", items)
    if asks_all:
        nodes += [i for i, node in enumerate(facts) if node.kind == GAUSSIAN and i not in nodes]
    left_out = {node for node, _ in known.findings} | (set() if asks_all else set(nodes))
    columns = [i for i, node in enumerate(facts) if node.kind != UTILITY and i not in left_out]
    files = len(data) if isinstance(data, (list, tuple)) and data and isinstance(data[0], str) else 1
    reader = _tables.open_reader(data, detect_formats=False, **reading)
    rows, values, logs, unknown_cells, _ = _core.network_rows(
        network._core, reader, files, known.findings, columns, nodes, options
    )
    names = []
    for number in nodes:
        node = facts[number]
        if node.kind == GAUSSIAN:
            names += [f"mean({node.name})", f"sd({node.name})"]
        else:
            names += [f"{node.name}={state}" for state in node.states]
    cells = np.frombuffer(values, np.float64).reshape(rows, len(names))
    log_evidence = np.frombuffer(logs, np.float64)
    impossible = int(np.count_nonzero(np.isneginf(log_evidence)))
    if impossible:
        warnings.warn(
            f"{impossible} row{'s' * (impossible != 1)} without a result: the evidence has probability zero in the network",
            CredenceWarning,
            stacklevel=3,
        )
    if unknown_cells:
        warnings.warn(
            f"ignored {unknown_cells} value{'s' * (unknown_cells != 1)} not among the states of the network",
            CredenceWarning,
            stacklevel=3,
        )
    made: dict[str, Any] = {name: np.ascontiguousarray(cells[:, i]) for i, name in enumerate(names)}
    made["log_evidence"] = log_evidence
    return _tables.result(made, data)


def rows_explained(
    network: Network, known: Evidence, node: int, state: int, data: Any, reading: dict[str, Any], options: Any
) -> list[EvidenceExplanation | DataError]:
    """Explain the effect of each row's values on a node; return an error for a row with probability 0."""
    facts = network._facts
    left_out = {number for number, _ in known.findings} | {node}
    columns = [i for i, one in enumerate(facts) if one.kind != UTILITY and i not in left_out]
    reader = _tables.open_reader(data, detect_formats=False, **reading)
    found: tuple[int, Any, Any] = _core.network_cases(network._core, reader, columns)
    rows, states, numbers_found = found
    cells = np.frombuffer(states, np.int32).reshape(rows, len(facts)).tolist()
    measured = np.frombuffer(numbers_found, np.float64).reshape(rows, len(facts)).tolist()
    made: list[EvidenceExplanation | DataError] = []
    for row in range(rows):
        one = Evidence(network, None, None)
        one.findings = list(known.findings)
        for number in columns:
            if facts[number].kind == GAUSSIAN and not math.isnan(measured[row][number]):
                one.findings.append((number, measured[row][number]))
            elif facts[number].kind != GAUSSIAN and cells[row][number] >= 0:
                one.findings.append((number, cells[row][number]))
        try:
            made.append(one.explain(node, state, options))
        except DataError as error:
            if error.code != "probability":
                raise
            made.append(error)
    return made
