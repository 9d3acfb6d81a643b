# SPDX-License-Identifier: MIT
"""Learning networks from rows: structure search, and tables that are counted or fitted."""

from __future__ import annotations

import difflib
import json
import os
import re
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _settings, _tables
from ._network_parts import CHANCE, DECISION, GAUSSIAN, UTILITY
from ._reader_options import OPTIONS, selectors
from .errors import CredenceWarning, SettingError, issue

if TYPE_CHECKING:
    from .network import Network

_KINDS = {1: "number", 2: "category"}
_MOST_NAMED = 10  # values that are not states


def _arcs(network: Network) -> list[Any]:
    """List every node, because some nodes have no arcs, and then every arc."""
    utilities = {node.name for node in network._facts if node.kind == UTILITY}
    names: list[Any] = [node.name for node in network._facts if node.name not in utilities]
    return names + [arc for arc in network.arcs if arc[1] not in utilities]


def network_of(structure: Any) -> Network | None:
    """Return the network that a structure specifies: the network itself, or the one in its file; None for a search or arcs."""
    from .network import Network

    if isinstance(structure, Network):
        return structure
    is_file = isinstance(structure, os.PathLike) or (isinstance(structure, str) and os.path.isfile(structure))
    return Network.read(structure) if is_file else None


def node_states(network: Network) -> dict[str, tuple[str, ...]]:
    """Return the states of each discrete node."""
    return {node.name: node.states for node in network._facts if node.kind in (CHANCE, DECISION)}


def _missing(network: Network) -> dict[str, Any] | None:
    """Return the usual texts for missing values, without those that are states; None if no state is such a text."""
    states = {state.lower() for node in network._facts if node.kind != UTILITY for state in node.states}
    usual = _core.usual_missing()
    kept = [text for text in usual if text.lower() not in states]
    return {"any_case": kept} if len(kept) < len(usual) else None


def _chosen(reader: Any, columns: list[str], selector: Any) -> set[str]:
    """Return the names of the columns that a selector, or a position, selects."""
    return {columns[i] for i in _tables._number_of(reader, "column", selector)}


def _check_search(structure: Any, columns: list[str]) -> None:
    """Raise an exception for a single word that is neither a search nor a column, because it was meant as a search."""
    forms = [form for form in _settings.syntax("structure").split("|") if re.match("[a-z]", form) and form != "none"]
    words = [form.partition(":")[0] for form in forms]
    is_word = isinstance(structure, str) and re.fullmatch(r"[\w-]+", structure) is not None
    if not is_word or structure in columns or structure in words:
        return
    initials = [word for word in words if "".join(part[:1] for part in word.split("-")) == structure.lower()]
    near = initials[:1] or difflib.get_close_matches(structure.lower(), words, 1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise SettingError(f"structure: {structure!r} is neither a search nor a column; the searches are {', '.join(forms)}; arcs are 'A->B,C->B'{hint}")


def structure_columns(
    table: Any, target: Any, weight: Any, settings: Mapping[str, Any], reading: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings and reading options, with the column types that the specified structure requires.

    Each node is categorical or numeric: as the library infers from its values or, for a network, as the network's node, with
    its states. Columns that are not nodes of specified arcs are ignored. The reading options override the inferred type of a
    column.
    """
    settings, reading = dict(settings), dict(reading)
    network = network_of(settings["structure"])
    if network is not None:
        settings["structure"] = _arcs(network)
        if reading.get("missing") is None:
            reading["missing"] = _missing(network)
    reading["with_parts"] = False
    if reading.get("schema") is not None or reading.get("discretize") is not None:
        return settings, reading
    options = {name: value for name, value in reading.items() if name in OPTIONS}
    reader = _tables.open_reader(table, find_forms=False, **options)
    columns: list[str] = reader.column_names()
    decided = set(reading.get("kinds") or ())
    for name in ("number", "category", "text", "ignore"):
        for selector in selectors(reading.get(name)):
            decided |= _chosen(reader, columns, selector)
    roles = set() if weight is None else _chosen(reader, columns, weight)
    target_names = set() if target is None else _chosen(reader, columns, target)
    nodes: Iterable[str] | None
    if network is not None:
        nodes = {node.name: node for node in network._facts if node.kind != UTILITY}
        kinds = {name: "number" for name, node in nodes.items() if node.kind == GAUSSIAN and name in columns}
        declared = {name: states for name, states in node_states(network).items() if name in columns}
        reading["declare"] = {**declared, **(reading.get("declare") or {})}
    else:
        made = _settings.make({"structure": settings["structure"]}, None, "learn")
        _check_search(settings["structure"], columns)
        found, nodes = _core.node_kinds(reader, made, next(iter(target_names), None))
        kinds = {name: _KINDS[kind] for name, kind in found.items() if kind in _KINDS}
    kept = {name: kind for name, kind in kinds.items() if name not in decided | roles | target_names}
    reading["kinds"] = {**kept, **(reading.get("kinds") or {})}
    if nodes is not None:
        others = [name for name in columns if name not in nodes and name not in roles]
        left = target_names.intersection(others)
        if left:
            raise ValueError(f"target: {left.pop()!r} is not in the structure: add it, in arcs or as a single node")
        reading["ignore"] = [*selectors(reading.get("ignore")), *others]
    return settings, reading


def warn_of_states(declared: Mapping[str, Iterable[str]], core: Any) -> None:
    """Warn about values that are not states of the network that specifies the model's structure."""
    columns = json.loads(_core.schema_of_model(core, True))["columns"]
    values = {column["name"]: column.get("values", ()) for column in columns if "name" in column}
    found = [(name, text) for name, states in declared.items() for text in values.get(name, ()) if text not in set(states)]
    for name, text in found[:_MOST_NAMED]:
        issue(f"{name!r} has the value {text!r}, which the network does not contain: it was added as a state")
    if len(found) > _MOST_NAMED:
        issue(f"{len(found) - _MOST_NAMED} more values were learned as further states")


def learn(kind: type[Network], table: Any, structure: Any, target: Any, options: dict[str, Any]) -> Network:
    """Learn a network: see :meth:`Network.learn`."""
    from .train import train

    model = train(table, target, structure=structure, **options)
    learned = kind._of(_core.network_of_model(model._core))
    learned.trained, learned.found, learned._kind = model, model.facts.get("structure"), model._kind
    if learned.found is not None and not learned.found["is_consistent"]:
        warnings.warn(
            "the tests contradict each other: no network has all of these directions, so that some arcs have another",
            CredenceWarning,
            stacklevel=3,
        )
    if learned.found is not None and learned.found["is_stopped"]:
        warnings.warn("the search was stopped before its end: these are the best arcs by then", CredenceWarning, stacklevel=3)
    return learned


def fit(network: Network, table: Any, target: Any, options: dict[str, Any]) -> Network:
    """Fit the tables of a network: see :meth:`Network.fit`.

    If values are missing and all nodes are categorical, the tables are fitted by EM instead of counted.
    """
    is_decided = any(options.get(name) is not None for name in ("estimator", "hidden", "number", "shard"))
    is_of_categories = all(node.kind == CHANCE for node in network._facts)
    if is_decided or not is_of_categories:
        return in_order_of(learn(type(network), table, network, target, options), network)
    table = _tables._kept(table)
    learned = learn(type(network), table, network, target, options)
    if learned.trained is not None and _core.check_model(learned.trained._core)["lacking"] > 0:
        learned = learn(type(network), table, network, target, {**options, "estimator": "em", "check": False})
    return in_order_of(learned, network)


def _places(known: tuple[str, ...], wanted: tuple[str, ...]) -> list[int]:
    return [known.index(one) for one in wanted]


def in_order_of(learned: Network, like: Network) -> Network:
    """Return the network with nodes, states and parents in the order of another network with the same arcs.

    Additional states come after the states of the other network.
    """
    if any(node.kind in (DECISION, UTILITY) for node in like._facts) or set(learned.nodes) != set(like.nodes):
        return learned
    states = {}
    for name in like.nodes:
        first = [state for state in like.states(name) if state in learned.states(name)]
        states[name] = (*first, *(state for state in learned.states(name) if state not in first))
    nodes = [(node.name, node.kind, states[node.name]) for node in (learned._facts[learned._numbers[n]] for n in like.nodes)]
    if [kind for _, kind, _ in nodes] != [node.kind for node in like._facts]:
        return learned
    arcs = [(parent, i) for i, node in enumerate(like._facts) for parent in node.parents]
    tables = []
    for i, name in enumerate(like.nodes):
        cells = learned.table(name)
        assert cells is not None  # there are no decisions
        known = [parent for parent in learned.parents(name) if learned.states(parent)]
        wanted = [parent for parent in like.parents(name) if learned.states(parent)]
        cells = cells.transpose([*(known.index(parent) for parent in wanted), len(known)])
        for axis, parent in enumerate(wanted):
            cells = cells.take(_places(learned.states(parent), states[parent]), axis)
        if learned.states(name):
            cells = cells.take(_places(learned.states(name), states[name]), -1)
        else:
            slopes = [parent for parent in learned.parents(name) if not learned.states(parent)]
            order = [1 + slopes.index(parent) for parent in like.parents(name) if not learned.states(parent)]
            cells = cells.take([0, *order, len(slopes) + 1], -1)
        tables.append((i, np.ascontiguousarray(cells)))
    made = type(learned)._of(_core.build_network(like.name, nodes, arcs, tables))
    made.trained, made.found, made._kind = learned.trained, learned.found, learned._kind
    return made
