# SPDX-License-Identifier: MIT
"""Several models: merge them into one, or weigh them as hypotheses and combine them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from . import _core, _settings, _tables
from ._reader_options import OPTIONS
from ._types import ColumnOptions, Settings, TableInput
from .errors import DataError, SettingError, issue
from .model import Model

__all__ = ["combine", "merge"]

_RULES = {"optimal": 0, "gibbs": 1, "map": 2, "ml": 3}
_LIKELIHOODS = {"auto": 0, "closed": 1, "rows": 2, "classes": 3}


def merge(models: Iterable[Model], *, duplicates: str = "error", **settings: Unpack[Settings]) -> Model:
    """Merge models. The result is byte-identical to training on the rows of all models at once.

    It is an error if the settings of the models differ, unless you pass `settings` to use instead. A model whose parts have
    been merged already is an error or skipped: see :meth:`Model.merge`.

    Examples
    --------
    >>> import credence
    >>> parts = [credence.train({"x": [1, 2], "y": ["a", "b"]}, target="y") for _ in range(3)]
    >>> credence.merge(parts).show().rows
    6.0
    """
    listed = list(models)
    if not listed:
        raise ValueError("models: expected one or more")
    for model in listed:
        if not isinstance(model, Model):
            raise TypeError(f"models: expected models, got {type(model).__name__}")
    if settings:
        listed = [model.with_settings(**settings) for model in listed]
    return listed[0].copy().merge(*listed[1:], duplicates=duplicates)


def _shares(argument: str, given: Sequence[float] | Mapping[str, float] | None, names: Sequence[str]) -> Any:
    if given is None:
        return None
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ValueError(f"{argument}: there is no model {unknown[0]!r}; there are {', '.join(names)}")
        given = [given.get(name, 0.0) for name in names]
    shares = array("d", given)
    if len(shares) != len(names):
        raise ValueError(f"{argument}: expected {len(names)} numbers, one for each model, got {len(shares)}")
    if any(not share >= 0 for share in shares) or not abs(sum(shares) - 1) < 1e-3:
        raise ValueError(f"{argument}: expected probabilities that sum to 1, got {list(shares)!r}")
    return shares


def _has_learned(model: Model, data: Any, reading: Mapping[str, Any]) -> bool:
    """Return whether the model was trained on the same rows, by comparing the sufficient statistics of both."""
    if model._core.info()["kind"] == "members" or model.target is None:
        return False
    reader = _tables.open_model_reader(model._core, data, bind=False, **reading)
    if not set(model.attributes) <= set(reader.column_names()):
        return False
    try:
        reader.bind(model._core, True)
        return _core.same_statistics(model._core, _core.train_model(reader)[0])
    except (DataError, SettingError):  # rows that the model cannot learn are not its training rows
        return False


def _mark_learned(
    named: Mapping[str, Model], data: Any, reading: Mapping[str, Any], hypotheses: list[dict[str, Any]]
) -> None:
    """Read the rows again if possible, and warn about models that were trained on them."""
    if _tables.reads_once(data):
        return
    options = {name: value for name, value in reading.items() if name in OPTIONS}
    learned = [name for name, model in named.items() if _has_learned(model, data, options)]
    for hypothesis in hypotheses:
        if hypothesis["model"] in learned and hypothesis["weighed_by"] == "held out":
            hypothesis["weighed_by"] = "learned"
    if learned:
        whose = "the models" if len(learned) == len(named) else ", ".join(learned)
        issue(
            f"these are the rows that {whose} learned from: a model that overfits them looks better than it is "
            "(use other rows with data=...)"
        )


def combine(
    models: Mapping[str, Model] | Iterable[Model],
    *,
    rule: str = "optimal",
    prior: Sequence[float] | Mapping[str, float] | None = None,
    posterior: Sequence[float] | Mapping[str, float] | None = None,
    data: TableInput | None = None,
    weigh_by: str = "auto",
    seed: int = 1,
    **reading: Unpack[ColumnOptions],
) -> Model:
    """Weigh models as hypotheses by data, and combine them into one model that predicts by a rule.

    Parameters
    ----------
    models
        A dict of names and models, or models, which are named by their numbers from 1.
    rule : {"optimal", "gibbs", "map", "ml"}
        ``"optimal"``: the mean of all posteriors, weighted by the posterior of each hypothesis (Bayes optimal). ``"gibbs"``:
        one hypothesis drawn for each row. ``"map"``: the hypothesis with the largest posterior. ``"ml"``: the hypothesis with
        the largest likelihood.
    prior
        The prior of each model; uniform by default.
    posterior
        The posterior of each model, specified instead of prior and data.
    data
        Labeled rows that weigh the models; the models should not be trained on them. If None, each model is weighed by its own
        training rows, with its parameters integrated out. This requires priors that are not relative frequencies, such as
        ``prior="laplace:1"``, and families with a closed form.
    weigh_by : {"auto", "closed", "rows", "classes"}
        The likelihood that weighs the models: marginal, of rows, or of classes.
    seed
        The seed of the rule gibbs.
    reading
        Reading options for the data.

    Returns
    -------
    Model
        Its ``facts["hypotheses"]`` contains the prior, likelihood, posterior and weight of each model. It also contains the
        source of the likelihood: ``closed form``; ``held out`` rows, or ``learned`` if the model was trained on the same rows;
        ``specified`` if you specified the posterior.
    """
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        named = {str(number): model for number, model in enumerate(models, 1)}
    for name, model in named.items():
        if not isinstance(model, Model):
            raise TypeError(f"models: expected a model for {name!r}, got {type(model).__name__}")
    for argument, value, words in (("rule", rule, _RULES), ("weigh_by", weigh_by, _LIKELIHOODS)):
        if value not in words:
            raise ValueError(f"{argument}: expected one of {', '.join(map(repr, words))}, got {value!r}")
    if posterior is not None and (prior is not None or data is not None):
        raise ValueError("posterior: cannot be combined with prior or data, which it replaces")
    _settings.check_names("combine", reading, list(ColumnOptions.__annotations__))
    names = list(named)
    reader = None if data is None else _tables.open_reader(data, **reading)
    shares = _shares("prior", prior, names), _shares("posterior", posterior, names)
    cores = [model._core for model in named.values()]
    try:
        core, hypotheses = _core.combine_models(names, cores, *shares, reader, _LIKELIHOODS[weigh_by], _RULES[rule], seed)
    except DataError as error:
        if data is None and posterior is None:
            error.hint = (
                "data=... weighs the models by rows, which they should not have learned, and posterior=... states weights; "
                "with_settings(prior='laplace:1') has a closed form where the rest of a model has one"
            )
            error.args = (f"{error} ({error.hint})",)
        raise
    if data is not None:
        _mark_learned(named, data, reading, hypotheses)
    made = Model(core, {"hypotheses": hypotheses})
    for model in named.values():
        made._labels = model._labels if made._labels is None else made._labels.with_rows(model._labels)
    return made
