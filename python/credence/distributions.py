# SPDX-License-Identifier: MIT
"""Named distributions: densities, tail probabilities, quantiles, moments and draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Union, overload

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._text import columns_text, number_text
from .bayes_rule import number_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Several numbers.
Numbers: TypeAlias = Union[Sequence[Any], NDArray[Any]]
#: A parameter: a number, a text such as ``"1/6"``, or an array.
Parameter: TypeAlias = Union[float, str, Numbers]
_WHOLE_NUMBERS = 40  # plot all integers if there are at most this many
_BLOCK = 1 << 9  # points between checks for Ctrl-C


def _kinds() -> dict[str, dict[str, Any]]:
    return {kind["name"]: kind for kind in _core.distribution_kinds()}


def _numbers(value: Any, argument: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    if isinstance(value, str) or np.ndim(value) == 0:
        return np.array([number_of(value, argument)])
    return np.ascontiguousarray(
        [number_of(item, argument) for item in value] if any(isinstance(item, str) for item in value) else value,
        dtype=np.float64,
    ).reshape(-1)


class Distribution:
    """A named distribution with its parameters; immutable. :func:`distribution` creates one.

    Methods accept numbers or arrays. They return a float for a number, and an array of the same shape for an array.

    Attributes
    ----------
    name : str
    parameters : dict
        The parameters as you passed them.
    is_discrete : bool
        Whether the distribution has probabilities of integers; otherwise it has a density.
    dimension : int
        1 for all distributions except the multivariate normal.
    mean, variance : float or array
        In several dimensions, a vector and the covariance matrix.
    sd : float
        The standard deviation.
    support : tuple of float
        The smallest and the largest possible value.
    """

    def __init__(self, name: str, parameters: dict[str, Any]) -> None:
        self.name = name
        self.parameters = parameters
        items = [(key, _numbers(value, key)) for key, value in parameters.items()]
        self._core = _core.make_distribution(name, items)
        facts = self._core.facts()
        self.is_discrete: bool = facts["is_discrete"]
        self.dimension: int = facts["dimension"]
        self.mean: Any = facts["mean"][0] if self.dimension == 1 else np.array(facts["mean"])
        covariance = np.array(facts["variance"]).reshape(self.dimension, self.dimension)
        self.variance: Any = facts["variance"][0] if self.dimension == 1 else covariance
        self.sd: float = facts["sd"]
        self.support: tuple[float, float] = facts["support"]

    def __reduce__(self) -> tuple[Any, ...]:
        return (Distribution, (self.name, self.parameters))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            return NotImplemented
        return self.name == other.name and repr(self.parameters) == repr(other.parameters)

    def __hash__(self) -> int:
        return hash((self.name, repr(self.parameters)))

    def _apply(self, function: str, x: Any) -> Any:
        if self.dimension > 1 and function not in ("density", "log_density"):
            raise ValueError(f"{self.name} has {self.dimension} dimensions, which have no order: density alone")
        points = np.asarray(x, dtype=np.float64, order="C")
        shape = points.shape
        if self.dimension > 1:
            if not shape or shape[-1] != self.dimension:
                raise ValueError(f"x: expected {self.dimension} numbers for each point, got an array of shape {shape}")
            shape = shape[:-1]
        flat = points.reshape(-1)
        out = np.empty(shape)
        values = out.reshape(-1)
        for i in range(0, values.size, _BLOCK):
            part = values[i : i + _BLOCK]
            self._core.apply(function, flat[i * self.dimension : (i + part.size) * self.dimension], part)
        return float(out) if not shape else out

    @overload
    def density(self, x: float) -> float: ...
    @overload
    def density(self, x: Numbers) -> NDArray[np.float64]: ...
    def density(self, x: float | Numbers) -> Any:
        """Return the density at x, or P(X = x) for a discrete distribution. In several dimensions the last axis is the point."""
        return self._apply("density", x)

    @overload
    def log_density(self, x: float) -> float: ...
    @overload
    def log_density(self, x: Numbers) -> NDArray[np.float64]: ...
    def log_density(self, x: float | Numbers) -> Any:
        """Return the logarithm of the density, or probability, at x."""
        return self._apply("log_density", x)

    @overload
    def below(self, x: float) -> float: ...
    @overload
    def below(self, x: Numbers) -> NDArray[np.float64]: ...
    def below(self, x: float | Numbers) -> Any:
        """Return P(X < x)."""
        return self._apply("below", x)

    @overload
    def at_most(self, x: float) -> float: ...
    @overload
    def at_most(self, x: Numbers) -> NDArray[np.float64]: ...
    def at_most(self, x: float | Numbers) -> Any:
        """Return P(X <= x), the distribution function."""
        return self._apply("at_most", x)

    @overload
    def above(self, x: float) -> float: ...
    @overload
    def above(self, x: Numbers) -> NDArray[np.float64]: ...
    def above(self, x: float | Numbers) -> Any:
        """Return P(X > x)."""
        return self._apply("above", x)

    @overload
    def at_least(self, x: float) -> float: ...
    @overload
    def at_least(self, x: Numbers) -> NDArray[np.float64]: ...
    def at_least(self, x: float | Numbers) -> Any:
        """Return P(X >= x)."""
        return self._apply("at_least", x)

    @overload
    def quantile(self, p: float) -> float: ...
    @overload
    def quantile(self, p: Numbers) -> NDArray[np.float64]: ...
    def quantile(self, p: float | Numbers) -> Any:
        """Return the smallest x with P(X <= x) >= p."""
        return self._apply("quantile", self._probabilities(p))

    @overload
    def quantile_above(self, p: float) -> float: ...
    @overload
    def quantile_above(self, p: Numbers) -> NDArray[np.float64]: ...
    def quantile_above(self, p: float | Numbers) -> Any:
        """Return the smallest x with P(X > x) <= p. It is accurate for small p."""
        return self._apply("quantile_above", self._probabilities(p))

    @staticmethod
    def _probabilities(p: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
        values = np.asarray(p, dtype=np.float64)
        if not np.all((values >= 0) & (values <= 1) | np.isnan(values)):
            raise ValueError(f"p: expected probabilities from 0 to 1, got {p!r}")
        return values

    @overload
    def between(self, low: float, high: float) -> float: ...
    @overload
    def between(self, low: float | Numbers, high: float | Numbers) -> Any: ...
    def between(self, low: float | Numbers, high: float | Numbers) -> Any:
        """Return P(low <= X <= high)."""
        if self.dimension > 1:
            raise ValueError(f"{self.name} has {self.dimension} dimensions, which have no order: density alone")
        ends = np.stack(np.broadcast_arrays(np.asarray(low, np.float64), np.asarray(high, np.float64)), axis=-1)
        if np.any(ends[..., 0] > ends[..., 1]):
            raise ValueError("between takes the lesser first")
        out = np.empty(ends.shape[:-1])
        self._core.between(np.asarray(ends, order="C"), out)
        return float(out) if not out.shape else out

    @overload
    def interval(self, p: float) -> tuple[float, float]: ...
    @overload
    def interval(self, p: Numbers) -> NDArray[np.float64]: ...
    def interval(self, p: float | Numbers) -> tuple[float, float] | NDArray[np.float64]:
        """Return the ends of the central interval with probability p; for arrays, along the last axis."""
        if self.dimension > 1:
            raise ValueError(f"{self.name} has {self.dimension} dimensions, which have no order: density alone")
        values = np.asarray(self._probabilities(p), order="C")
        out = np.empty((*values.shape, 2))
        self._core.interval(values, out)
        return (float(out[0]), float(out[1])) if not values.shape else out

    def sample(self, draws: int = 10, seed: int = 1, first: int = 0) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Draw the numbers ``first``, ``first + 1``, ... of the random sequence. Draw i depends only on the seed and i.

        Returns an array of ``draws`` numbers, or of as many rows in several dimensions.
        """
        if draws < 0 or seed < 0 or first < 0:
            raise ValueError(f"sample takes numbers from 0 on, got draws={draws}, seed={seed}, first={first}")
        out = np.empty((draws, self.dimension) if self.dimension > 1 else draws)
        for i in range(0, draws, _BLOCK):
            self._core.sample(seed, first + i, out[i : i + _BLOCK])
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return name, mean and variance, with the keys of ``credence distribution --format json``."""
        if self.dimension == 1:
            return {"distribution": self.name, "mean": self.mean, "variance": self.variance}
        return {
            "distribution": self.name,
            "mean": self.mean.tolist(),
            "covariance": self.variance.reshape(-1).tolist(),
        }

    def curve(self, points: int = 200) -> tuple[Any, Any]:
        """Return the points and densities to plot: between extreme quantiles, or at all integers if they are few."""
        if self.dimension > 1:
            raise ValueError(f"{self.name} has {self.dimension} dimensions: there is no curve")
        low, high = self.quantile(0.001), self.quantile_above(0.001)
        if self.is_discrete:
            if self.support[1] - self.support[0] <= _WHOLE_NUMBERS:
                low, high = self.support
            step = max(1, round((high - low) / points))
            x = np.arange(low, high + 1, step)
        else:
            x = np.linspace(low, high, points)
        return x, self.density(x)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the density, or the probabilities, with matplotlib, and return the axes."""
        from .plotting import axes_of

        ax = axes_of(ax)
        x, y = self.curve()
        if self.is_discrete:
            ax.bar(x, y)
        else:
            ax.plot(x, y)
        ax.set_xlabel("x")
        ax.set_ylabel("P(X = x)" if self.is_discrete else "density")
        ax.set_title(self._title())
        return ax

    def _title(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in self.parameters.items())})"

    def __repr__(self) -> str:
        return f"distribution({self._title().replace('(', ', ', 1) if self.parameters else self.name + ')'}"

    def _repr_html_(self) -> str:
        from ._html import table_html

        if self.dimension > 1:
            rows = [[number_text(m), *(number_text(v) for v in line)] for m, line in zip(self.mean, self.variance)]
            head = ["mean", "covariance"] + [""] * (self.dimension - 1)
            return table_html(head, rows, caption=self._title())
        x, y = self.curve()
        facts = [["mean", number_text(self.mean)], ["variance", number_text(self.variance)]]
        facts.append(["sd", number_text(self.sd)])
        picture = (
            _core.plot_bars([(number_text(at), p) for at, p in zip(x, y)], title=self._title())
            if self.is_discrete
            else _core.plot_densities([(self.name, x.tolist(), y.tolist())], "x", title=self._title())
        )
        return table_html(["", ""], facts, caption=self._title()) + picture


@overload
def distribution(name: None = None) -> list[dict[str, Any]]: ...
@overload
def distribution(name: str, *values: Parameter, **parameters: Parameter) -> Distribution: ...
def distribution(
    name: str | None = None, *values: Parameter, **parameters: Parameter
) -> Distribution | list[dict[str, Any]]:
    """Create a named distribution; without a name, list all distributions.

    Parameters
    ----------
    name : str
        The name, such as ``"normal"`` or ``"binomial"``.
    *values, **parameters
        The parameters, by position or by name. Numbers may be texts such as ``"1/6"``; ``mean`` and ``covariance`` of the
        multivariate normal are arrays.

    Returns
    -------
    Distribution
        Or, without a name, a list of dicts with ``name``, ``parameters`` and ``summary``.

    Examples
    --------
    >>> import credence
    >>> iq = credence.distribution("normal", mean=100, sd=15)
    >>> round(iq.between(85, 115), 4)
    0.6827
    >>> coins = credence.distribution("binomial", n=10, p="1/2")
    >>> round(coins.density(5) * coins.density(7), 6), coins.density(0) == 1 / 1024
    (0.028839, True)
    >>> tosses = credence.distribution("binomial", n=3, p=0.5)
    >>> round(tosses.density(2), 6), round(tosses.at_least(2), 6)
    (0.375, 0.5)
    >>> [round(credence.distribution("normal").between(-k, k), 4) for k in (1, 2, 3)]
    [0.6827, 0.9545, 0.9973]
    """
    kinds = _kinds()
    if name is None:
        return list(kinds.values())
    if name not in kinds:
        raise ValueError(f"there is no distribution {name!r}; there are {', '.join(kinds)}")
    names = [parameter["name"] for parameter in kinds[name]["parameters"]]
    if len(values) > len(names):
        raise TypeError(f"{name} takes {len(names)} parameters ({', '.join(names)}), got {len(values)}")
    given = dict(zip(names, values))
    for key in parameters:
        if key in given:
            raise TypeError(f"{name}: {key} is given twice")
        if key not in names:
            raise TypeError(f"{name} has no parameter {key!r}; it has {', '.join(names)}")
    return Distribution(name, {**given, **parameters})
