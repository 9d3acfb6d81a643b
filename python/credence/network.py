# SPDX-License-Identifier: MIT
"""Bayesian networks: construction, files, inference and learning."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Union, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from . import _core, _network_html, _settings, _tables, network_learning
from ._network_parts import (
    CHANCE,
    DECISION,
    GAUSSIAN,
    KINDS,
    UTILITY,
    InferenceOptions,
    NodeFacts,
    format_number,
    inference_options,
    read_arcs,
    read_nodes,
    read_table,
    table_shape,
    unknown,
)
from ._label_types import Label, column_type, label_type
from ._types import (
    AnyFrame,
    Cell,
    ColumnName,
    ColumnOptions,
    Event,
    Frame,
    FrameType,
    ModelEvaluationOptions,
    NetworkLearningOptions,
    PlainTable,
    PredictOptions,
    Readable,
    Reading,
    Row,
    RowPrediction,
    Settings,
    TableInput,
)
from .network_answers import (
    Answer,
    EvidenceExplanation,
    NetworkComparison,
    Posterior,
    Independence,
    MostProbable,
    NormalPosterior,
    Policy,
    StructureScore,
)
from .network_evidence import Evidence, Question, limit_hint, listed, rows_answer, rows_explained

from .table import label_column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .errors import Error
    from .evaluation import Evaluation
    from .model import Model
    from .table import Table

__all__ = ["Network", "read_network"]


class _SampleOptions(TypedDict, total=False):
    memory: float | str | None
    approximate: str | bool | None
    draws: int | None
    threads: int


class _PosteriorOptions(InferenceOptions, total=False):
    likelihood: Mapping[str, Any] | None


#: Nodes, by name or by number from 0. A text can contain several, separated by commas, and also ranges and globs.
Nodes: TypeAlias = Union[str, int, Iterable[Any]]
#: Pairs (parent, child), texts ``"parent->child"``, or a mapping of children to their parents.
Arcs: TypeAlias = Union[str, Iterable[Union[str, Sequence[str]]], Mapping[str, Union[str, Iterable[str]]]]
NetworkSource: TypeAlias = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, Readable]
_MOST_PATHS = 20  # the number that the command reports


class Network:
    """A Bayesian network: nodes with states, arcs, and a conditional probability table for each node. It is immutable.

    Parameters
    ----------
    nodes : mapping
        The states of each node, by node name. None declares a continuous node, which is normal given its parents.
    arcs : iterable
        Pairs (parent, child), texts ``"parent->child"``, or a mapping of children to their parents. The order of the arcs
        determines the order of a node's parents.
    tables : mapping
        The table of each node: an array with one row per combination of the parents' states and one column per state. The
        states of the last parent vary fastest. A table can also be a dict from the parents' states (a tuple if there are
        several parents) to rows. Such a row is a sequence, or a dict of states and probabilities. A row for a continuous node
        contains the intercept of its mean, a coefficient for each continuous parent, and the variance (``mean``, the parents'
        names, ``variance``). A row for a utility node contains one number.
    kinds : mapping, optional
        ``"chance"``, ``"decision"``, ``"utility"`` or ``"gaussian"`` for nodes whose kind does not follow from their states.
    name : str

    Examples
    --------
    >>> network = Network(
    ...     {"rain": ["yes", "no"], "grass": ["wet", "dry"]},
    ...     ["rain->grass"],
    ...     {"rain": {"yes": 0.2, "no": 0.8}, "grass": {"yes": [0.9, 0.1], "no": [0.1, 0.9]}},
    ... )
    >>> network.query("rain", given={"grass": "wet"})
    P(rain): yes 0.69231, no 0.30769
    log evidence -1.3471
    """

    #: The result of the structure search, if the network was learned by one: a dict with ``arcs``, ``score`` and so on.
    found: dict[str, Any] | None
    #: The model that contains the network, if it was learned from rows.
    trained: Model | None
    _kind: Any

    def __init__(
        self,
        nodes: Mapping[str, Sequence[Any] | str | None],
        arcs: Arcs = (),
        tables: Mapping[str, Any] | None = None,
        *,
        kinds: Mapping[str, str] | None = None,
        name: str = "network",
    ) -> None:
        made = read_nodes(nodes, kinds)
        numbers = {node: i for i, (node, _, _) in enumerate(made)}
        pairs = read_arcs(arcs, numbers)
        parents: list[list[int]] = [[] for _ in made]
        for parent, child in pairs:
            parents[child].append(parent)
        facts = [NodeFacts(node, kind, tuple(states), tuple(parents[i])) for i, (node, kind, states) in enumerate(made)]
        given = []
        for node, table in (tables or {}).items():
            if node not in numbers:
                raise unknown("tables", "node", node, numbers)
            given.append((numbers[node], read_table(table, table_shape(facts[numbers[node]], facts))))
        self._begin(_core.build_network(name, made, pairs, given))

    def _begin(self, core: _core.Network) -> None:
        self._core = core
        self._facts = [NodeFacts(*node) for node in core.nodes()]
        self._numbers = {node.name: i for i, node in enumerate(self._facts)}
        self.found = None
        self.trained = None
        self._kind = None

    @classmethod
    def _of(cls, core: _core.Network) -> Network:
        network = cls.__new__(cls)
        network._begin(core)
        return network

    # ---- Files ----

    @classmethod
    def read(cls, source: NetworkSource, format: str | None = None) -> Network:
        """Read a network from a path, bytes, or a file object.

        The format (BIF, XMLBIF, NET, UAI, XDSL or DNE) is detected from the bytes. A file may be compressed.
        """
        number = 0 if format is None else format_number(format)
        if isinstance(source, (str, os.PathLike)):
            return cls._of(_core.load_network(source, number))
        if hasattr(source, "read"):
            data = source.read()
            place = getattr(source, "name", "")
            data = data.encode() if isinstance(data, str) else data
            return cls._of(_core.read_network(data, place if isinstance(place, str) else "file", number))
        if isinstance(source, (bytes, bytearray, memoryview)):
            return cls._of(_core.read_network(source, "bytes", number))
        raise TypeError(f"source: expected a path, bytes or a file object, got {source!r}")

    def to_bytes(self, format: str = "bif") -> bytes:
        """Return the network in a format: bif, xmlbif, net, uai, dot, xdsl or dne.

        Reading these bytes restores bit-identical numbers.
        """
        return self._core.write(format_number(format))

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the network to a file, in the format of the path's extension: ``.bif``, ``.xml``, ``.net``, ``.xdsl``, ..."""
        data = self._core.write(format_number(format, os.fspath(path)))
        with open(path, "wb") as file:
            file.write(data)

    @classmethod
    def from_model(cls, model: Model, **settings: Unpack[Settings]) -> Network:
        """Return the network of a model: one trained with ``method="network"``, or naive Bayes of categorical columns."""
        made = _settings.make(settings, _core.make_settings(model._core.info()["settings"]), "from_model") if settings else None
        network = cls._of(_core.network_of_model(model._core, made))
        network.trained, network._kind = model, model._kind
        return network

    def to_model(self, target: str) -> Model:
        """Create a model from the network that predicts one of its nodes.

        The parameters are user-specified, so the model predicts rows but cannot learn any.
        """
        from .model import Model

        self._node("target", target)
        model = Model(self._core.model(target))
        model._kind = self._kind
        if self.trained is not None and self.trained.target == target:
            model._labels = self.trained._labels
        elif self._kind is not None:
            model._labels = label_type(self._kind, target)
        return model

    @overload
    def predict(self, table: FrameType, target: str | None = None, **options: Unpack[PredictOptions]) -> FrameType: ...
    @overload
    def predict(self, table: Mapping[str, Cell], target: str | None = None, **options: Unpack[PredictOptions]) -> RowPrediction: ...
    @overload
    def predict(self, table: PlainTable, target: str | None = None, **options: Unpack[PredictOptions]) -> Table: ...
    @overload
    def predict(self, table: Row | TableInput, target: str | None = None, **options: Unpack[PredictOptions]) -> Any: ...
    def predict(self, table: Row | TableInput, target: str | None = None, **options: Unpack[PredictOptions]) -> Any:
        """Predict a node for each row of a table: ``to_model(target).predict(table)``.

        If you name no target, it is the only node without a column in the table.
        """
        if target is None:
            columns = set(_tables.columns_of(table))
            absent = [node.name for node in self._facts if node.kind == CHANCE and node.name not in columns]
            if len(absent) != 1:
                raise ValueError("target: which node is to be predicted? The table lacks " + (", ".join(absent) or "none"))
            target = absent[0]
        return self.to_model(target).predict(table, **options)

    def evaluate(self, table: TableInput, target: str, **options: Unpack[ModelEvaluationOptions]) -> Evaluation:
        """Evaluate the predictions of a node on rows that contain it: ``to_model(target).evaluate(table)``."""
        return self.to_model(target).evaluate(table, **options)

    # ---- Contents ----

    @property
    def name(self) -> str:
        """The network's name."""
        name = self._core.name() or ""
        return "learned network" if self.trained is not None and self.trained.target is None else name

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the nodes, in network order."""
        return tuple(node.name for node in self._facts)

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """The arcs as pairs (parent, child), ordered by children and then by their parents."""
        return [(self._facts[parent].name, node.name) for node in self._facts for parent in node.parents]

    def _node(self, argument: str, name: Any) -> int:
        try:
            return self._numbers[name]
        except (KeyError, TypeError):
            raise unknown(argument, "node", name, self._numbers) from None

    def kind(self, node: str) -> str:
        """Return the kind of a node: ``"chance"``, ``"decision"``, ``"utility"`` or ``"gaussian"``."""
        return KINDS[self._facts[self._node("node", node)].kind]

    def states(self, node: str) -> tuple[str, ...]:
        """Return the states of a node; empty for a continuous node."""
        return self._facts[self._node("node", node)].states

    def parents(self, node: str) -> tuple[str, ...]:
        """Return the parents of a node, in the order of its table."""
        return tuple(self._facts[number].name for number in self._facts[self._node("node", node)].parents)

    def children(self, node: str) -> tuple[str, ...]:
        """Return the children of a node."""
        number = self._node("node", node)
        return tuple(other.name for other in self._facts if number in other.parents)

    def _cells(self, number: int) -> NDArray[np.float64] | None:
        table = self._core.table(number)
        if table is None:
            return None
        rows, width, numbers = table
        return np.frombuffer(numbers, np.float64).reshape(rows, width)

    def table(self, node: str) -> NDArray[np.float64] | None:
        """Return the conditional probability table of a node.

        The array has one axis for each parent with states, and a last axis for the node. For a continuous node the last axis
        contains the intercept of the mean, the coefficients, and the variance. The result is None for a decision.

        The array is read-only, because a network never changes. To change a table, build a new :class:`Network`.
        """
        number = self._node("node", node)
        cells = self._cells(number)
        if cells is None:
            return None
        shape = table_shape(self._facts[number], self._facts)
        table = cells.reshape(*(len(states) for states in shape.states), cells.shape[1])
        table.flags.writeable = False
        return table

    def frame(self, node: str, like: Frame | None = None) -> AnyFrame | None:
        """Return the table of a node as a frame, with one row per combination of its parents' states.

        The frame has the type of ``like``, or else the type of the table that the network was learned from.
        """
        number = self._node("node", node)
        cells = self._cells(number)
        shape = table_shape(self._facts[number], self._facts)
        if cells is None:
            return None
        columns: dict[str, Any] = {}
        grids = np.indices(tuple(len(states) for states in shape.states))
        for i, parent in enumerate(shape.parents):
            columns[parent] = (grids[i].astype(np.int32).ravel(), shape.states[i])
        for i, column in enumerate(shape.columns):
            columns[column if column not in columns else f"{node}={column}"] = np.ascontiguousarray(cells[:, i])
        return _tables.result(columns, self._kind if like is None else like)

    def show(self) -> dict[str, Any]:
        """Return the contents of ``credence show --format json``: sizes, arcs, and each node with its table."""
        cells = [self._cells(i) for i in range(len(self._facts))]
        sizes = [0 if one is None else one.size for one in cells]
        made: dict[str, Any] = {
            "network": self._core.name() or "",
            "node_count": len(self._facts),
            "arc_count": sum(len(node.parents) for node in self._facts),
            "entries": sum(sizes),
            "largest_entries": max(sizes, default=0),
        }
        asked = [i for i, node in enumerate(self._facts) if node.kind not in (GAUSSIAN, DECISION, UTILITY)]
        if asked and not any(node.kind == DECISION for node in self._facts):
            result = _core.network_posteriors(self._core, [], asked, None)[2]
            made["exact_entries"], made["exact_bytes"] = result["cells"], result["bytes"]
        made["arcs"] = [{"from": parent, "to": child} for parent, child in self.arcs]
        made["nodes"] = [
            {
                "name": node.name,
                "kind": KINDS[node.kind],
                "states": list(node.states),
                "parents": [self._facts[parent].name for parent in node.parents],
                "table": None if table is None else table.tolist(),
            }
            for node, table in zip(self._facts, cells, strict=True)
        ]
        return made

    def copy(self) -> Network:
        """Return the network itself, because a network never changes."""
        return self

    def __copy__(self) -> Network:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Network:
        return self

    def _parts(self) -> tuple[Any, ...]:
        nodes = [(node.name, node.kind, node.states) for node in self._facts]
        arcs = [(parent, i) for i, node in enumerate(self._facts) for parent in node.parents]
        tables = [self._core.table(i) for i in range(len(self._facts))]
        return self._core.name() or "", nodes, arcs, [None if table is None else bytes(table[2]) for table in tables]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return self is other or (self._facts == other._facts and self._parts()[3] == other._parts()[3])

    def __hash__(self) -> int:
        return hash(tuple(self._facts))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), *self._parts()), {"found": self.found, "trained": self.trained}

    def __repr__(self) -> str:
        nodes, arcs = len(self._facts), sum(len(node.parents) for node in self._facts)
        return f"<Network {self.name!r}: {nodes} node{'s' * (nodes != 1)}, {arcs} arc{'s' * (arcs != 1)}>"

    # ---- The graph ----

    def independent(self, a: Nodes, b: Nodes, given: Nodes = ()) -> Independence:
        """Test whether two nodes, or two sets of nodes, are d-separated: independent for every choice of the tables.

        If they are not, the result contains a path that connects them.
        """
        first, second = self._several("a", a), self._several("b", b)
        known = list(dict.fromkeys(self._several("given", given)))
        shared = set(first) & set(second) or set(known) & {*first, *second}
        if shared:
            raise ValueError(f"{'given' if set(known) & shared else 'b'}: {self._facts[min(shared)].name!r} is in two of the sets")
        separated, path = _core.network_separation(self._core, first, second, known)
        is_of_nodes = isinstance(a, str) and isinstance(b, str)
        of: list[Any] = [a, b] if is_of_nodes else [self._names(first), self._names(second)]
        pairs = None
        if not separated and not is_of_nodes:
            pairs = self._open_pairs(first, second, known)
        arrows = None if path is None else self._arrows(path)
        paths, more = self._paths(first[0], second[0], known, not separated) if is_of_nodes else (None, False)
        names = None if path is None else self._names(path)
        return Independence(of, self._names(known), separated, names, arrows, pairs, paths, more)

    def _paths(self, a: int, b: int, known: list[int], is_open: bool) -> tuple[list[dict[str, Any]], bool]:
        found, is_complete = _core.network_paths(self._core, a, b, known, is_open, _MOST_PATHS)
        paths = []
        for nodes in found:
            numbers = [number for number, _, _, _ in nodes]
            inner = []
            for number, role, blocks, opened_by in nodes[1:-1]:
                record = {"node": self._facts[number].name, "role": role, "blocks": blocks}
                if opened_by is not None:
                    record["opened_by"] = self._facts[opened_by].name
                inner.append(record)
            arrows = self._arrows(numbers)
            paths.append({"nodes": self._names(numbers), "arrows": arrows, "open": is_open, "inner": inner})
        return paths, not is_complete

    def _open_pairs(self, first: list[int], second: list[int], known: list[int]) -> list[dict[str, Any]]:
        pairs = []
        for one in first:
            for other in second:
                separated, path = _core.network_separation(self._core, [one], [other], known)
                if not separated and path is not None:
                    text = self._facts[path[0]].name
                    for arrow, node in zip(self._arrows(path), path[1:], strict=True):
                        text += f" {arrow} {self._facts[node].name}"
                    pairs.append({"of": self._facts[one].name, "and": self._facts[other].name, "path": text})
        return pairs

    def _several(self, argument: str, names: Any) -> list[int]:
        return [self._node(argument, name) for name in listed(argument, names)]

    def _names(self, numbers: Iterable[int]) -> list[str]:
        return [self._facts[number].name for number in numbers]

    def _arrows(self, path: Sequence[int]) -> list[str]:
        return ["->" if a in self._facts[b].parents else "<-" for a, b in zip(path, path[1:], strict=False)]

    def markov_blanket(self, node: str) -> dict[str, str]:
        """Return the Markov blanket of a node: the nodes that make it independent of all others.

        Each node is mapped to its role: parent, child, or parent of a child.
        """
        number = self._node("node", node)

        def relation(other: int) -> str:
            if other in self._facts[number].parents:
                return "parent"
            return "child" if number in self._facts[other].parents else "parent of a child"

        return {self._facts[other].name: relation(other) for other in _core.network_blanket(self._core, number)}

    def cpdag(self) -> list[dict[str, Any]]:
        """Return the arcs of the CPDAG.

        Data do not determine the direction of an arc that is not ``directed``; it could be reversed.
        """
        compelled = _core.network_compelled(self._core)
        return [
            {"from": parent, "to": child, "directed": bool(directed)}
            for (parent, child), directed in zip(self.arcs, compelled, strict=True)
        ]

    def compare(self, other: Network) -> NetworkComparison:
        """Compare two networks: structural Hamming distances, arcs and tables."""
        if not isinstance(other, Network):
            raise TypeError(f"other: expected a Network, got {other!r}")
        return NetworkComparison(_core.network_compare(self._core, other._core))

    # ---- Inference ----

    def do(self, actions: Mapping[str, Any]) -> Network:
        """Return the network after an intervention that sets nodes to states or numbers.

        The arcs into each node of ``actions`` are removed, and the node has its value with certainty. Posteriors in the new
        network are causal effects if the arcs of this network are causes.

        >>> smoking = Network(
        ...     {"gene": ("yes", "no"), "smokes": ("yes", "no")}, ["gene->smokes"], {"gene": [0.2, 0.8], "smokes": [[0.9, 0.1], [0.3, 0.7]]}
        ... )
        >>> smoking.query("gene", given={"smokes": "yes"})["gene"]["yes"]
        0.4285714285714286
        >>> smoking.do({"smokes": "yes"}).query("gene")["gene"]["yes"]
        0.2
        """
        made = Network._of(_core.network_intervene(self._core, Evidence(self, actions, argument="do").findings))
        made._kind = self._kind
        return made

    @overload
    def query(
        self,
        of: Nodes | None = None,
        given: Mapping[str, Any] | None = None,
        *,
        likelihood: Mapping[str, Any] | None = None,
        do: Mapping[str, Any] | None = None,
        joint_distribution: bool = False,
        data: None = None,
        reading: None = None,
        **options: Unpack[InferenceOptions],
    ) -> Answer: ...
    @overload
    def query(
        self,
        of: Nodes | None = None,
        given: Mapping[str, Any] | None = None,
        *,
        likelihood: Mapping[str, Any] | None = None,
        do: Mapping[str, Any] | None = None,
        data: TableInput,
        reading: Reading | None = None,
        **options: Unpack[InferenceOptions],
    ) -> AnyFrame: ...
    def query(
        self,
        of: Nodes | None = None,
        given: Mapping[str, Any] | None = None,
        *,
        likelihood: Mapping[str, Any] | None = None,
        do: Mapping[str, Any] | None = None,
        joint_distribution: bool = False,
        data: TableInput | None = None,
        reading: Reading | None = None,
        **options: Unpack[InferenceOptions],
    ) -> Any:
        """Compute posteriors of nodes and probabilities of events, given evidence.

        Parameters
        ----------
        of : str or iterable of str
            Nodes to query separately, by name, number, range or glob; ``"all"`` for every node. Or events, such as ``"a=x or
            not b=y"`` and, for a continuous node, ``"height > 1.8"``. If empty, only the probability of the evidence is
            computed.
        given : mapping
            Evidence: nodes and their states, or numbers.
        likelihood : mapping
            Virtual evidence: for a node, the likelihood of the observation in each of its states.
        do : mapping
            An intervention: nodes that are set to states or numbers, as in :meth:`do`.
        joint_distribution : bool
            Whether to compute the joint distribution of the nodes; for continuous nodes, their means and covariances.
        data : table
            Rows to query. The result then has one row for each, with the probability of each state. Values of nodes that ``of``
            names are not used as evidence; with ``"all"``, every value is.
        reading : mapping
            Reading options for ``data``, such as ``separator``.
        memory : float or str
            The memory limit of exact inference: a number of bytes, or a text such as ``"2G"``.
        approximate : str
            The approximation to use if memory does not suffice: ``"weighting"``, ``"gibbs"`` or ``"loopy"``. With ``,always``
            it is used in any case, for example ``"gibbs,always"``.
        draws, seed, threads : int
            Options of approximations. ``threads=0`` uses one thread per CPU core.

        Returns
        -------
        Answer
            A mapping from each query to its distribution; or, if ``data`` is given, a frame of the same type as ``data``.
        """
        if do:
            arguments: dict[str, Any] = {"likelihood": likelihood, "data": data, "reading": reading, **options}
            of = "all" if of is None and not given and not likelihood else of
            return self.do(do).query(of, given, joint_distribution=joint_distribution, **arguments)
        known = Evidence(self, given, likelihood)
        made = inference_options("query", options)
        if data is not None:
            return rows_answer(self, known, of, joint_distribution, data, dict(reading or {}), made)
        if of is None and not known.findings:
            raise ValueError("of: nothing to compute: name nodes, or evidence with given")
        with limit_hint():
            return Question(self, known, made).answer(of, joint_distribution)

    def posterior(self, node: str, given: Mapping[str, Any] | None = None, **options: Unpack[_PosteriorOptions]) -> Posterior | NormalPosterior:
        """Compute the posterior of one node: a dict of states and probabilities, or the density of a continuous node."""
        self._node("node", node)
        known = Evidence(self, given, options.pop("likelihood", None))
        made: Posterior | NormalPosterior = Question(self, known, inference_options("posterior", options)).nodes_alone([node])[node]
        return made

    def probability(self, event: Event, given: Mapping[str, Any] | None = None, **options: Unpack[_PosteriorOptions]) -> float:
        """Compute the probability of an event: a text such as ``"a=x or b=y"``, or a mapping of nodes to joint states."""
        known = Evidence(self, given, options.pop("likelihood", None))
        return Question(self, known, inference_options("probability", options)).event(event)["true"]

    def mpe(
        self,
        given: Mapping[str, Any] | None = None,
        *,
        likelihood: Mapping[str, Any] | None = None,
        **options: Unpack[InferenceOptions],
    ) -> MostProbable:
        """Compute the most probable explanation (MPE): the most probable states of all nodes, given evidence."""
        return self._most_probable("mpe", None, Evidence(self, given, likelihood), options)

    def map(
        self,
        of: Nodes,
        given: Mapping[str, Any] | None = None,
        *,
        likelihood: Mapping[str, Any] | None = None,
        **options: Unpack[InferenceOptions],
    ) -> MostProbable:
        """Compute the most probable joint states of the nodes in ``of`` (MAP), given evidence. All other nodes are summed out."""
        known = Evidence(self, given, likelihood)
        return self._most_probable("map", known.nodes("of", of), known, options)

    def _most_probable(self, function: str, nodes: list[int] | None, known: Evidence, options: Mapping[str, Any]) -> MostProbable:
        with limit_hint(False):
            states, log_probability, result = _core.network_most_probable(
                self._core, known.findings, nodes, inference_options(function, options)
            )
        shown = range(len(self._facts)) if nodes is None else nodes
        named = {
            self._facts[node].name: self._facts[node].states[state]
            for node, state in zip(shown, states, strict=True)
            if KINDS[self._facts[node].kind] == "chance"
        }
        log_evidence = result["log_evidence"] if known.findings else 0.0
        return MostProbable(named, min(log_probability - log_evidence, 0.0), log_evidence)

    @overload
    def explain(
        self,
        of: str,
        given: Mapping[str, Any] | None = None,
        *,
        likelihood: Mapping[str, Any] | None = None,
        do: Mapping[str, Any] | None = None,
        state: Label | None = None,
        data: None = None,
        reading: None = None,
        **options: Unpack[InferenceOptions],
    ) -> EvidenceExplanation: ...
    @overload
    def explain(
        self,
        of: str,
        given: Mapping[str, Any] | None = None,
        *,
        likelihood: Mapping[str, Any] | None = None,
        do: Mapping[str, Any] | None = None,
        state: Label | None = None,
        data: TableInput,
        reading: Reading | None = None,
        **options: Unpack[InferenceOptions],
    ) -> list[EvidenceExplanation | Error]: ...
    def explain(
        self,
        of: str,
        given: Mapping[str, Any] | None = None,
        *,
        likelihood: Mapping[str, Any] | None = None,
        do: Mapping[str, Any] | None = None,
        state: Label | None = None,
        data: TableInput | None = None,
        reading: Reading | None = None,
        **options: Unpack[InferenceOptions],
    ) -> Any:
        """Explain the effect of evidence on a node.

        The result contains the weight of each finding, and shows which findings explain away or screen off others.

        ``of`` is a node, or ``"node=state"``. ``state`` is the state whose probability the findings raise or lower. By default
        it is the state that the evidence supports most.

        With ``data``, each row is explained separately and the result is a list. The values of a row are evidence in addition
        to ``given``. For a row with probability 0, the list contains an error with code ``"probability"``.

        ``do`` is an intervention, as in :meth:`do`.
        """
        if do:
            arguments: dict[str, Any] = {"likelihood": likelihood, "state": state, "data": data, "reading": reading, **options}
            return self.do(do).explain(of, given, **arguments)
        known = Evidence(self, given, likelihood)
        number = self._numbers.get(of, -1)
        if number < 0:
            number, chosen = known.assignment("of", of)
        else:
            chosen = -1 if state is None else known.state("state", number, state)
        made = inference_options("explain", options)
        with limit_hint():
            if data is not None:
                return rows_explained(self, known, number, chosen, data, dict(reading or {}), made)
            return known.explain(number, chosen, made)

    def decide(
        self,
        given: Mapping[str, Any] | None = None,
        *,
        likelihood: Mapping[str, Any] | None = None,
        observe: Nodes = (),
        value_of: Nodes = (),
        **options: Unpack[InferenceOptions],
    ) -> Policy:
        """Compute the decisions with maximum expected utility.

        ``observe`` lists nodes that are observed before the first decision. ``value_of`` lists nodes whose value of information
        is computed (``"all"``: every chance node without evidence).
        """
        known = Evidence(self, given, likelihood)
        return known.policy(known.nodes("observe", observe), value_of, inference_options("decide", options))

    def sample(
        self,
        rows: int = 10,
        given: Mapping[str, Any] | None = None,
        *,
        likelihood: Mapping[str, Any] | None = None,
        do: Mapping[str, Any] | None = None,
        seed: int = 1,
        first: int = 0,
        like: Frame | None = None,
        **options: Unpack[_SampleOptions],
    ) -> AnyFrame:
        """Draw rows from the network, given evidence, or after the intervention ``do``. The draws are exact, also with evidence.

        Row r depends only on the seed and on r; ``first`` is the number of the first row. The result is a frame of the same
        type as ``like``, or else of the same type as the table that the network was learned from. Without either, it is a
        :class:`credence.Table`.
        """
        if not isinstance(rows, (int, np.integer)) or rows < 0 or first < 0:
            raise ValueError(f"rows: expected a whole number of 0 or more, got {rows!r}")
        if do:
            return self.do(do).sample(rows, given, likelihood=likelihood, seed=seed, first=first, like=like, **options)
        known = Evidence(self, given, likelihood)
        states, numbers = _core.network_sample(
            self._core, known.findings, first, int(rows), inference_options("sample", {"seed": seed, **options})
        )
        count = len(self._facts)
        codes = np.frombuffer(states, np.int32).reshape(count, -1) if rows else np.empty((count, 0), np.int32)
        drawn = None if numbers is None else np.frombuffer(numbers, np.float64).reshape(count, -1)
        columns: dict[str, Any] = {}
        for i, node in enumerate(self._facts):
            if node.kind == GAUSSIAN and drawn is not None:
                columns[node.name] = drawn[i]
            elif node.kind != UTILITY:
                columns[node.name] = label_column(codes[i], node.states, column_type(self._kind, node.name))
        return _tables.result(columns, self._kind if like is None else like)

    # ---- Learning ----

    @classmethod
    def learn(
        cls,
        table: TableInput,
        search: str | tuple[str, Any] | None = None,
        *,
        target: ColumnName | None = None,
        arcs: str | Sequence[str | tuple[str, str]] | None = None,
        arcs_from: Network | str | os.PathLike[str] | None = None,
        **options: Unpack[NetworkLearningOptions],
    ) -> Network:
        """Learn a network from rows: the arcs by a search or as given, then the tables.

        Parameters
        ----------
        table
            Rows, as in :func:`credence.train`.
        search : str
            The search that learns the arcs: ``"hill-climb"``, ``"tabu"``, ``"exact"``, ``"pc"``, ``"chow-liu"``, ``"tan"``,
            ``"kdb:2"``. The default is ``"hill-climb"`` if neither ``arcs`` nor ``arcs_from`` is given.
        target : str, optional
            The class column, for searches that need one.
        arcs : str or iterable
            The arcs, as pairs or texts, and nodes without arcs. Nothing is searched then.
        arcs_from : Network or path
            A network, or the path of a network file, whose arcs and states are used. Nothing is searched then.
        bootstrap : int
            The number of resamples of the rows to search. The network is the average of the learned structures.
        threshold : float
            With ``bootstrap``: the strength above which an arc is included.
        seed : int
            The seed of resamples and restarts.
        options
            Settings (``score``, ``ci_test``, ``significance``, ``required_arcs``, ``forbidden_arcs``, ``tiers``,
            ``max_parents``, ``max_conditioning``, ``restarts``, ``smoothing``, ``estimator``, ``latent_nodes``, ...), and
            reading options.

        Returns
        -------
        Network
            Its attribute ``found`` contains the result of the search, ``trained`` the model.
        """
        _settings.check_names("learn", options, list(NetworkLearningOptions.__annotations__))
        if search is None and arcs is None and arcs_from is None:
            search = "hill-climb"
        return network_learning.learn(cls, table, target, {**options, "search": search, "arcs": arcs, "arcs_from": arcs_from})

    def fit(
        self, table: TableInput, *, target: ColumnName | None = None, **options: Unpack[NetworkLearningOptions]
    ) -> Network:
        """Return the network with tables learned from rows; nodes, arcs and states stay as they are, in the same order.

        If values are missing, or nodes have no column (``latent_nodes={"node": 2}``), the tables are estimated by expectation
        maximization (EM). Otherwise rows are counted.

        ``estimator="counts"``, the command's default, counts a row for each node if the node and all its parents are present.
        This is biased unless values are missing completely at random. Networks with numeric nodes are always estimated this
        way.

        The states of a latent node are named 1, 2, ..., because rows without the node cannot identify them with the states of
        this network.
        """
        _settings.check_names("fit", options, list(NetworkLearningOptions.__annotations__))
        return network_learning.fit(self, table, target, dict(options))

    def fit_report(self) -> dict[str, Any] | None:
        """Return how expectation maximization, or gradient ascent, fitted the tables; None if the tables are counts."""
        return None if self.trained is None else _core.fit_report(self.trained._core)

    def score(self, table: TableInput, score: str = "bic", **reading: Unpack[ColumnOptions]) -> StructureScore:
        """Score how well the arcs fit rows: ``loglik``, ``bic``, ``aic``, ``bdeu:S``, ``k2`` or ``bge:S``. Larger is better."""
        _settings.check_names("score", reading, list(ColumnOptions.__annotations__))
        reader = _tables.open_reader(table, detect_formats=False, **reading)
        return StructureScore(score, *_core.network_score(self._core, reader, score))

    # ---- Notebooks ----

    def picture(self, given: Mapping[str, Any] | None = None, *, beliefs: bool = True) -> str:
        """Return the graph as SVG, with bars for the nodes' probabilities given evidence."""
        return _network_html.network(self, self._beliefs(given) if beliefs else None, given)

    def _beliefs(self, given: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """Compute the posteriors of all nodes; None if there are decisions."""
        if any(node.kind in (DECISION, UTILITY) for node in self._facts):
            return None
        names = [node.name for node in self._facts]
        found = Question(self, Evidence(self, given, None), inference_options("picture", {"memory": "1G"})).nodes_alone(names)
        return dict(found)

    def plot(self, given: Mapping[str, Any] | None = None, *, beliefs: bool = True, ax: Axes | None = None) -> Axes:
        """Draw the graph with matplotlib, with the nodes' probabilities given evidence.

        Parameters
        ----------
        given
            Evidence: states of nodes.
        beliefs
            Whether to write the probabilities of the states into the nodes.
        ax
            The axes to draw into; None creates new axes.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from .plotting import plot_graph

        nodes, arcs = _network_html.graph(self, self._beliefs(given) if beliefs else None, given)
        return plot_graph(nodes, arcs, title=self.name, ax=ax)

    @cached_property
    def _shown(self) -> str:
        try:
            return self.picture()
        except (ValueError, MemoryError):
            return self.picture(beliefs=False)

    def _repr_html_(self) -> str:
        return self._shown


def _restore(kind: type[Network], name: str, nodes: Any, arcs: Any, tables: Any) -> Network:
    given = [(i, np.frombuffer(table, np.float64)) for i, table in enumerate(tables) if table is not None]
    return kind._of(_core.build_network(name, nodes, arcs, given))


def read_network(source: NetworkSource, format: str | None = None) -> Network:
    """Read a Bayesian network: see :meth:`Network.read`."""
    return Network.read(source, format)
