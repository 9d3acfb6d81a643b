# SPDX-License-Identifier: MIT
"""Queries: conditional probabilities of any columns, computed from the rows of a table or from a model."""

from __future__ import annotations

import difflib
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _core, _tables
from ._cells import plain
from ._text import columns_text, is_event, number_text, shown
from ._types import AnyFrame, ColumnName, Event, TableInput, TrainingOptions
from .errors import CredenceWarning, DataError

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Independence", "QueryAnswer", "query"]

_SHOWN = 20  # the number of values listed in the terminal


class QueryAnswer(Mapping[str, Any]):
    """Query results: a mapping from each column or event to its distribution.

    The distribution of a categorical column is a dict of values and probabilities. The joint distribution of several columns is
    a nested dict. The distribution of an event is ``{"true": p, "false": q}``. A numeric column in a model has ``mean``,
    ``sd``, ``quantiles``, and ``at``.

    Attributes
    ----------
    posterior : dict
        All distributions. The key is the column name, ``"a,b"`` for a joint distribution, or the text of the event.
    log_evidence : float
        The logarithm of the probability of the evidence.
    counts : dict or None
        For a table: row counts instead of probabilities.
    rows, left_out : dict or None
        For a table: the number of rows of each distribution, and the number of rows skipped because of a missing value.
    moments : dict
        For numeric columns of a table: mean and variance (/N).
    """

    def __init__(self, record: dict[str, Any], given: str = "", moments: dict[str, Any] | None = None, like: Any = None):
        self._record = record
        self._given = given
        self._like = like
        self.posterior: dict[str, Any] = record["posterior"]
        self.log_evidence: float = record["log_evidence"]
        self.counts: dict[str, Any] | None = record.get("counts")
        self.rows: dict[str, int] | None = record.get("rows")
        self.left_out: dict[str, int] | None = record.get("left_out")
        self.moments: dict[str, tuple[float, float]] = moments or {}

    def __getitem__(self, key: str | tuple[str, ...]) -> Any:
        """Return the posterior of a column, or of several columns together, as in ``answer["Outlook", "Play"]``."""
        return self.posterior[key if isinstance(key, str) else ",".join(key)]

    def __iter__(self) -> Any:
        return iter(self.posterior)

    def __len__(self) -> int:
        return len(self.posterior)

    def to_dict(self) -> dict[str, Any]:
        """Return the result with the keys of ``credence query --format json``."""
        return dict(self._record)

    @property
    def table(self) -> AnyFrame:
        """The first distribution as a frame of the same type as the input.

        It has a column for each variable, ``probability`` and, for a table, ``count``.
        """
        name, distribution = next(iter(self.posterior.items()))
        counts = None if self.counts is None else self.counts[name]
        return _tables.result(_columns(name, distribution, counts), self._like)

    def tables(self) -> dict[str, Any]:
        """Each distribution as a frame."""
        return {
            name: _tables.result(
                _columns(name, distribution, None if self.counts is None else self.counts[name]), self._like
            )
            for name, distribution in self.posterior.items()
        }

    def _parts(self) -> list[tuple[str, list[str], list[list[str]]]]:
        parts = []
        for name, distribution in self.posterior.items():
            rows = "" if self.rows is None else f": {self.rows[name]} rows"
            if self.left_out is not None and self.left_out[name]:
                rows += f" ({self.left_out[name]} skipped: a value is missing)"
            title = f"{name}{f' given {self._given}' if self._given else ''}{rows}"
            counts = None if self.counts is None else self.counts[name]
            columns = _columns(name, distribution, counts)
            cells = [
                [cell if isinstance(cell, str) else number_text(float(cell)) for cell in row]
                for row in zip(*columns.values())
            ]
            parts.append((title, list(columns), cells))
        return parts

    def __repr__(self) -> str:
        made = []
        for title, head, rows in self._parts():
            text = f"{shown(title)}\n" + columns_text(head, rows[:_SHOWN])
            made.append(text + (f"\n  and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""))
        for name, (mean, variance) in self.moments.items():
            made.append(f"{shown(name)}: mean {number_text(mean)}, variance {number_text(variance)}")
        return "\n\n".join(made)

    def _repr_html_(self) -> str:
        from ._html import card_html, table_html

        parts = []
        for (title, head, rows), distribution in zip(self._parts(), self.posterior.values()):
            is_plain = isinstance(distribution, dict) and all(isinstance(p, float) for p in distribution.values())
            if is_plain and "mean" not in distribution:
                parts.append(_core.plot_bars(list(distribution.items()), probabilities=True, most=_SHOWN, title=title))
            else:
                parts.append(table_html(head, rows, caption=title))
        return card_html("Query", {}, *parts)


class Independence:
    """A test of the conditional independence of two columns, or two sets of columns, given others.

    Attributes
    ----------
    of : list
        The two columns, or the two lists of columns.
    given : list of str
    rows, left_out : int
    chi_squared, g_squared : dict
        Pearson's test and the likelihood ratio test: ``statistic`` and ``p``.
    degrees : float
    mutual_information : float
        In nats, conditional on the given columns.
    tables, cells, cells_below_5 : int
        The number of combinations of the given columns that occur in rows; the number of entries of all tables, and of entries
        with an expected count below 5.
    min_expected : float
    """

    def __init__(self, record: dict[str, Any]) -> None:
        self._record = record
        self.of: list[Any] = record["of"]
        self.given: list[str] = record["given"]
        self.rows: int = record["rows"]
        self.left_out: int = record["left_out"]
        self.chi_squared: dict[str, float] = record["chi_squared"]
        self.g_squared: dict[str, float] = record["g_squared"]
        self.degrees: float = record["degrees"]
        self.mutual_information: float = record["mutual_information"]
        self.tables: int = record["tables"]
        self.cells: int = record["cells"]
        self.cells_below_5: int = record["cells_below_5"]
        self.min_expected: float = record["min_expected"]

    def to_dict(self) -> dict[str, Any]:
        """Return the test with the keys of ``credence query --independence --format json``."""
        return {"independence": dict(self._record)}

    def _rows(self) -> list[list[str]]:
        tests = (("chi-squared", self.chi_squared), ("G-squared", self.g_squared))
        return [
            [name, number_text(test["statistic"]), number_text(self.degrees), number_text(test["p"])]
            for name, test in tests
        ]

    def _title(self) -> str:
        sets = [name if isinstance(name, str) else "{" + ", ".join(name) + "}" for name in self.of]
        within = f" within {', '.join(self.given)}" if self.given else ""
        return f"Independence of {sets[0]} and {sets[1]}{within}: {number_text(float(self.rows))} rows"

    def __repr__(self) -> str:
        table = columns_text(["", "statistic", "degrees", "p-value"], self._rows())
        return "\n".join([shown(self._title()), table, *(f"  {remark}" for remark in self._remarks())])

    def _remarks(self) -> list[str]:
        remarks = [f"mutual information {number_text(self.mutual_information)} nats"]
        if self.cells_below_5 and self.degrees:
            remarks.append(f"p-values are rough: {self.cells_below_5} of {self.cells} cells expect fewer than 5 rows")
        return remarks

    def _repr_html_(self) -> str:
        from ._html import card_html, escape, table_html

        table = table_html(["", "statistic", "degrees", "p-value"], self._rows())
        return card_html(self._title(), {}, table, *(f"<p>{escape(remark)}</p>" for remark in self._remarks()))


# ---- Result tables ----


def _flat(distribution: Mapping[str, Any], path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    found: list[tuple[tuple[str, ...], Any]] = []
    for key, value in distribution.items():
        found += _flat(value, (*path, key)) if isinstance(value, Mapping) else [((*path, key), value)]
    return found


def _columns(name: str, distribution: Mapping[str, Any], counts: Mapping[str, Any] | None) -> dict[str, Any]:
    if "quantiles" in distribution and "mean" in distribution:
        facts = [("mean", distribution["mean"]), ("sd", distribution["sd"])]
        facts += [(f"quantile {p}", x) for p, x in distribution["quantiles"].items()]
        for point in distribution.get("at", []):
            kind = "density" if "density" in point else "probability"
            facts += [(f"{kind} at {number_text(point['x'])}", point[kind])]
            facts += [(f"at most {number_text(point['x'])}", point["at_most"])]
        return {name: [key for key, _ in facts], "value": [_float(value) for _, value in facts]}
    if "word" in distribution and "classes" in distribution:
        classes = distribution["classes"]
        return {
            "class": [one["class"] for one in classes],
            "prior": [one["prior"] for one in classes],
            f"P({distribution['word']} | class)": [one["probability"] for one in classes],
            "posterior": [_float(one["posterior"]) for one in classes],
        }
    cells = _flat(distribution)
    depth = len(cells[0][0]) if cells else 1
    names = name.split(",") if depth > 1 and name.count(",") == depth - 1 else [name] if depth == 1 else []
    names = names or [f"value {i + 1}" for i in range(depth)]
    columns: dict[str, Any] = {names[i]: [path[i] for path, _ in cells] for i in range(depth)}
    columns["probability"] = [value for _, value in cells]
    if counts is not None:
        columns["count"] = [value for _, value in _flat(counts)]
    return columns


def _float(value: float | None) -> float:
    return math.nan if value is None else float(value)


# ---- Arguments ----


def _items(value: Any, argument: str) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return _split(value)
    if isinstance(value, Iterable) and not isinstance(value, Mapping):
        items = list(value)
        if all(isinstance(item, str) for item in items):
            return items
    raise TypeError(f"{argument}: expected a text or a list of texts, got {value!r}")


def _split(text: str) -> list[str]:
    """Split a text at commas outside of quotes and brackets, as the command does."""
    items, start, depth, quoted = [], 0, 0, False
    for at, mark in enumerate(text):
        quoted ^= mark == '"'
        if quoted:
            continue
        depth = max(0, depth + (mark == "(") - (mark == ")"))
        if mark == "," and depth == 0:
            items.append(text[start:at].strip())
            start = at + 1
    items.append(text[start:].strip())
    return [item for item in items if item]


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _value_text(value: Any) -> str:
    if not isinstance(value, (str, bool, int, float)):
        value = plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return value if isinstance(value, str) else str(value)


def _unknown(argument: str, name: str, names: Sequence[str]) -> ValueError:
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"the columns are {', '.join(names)}"
    return ValueError(f"{argument}: there is no column {name!r}; {hint}")


def _unquoted(item: str) -> str:
    if len(item) > 1 and item.startswith('"') and item.endswith('"') and '"' not in item[1:-1].replace('""', ""):
        return item[1:-1].replace('""', '"')
    return item


def _bare(item: str) -> str:
    """Return the text between the brackets of P(...), the notation of textbooks."""
    return item[2:-1] if len(item) > 3 and item.startswith("P(") and item.endswith(")") else item


# ---- Tables ----


class _Rows:
    """The rows of a table, and the columns that queries name."""

    def __init__(self, table: Any, reading: Mapping[str, Any]) -> None:
        self.reader = _tables.open_reader(table, **reading)
        self.names: list[str] = self.reader.column_names()
        self.mentioned: list[int] = []

    def select(self, item: str) -> list[int]:
        item = _unquoted(item)
        if item in self.names:
            return [self.names.index(item)]
        try:
            found: list[int] = self.reader.select(item)
        except ValueError:
            return []
        return found

    def columns(self, argument: str, item: str) -> list[int]:
        found = self.select(item) or self.select(_bare(item))
        if not found:
            raise _unknown(argument, item, self.names)
        self.mentioned += found
        return found

    def event(self, text: str) -> tuple[str, list[tuple[int, str, bool]]]:
        written, comparisons = _core.event_columns(text, self.names)
        self.mentioned += [column for column, _, _ in comparisons]
        return written, comparisons

    def warn(self, counts: Any, comparisons: list[tuple[int, str, bool]]) -> None:
        """Warn about a value that no row has, because it is usually a typing error."""
        for column, value, is_equality in comparisons:
            values = counts.values(column) if is_equality else None
            if values is None or value in values:
                continue
            near = difflib.get_close_matches(value, values, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            warnings.warn(f"{self.names[column]} is never {value}{hint}", CredenceWarning, stacklevel=4)


def _given_event(rows: _Rows, given: Any, is_test: bool) -> tuple[str | None, list[int]]:
    """Return the event of the evidence, and the evidence columns within whose values independence is tested."""
    if given is None:
        return None, []
    if isinstance(given, Mapping):
        for name in given:
            if name not in rows.names:
                raise _unknown("given", str(name), rows.names)
            if given[name] is None:
                raise ValueError(f"given: {name!r} is None; queries of it skip rows without a value")
        parts = [f"{_quote(name)} = {_quote(_value_text(value))}" for name, value in given.items()]
        return (" and ".join(parts) or None), []
    strata: list[int] = []
    events: list[str] = []
    for item in _items(given, "given"):
        found = [] if is_event(item) else rows.select(item)
        if not found:
            events.append(item)
        elif is_test:
            strata += found
            rows.mentioned += found
        else:
            raise ValueError(f"given: expected column=value or another event, got {item!r}")
    return (", ".join(events) or None), strata


def _test_sets(rows: _Rows, independence: Any) -> tuple[list[int], list[int]]:
    if isinstance(independence, str):
        parts = independence.split(";")
        sets = [_items(part, "independence") for part in parts]
        if len(sets) == 1:
            sets = [[item] for item in sets[0]]
    else:
        sets = [_items(part, "independence") if not isinstance(part, str) else [part] for part in independence]
    if len(sets) != 2:
        raise ValueError(f"independence: expected two columns, or two sets of them, got {independence!r}")
    first, second = ([i for item in items for i in rows.columns("independence", item)] for items in sets)
    return first, second


@overload
def query(
    table: TableInput,
    of: str | Iterable[str],
    given: Event | None = None,
    *,
    joint_distribution: bool = False,
    source: str = "table",
    at: ArrayLike | None = None,
    target: ColumnName | None = None,
    **reading: Unpack[TrainingOptions],
) -> QueryAnswer: ...
@overload
def query(
    table: TableInput,
    *,
    given: Event | None = None,
    independence: str | Sequence[str | Sequence[str]],
    source: str = "table",
    target: ColumnName | None = None,
    **reading: Unpack[TrainingOptions],
) -> Independence: ...
def query(
    table: TableInput,
    of: str | Iterable[str] | None = None,
    given: Event | None = None,
    *,
    joint_distribution: bool = False,
    independence: str | Sequence[str | Sequence[str]] | None = None,
    source: str = "table",
    at: ArrayLike | None = None,
    target: ColumnName | None = None,
    **reading: Unpack[TrainingOptions],
) -> Any:
    """Compute probabilities as relative frequencies of the rows of a table, or with a model trained on them.

    Rows with a missing value in a column of the query are skipped and counted.

    Parameters
    ----------
    table
        Rows: a path, a frame, an array, a dict of columns, ...
    of
        Columns, each queried separately, or events such as ``"Outlook=Sunny or Wind=Strong"``: a text, or a list of texts. An
        event compares columns with values by ``= != < <= > >=``, joined by ``and``, ``or``, ``not`` and brackets.
    given
        The evidence: a mapping of columns and values, or an event. With ``independence``, it can also be columns: the test is
        then conditional on their values.
    joint_distribution
        Whether to compute the joint distribution of the columns.
    independence
        Two columns, or two lists of columns, to test for independence.
    source
        ``"table"`` for relative frequencies, or ``"model"`` to train a model on the table and query it, as
        :meth:`credence.Model.query` does.
    at, target
        For a model: points of numeric columns; the column that it predicts.
    reading
        Reading options and, for a model, settings, as in :func:`credence.train`.

    Returns
    -------
    QueryAnswer
        Or :class:`Independence`.

    Examples
    --------
    >>> import credence
    >>> pairs = {"x": ["1", "1", "2", "2"], "c": ["0", "0", "0", "1"]}
    >>> credence.query(pairs, "x", {"c": "0"})["x"]
    {'1': 0.6666666666666666, '2': 0.3333333333333333}
    >>> credence.query(pairs, "c=0", "x=2")["c=0"]
    {'true': 0.5, 'false': 0.5}
    >>> credence.query(pairs, ["x", "c"], joint_distribution=True)["x,c"]
    {'1': {'0': 0.5, '1': 0.0}, '2': {'0': 0.25, '1': 0.25}}
    """
    if source not in ("table", "model"):
        raise ValueError(f"source: expected 'table' or 'model', got {source!r}")
    if source == "model":
        from .train import train

        model: Any = train(table, target, **reading)
        return model.query(of, given, joint_distribution=joint_distribution, at=at, independence=independence)
    if at is not None:
        raise ValueError("at: it is for the densities of a model; of a table ask an event, as 'column <= 3'")
    rows = _Rows(table, reading if target is None else {**reading, "target": target})
    if (of is None) == (independence is None):
        raise ValueError("query: of, columns or an event, or independence, two columns: one of them is needed")
    if independence is not None:
        first, second = _test_sets(rows, independence)
        event, strata = _given_event(rows, given, True)
        comparisons = rows.event(event)[1] if event else []
        counts = _core.count_rows(rows.reader, sorted(set(rows.mentioned)))
        rows.warn(counts, comparisons)
        found = counts.independence(first, second, strata, event)
        names: list[Any] = [[rows.names[i] for i in part] for part in (first, second)]
        of_names = [part[0] for part in names] if len(first) == len(second) == 1 else names
        return Independence({"of": of_names, "given": [rows.names[i] for i in strata], **found})
    return _query_rows(rows, of, given, joint_distribution, table)


def _query_rows(rows: _Rows, of: Any, given: Any, joint_distribution: bool, like: Any) -> QueryAnswer:
    questions: list[tuple[str, list[int], str | None]] = []
    comparisons: list[tuple[int, str, bool]] = []
    joint: list[int] = []
    for item in _items(of, "of"):
        found = rows.select(item) or rows.select(_bare(item))
        rows.mentioned += found
        if found and joint_distribution:
            joint += found
        elif found:
            questions += [(rows.names[i], [i], None) for i in found]
        elif not is_event(item) and "|" not in item:
            raise _unknown("of", item, rows.names)
        elif joint_distribution:
            raise ValueError("joint_distribution: it takes columns; events are joined by 'and' or 'or'")
        else:
            text, compared = rows.event(item)
            comparisons += compared
            questions.append((text, [], text))
    if joint_distribution:
        questions = [(",".join(rows.names[i] for i in joint), joint, None)]
    if not questions or not questions[0][0]:
        raise ValueError("of: it names no column")
    event, _ = _given_event(rows, given, False)
    if event:
        comparisons += rows.event(event)[1]
    counts = _core.count_rows(rows.reader, sorted(set(rows.mentioned)))
    rows.warn(counts, comparisons)
    record: dict[str, Any] = {"posterior": {}, "log_evidence": 0.0, "counts": {}, "rows": {}, "left_out": {}}
    moments = {}
    for name, columns, asked in questions:
        found_all, row_count, left_out = counts.answer(columns, asked, event)
        record["posterior"][name], record["counts"][name] = found_all[:2]
        record["rows"][name], record["left_out"][name] = row_count, left_out
        if len(found_all) > 2 and found_all[2] is not None:
            moments[name] = found_all[2]
    record["log_evidence"] = counts.log_evidence(event)
    if moments:
        record["moments"] = {name: {"mean": mean, "variance": variance} for name, (mean, variance) in moments.items()}
    return QueryAnswer(record, _given_text(given), moments, like)


def _given_text(given: Any) -> str:
    if given is None:
        return ""
    if isinstance(given, Mapping):
        return ", ".join(f"{name}={_value_text(value)}" for name, value in given.items() if value is not None)
    return given if isinstance(given, str) else ", ".join(given)


# ---- Models ----


def with_parts(model: Model, row: Mapping[str, Any]) -> dict[str, Any]:
    """Split the dates of a row into the parts that the model uses, such as ``day.month``."""
    names = (*model.attributes, *(name for name in (model.target, model.weight) if name is not None))
    made: dict[str, Any] = {}
    for name, value in row.items():
        parts: dict[str, Any] = {}
        if name not in names and isinstance(name, str) and any(known.startswith(name + ".") for known in names):
            text = "" if value is None else value if isinstance(value, str) else str(value)
            parts = _core.field_values(model._core, model.attributes, name, text) if text else {}
            if not text:
                continue
        if not parts:
            parts = {name: value}
        for part, found in parts.items():
            if part in made:
                raise ValueError(f"given: {part!r} is given twice")
            made[part] = found
    return made


def given_values(model: Model, given: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the evidence for a model: a mapping of columns and values, or texts ``column=value``."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        made: dict[str, Any] = {}
        for item in _items(given, "given"):
            fields = {name.rpartition(".")[0] for name in names} - {""}
            fitting = [name for name in {*names, *fields} if item.startswith(name + "=")]
            if not fitting:
                raise ValueError(f"given: expected column=value, got {item!r}; the columns are {', '.join(names)}")
            name = max(fitting, key=len)
            if name in made:
                raise ValueError(f"given: {name!r} is given twice")
            made[name] = _unquoted(item[len(name) + 1 :].strip())
        given = made
    known = with_parts(model, given)
    for name in known:
        if name not in names:
            raise _unknown("given", str(name), names)
    return known


def split_target(given: Mapping[str, Any], target: str | None) -> tuple[dict[str, Any], str | None]:
    """Split the evidence into attributes and the class."""
    rest = {name: value for name, value in given.items() if name != target}
    value = None if target is None else given.get(target)
    return rest, None if value is None else _value_text(value)


def query_model(
    model: Model,
    of: Any,
    given: Any,
    *,
    joint_distribution: bool,
    at: Any,
    settings: Mapping[str, Any],
) -> QueryAnswer:
    """Query a model: see :meth:`credence.Model.query`."""
    classifier = model._classifier(settings, "query")
    asked = _core.make_query(model._core, classifier)
    columns = asked.columns()
    names = [column["name"] for column in columns]
    known = given_values(model, given, names)
    groups: list[tuple[Any, ...]] = []
    keys: list[str] = []
    joint: list[int] = []
    for item in _items(of, "of"):
        word = _word(item, classifier.attributes(), columns)
        if word is not None:
            groups.append(word)
            keys.append(item)
            continue
        for index in _select_columns(asked, item, names):
            if names[index] in known and known[names[index]] is not None:
                raise ValueError(f"of: {names[index]!r} is given already")
            if columns[index]["type"] == "text":
                raise ValueError(f"of: {names[index]!r} has texts; '{names[index]}:WORD' has P(word | class)")
            if joint_distribution and columns[index]["type"] != "categorical":
                raise ValueError(f"joint_distribution: {names[index]!r} is not categorical; query it separately")
            joint.append(index)
            if not joint_distribution:
                groups.append((index,))
                keys.append(names[index])
    if joint_distribution:
        if len(set(joint)) < len(joint):
            raise ValueError("joint_distribution: a column is named twice")
        if len(joint) < len(_items(of, "of")):
            raise ValueError("joint_distribution: it takes categorical columns; words of texts are queried one by one")
        groups, keys = [tuple(joint)], [",".join(names[i] for i in joint)]
    if not groups or not groups[0]:
        raise ValueError("of: it names no column")
    attributes, class_given = split_target(known, model.target)
    points = np.atleast_1d(np.asarray([] if at is None else at, dtype=np.float64))
    found = asked.answer(groups, attributes, class_given, np.ascontiguousarray(points))
    if found is None:
        raise ValueError("given: it has probability zero under every class; smoothing='m:1' leaves no category at zero")
    records, log_evidence, unseen = found
    if unseen:
        warnings.warn(f"ignored {unseen} values never seen in training", CredenceWarning, stacklevel=3)
    posterior = {}
    for key, record in zip(keys, records):
        if "word" in record:
            key = f"{key.rpartition(':')[0]}:{record['word']}"
        posterior[key] = record
    return QueryAnswer({"posterior": posterior, "log_evidence": log_evidence}, _given_text(given))


def _word(item: str, attributes: Sequence[str], columns: Sequence[Mapping[str, Any]]) -> tuple[int, str] | None:
    """Parse COLUMN:WORD for a text column: return the number of the attribute, and the word."""
    texts = {column["name"] for column in columns if column["type"] == "text"}
    for at, mark in enumerate(item):
        if mark == ":" and item[:at] in texts:
            return attributes.index(item[:at]), item[at + 1 :]
    return None


def _select_columns(asked: _core.Query, item: str, names: Sequence[str]) -> list[int]:
    item = _unquoted(item)
    for name in (item, _bare(item)):
        if name in names:
            return [names.index(name)]
    if is_event(item):
        raise ValueError(f"of: events are for tables; name columns of a model, not {item!r}")
    try:
        return [names.index(name) for name in asked.select(item)]
    except DataError:
        raise _unknown("of", item, names) from None
