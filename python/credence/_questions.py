# SPDX-License-Identifier: MIT
"""Questions to a model beyond predictions: explanations, dependence, queries, samples, words of texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast, overload

from numpy.typing import ArrayLike

from ._types import (
    AnyFrame,
    Cell,
    Cost,
    Event,
    ExplainOptions,
    Frame,
    Label,
    PlainTable,
    Probability,
    Reading,
    Row,
    Settings,
    TableInput,
)

if TYPE_CHECKING:
    from .dependence import Dependence
    from .explanation import Explanation, Explanations
    from .model import Model
    from .network_answers import Answer, MostProbable
    from .network_answers import Independence as Separation
    from .query import QueryAnswer


class Questions:
    """The part of :class:`credence.Model` that answers these questions."""

    __slots__ = ()

    @overload
    def explain(self, table: Mapping[str, Cell], **options: Unpack[ExplainOptions]) -> Explanation: ...
    @overload
    def explain(self, table: Frame | PlainTable, *, row: int, **options: Unpack[ExplainOptions]) -> Explanation: ...
    @overload
    def explain(self, table: Frame | PlainTable, **options: Unpack[ExplainOptions]) -> Explanations: ...
    @overload
    def explain(
        self,
        table: Row | TableInput,
        *,
        row: int | None = None,
        of: str | None = None,
        likelihood: Mapping[str, Any] | None = None,
        **options: Unpack[ExplainOptions],
    ) -> Any: ...
    def explain(
        self,
        table: Row | TableInput,
        *,
        row: int | None = None,
        between: Sequence[Label] | None = None,
        top: int | None = None,
        all: bool = False,
        fit: bool = False,
        cost: Cost | None = None,
        reject: Probability | None = None,
        threshold: Probability | None = None,
        of: str | None = None,
        likelihood: Mapping[str, Any] | None = None,
        reading: Reading | None = None,
        **settings: Unpack[Settings],
    ) -> Any:
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
        cost, reject, threshold
            A rule of decision, as :meth:`predict` takes it: the decision is explained as well, and counterfactuals change it.
        of, likelihood
            Of a model that is a network: the node, or ``"node=state"``, whose posterior is explained (the target), and virtual
            evidence.
        reading
            Options of reading, such as ``{"separator": ";"}``.
        settings
            In the place of the model's own.

        Returns
        -------
        Explanation
            Of one row; of a table :class:`credence.explanation.Explanations`, one for each row. Of a model that is a network
            what :meth:`credence.Network.explain` returns.

        Examples
        --------
        >>> import credence
        >>> days = {"Wind": ["Weak", "Strong", "Weak", "Strong"], "Play": ["Yes", "No", "Yes", "Yes"]}
        >>> credence.train(days, "Play", smoothing="laplace:1").explain({"Wind": "Strong"}).prediction
        'Yes'
        """
        from ._explain import explain_model

        return explain_model(
            cast("Model", self),
            table,
            row=row,
            between=between,
            top=top,
            all=all,
            fit=fit,
            cost=cost,
            reject=reject,
            threshold=threshold,
            of=of,
            likelihood=likelihood,
            reading=reading,
            settings=settings,
        )

    def dependence(self, table: TableInput, *, reading: Reading | None = None) -> Dependence:
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
        from .dependence import Dependence

        model = cast("Model", self)
        reader = _tables.open_model_reader(model._core, table, to_learn=True, **(reading or {}))
        return Dependence(_core.measure_dependence(model._core, model._classifier({}), reader), table)

    @overload
    def query(
        self, of: Any = None, given: Event | None = None, *, independence: Sequence[Any], **settings: Unpack[Settings]
    ) -> Separation: ...
    @overload
    def query(
        self,
        of: Any = None,
        given: Event | None = None,
        *,
        likelihood: Mapping[str, Any] | None = None,
        most_probable: Literal[True],
        **settings: Unpack[Settings],
    ) -> MostProbable: ...
    @overload
    def query(
        self,
        of: str | Iterable[str],
        given: Event | None = None,
        *,
        together: bool = False,
        at: ArrayLike | None = None,
        likelihood: Mapping[str, Any] | None = None,
        **settings: Unpack[Settings],
    ) -> QueryAnswer | Answer: ...
    def query(
        self,
        of: str | Iterable[str] | None = None,
        given: Event | None = None,
        *,
        together: bool = False,
        at: ArrayLike | None = None,
        independence: str | Sequence[str | Sequence[str]] | None = None,
        likelihood: Mapping[str, Any] | None = None,
        most_probable: bool = False,
        **settings: Unpack[Settings],
    ) -> Any:
        """Probabilities of any columns of the model, given others.

        Parameters
        ----------
        of
            Columns, each by itself: a name, or a list of them; of a column of texts ``"column:word"``.
        given
            What is known: a mapping of columns and values, the class among them, or a text ``"Outlook=Sunny, Wind=Weak"``.
        together
            Whether the columns, which are categories then, are taken together: joint probabilities.
        at
            Points at which the density and the distribution function of number columns are computed.
        independence, likelihood, most_probable
            Of a model of categories as a network: d-separation of two columns, or two sets of them; virtual evidence; the
            most probable values of all columns, or of those of ``of``, together.
        settings
            In the place of the model's own.

        Returns
        -------
        QueryAnswer
            Of a network what the methods of :class:`credence.Network` return.

        Examples
        --------
        >>> import credence
        >>> days = {"Wind": ["Weak", "Strong", "Weak", "Strong"], "Play": ["Yes", "No", "Yes", "Yes"]}
        >>> model = credence.train(days, "Play", smoothing="none")
        >>> model.query("Wind", {"Play": "Yes"})["Wind"]
        {'Strong': 0.3333333333333333, 'Weak': 0.6666666666666666}
        """
        from ._explain import is_network
        from .network import Network
        from .query import query_model

        model = cast("Model", self)
        method = str(settings.get("method") or model._core.info()["settings"]["method"])
        if independence is None and likelihood is None and not most_probable and not is_network(method):
            if of is None:
                raise ValueError("of: columns are needed, each by itself or together")
            return query_model(model, of, given, together=together, at=at, settings=settings)
        network = Network.from_model(model, **settings)
        if independence is not None:
            sets = independence.split(";" if ";" in independence else ",") if isinstance(independence, str) else independence
            first, second = (part.split(",") if isinstance(part, str) and "," in part else part for part in sets)
            return network.independent(first, second, given or ())
        findings = cast("Mapping[str, Any] | None", given)  # checked there
        if most_probable:
            return network.most_probable(of, findings, likelihood=likelihood)
        return network.query(of, findings, likelihood=likelihood, together=together)

    def sample(
        self,
        n: int = 10,
        seed: int = 1,
        *,
        given: Event | None = None,
        first: int = 0,
        like: Frame | None = None,
        **settings: Unpack[Settings],
    ) -> AnyFrame:
        """Draws new rows: the class from its prior, or from its posterior where attributes are given, then each attribute.

        Parameters
        ----------
        n, seed
            How many rows; the same seed draws the same rows: row 7 of a seed is the same however many are drawn.
        given
            What is fixed: a mapping of columns and values.
        first
            The number of the first row, from 0.
        like
            A frame of the kind that the result is to have.
        settings
            In the place of the model's own.

        Returns
        -------
        A frame of the kind of ``like``, else a :class:`credence.Table`, with the model's columns.

        Examples
        --------
        >>> import credence
        >>> days = {"Wind": ["Weak", "Strong", "Weak", "Strong"], "Play": ["Yes", "No", "Yes", "Yes"]}
        >>> credence.train(days, "Play").sample(3, given={"Play": "No"})["Play"].tolist()
        ['No', 'No', 'No']
        """
        from .sampling import sample

        return sample(cast("Model", self), n, seed, given, first, like, settings)

    def words(
        self, n: int = 10, *, attribute: str | None = None, like: Frame | None = None, **settings: Unpack[Settings]
    ) -> AnyFrame:
        """The words of the model's texts that tell each class from the rest, most telling first.

        Parameters
        ----------
        n
            How many of each class.
        attribute
            The column of texts, where there are several.
        like
            A frame of the kind that the result is to have.

        Returns
        -------
        A frame with ``class``, ``word``, ``documents`` and ``others`` (texts of the class, and of other classes, that have
        it), ``occurrences``, ``weight`` (the log ratio of the frequencies, in nats) and ``divergence`` (by which words are
        ranked).
        """
        from .sampling import words

        return words(cast("Model", self), n, attribute, like, settings)

    def terms(self, text: str, *, like: Frame | None = None, **settings: Unpack[Settings]) -> AnyFrame:
        """What of a text the model counts: its words, n-grams or characters, each with the part of the text that it was
        made of."""
        from .sampling import terms

        return terms(cast("Model", self), text, like, settings)
