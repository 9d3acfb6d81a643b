# SPDX-License-Identifier: MIT
"""Comparison of methods and families on the same folds, with a recommendation."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from numpy.typing import ArrayLike

from . import _core, _settings
from ._candidates import left_out_reason, options_of
from ._evaluation_arguments import choose_split, open_split, whole
from ._evaluation_pictures import comparison_html
from ._records import Record, frame_of, kind_of
from ._types import ColumnName, TableInput, TrainingOptions
from .plotting import plot_bars
from .progress import ProgressBar
from .train import _budget as check_budget
from .train import _split as split_arguments
from .train import check_target

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Comparison", "compare"]

#: The number of candidates to print.
_SHOWN = 10
_MEASURES = ("accuracy", "log_loss", "log_loss_error", "ece", "parameters", "seconds")


class Comparison(Record):
    """A comparison of candidate methods and families. :func:`credence.compare` creates one.

    Attributes
    ----------
    rows, rows_in_no_log_loss, tried, not_tried
        The number of test rows; the number of rows excluded from the log loss because no other row has their class; the number
        of candidates with scores; a sentence that names the other candidates, and the budget that tries them.
    baseline, baseline_log_loss
        The scores of the relative class frequencies.
    candidates, left_out
        Tables: candidates with their scores, the smallest log loss first; skipped candidates with the reason.
    recommended
        The recommended candidate: its ``name``, ``options`` as keyword arguments, ``settings``, and ``why``.
    settings
        The recommended settings, for :func:`credence.train`: ``credence.train(table, target, **comparison.settings)``.
    """

    __slots__ = ("not_tried", "settings")

    def __init__(
        self, data: Mapping[str, Any], kind: Any = None, settings: Mapping[str, str] | None = None, not_tried: str = ""
    ) -> None:
        super().__init__(data, kind)
        self.settings = dict(settings or {})
        self.not_tried = not_tried

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._data, self._kind, self.settings, self.not_tried)

    def _field(self, name: str) -> Any:
        if name in ("candidates", "left_out"):
            return frame_of([_in_python(record) for record in self._data[name]], self._kind)
        return Record(_in_python(self._data[name]), self._kind) if name == "recommended" else super()._field(name)

    def _repr_html_(self) -> str:
        shown = {name: [_in_python(record) for record in self._data[name]] for name in ("candidates", "left_out")}
        return comparison_html({**self._data, **shown})

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the log loss of each candidate, the smallest first, with matplotlib, and return the axes."""
        records = [record for record in self._data["candidates"] if record["log_loss"] is not None]
        bars = [(record["name"], record["log_loss"]) for record in records]
        return plot_bars(bars, unit="log loss", ax=ax)

    def __repr__(self) -> str:
        widest = max([len(record["name"]) for record in self._data["candidates"]], default=4)
        lines = [f"{'':{widest}}  accuracy  log loss"]
        for record in self._data["candidates"][:_SHOWN]:
            lines.append(f"{record['name']:{widest}}  {_rounded(record['accuracy']):>8}  {_rounded(record['log_loss']):>8}")
        more = len(self._data["candidates"]) - _SHOWN
        if more > 0:
            lines.append(f"and {more} more (.candidates)")
        lines.append(
            f"{'the class prior':{widest}}  {_rounded(self._data['baseline']):>8}  "
            f"{_rounded(self._data['baseline_log_loss']):>8}"
        )
        recommended = self._data["recommended"]
        lines.append(f"Recommended: {recommended['name']}. {recommended['why']}")
        if self.not_tried:
            lines.append(self.not_tried)
        return "\n".join(lines)


def _rounded(value: float | None) -> str:
    """Format a number as the command does in sentences."""
    if value is None:
        return "-"
    return f"{value:.0f}" if 1e5 <= abs(value) < 1e15 else f"{value:.5g}"


def _in_python(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a candidate with its options as keyword arguments of :func:`credence.train`."""
    words = shlex.split(record["options"])
    settings = zip(words[::2], words[1::2], strict=True)
    options = ", ".join(f"{_settings.keyword(name.removeprefix('--'))}={value!r}" for name, value in settings)
    return {**record, "options": options}


def _shown_by(bar: ProgressBar) -> Callable[[str, int, int, float], Any]:
    return lambda name, index, count, done: bar(name, index + done, count)


def _infinite(value: float | None) -> float:
    return math.inf if value is None else value


@_settings.documented
def compare(
    table: TableInput,
    target: ColumnName | None = None,
    *,
    methods: str | Sequence[str] | None = None,
    cross_validate: int | None = None,
    holdout: float | str | None = None,
    folds: int | str | ArrayLike | None = None,
    seed: int = 1,
    weight: ColumnName | None = None,
    budget: float = 1,
    progress: Callable[[str, int, int, float], Any] | bool = False,
    **options: Unpack[TrainingOptions],
) -> Comparison:
    """Compare methods and density families on the same folds of the same rows, and recommend one.

    Rows are learned once, for all candidates. The recommended candidate has the smallest log loss, or is a simpler candidate
    whose log loss is larger by at most a quarter of the standard error of their paired differences.

    Parameters
    ----------
    table, target, weight
        As in :func:`credence.train`.
    methods
        Names of the candidates to compare; by default, all that suit the table.
    cross_validate, holdout, folds, seed
        How rows are split, as in :func:`credence.evaluate`: 10 folds, or 5 if there are more than 200 rows.
    budget : float
        The work that the candidates may take, the cheapest first, as a multiple of the default. It is counted in operations,
        never in time, so the result does not depend on the machine. ``math.inf`` tries every candidate, and so does naming
        ``methods``.
    progress
        True shows a progress bar. A function is called with the name of a candidate, its number, the number of candidates, and
        the completed fraction of the candidate.
    {settings}

    Examples
    --------
    >>> import credence
    >>> table = {"x": [float(i % 7 + 9 * (i % 2)) for i in range(60)], "kind": ["a" if i % 2 else "b" for i in range(60)]}
    >>> credence.compare(table, "kind", methods=["naive", "naive, kernel"]).tried
    2
    """
    settings, reading = split_arguments(dict(options), "compare")
    given_texts = _settings.texts(settings, "compare")
    for name in given_texts:
        if _core.comparison_chooses(name):
            raise ValueError(f"{name}: candidates choose it; leave it out")
    methods = [methods] if isinstance(methods, str) else methods
    known = _core.compare_candidates()
    for name in methods or ():
        if name not in known:
            raise ValueError(f"methods: no candidate is called {name!r}; there are {', '.join(map(repr, known))}")
    split = choose_split(cross_validate, holdout, folds, 0)
    reader = open_split(table, split, reading, target=target, weight=weight)
    bar = ProgressBar() if progress is True else None
    if bar is not None:
        progress = _shown_by(bar)
    try:
        found = _core.compare_methods(
            reader,
            _core.make_settings(given_texts),
            candidates=methods,
            folds=split.get("folds", 0),
            held_out=split.get("held_out", 0),
            seed=whole("seed", seed, 0),
            column=split.get("column", -1),
            given=split["given"][0] if "given" in split else None,
            budget=check_budget(budget),
            threads=reading.get("threads") or 0,
            progress=progress or None,
        )
    finally:
        if bar is not None:
            bar.close()
    check_target(found["target_checks"], found["target"], reading)
    candidates, of = found["candidates"], found["recommendation"]
    scored = sorted(
        (candidate for candidate in candidates if candidate["status"] == "scored"),
        key=lambda candidate: _infinite(candidate["log_loss"]),
    )
    chosen = candidates[of["candidate"]]
    run: dict[str, Any] = {"version": _core.version(), "verb": "evaluate", "target": found["target"], "rows": of["rows"]}
    if split.get("held_out"):
        run["held_out"] = split["held_out"] / split["folds"]
    else:
        run["folds"] = found["fold_count"]
    if "column" not in split and "given" not in split:
        run["seed"] = seed
    data = {
        "rows": of["rows"],
        "rows_in_no_log_loss": of["left_out"],
        "baseline": of["baseline"],
        "baseline_log_loss": of["baseline_log_loss"],
        "tried": of["tried"],
        "budget": None if math.isinf(of["budget"]) else of["budget"],
        "candidates": [
            {
                "name": candidate["name"],
                "options": options_of(given_texts | candidate["settings"]),
                **{name: candidate[name] for name in _MEASURES},
            }
            for candidate in scored
        ],
        "left_out": [
            {
                "name": candidate["name"],
                "options": options_of(given_texts | candidate["settings"]),
                "reason": left_out_reason(candidate),
            }
            for candidate in candidates
            if candidate["status"] != "scored"
        ],
        "recommended": {
            "name": chosen["name"],
            "options": options_of(given_texts | chosen["settings"]),
            "settings": given_texts | chosen["settings"],
            "why": found["why"],
        },
        "run": run,
    }
    own = {_settings.keyword(name): value for name, value in (given_texts | chosen["settings"]).items()}
    return Comparison(data, kind_of(table), own, found["not_tried"])
