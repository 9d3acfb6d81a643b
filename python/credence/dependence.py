# SPDX-License-Identifier: MIT
"""Dependence between attributes within a class, which naive Bayes assumes to be absent."""

from __future__ import annotations

from typing import Any

from . import _tables
from ._text import columns_text, number_text
from ._types import AnyFrame

__all__ = ["Dependence"]

_LISTED = 20  # pairs


class Dependence:
    """The pairs of attributes that depend on each other within a class.

    Attributes
    ----------
    pairs : list of dict
        The pairs that matter, the strongest first: ``attributes``, ``bits`` of mutual information per row, ``rows``,
        ``statistic``, ``degrees``.
    rows : float
    attributes, attributes_paired, pairs_measured, pairs_left_out : int
    """

    def __init__(self, record: dict[str, Any], like: Any = None) -> None:
        self._record = record
        self._like = like
        self.pairs: list[dict[str, Any]] = record["pairs"]
        self.rows: float = record["rows"]
        self.attributes: int = record["attributes"]
        self.attributes_paired: int = record["attributes_paired"]
        self.pairs_measured: int = record["pairs_measured"]
        self.pairs_left_out: int = record["pairs_left_out"]

    def to_dict(self) -> dict[str, Any]:
        """Return the keys that ``credence explain --data`` adds to its JSON."""
        return dict(self._record)

    @property
    def table(self) -> AnyFrame:
        """The pairs as a frame of the same type as the input."""
        columns: dict[str, Any] = {
            "first": [pair["attributes"][0] for pair in self.pairs],
            "second": [pair["attributes"][1] for pair in self.pairs],
        }
        for key in ("bits", "rows", "statistic", "degrees"):
            columns[key] = [pair[key] for pair in self.pairs]
        return _tables.result(columns, self._like)

    def __repr__(self) -> str:
        if not self.pairs:
            return f"No dependence within a class is large enough to matter, among {self.pairs_measured} pairs of attributes."
        rows = [[*pair["attributes"], number_text(pair["bits"])] for pair in self.pairs[:_LISTED]]
        more = len(self.pairs) - _LISTED
        rest = f"\n  and {more} more" if more > 0 else ""
        return self._title() + "\n" + columns_text(["first", "second", "bits"], rows) + rest

    def _title(self) -> str:
        pairs = f"{len(self.pairs)} of {self.pairs_measured} pairs"
        return f"Dependent within a class ({number_text(self.rows)} rows, {pairs})"

    def _repr_html_(self) -> str:
        from ._html import card_html, escape, table_html

        if not self.pairs:
            return card_html("Independence within a class", {}, f"<p>{escape(repr(self))}</p>")
        rows = [[*pair["attributes"], number_text(pair["bits"])] for pair in self.pairs]
        return table_html(["first", "second", "bits"], rows, self._title(), _LISTED)
