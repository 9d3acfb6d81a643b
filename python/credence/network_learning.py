# SPDX-License-Identifier: MIT
"""Networks learned from rows: structures searched for, and tables counted or fitted."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _core, _settings, _tables
from ._network_parts import CHANCE, DECISION, GAUSSIAN, UTILITY
from ._reader_options import OPTIONS, selectors
from .errors import CredenceWarning
from .model import Model

if TYPE_CHECKING:
    from .network import Network

_KINDS = {1: "number", 2: "category"}
_CHOICES = ("number", "category", "text", "ignore", "only", "kinds", "form", "schema", "discretize", "weight")


def _split(arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Settings, choices of columns, and options of reading."""
    known = _settings.names()
    settings = {name: value for name, value in arguments.items() if name in known}
    choices = {name: value for name, value in arguments.items() if name in _CHOICES}
    reading = {name: value for name, value in arguments.items() if name in OPTIONS}
    for name in arguments:
        if name not in settings and name not in choices and name not in reading:
            raise _settings.unknown(name, "learn", [*_CHOICES, *OPTIONS, "bootstrap", "threshold", "seed", "target"])
    return settings, choices, reading


def _structure_text(network: Network) -> list[Any]:
    """Every node by itself, so that those without arcs are among them, and every arc."""
    names: list[Any] = [node.name for node in network._facts if node.kind != UTILITY]
    utilities = {node.name for node in network._facts if node.kind == UTILITY}
    return names + [(parent, child) for parent, child in network.arcs if child not in utilities]


def _columns(table: Any, choices: dict[str, Any], target: Any, made: Any, network: Network | None, reading: dict[str, Any]) -> None:
    """Adds to the choices of columns what they are as nodes."""
    reader = _tables.open_reader(table, find_forms=False, **reading)
    columns = reader.column_names()
    decided = set()
    for name in ("number", "category", "text", "ignore", "weight"):
        for selector in selectors(choices.get(name)):
            decided |= {columns[i] for i in reader.select(selector)} if isinstance(selector, str) else {columns[selector]}
    decided |= set(choices.get("kinds") or ())
    kinds: dict[str, str] = {}
    if network is not None:
        nodes = {node.name: node for node in network._facts if node.kind != UTILITY}
        kinds = {name: "number" for name, node in nodes.items() if node.kind == GAUSSIAN and name in columns}
        choices["declare"] = {
            name: node.states for name, node in nodes.items() if node.kind in (CHANCE, DECISION) and name in columns
        }
        named: Iterable[str] | None = nodes
    else:
        target_name = columns[_tables._one(reader, "target", target)] if target is not None else None
        found, named = _core.node_kinds(reader, made, target_name)
        kinds = {name: _KINDS[kind] for name, kind in found.items() if kind in _KINDS and name != target_name}
        if target_name is not None:
            decided.add(target_name)
    choices["kinds"] = {**{k: v for k, v in kinds.items() if k not in decided}, **(choices.get("kinds") or {})}
    if named is not None:
        kept = set(named) | {columns[i] for s in selectors(choices.get("weight")) for i in reader.select(s)}
        others = [name for name in columns if name not in kept]
        choices["ignore"] = [*selectors(choices.get("ignore")), *others]


def _missing(network: Network) -> dict[str, Any] | None:
    """The usual texts that mean missing without those that are states; None where no state is one."""
    states = {state.lower() for node in network._facts if node.kind != UTILITY for state in node.states}
    usual = _core.usual_missing()
    kept = [text for text in usual if text.lower() not in states]
    return {"any_case": kept} if len(kept) < len(usual) else None


def learn(kind: type[Network], table: Any, structure: Any, target: Any, bootstrap: int, options: dict[str, Any]) -> Network:
    """See :meth:`Network.learn`."""
    from .network import Network

    seed, threshold = options.pop("seed", 1), options.pop("threshold", None)
    settings, choices, reading = _split(options)
    network = structure if isinstance(structure, Network) else None
    settings["structure"] = _structure_text(network) if network is not None else structure
    if not (isinstance(structure, str) and (structure == "tan" or structure.startswith("kdb"))):
        settings.setdefault("method", "network")
    made = _settings.make(settings, None, "learn")
    search = _core.structure_search(made)
    if bootstrap < 0 or (bootstrap and search is None):
        raise ValueError("bootstrap: the number of resamples that a search is made on; structure has to name one")
    if threshold is not None and not 0 <= threshold <= 1:
        raise ValueError(f"threshold: expected a number from 0 to 1, got {threshold!r}")
    if network is not None and "missing" not in reading:
        reading["missing"] = _missing(network)
    if choices.get("schema") is None and choices.get("discretize") is None:
        _columns(table, choices, target, made, network, reading)
    reader = _tables.open_reader(table, target=target, with_parts=False, **choices, **reading)
    found: dict[str, Any] | None = None
    if search is None:
        core, facts = _core.train_model(reader, made)
    else:
        found, core, facts = _core.learn_structure(
            reader, made, resamples=bootstrap, threshold=-1.0 if threshold is None else float(threshold), seed=seed
        )
        _warn(found)
    model = Model(core, facts)
    model.fit()
    learned = kind._of(_core.network_of_model(core))
    learned.trained, learned.found = model, found
    return learned


def _warn(found: dict[str, Any]) -> None:
    if not found["is_consistent"]:
        warnings.warn(
            "the tests contradict each other: no network has all of these directions, so that some arcs have another",
            CredenceWarning,
            stacklevel=5,
        )
    if found["is_stopped"]:
        warnings.warn("the search was stopped before its end: the network is the best found by then", CredenceWarning, stacklevel=5)
