# SPDX-License-Identifier: MIT
"""Questions to a model beyond predictions: explanations, dependence, queries, samples, words of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .explanation import Dependence, Explanation, Explanations
    from .model import Model


class Questions:
    """The part of :class:`credence.Model` that answers these questions."""

    __slots__ = ()

    def explain(
        self: Model,
        table: Any,
        *,
        row: int | None = None,
        between: Sequence[str] | None = None,
        top: int | None = None,
        all: bool = False,
        fit: bool = False,
        reading: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Explanation | Explanations:
        """Explains the answer to a row, term by term.

        Parameters
        ----------
        table
            One row, as a mapping; or rows: a path, a frame, a list of dicts, ...
        row
            The number of a row of the table, from 0: it alone is explained.
        between
            Two classes whose weight of evidence is shown, in the place of the predicted one and the next best.
        top
            How many of the terms that weigh most are listed; the others are summed up.
        all
            Whether all attributes and values are tried for counterfactuals and information gain, however many they are.
        fit
            Whether the typicality of the row is computed: a p-value, small where it fits no class.
        reading
            Options of reading, such as ``{"separator": ";"}``.
        settings
            In the place of the model's own.

        Returns
        -------
        Explanation
            Of one row; of a table :class:`credence.explanation.Explanations`, one for each row.

        Examples
        --------
        >>> import credence
        >>> days = {"Wind": ["Weak", "Strong", "Weak", "Strong"], "Play": ["Yes", "No", "Yes", "Yes"]}
        >>> credence.train(days, "Play", smoothing="laplace:1").explain({"Wind": "Strong"}).prediction
        'Yes'
        """
        from .explanation import explain

        return explain(
            self,
            table,
            row=row,
            between=between,
            top=top,
            all=all,
            fit=fit,
            reading=reading,
            settings=settings,
        )

    def dependence(self: Model, table: Any, *, reading: Mapping[str, Any] | None = None) -> Dependence:
        """Which pairs of attributes depend on each other within a class, by rows with their classes such as those
        that were learned: naive Bayes counts twice what two of these have in common.

        Parameters
        ----------
        table
            Rows with the target.
        reading
            Options of reading.

        Returns
        -------
        Dependence
        """
        from . import _core, _tables
        from .explanation import Dependence

        reader = _tables.open_model_reader(self._core, table, to_learn=True, **(reading or {}))
        return Dependence(_core.measure_dependence(self._core, self._classifier({}), reader), table)
