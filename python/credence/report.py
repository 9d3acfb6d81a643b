# SPDX-License-Identifier: MIT
"""Reports: one HTML file about a table and what can be learned from it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Unpack

from . import _core, _settings, _tables
from ._evaluation_arguments import whole
from ._types import ColumnName, TableInput, TrainingOptions
from .train import _split as split_arguments

__all__ = ["report"]


@_settings.documented
def report(
    table: TableInput,
    target: ColumnName,
    *,
    to: str | os.PathLike[str] | None = None,
    title: str = "",
    name: str = "",
    date: str = "",
    cross_validate: int | None = None,
    seed: int = 1,
    sample: int | None = None,
    weight: ColumnName | None = None,
    **options: Unpack[TrainingOptions],
) -> str:
    """A report about a table, as the command's verb report writes it: one HTML file that opens offline and prints.

    It has the profile of the columns, methods compared by cross-validation, scores and curves of the one that is taken, what each
    attribute contributes, dependent pairs, and three rows explained. Equal tables, settings and versions have equal reports.

    Parameters
    ----------
    table, target, weight
        As in :func:`credence.train`.
    to
        The file to write the report to, too; it is there as a whole or not at all.
    title, name, date : str
        A title in the place of what is predicted; what the table is called; a date to show.
    cross_validate, seed
        How many folds there are, and their seed.
    sample : int
        How many rows are judged at most.
    {settings}

    Returns
    -------
    str
        The HTML.

    Examples
    --------
    >>> import credence
    >>> table = {"x": [float(i % 7 + 9 * (i % 2)) for i in range(60)], "kind": ["a" if i % 2 else "b" for i in range(60)]}
    >>> credence.report(table, "kind", title="Kinds").count("<h1>Kinds</h1>")
    1
    """
    settings, reading = split_arguments(dict(options), "report")
    texts = _settings.texts(settings, "report")
    html: str = _core.report_rows(
        _tables.open_reader(
            table,
            target=target,
            weight=weight,
            skip_unlabeled=target is not None and settings.get("structure") in (None, "none"),
            **reading,
        ),
        _core.make_settings(texts),
        is_stated=any(_core.comparison_chooses(setting) for setting in texts),
        seed=whole("seed", seed, 0),
        folds=0 if cross_validate is None else whole("cross_validate", cross_validate, 2),
        most_rows=0 if sample is None else whole("sample", sample, 2),
        threads=reading.get("threads") or 0,
        title=title,
        name=name,
        date=date,
    )
    if to is not None:
        path = Path(to)
        beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        try:
            beside.write_text(html, encoding="utf-8")
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
    return html
