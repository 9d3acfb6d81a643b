# SPDX-License-Identifier: MIT
"""Model methods other than prediction: explanations, dependence, queries, samples, informative words and terms of texts."""

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
    """Mixin of :class:`credence.Model` that implements explanations, dependence, queries, samples, words and terms."""

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
        typicality: bool = False,
        cost: Cost | None = None,
        reject: Probability | None = None,
        threshold: Probability | None = None,
        of: str | None = None,
        likelihood: Mapping[str, Any] | None = None,
        reading: Reading | None = None,
        **settings: Unpack[Settings],
    ) -> Any:
        """Explain the prediction for a row, term by term.

        Parameters
        ----------
        table
            One row, as a mapping; or rows: a path, a frame, a list of dicts, ...
        row
            The number of a row of the table, from 0. Only that row is explained.
        between
            Two classes whose weight of evidence is shown, instead of the predicted class and the next best class.
        top
            The number of terms with the largest weights to list. The other terms are summed in one line.
        all
            Whether to try all attributes and values for counterfactuals and information gain, regardless of their number.
        typicality
            Whether to compute the typicality p-value of the row, which is small if the row fits none of the classes.
        cost, reject, threshold
            A decision rule, as in :meth:`predict`. The decision is explained too, and counterfactuals change the decision.
        of, likelihood
            Only if the model is a network: the node, or ``"node=state"``, whose posterior is explained (default: the target), and
            virtual evidence.
        reading
            Reading options, such as ``{"separator": ";"}``.
        settings
            Settings that replace the model's own.

        Returns
        -------
        Explanation
            The explanation of one row. For a table: :class:`credence.explanation.Explanations`, with one explanation per row. For a
            model that is a network: the result of :meth:`credence.Network.explain`.

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
            typicality=typicality,
            cost=cost,
            reject=reject,
            threshold=threshold,
            of=of,
            likelihood=likelihood,
            reading=reading,
            settings=settings,
        )

    def dependence(self, table: TableInput, *, reading: Reading | None = None) -> Dependence:
        """Measure which pairs of attributes depend on each other within a class.

        Naive Bayes counts the information that two dependent attributes share twice.

        Parameters
        ----------
        table
            Rows with the target, for example the training rows.
        reading
            Reading options.

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
        mpe: Literal[True],
        **settings: Unpack[Settings],
    ) -> MostProbable: ...
    @overload
    def query(
        self,
        of: Any,
        given: Event | None = None,
        *,
        likelihood: Mapping[str, Any] | None = None,
        map: Literal[True],
        **settings: Unpack[Settings],
    ) -> MostProbable: ...
    @overload
    def query(
        self,
        of: str | Iterable[str],
        given: Event | None = None,
        *,
        joint_distribution: bool = False,
        at: ArrayLike | None = None,
        likelihood: Mapping[str, Any] | None = None,
        **settings: Unpack[Settings],
    ) -> QueryAnswer | Answer: ...
    def query(
        self,
        of: str | Iterable[str] | None = None,
        given: Event | None = None,
        *,
        joint_distribution: bool = False,
        at: ArrayLike | None = None,
        independence: str | Sequence[str | Sequence[str]] | None = None,
        likelihood: Mapping[str, Any] | None = None,
        mpe: bool = False,
        map: bool = False,
        **settings: Unpack[Settings],
    ) -> Any:
        """Compute probabilities of any columns of the model, given other columns.

        Parameters
        ----------
        of
            Columns to query separately: a name, or a list of names. For a word of a text column, use ``"column:word"``.
        given
            The evidence: a mapping from columns to values, which can include the class, or a text ``"Outlook=Sunny, Wind=Weak"``.
        joint_distribution
            Whether to compute the joint probabilities of the columns, which must be categorical.
        at
            Points at which to compute the density and the distribution function of numeric columns.
        independence, likelihood, mpe, map
            For a model of categorical columns, used as a network: d-separation of two columns, or of two sets of columns; virtual
            evidence; the jointly most probable values of all columns (MPE), or of the columns in ``of`` (MAP).
        settings
            Settings that replace the model's own.

        Returns
        -------
        QueryAnswer
            For a network: the result of the corresponding method of :class:`credence.Network`.

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
        if independence is None and likelihood is None and not (mpe or map) and not is_network(method):
            if of is None:
                raise ValueError("of: name the columns to query")
            return query_model(model, of, given, joint_distribution=joint_distribution, at=at, settings=settings)
        network = Network.from_model(model, **settings)
        if independence is not None:
            sets = independence.split(";" if ";" in independence else ",") if isinstance(independence, str) else independence
            first, second = (part.split(",") if isinstance(part, str) and "," in part else part for part in sets)
            return network.independent(first, second, given or ())
        findings = cast("Mapping[str, Any] | None", given)  # the network methods check it
        if mpe and (map or of is not None):
            raise ValueError("mpe: it is the most probable states of all nodes; map=True is for the nodes in of")
        if mpe:
            return network.mpe(findings, likelihood=likelihood)
        if map:
            if of is None:
                raise ValueError("map: needs of, the nodes whose most probable joint states are computed")
            return network.map(of, findings, likelihood=likelihood)
        return network.query(of, findings, likelihood=likelihood, joint_distribution=joint_distribution)

    def sample(
        self,
        rows: int = 10,
        seed: int = 1,
        *,
        given: Event | None = None,
        first: int = 0,
        like: Frame | None = None,
        **settings: Unpack[Settings],
    ) -> AnyFrame:
        """Draw new rows: first the class from its prior, or from its posterior if attributes are given, then each attribute.

        Parameters
        ----------
        rows, seed
            The number of rows, and the seed. The same seed draws the same rows: row 7 does not depend on the number of rows.
        given
            Fixed values: a mapping from columns to values.
        first
            The number of the first row, from 0.
        like
            A frame whose type the result will have.
        settings
            Settings that replace the model's own.

        Returns
        -------
        A frame of the same type as ``like``, or a :class:`credence.Table`, with the model's columns.

        Examples
        --------
        >>> import credence
        >>> days = {"Wind": ["Weak", "Strong", "Weak", "Strong"], "Play": ["Yes", "No", "Yes", "Yes"]}
        >>> credence.train(days, "Play").sample(3, given={"Play": "No"})["Play"].tolist()
        ['No', 'No', 'No']
        """
        from .sampling import sample

        return sample(cast("Model", self), rows, seed, given, first, like, settings)

    def words(
        self, top_terms: int = 10, *, attribute: str | None = None, like: Frame | None = None, **settings: Unpack[Settings]
    ) -> AnyFrame:
        """Return the most informative words of each class, which separate it best from the other classes.

        Parameters
        ----------
        top_terms
            The number of words per class.
        attribute
            The text column, if the model has several.
        like
            A frame whose type the result will have.

        Returns
        -------
        A frame with ``class``, ``word``, ``documents`` and ``others`` (the number of texts of the class, and of other classes, that
        contain the word), ``occurrences``, ``weight`` (the log ratio of the frequencies, in nats) and ``divergence`` (the score by
        which words are ranked).
        """
        from .sampling import words

        return words(cast("Model", self), top_terms, attribute, like, settings)

    def terms(self, text: str, *, like: Frame | None = None, **settings: Unpack[Settings]) -> AnyFrame:
        """Return the terms of a text that the model counts: words, n-grams or characters.

        Each term is listed with the part of the text that it comes from.
        """
        from .sampling import terms

        return terms(cast("Model", self), text, like, settings)
