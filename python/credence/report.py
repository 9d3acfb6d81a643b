# SPDX-License-Identifier: MIT
"""Reports: one HTML file about a table and the models trained on it."""

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
    output: str | os.PathLike[str] | None = None,
    title: str = "",
    name: str = "",
    date: str = "",
    cross_validate: int | None = None,
    seed: int = 1,
    max_rows: int | None = None,
    weight: ColumnName | None = None,
    **options: Unpack[TrainingOptions],
) -> str:
    """Create a report about a table, as ``credence report`` does: one HTML file that works offline and can be printed.

    The report contains the column profile, a comparison of methods by cross-validation, scores and curves of the selected
    method, the contribution of each attribute, dependent pairs, and three explained rows. Equal tables, settings and versions
    give equal reports.

    Parameters
    ----------
    table, target, weight
        As in :func:`credence.train`.
    output
        A file to which the report is also written. The file is written completely or not at all.
    title, name, date : str
        A title to use instead of the target; the name of the table; a date to show.
    cross_validate, seed
        The number of folds, and their seed.
    max_rows : int
        The maximum number of rows to score.
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
            skip_unlabeled=target is not None and not _settings.has_structure(settings),
            **reading,
        ),
        _core.make_settings(texts),
        is_stated=any(_core.comparison_chooses(setting) for setting in texts),
        seed=whole("seed", seed, 0),
        folds=0 if cross_validate is None else whole("cross_validate", cross_validate, 2),
        most_rows=0 if max_rows is None else whole("max_rows", max_rows, 2),
        threads=reading.get("threads") or 0,
        title=title,
        name=name,
        date=date,
    )
    if output is not None:
        path = Path(output)
        beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        try:
            beside.write_text(html, encoding="utf-8")
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
    return html
