# SPDX-License-Identifier: MIT
"""Results of Bayesian networks: posteriors, explanations, policies, independence, comparisons.

Field names are the keys of the command's JSON, and ``to_dict()`` returns the JSON that the command prints.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from . import _core, _network_html
from ._types import AnyFrame, Frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Answer",
    "NetworkComparison",
    "Posterior",
    "EvidenceExplanation",
    "Independence",
    "Joint",
    "Moments",
    "MostProbable",
    "NormalPosterior",
    "Policy",
    "StructureScore",
]


def _shown(value: float) -> str:
    return f"{value:.5g}"


class _Picklable:
    """A base class for objects that are defined by their fields."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return bool(self.to_dict() == other.to_dict())  # type: ignore[attr-defined]

    __hash__ = None  # type: ignore[assignment]


class Posterior(dict[str, float]):
    """The distribution of a node: a dict of its states and their probabilities.

    Attributes
    ----------
    node : str
        The node or the event.
    standard_error : dict or None
        For an estimate, the standard error of each probability (nan if unknown); None if the probabilities are exact.
    """

    __slots__ = ("node", "standard_error")

    def __init__(self, node: str, probabilities: Mapping[str, float], standard_error: Mapping[str, float] | None = None):
        super().__init__(probabilities)
        self.node = node
        self.standard_error = None if standard_error is None else dict(standard_error)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.node, dict(self), self.standard_error)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the probabilities as bars with matplotlib, and return the axes."""
        from .plotting import plot_bars

        return plot_bars(list(self.items()), probabilities=True, title=self.node, ax=ax)

    @property
    def most_probable(self) -> str:
        """The state with the largest probability, the first of several."""
        return max(self, key=lambda state: self[state])

    def to_numpy(self) -> NDArray[np.float64]:
        """Return the probabilities, in the order of the states."""
        return np.fromiter(self.values(), np.float64, len(self))

    def __repr__(self) -> str:
        return f"P({self.node}): " + ", ".join(f"{state} {_shown(value)}" for state, value in self.items())

    def _repr_html_(self) -> str:
        return _network_html.bars(self.node, self)


class Joint(_Picklable):
    """The joint distribution of several nodes.

    Attributes
    ----------
    nodes : tuple of str
    states : tuple of tuple of str
        The states of each node.
    probabilities : numpy array
        One axis per node.
    standard_error : numpy array or None
        For an estimate.
    """

    def __init__(
        self,
        nodes: Sequence[str],
        states: Sequence[Sequence[str]],
        probabilities: NDArray[np.float64],
        standard_error: NDArray[np.float64] | None = None,
    ) -> None:
        self.nodes = tuple(nodes)
        self.states = tuple(tuple(one) for one in states)
        self.probabilities = probabilities
        self.standard_error = standard_error

    def __getitem__(self, states: Any) -> float:
        """Return the probability of a combination: a tuple of states, in the order of the nodes, or a mapping."""
        named = [states[node] for node in self.nodes] if isinstance(states, Mapping) else list(states)
        if len(named) != len(self.nodes):
            raise KeyError(states)
        try:
            place = tuple(known.index(state) for known, state in zip(self.states, named, strict=True))
        except ValueError:
            raise KeyError(states) from None
        return float(self.probabilities[place])

    def marginal(self, node: str) -> Posterior:
        """Return the distribution of one node, with the others summed out."""
        axis = self.nodes.index(node)
        others = tuple(i for i in range(len(self.nodes)) if i != axis)
        return Posterior(node, dict(zip(self.states[axis], self.probabilities.sum(axis=others).tolist(), strict=True)))

    def to_dict(self) -> dict[str, Any]:
        """Return nested dicts, with one level per node."""
        return _nested(self.states, self.probabilities)

    def to_table(self, like: Frame | None = None) -> AnyFrame:
        """Return a table with one row per combination of states."""
        from . import _tables

        grids = np.indices(self.probabilities.shape).reshape(len(self.nodes), -1)
        columns: dict[str, Any] = {
            node: (grids[i].astype(np.int32), self.states[i]) for i, node in enumerate(self.nodes)
        }
        columns["probability"] = self.probabilities.ravel()
        return _tables.result(columns, like)

    def __repr__(self) -> str:
        shape = " x ".join(str(size) for size in self.probabilities.shape)
        return f"P({', '.join(self.nodes)}): {shape} probabilities"

    def _repr_html_(self) -> str:
        return _network_html.joint(self)


def _nested(states: Sequence[Sequence[str]], numbers: NDArray[np.float64]) -> dict[str, Any]:
    if len(states) == 1:
        return dict(zip(states[0], numbers.tolist(), strict=True))
    return {state: _nested(states[1:], numbers[i]) for i, state in enumerate(states[0])}


class NormalPosterior(_Picklable):
    """The posterior of a continuous node: a mixture of normal distributions.

    Attributes
    ----------
    node : str
    mean, variance, sd : float
    components : list of dict
        ``weight``, ``mean`` and ``variance`` of each component, in ascending order of the mean.
    """

    def __init__(self, node: str, core: _core.NormalMixture, asked: tuple[Any, ...]) -> None:
        self.node = node
        self._core = core
        self._asked = asked  # the network, evidence, nodes, their selection, and options: to repeat the query after unpickling
        self.mean, self.variance, self.sd = core.moments()
        self.components = [{"weight": w, "mean": m, "variance": v} for w, m, v in core.components()]
        self._quantiles: dict[str, float] | None = None

    def _map(self, function: Any, at: Any) -> Any:
        points = np.asarray(at, dtype=np.float64, order="C")
        out = np.empty(points.shape)
        function(points.reshape(-1), out.reshape(-1))
        return float(out) if out.ndim == 0 else out

    @overload
    def pdf(self, x: float) -> float: ...
    @overload
    def pdf(self, x: Sequence[Any] | NDArray[Any]) -> NDArray[np.float64]: ...
    def pdf(self, x: float | Sequence[Any] | NDArray[Any]) -> Any:
        """Return the density at x; infinite at a component with variance 0."""
        return self._map(self._core.density, x)

    @overload
    def cdf(self, x: float) -> float: ...
    @overload
    def cdf(self, x: Sequence[Any] | NDArray[Any]) -> NDArray[np.float64]: ...
    def cdf(self, x: float | Sequence[Any] | NDArray[Any]) -> Any:
        """Return P(X <= x)."""
        return self._map(self._core.cdf, x)

    @overload
    def above(self, x: float) -> float: ...
    @overload
    def above(self, x: Sequence[Any] | NDArray[Any]) -> NDArray[np.float64]: ...
    def above(self, x: float | Sequence[Any] | NDArray[Any]) -> Any:
        """Return P(X > x), which is accurate also for small values."""
        return self._map(self._core.above, x)

    @overload
    def quantile(self, p: float) -> float: ...
    @overload
    def quantile(self, p: Sequence[Any] | NDArray[Any]) -> NDArray[np.float64]: ...
    def quantile(self, p: float | Sequence[Any] | NDArray[Any]) -> Any:
        """Return the smallest x with P(X <= x) >= p; nan unless p is from 0 to 1."""
        return self._map(self._core.quantile, p)

    @property
    def quantiles(self) -> dict[str, float]:
        """The quantiles at 0.025, 0.5 and 0.975."""
        if self._quantiles is None:
            self._quantiles = {key: self.quantile(float(key)) for key in ("0.025", "0.5", "0.975")}
        return self._quantiles

    def to_dict(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "variance": self.variance,
            "sd": self.sd,
            "quantiles": dict(self.quantiles),
            "components": [dict(one) for one in self.components],
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_mixture, (self.node, *self._asked)

    def __repr__(self) -> str:
        kind = "normal" if len(self.components) == 1 else f"mixture of {len(self.components)} normal distributions"
        return f"P({self.node}): {kind}, mean {_shown(self.mean)}, sd {_shown(self.sd)}"

    def _repr_html_(self) -> str:
        return _network_html.normal(self)


def _restore_mixture(node: str, network: Any, findings: Any, nodes: Any, place: int, options: Any) -> NormalPosterior:
    mixtures, _ = _core.network_mixtures(network._core, findings, nodes, options)
    return NormalPosterior(node, mixtures[place], (network, findings, nodes, place, options))


class Moments(_Picklable):
    """The means of several continuous nodes, and their covariance matrix."""

    def __init__(self, nodes: Sequence[str], mean: NDArray[np.float64], covariance: NDArray[np.float64]) -> None:
        self.nodes = tuple(nodes)
        self.mean = mean
        self.covariance = covariance

    def correlation(self) -> NDArray[np.float64]:
        """The correlation matrix; 0 for a node without variance."""
        deviations = np.sqrt(np.diag(self.covariance))
        scale = np.outer(deviations, deviations)
        made: NDArray[np.float64] = np.divide(self.covariance, scale, out=np.zeros_like(self.covariance), where=scale > 0)
        np.fill_diagonal(made, 1.0)
        return made

    def to_dict(self) -> dict[str, Any]:
        return {
            "mean": dict(zip(self.nodes, self.mean.tolist(), strict=True)),
            "covariance": {
                node: dict(zip(self.nodes, row, strict=True))
                for node, row in zip(self.nodes, self.covariance.tolist(), strict=True)
            },
        }

    def __repr__(self) -> str:
        return ", ".join(f"E({node}) {_shown(mean)}" for node, mean in zip(self.nodes, self.mean.tolist(), strict=True))


class Answer(_Picklable, Mapping[str, Any]):
    """Posteriors given evidence: a mapping from each query to its distribution.

    Attributes
    ----------
    posterior : dict
        For each query a :class:`Posterior`, :class:`Joint`, :class:`NormalPosterior` or :class:`Moments`.
    log_evidence : float or None
        The log of the probability of the evidence, or of its density if the evidence contains numbers; None if unknown.
    approximation : str or None
        The approximation used: ``"weighting"``, ``"gibbs"`` or ``"loopy"``; None if the result is exact.
    log_evidence_error, draws, effective_draws : float or None
        For an estimate.
    cells, bytes : float
        The size of the tables in exact inference.
    """

    def __init__(self, posterior: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        self.posterior = dict(posterior)
        self.log_evidence: float | None = facts["log_evidence"]
        self.approximation: str | None = facts["approximation"]
        is_drawn = self.approximation in ("weighting", "gibbs")
        self.log_evidence_error: float | None = facts["log_evidence_error"] if self.approximation else None
        self.draws: float | None = facts["draws"] if is_drawn else None
        self.effective_draws: float | None = facts["effective_draws"] if is_drawn else None
        self.cells: float = facts["cells"]
        self.bytes: float = facts["bytes"]

    @property
    def evidence(self) -> float | None:
        """The probability of the evidence, or its density."""
        return None if self.log_evidence is None else math.exp(self.log_evidence)

    def __getitem__(self, key: Any) -> Any:
        return self.posterior[",".join(key) if isinstance(key, tuple) else key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.posterior)

    def __len__(self) -> int:
        return len(self.posterior)

    def to_dict(self) -> dict[str, Any]:
        made: dict[str, Any] = {
            "posterior": {key: one.to_dict() if hasattr(one, "to_dict") else dict(one) for key, one in self.items()},
            "log_evidence": self.log_evidence,
        }
        if self.approximation is None:
            return made
        made["standard_error"] = {key: _errors_of(one) for key, one in self.items()}
        made["approximation"] = self.approximation
        made["log_evidence_error"] = self.log_evidence_error
        if self.draws is not None:
            made["draws"] = self.draws
            made["effective_draws"] = self.effective_draws
        return made

    def to_table(self, like: Frame | None = None) -> AnyFrame:
        """Return a table with one row per state of each node that was queried separately."""
        from . import _tables

        rows = [(key, state, p) for key, one in self.items() if isinstance(one, Posterior) for state, p in one.items()]
        return _tables.result(
            {
                "node": np.array([row[0] for row in rows], dtype=object),
                "state": np.array([row[1] for row in rows], dtype=object),
                "probability": np.array([row[2] for row in rows], dtype=np.float64),
            },
            like,
        )

    def __repr__(self) -> str:
        lines = [repr(one) for one in self.posterior.values()]
        if self.log_evidence is not None and self.log_evidence != 0:
            lines.append(f"log evidence {_shown(self.log_evidence)}")
        if self.approximation is not None:
            lines.append(f"estimated by {self.approximation}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _network_html.answer(self)


def _errors_of(one: Any) -> dict[str, Any]:
    if isinstance(one, Joint):
        return _nested(one.states, one.standard_error) if one.standard_error is not None else {}
    if not isinstance(one, Posterior) or one.standard_error is None:
        return {}
    return {state: None if math.isnan(error) else error for state, error in one.standard_error.items()}


class MostProbable(_Picklable, Mapping[str, str]):
    """The most probable explanation: a mapping of nodes to states.

    Attributes
    ----------
    states : dict
    log_probability : float
        The log probability of these states, given the evidence.
    log_evidence : float
    """

    def __init__(self, states: Mapping[str, str], log_probability: float, log_evidence: float) -> None:
        self.states = dict(states)
        self.log_probability = log_probability
        self.log_evidence = log_evidence

    @property
    def probability(self) -> float:
        """The probability of these states, given the evidence."""
        return math.exp(self.log_probability)

    def __getitem__(self, node: str) -> str:
        return self.states[node]

    def __iter__(self) -> Iterator[str]:
        return iter(self.states)

    def __len__(self) -> int:
        return len(self.states)

    def to_dict(self) -> dict[str, Any]:
        return {
            "most_probable": {"states": dict(self.states), "log_probability": self.log_probability},
            "log_evidence": self.log_evidence,
        }

    def __repr__(self) -> str:
        states = ", ".join(f"{node}={state}" for node, state in self.states.items())
        return f"{states} (probability {_shown(self.probability)})"

    def _repr_html_(self) -> str:
        caption = f"Most probable, with probability {_shown(self.probability)}"
        return _network_html.table(["node", "state"], list(self.states.items()), caption)


class EvidenceExplanation(_Picklable):
    """The effect of evidence on the posterior of a node.

    Attributes
    ----------
    node, state : str
        The explained node, and the state that findings support or oppose.
    before, posterior : Posterior
        The distribution without any finding, and given all findings.
    log_evidence : float
    findings : list of dict
        ``node``, and ``state``, ``number`` or ``likelihood``; the posterior given this finding ``alone`` and ``without`` it;
        its ``weight`` for the state, in nats, ``information`` and ``path``. A decision is a premise and has only the first two.
    moved_most : str or None
        The node whose finding changed the posterior most.
    interplay : list of dict
        Pairs of findings with an interaction. The key ``does`` names it, and ``to`` names the affected finding: one explains
        the other away, screens it off, or opens a path.
    approximation, largest_standard_error
        For estimates; None if the results are exact.
    """

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._record = dict(record)
        self.node: str = record["node"]
        self.state: str = record["state"]
        self.before: Posterior = record["before"]
        self.posterior: Posterior = record["posterior"]
        self.log_evidence: float = record["log_evidence"]
        self.findings: list[dict[str, Any]] = record["findings"]
        self.moved_most: str | None = record["moved_most"]
        self.interplay: list[dict[str, Any]] = record["interplay"]
        self.approximation: str | None = record.get("approximation")
        self.largest_standard_error: float | None = record.get("largest_standard_error")

    def to_dict(self) -> dict[str, Any]:
        return dict(self._record)

    def to_table(self, like: Frame | None = None) -> AnyFrame:
        """Return a table with one row per finding: the state's probability with only this finding, without it, and its weight."""
        from . import _tables

        told = [one for one in self.findings if "weight" in one]
        return _tables.result(
            {
                "finding": np.array([finding_text(one) for one in told], dtype=object),
                "alone": np.array([one["alone"][self.state] for one in told], dtype=np.float64),
                "without": np.array([one["without"][self.state] for one in told], dtype=np.float64),
                "weight": np.array([one["weight"] for one in told], dtype=np.float64),
                "information": np.array([one["information"] for one in told], dtype=np.float64),
            },
            like,
        )

    def __repr__(self) -> str:
        lines = [
            f"{self.node}={self.state}: {_shown(self.before[self.state])} before, {_shown(self.posterior[self.state])} after"
        ]
        for one in self.findings:
            weight = one.get("weight")
            lines.append(f"  {finding_text(one)}: " + ("decided" if weight is None else f"{weight:+.4g} nats"))
        for pair in self.interplay:
            lines.append(f"  {pair['finding']} {pair['does']} {pair['to']}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _network_html.explanation(self)


def finding_text(finding: Mapping[str, Any]) -> str:
    """Return ``node=state``, ``node=number`` or ``node (state:likelihood, ...)``."""
    if "likelihood" in finding:
        return f"{finding['node']} (" + ", ".join(f"{s}:{_shown(v)}" for s, v in finding["likelihood"].items()) + ")"
    return f"{finding['node']}={finding.get('state', finding.get('number'))}"


class Policy(_Picklable):
    """The decisions with maximum expected utility.

    Attributes
    ----------
    expected_utility : float
    policy : list of dict
        For each ``decision``, in the order of the decisions: ``choices``, one for each situation. A choice contains the states
        of the nodes ``known`` then, the best ``choice``, and the ``expected_utility`` of each.
    value_of : dict
        The value of observing a node before the first decision; None if the node cannot be observed by then.
    log_evidence : float
    """

    def __init__(
        self,
        expected_utility: float,
        policy: list[dict[str, Any]],
        log_evidence: float,
        value_of: Mapping[str, float | None] | None = None,
    ) -> None:
        self.expected_utility = expected_utility
        self.policy = policy
        self.log_evidence = log_evidence
        self.value_of = dict(value_of or {})

    def choice(self, decision: str, known: Mapping[str, Any] | None = None) -> str:
        """Return the best choice of a decision, given the states of at least the nodes that it depends on."""
        for one in self.policy:
            if one["decision"] != decision:
                continue
            for situation in one["choices"]:
                if all((known or {}).get(node) == state for node, state in situation["known"].items()):
                    return str(situation["choice"])
            needed = ", ".join(one["choices"][0]["known"]) if one["choices"] else ""
            raise ValueError(f"known: no situation of {decision!r} has these states; it depends on {needed}")
        raise ValueError(f"decision: {decision!r} is none that is open")

    def to_dict(self) -> dict[str, Any]:
        made: dict[str, Any] = {"expected_utility": self.expected_utility, "policy": self.policy}
        if self.value_of:
            made["value_of"] = dict(self.value_of)
        made["log_evidence"] = self.log_evidence
        return made

    def __repr__(self) -> str:
        lines = [f"expected utility {_shown(self.expected_utility)}"]
        for one in self.policy:
            for situation in one["choices"]:
                known = ", ".join(f"{node}={state}" for node, state in situation["known"].items())
                lines.append(f"  {one['decision']}: {situation['choice']}" + (f" where {known}" if known else ""))
        for node, worth in self.value_of.items():
            lines.append(f"  observing {node}: " + ("cannot be observed in time" if worth is None else f"worth {_shown(worth)}"))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _network_html.policy(self)


class Independence(_Picklable):
    """The result of a d-separation test of two nodes, or sets of nodes; true if they are separated.

    Attributes
    ----------
    of : list
        The two nodes, or the two lists of nodes.
    given : list of str
    independent : bool
    path : list of str or None
        A shortest open path, if they are not independent.
    arrows : list of str or None
        The directions of its arcs: ``"->"`` or ``"<-"``.
    pairs : list of dict or None
        For two sets, each pair that is not separated: ``of``, ``and``, and its ``path``.
    paths : list of dict or None
        For two nodes, the shortest open paths, or the blocked paths if none is open: ``nodes``, ``arrows``, ``open``. For each
        node between the ends (``inner``) there are the ``role`` (``"chain"``, ``"common cause"``, ``"common effect"``), whether
        it ``blocks``, and ``opened_by``, the given node that opens a common effect.
    more : bool
        Whether there are more paths.
    """

    def __init__(
        self,
        of: list[Any],
        given: list[str],
        independent: bool,
        path: list[str] | None,
        arrows: list[str] | None,
        pairs: list[dict[str, Any]] | None = None,
        paths: list[dict[str, Any]] | None = None,
        more: bool = False,
    ) -> None:
        self.paths = paths
        self.more = more
        self.of = of
        self.given = given
        self.independent = independent
        self.path = path
        self.arrows = arrows
        self.pairs = pairs

    def __bool__(self) -> bool:
        return self.independent

    def to_dict(self) -> dict[str, Any]:
        made: dict[str, Any] = {"of": self.of, "given": self.given, "independent": self.independent}
        if not self.independent:
            made["path"] = self.path
            made["arrows"] = self.arrows
        if self.paths is not None:
            made |= {"paths": self.paths, "more": self.more}
        if not self.independent and self.pairs is not None:
            made["pairs"] = self.pairs
        return {"independence": made}

    def __repr__(self) -> str:
        if self.independent:
            return "independent: every path between them is blocked"
        return f"not d-separated: {_path_text(self.path or [], self.arrows or [])}"


def _path_text(path: Sequence[str], arrows: Sequence[str]) -> str:
    text = path[0] if path else ""
    for arrow, node in zip(arrows, path[1:], strict=True):
        text += f" {arrow} {node}"
    return text


class NetworkComparison(_Picklable):
    """A comparison of two networks, matched by node names.

    Attributes
    ----------
    shd, shd_dag : int
        The structural Hamming distance of the CPDAGs, in which arcs are undirected if data do not determine their direction;
        and of the DAGs.
    equivalent : bool
        Whether both networks imply the same independences.
    same, reversed, only_first, only_second : int
        The number of arcs in both networks, reversed, only in the first, and only in the second.
    only_first_nodes, only_second_nodes : int
    arcs : list of dict
        ``from``, ``to`` and ``relation`` of each arc in either network.
    tables : list of dict
        For each ``node`` with the same parents and states in both: the largest ``difference`` of two numbers in its tables, and
        the largest ``divergence`` of two rows.
    """

    _FIELDS = ("shd", "shd_dag", "same", "reversed", "only_first", "only_second", "only_first_nodes", "only_second_nodes")

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._record = dict(record)
        self.shd: int = record["shd"]
        self.shd_dag: int = record["shd_dag"]
        self.same: int = record["same"]
        self.reversed: int = record["reversed"]
        self.only_first: int = record["only_first"]
        self.only_second: int = record["only_second"]
        self.only_first_nodes: int = record["only_first_nodes"]
        self.only_second_nodes: int = record["only_second_nodes"]
        self.equivalent: bool = record["equivalent"]
        self.arcs: list[dict[str, str]] = record["arcs"]
        self.tables: list[dict[str, Any]] = record["tables"]

    def to_dict(self) -> dict[str, Any]:
        return dict(self._record)

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {getattr(self, name)}" for name in self._FIELDS[2:6])
        return f"structural Hamming distance {self.shd} (of the DAGs {self.shd_dag}); arcs: {counts}"

    def _repr_html_(self) -> str:
        rows = [(name.replace("_", " "), getattr(self, name)) for name in self._FIELDS]
        arcs = [(arc["from"], arc["to"], arc["relation"]) for arc in self.arcs]
        return _network_html.table(["", ""], rows) + _network_html.table(["from", "to", "relation"], arcs, "Arcs")


class StructureScore(_Picklable):
    """The score of a network's structure on rows.

    Attributes
    ----------
    score_name : str
    score : float or None
        In natural logarithms; larger is better. None if it is not finite.
    rows, parameters : float
    nodes : dict
        The score of each node given its parents.
    """

    def __init__(self, score_name: str, score: float, rows: float, nodes: Sequence[tuple[str, float, float]]) -> None:
        self.score_name = score_name
        self.score = score if math.isfinite(score) else None
        self.rows = rows
        self.nodes = {name: value if math.isfinite(value) else None for name, value, _ in nodes}
        self.node_parameters = {name: parameters for name, _, parameters in nodes}
        self.parameters = float(sum(self.node_parameters.values()))

    def to_dict(self) -> dict[str, Any]:
        return {
            "score_name": self.score_name,
            "score": self.score,
            "rows": self.rows,
            "parameters": self.parameters,
            "nodes": dict(self.nodes),
        }

    def __repr__(self) -> str:
        return f"{self.score_name} {self.score} of {self.rows:g} rows and {self.parameters:g} parameters"

    def _repr_html_(self) -> str:
        rows = [(name, value, self.node_parameters[name]) for name, value in self.nodes.items()]
        return _network_html.table(["node", self.score_name, "parameters"], rows)
