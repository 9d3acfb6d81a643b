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
from ._column_types import NUMBERS
from ._network_parts import CHANCE, DECISION, GAUSSIAN, UTILITY
from ._reader_options import OPTIONS, selectors
from .errors import CredenceWarning, SettingError, issue

if TYPE_CHECKING:
    from .network import Network

_TYPES = {number: name for name, number in NUMBERS.items() if name in ("numeric", "categorical")}
_MOST_NAMED = 10  # values that are not states


def _arcs(network: Network) -> list[Any]:
    """List every node, because some nodes have no arcs, and then every arc."""
    utilities = {node.name for node in network._facts if node.kind == UTILITY}
    names: list[Any] = [node.name for node in network._facts if node.name not in utilities]
    return names + [arc for arc in network.arcs if arc[1] not in utilities]


def network_of(arcs_from: Any) -> Network:
    """Return the network whose arcs are used: the network itself, or the one in its file."""
    from .network import Network

    if isinstance(arcs_from, Network):
        return arcs_from
    if not isinstance(arcs_from, (str, os.PathLike)):
        raise TypeError(f"arcs_from: expected a Network or the path of a network file, got {arcs_from!r}; arcs=[...] specifies arcs")
    return Network.read(arcs_from)


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


def check_search(search: Any) -> None:
    """Raise an exception for a text that is not a search. It names the most similar search."""
    forms = [form for form in _settings.syntax("search").split("|") if form != "none"]
    words = [form.partition(":")[0] for form in forms]
    name = search[0] if isinstance(search, tuple) and search else search
    if name is not None and not isinstance(name, str):
        raise TypeError(f"search: expected the name of a search, got {search!r}; arcs=... specifies arcs")
    if name in (None, "none") or name.partition(":")[0] in words or not isinstance(search, str):
        return
    initials = [word for word in words if "".join(part[:1] for part in word.split("-")) == search.lower()]
    near = initials[:1] or difflib.get_close_matches(search.lower(), words, 1)
    hint = "arcs=... specifies arcs" if "->" in search else f"did you mean {near[0]}?" if near else ""
    raise SettingError(f"search: {search!r} is not a search; the searches are {', '.join(forms)}" + (f" ({hint})" if hint else ""))


def structure_columns(
    table: Any, target: Any, weight: Any, settings: Mapping[str, Any], reading: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings and reading options, with the column types that the specified arcs or the search require.

    Each node is categorical or numeric: as the library infers from its values or, for a network, as the network's node, with
    its states. Columns that are not nodes of specified arcs are ignored. The reading options override the inferred type of a
    column.
    """
    settings, reading = dict(settings), dict(reading)
    arcs_from = settings.pop("arcs_from", None)
    network = None if arcs_from is None else network_of(arcs_from)
    if network is not None:
        settings["arcs"] = _arcs(network)
        if reading.get("missing") is None:
            reading["missing"] = _missing(network)
    reading["with_parts"] = False
    if reading.get("schema") is not None or reading.get("discretize") is not None:
        return settings, reading
    options = {name: value for name, value in reading.items() if name in OPTIONS}
    reader = _tables.open_reader(table, detect_formats=False, **options)
    columns: list[str] = reader.column_names()
    decided = set(reading.get("column_types") or ())
    for name in ("numeric", "categorical", "text", "ignore"):
        for selector in selectors(reading.get(name)):
            decided |= _chosen(reader, columns, selector)
    roles = set() if weight is None else _chosen(reader, columns, weight)
    target_names = set() if target is None else _chosen(reader, columns, target)
    nodes: Iterable[str] | None
    if network is not None:
        nodes = {node.name: node for node in network._facts if node.kind != UTILITY}
        types = {name: "numeric" for name, node in nodes.items() if node.kind == GAUSSIAN and name in columns}
        declared = {name: states for name, states in node_states(network).items() if name in columns}
        reading["declare"] = {**declared, **(reading.get("declare") or {})}
    else:
        made = _settings.make({name: settings.get(name) for name in ("arcs", "search")}, None, "learn")
        found, nodes = _core.node_types(reader, made, next(iter(target_names), None))
        types = {name: _TYPES[number] for name, number in found.items() if number in _TYPES}
    kept = {name: type_ for name, type_ in types.items() if name not in decided | roles | target_names}
    reading["column_types"] = {**kept, **(reading.get("column_types") or {})}
    if nodes is not None:
        others = [name for name in columns if name not in nodes and name not in roles]
        left = target_names.intersection(others)
        if left:
            raise ValueError(f"target: {left.pop()!r} is not in the network: add it to the arcs, also as a single node")
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


def learn(kind: type[Network], table: Any, target: Any, options: dict[str, Any]) -> Network:
    """Learn a network: see :meth:`Network.learn`."""
    from .train import train

    model = train(table, target, **options)
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
    is_decided = any(options.get(name) is not None for name in ("estimator", "latent_nodes", "numeric", "shard"))
    options = {**options, "arcs_from": network}
    is_of_categories = all(node.kind == CHANCE for node in network._facts)
    if is_decided or not is_of_categories:
        return in_order_of(learn(type(network), table, target, options), network)
    table = _tables._kept(table)
    learned = learn(type(network), table, target, options)
    if learned.trained is not None and _core.check_model(learned.trained._core)["lacking"] > 0:
        learned = learn(type(network), table, target, {**options, "estimator": "em", "check": False})
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
