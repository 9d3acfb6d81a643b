# SPDX-License-Identifier: MIT
"""Settings as keyword arguments, with the names, texts and descriptions of the library's settings table."""

from __future__ import annotations

import difflib
import inspect
import numbers
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from . import _core
from ._label_types import label_text
from ._setting_types import Settings
from .errors import SettingError

_PRIORS, _FAMILIES, _COLUMNS, _ARCS, _LATENT_NODES = 4, 5, 6, 7, 8
#: Library settings with another name in Python. In Python, `alpha` is the strength of smoothing.
_KEYWORDS = {"alpha": "significance"}


def keyword(name: str) -> str:
    """Return the keyword argument for a setting of the library."""
    return _KEYWORDS.get(name, name.replace("-", "_"))


_TABLE: dict[str, dict[str, Any]] = {keyword(row["name"]): row for row in _core.setting_table()}
#: Families of term counts.
COUNT_FAMILIES = ("multinomial", "complement", "words-dirichlet")
#: Descriptions of the values that Python accepts for settings with a special syntax in the command.
_FORMS = {
    "smoothing": "a number (pseudo-counts for each value), 'none', 'm:M', 'm:M:marginal', 'laplace:L', 'bdeu:S' or 'k2'",
    "prior": "'frequency', 'laplace:L', 'uniform', a dict such as {'no': 0.3, 'yes': 0.7}, or a list in class order such as [0.3, 0.7]",
    "family": "one of " + ", ".join(repr(name) for name in dict.fromkeys(["auto", *(row["name"] for row in _core.family_table())])) + ", or a dict such as {'age': 'kernel', '*': 'gaussian'}",
}
#: Settings that apply to some models only, by the type of model or column.
_GROUPS = {
    "text columns": (
        "term_smoothing", "tf", "length_normalization", "complement_weights", "min_df", "max_df", "stop_words", "max_terms", "tokens",
        "letter_case", "stem", "ngrams", "sparse_bigrams", "hash",
    ),
    "networks": (
        "search", "arcs", "estimator", "em_starts", "latent_nodes", "iterations", "tolerance", "score", "ci_test", "significance",
        "required_arcs", "forbidden_arcs", "tiers", "max_parents", "max_conditioning", "restarts",
    ),
    "sequences": (
        "states", "order", "topology", "forbidden_transitions", "end_probabilities", "transitions", "state_mixture", "unseen_words",
    ),
}  # fmt: skip
_Function = TypeVar("_Function", bound=Callable[..., Any])


def names() -> tuple[str, ...]:
    """Return the names of all settings as keyword arguments."""
    return tuple(_TABLE)


def default(name: str) -> str:
    """Return the text of a setting's default value."""
    return str(_TABLE[name]["default"])


def syntax(name: str) -> str:
    """Return a description of the values that a setting can have."""
    if name in _FORMS:
        return _FORMS[name]
    forms = str(_TABLE[name]["syntax"])
    return f"auto|{forms}" if name == "method" and not forms.startswith("auto") else forms


def help_text(name: str) -> str:
    """Return the description of a setting as a sentence."""
    row = _TABLE[name]["help"]
    return str(row[0].upper() + row[1:] + ".")


def _number(value: numbers.Real) -> str:
    return str(int(value)) if isinstance(value, numbers.Integral) else repr(float(value))


def _quoted(text: str) -> str:
    """Return a name for a list of names, in quotes if it contains separators."""
    if any(mark in text for mark in ',;="\n\r') or "->" in text or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


def _scalar(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return _number(value)
    raise TypeError(f"{name}: expected {syntax(name)}, got {value!r}")


def _mapping(name: str, value: Mapping[Any, Any], types: set[int]) -> str:
    mark = ":" if _LATENT_NODES in types else "="
    if not types & {_PRIORS, _FAMILIES, _LATENT_NODES}:
        raise TypeError(f"{name}: expected {syntax(name)}, got a mapping")
    return ",".join(
        f"{key if key == '*' else _quoted(label_text(key))}{mark}{_scalar(name, item)}" for key, item in value.items()
    )


def _sequence(name: str, value: Iterable[Any], types: set[int], words: set[str]) -> str:
    items = list(value)
    if _ARCS in types:
        return ",".join(
            "->".join(_quoted(str(node).strip()) for node in (item.split("->") if isinstance(item, str) else item))
            for item in items
        )
    if _COLUMNS in types:
        blocks = items if items and not isinstance(items[0], str) else [items]
        return ";".join(",".join(_quoted(str(column)) for column in block) for block in blocks)
    if items and isinstance(items[0], str) and items[0] in words and isinstance(value, tuple):
        return ":".join(_scalar(name, item) for item in items)
    return ",".join(_quoted(_scalar(name, item)) for item in items)


def text(name: str, value: Any) -> str:
    """Convert a Python value of a setting to text.

    A str is already the text that the command accepts. A number is written as a number; for smoothing, it is the number of
    pseudo-counts per value. ``("m", 2)`` becomes ``m:2``. A dict is a list of priors, families or latent nodes. A list contains
    columns (or blocks of columns), words, or arcs (pairs).
    """
    if name == "smoothing" and isinstance(value, numbers.Real) and not isinstance(value, bool):
        return f"laplace:{_number(value)}"
    if isinstance(value, (str, numbers.Real)):
        return _scalar(name, value)
    if name == "prior" and is_prior_list(value):
        raise ValueError("prior: the classes are not known before the rows are read: use a dict such as {'no': 0.3, 'yes': 0.7}")
    if name == "ngrams" and isinstance(value, (tuple, list)) and len(value) == 2:
        return "-".join(_scalar(name, item) for item in value)
    forms = _TABLE[name]["forms"]
    types = {form["type"] for form in forms}
    if isinstance(value, Mapping):
        return _mapping(name, value, types)
    if isinstance(value, Iterable):
        return _sequence(name, value, types, {form["word"] for form in forms if form["word"] and form["argument"]})
    return _scalar(name, value)


def unknown(name: str, function: str, others: Iterable[str] = ()) -> TypeError:
    """Return the exception for a keyword argument that is neither a setting nor in `others`."""
    return unexpected(name, function, [*_parameters(function), "alpha", *_TABLE, *others])


def _parameters(function: str) -> list[str]:
    """Return the parameter names of the public functions and methods with this name."""
    import credence

    owners = (credence, credence.Model, credence.SequenceModel, credence.Network)
    found = [one for owner in owners if inspect.isfunction(one := getattr(owner, function, None)) or inspect.ismethod(one)]
    return [name for one in found for name in inspect.signature(one).parameters if name not in ("self", "settings", "options")]


def check_names(function: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Reject keyword arguments of a function that are not in `known`."""
    for name in given:
        if name not in known:
            raise unexpected(name, function, [*_parameters(function), *known])


def unexpected(name: str, function: str, known: Iterable[str]) -> TypeError:
    """Return the exception for a keyword argument that is not in `known`."""
    near = difflib.get_close_matches(name.lower(), list(known), 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def texts(settings: Mapping[str, Any], function: str = "settings") -> dict[str, str]:
    """Convert settings to the names and texts of the library's settings table. Settings that are None are skipped."""
    result = {}
    for name, value in with_alpha(settings).items():
        if not isinstance(name, str):
            raise TypeError(f"{function}: names are texts, got {name!r}")
        key = name.replace("-", "_")
        if key not in _TABLE:
            raise unknown(name, function)
        if value is not None:
            result[_TABLE[key]["name"]] = text(key, value)
    return result


def with_alpha(settings: Mapping[str, Any], has_text: bool = False) -> dict[str, Any]:
    """Replace `alpha`, the additive smoothing of scikit-learn, by smoothing of values and, if there are texts, of terms."""
    made = {name: value for name, value in settings.items() if name != "alpha"}
    alpha = settings.get("alpha")
    if alpha is None:
        return made
    if isinstance(alpha, bool) or not isinstance(alpha, numbers.Real) or not 0 <= float(alpha) < float("inf"):
        raise ValueError(f"alpha: expected a number of pseudo-counts from 0 on, got {alpha!r}; significance=P is the level of tests")
    if made.get("smoothing") is not None:
        raise ValueError("alpha and smoothing do not go together: alpha=A is smoothing='laplace:A'")
    made["smoothing"] = f"laplace:{_number(alpha)}"
    if (has_text or settings.get("family") in COUNT_FAMILIES) and made.get("term_smoothing") is None:
        made["term_smoothing"] = max(float(alpha), 1e-10)
    return made


def has_structure(settings: Mapping[str, Any]) -> bool:
    """Return whether settings specify the arcs of a network, or a search for them."""
    return any(settings.get(name) not in (None, "none") for name in ("arcs", "arcs_from", "search"))


def is_prior_list(value: Any) -> bool:
    """Return whether a prior is a list or an array of probabilities, in class order."""
    is_list = isinstance(value, (list, tuple)) or hasattr(value, "tolist")
    return is_list and all(isinstance(share, numbers.Real) for share in value)


def named_prior(value: Any, texts_of_classes: Sequence[str]) -> Any:
    """Convert probabilities in class order to a prior with class names. Other values are returned unchanged."""
    if not is_prior_list(value):
        return value
    if len(value) != len(texts_of_classes):
        raise ValueError(f"prior: {len(value)} probabilities for {len(texts_of_classes)} classes, {', '.join(texts_of_classes)}")
    return {name: float(share) for name, share in zip(texts_of_classes, value, strict=True)}


def make(settings: Mapping[str, Any], like: _core.Settings | None = None, function: str = "settings") -> _core.Settings:
    """Make settings of the library. Settings that are not given have the values in `like`, or their defaults."""
    written = texts(settings, function)
    try:
        return _core.make_settings(written, like)
    except SettingError as error:
        _explain_in_python(error, settings)
        raise


def _explain_in_python(error: SettingError, settings: Mapping[str, Any]) -> None:
    """Change an error about a setting with a special syntax in the command: list the values that Python accepts."""
    for name, value in settings.items():
        if name in _FORMS and value is not None and error.message.startswith(f"{name} does not accept"):
            error.message = f"{name}: expected {_FORMS[name]}, got {value!r}"
            error.args = (error.message,)


def describe(only: Iterable[str] | None = None) -> str:
    """Return one paragraph of a numpy docstring for each setting."""
    lines = []
    for name in _TABLE if only is None else only:
        row = _TABLE[name]
        forms = syntax(name) if name in _FORMS else syntax(name).replace("|", " | ")
        lines.append(f"{name} : {forms}, default {row['default']}")
        if name == "smoothing":
            explained = "Strength of additive smoothing, as in scikit-learn: ``alpha=A`` is ``smoothing=A``."
            lines[-1:] = ["alpha : float, default None", f"    {explained}", lines[-1]]
        explained = help_text(name).replace("*=FAMILY", "``*=FAMILY``")
        lines += textwrap.wrap(explained, 110, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def _grouped() -> str:
    """Return the docstring of all settings. Settings that apply to some models only are listed under Other Parameters."""
    of_some = {name: kind for kind, names in _GROUPS.items() for name in names if name in _TABLE}
    others = describe(of_some).split("\n")
    for place, line in enumerate(others[:-1]):
        name = line.partition(" : ")[0]
        if name in of_some:
            others[place + 1] = f"    For {of_some[name]}: {others[place + 1].lstrip()}"
    heading = ["", "Other Parameters", "----------------"]
    return "\n".join([describe(name for name in _TABLE if name not in of_some), *heading, *others])


def documented(function: _Function) -> _Function:
    """Add the keyword arguments of ``**options`` to the function's signature, and the settings to its docstring."""
    from . import _types

    signature = inspect.signature(function)
    kept = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    unpacked = next(p.annotation for p in signature.parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD)
    options = getattr(_types, unpacked.removeprefix("Unpack[").removesuffix("]")).__annotations__
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=getattr(type_, "__forward_arg__", type_))
        for name, type_ in sorted(options.items(), key=lambda option: option[0] in Settings.__annotations__)
        if name not in signature.parameters
    ]
    function.__signature__ = signature.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
    if function.__doc__:
        function.__doc__ = inspect.cleandoc(function.__doc__).replace("{settings}", _grouped())
    return function
