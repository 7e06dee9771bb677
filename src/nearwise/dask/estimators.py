"""`nearwise.dask.KNNClassifier`, `KNNRegressor` and `NearestCases`, as the plain ones, with a client."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.contract.undoing import whole_or_not_at_all
from nearwise.dask.as_plain import AsPlain
from nearwise.dask.tables import aligned_blocks, blocks_of, columns_of, computed, is_lazy, lengths_of
from nearwise.dask.workers import SearchesWithWorkers, WithWorkers, applied_along, client_of, raw_part, same, tree
from nearwise.differences.metric import Measured
from nearwise.errors import InputError, ModelFileError
from nearwise.estimators.classifier import KNNClassifier as PlainClassifier
from nearwise.estimators.regressor import KNNRegressor as PlainRegressor
from nearwise.estimators.retrieval import NearestCases as PlainNearest
from nearwise.explain import Explanations
from nearwise.files import new_folder
from nearwise.parts.estimators import ClassifierOverParts, OverParts, RegressorOverParts, VotingOverParts
from nearwise.parts.folder import load_folder, save_head
from nearwise.parts.learning import merged
from nearwise.parts.part import Searched, TypedPart
from nearwise.parts.searching import Around, Nearest, search
from nearwise.parts.settings import LOO_SAMPLE, asked_classifier, asked_regressor
from nearwise.parts.shards import Shards
from nearwise.search.selection.answered import Answered, Group

__all__ = ["KNNClassifier", "KNNRegressor", "NearestCases"]

BATCH = 10_000
"""queries that are sent to the workers at once"""
AT_ONCE = 2
"""batches that are under way"""


class _Spread(AsPlain, OverParts):
    """What all estimators do with a client."""

    @whole_or_not_at_all
    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        from nearwise.dask.pinning import part_key, pin_parts

        self._resolve()
        client = client_of(self.client)
        X, y, sample_weight = columns_of(X, y, sample_weight)
        each = aligned_blocks(X, y=y, sample_weight=sample_weight)
        pin_parts(client)
        raw = client.compute([_delayed(raw_part)(*of_part, dask_key_name=part_key("raw")) for of_part in each])
        names = list(getattr(X, "columns", ())) or [f"x{j}" for j in range(X.shape[1])]
        parts = WithWorkers(client, raw)
        self.learn_from(parts, [str(name) for name in names], hasattr(X, "columns"))
        self._spread_out(client, parts.typed, parts.sizes)
        return self

    def _spread_out(self, client: Any, typed: Sequence[Any], sizes: list[int]) -> None:
        n = self.plain.n_jobs if isinstance(self.plain.n_jobs, int) and self.plain.n_jobs > 0 else 1
        self.search_in(SearchesWithWorkers(client, typed, sizes, self.known, self.plain.engine, n))

    @property
    def _spread(self) -> SearchesWithWorkers:
        found = self._searched()
        if not isinstance(found, SearchesWithWorkers):
            raise InputError("The parts of this model are not with Dask's workers.")
        return found

    def _lazily(self, block: Any, k: int) -> Any:
        """The answer to a block of queries, as a graph: every part is asked, and once more where a tie is unsure."""
        queries = _delayed(_measured)(self._bare(), block)
        join, chains = _delayed(merged), [chain for _, chain in self._spread.chains()]
        found = tree([_delayed(_nearest)(chain, queries, k) for chain in chains], join)
        if self.predicts_numbers or self.known.adds_in_order:  # added up in the order of the cases
            groups = None
            for part in self._spread.parts:
                groups = _delayed(_around)([part], queries, found, groups)
        else:
            groups = tree([_delayed(_around)(chain, queries, found) for chain in chains], join)
        return _delayed(_settled)(found, groups)

    def _bare(self) -> Any:
        """The model without its parts, to be sent along."""
        if self._sent is None:
            bare = object.__new__(type(self))
            vars(bare).update({name: value for name, value in vars(self).items() if name != "client"})
            bare.searches = bare.client = None
            self._sent = self._spread.client.submit(same, bare, pure=False)
        return self._sent

    def _found(self, queries: Measured, k: int, leave_out: NDArray[np.int64] | None = None) -> Answered:
        """Queries go out in batches, the next while one is answered, so that no worker waits."""

        def ask(start: int) -> tuple[Answered, int]:
            rows = slice(start, start + BATCH)
            skip = None if leave_out is None else leave_out[rows]
            return search(self._spread, queries.take(rows), k, skip)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = list(pool.map(ask, range(0, max(1, len(queries)), BATCH)))
        self.second_rounds = sum(again for _, again in found)
        return Answered.stacked([each for each, _ in found])

    def kneighbors(self, X: Any, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """(distances, indices) of the nearest cases; indices count through all partitions, and lazy X is computed."""
        return super().kneighbors(computed(X), n_neighbors, return_distance)

    def explain(self, X: Any, n_neighbors: int | None = None) -> Explanations:
        """Which past cases, which features, how much, for a few queries; lazy X is computed."""
        return super().explain(computed(X), n_neighbors)


class NearestCases(_Spread):
    """The most similar cases of a Dask frame or array, with the parameters of `nearwise.NearestCases` and a client."""

    plain_class = PlainNearest

    def __init__(self, n_neighbors: Any = 5, feature_weights: Any = "none", *, client: Any = None, **parameters: Any):
        self._keep({"n_neighbors": n_neighbors, "feature_weights": feature_weights, **parameters}, client=client)

    def _resolve(self) -> None:
        plain = PlainNearest(**self._given())
        if plain.local_scale is not None or plain.representation is not None:
            raise InputError(
                "local_scale and representation need all cases at once: leave them out for a table in parts."
            )
        plain._check_parameters()
        OverParts.__init__(self, plain)
        self._sent = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Store the partitions; ``y`` is not used."""
        return self._fit(X, None)

    def save(self, path: Any) -> None:
        """Refused: a folder holds cases with a target."""
        raise InputError(
            "NearestCases over parts are not saved, since a folder holds cases with a target: keep the table and fit "
            "again, or fit KNNClassifier or KNNRegressor."
        )


class _Voting(_Spread, VotingOverParts):
    """What classifier and regressor share: lazy predictions, and a folder of shards."""

    own_parameters: ClassVar[dict[str, Any]] = {"client": None, "loo_sample": LOO_SAMPLE}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from partitioned cases, their targets and weights.

        ``y`` and ``sample_weight`` are Series or arrays with the same partitions, or name columns of ``X``.
        """
        self._fit(X, y, sample_weight)
        name = y if isinstance(y, str) else getattr(y, "name", None) if hasattr(y, "to_frame") else None
        if isinstance(name, str):  # an array of Dask has a name, too, which is no column's
            self.target_name_ = name
        return self

    def score(self, X: Any, y: Any) -> float:
        """How good the predictions are, as the plain one says it; what is lazy is computed."""
        X, y = columns_of(X, y)
        return super().score(X, computed(y))

    def _of_blocks(self, X: Any, function: Any, meta: Any) -> Any:
        from dask import array

        k = min(self.n_neighbors_, self.n_samples_fit_)
        made = [_delayed(function)(self._bare(), self._lazily(block, k)) for block in blocks_of(X)]
        shapes = [(n, *meta.shape[1:]) for n in lengths_of(X)]
        each = zip(made, shapes, strict=True)
        return array.concatenate([array.from_delayed(answer, shape, meta=meta) for answer, shape in each])

    def save(self, path: Any) -> None:
        """Write the parts and what was learned into a folder, which `nearwise.load` and `load` read."""
        spread, classes = self._spread, self.known.summary.classes
        with new_folder(Path(path)) as folder:
            shards = Shards(folder, self.schema_, classes, self.predicts_numbers, self.known.is_weighted)
            for i, part in enumerate(spread.typed):  # one after the other, so that no more than one is here
                shards.write(i, spread._result(part, spread.typed))
            save_head(self, folder, [shards.digests(i) for i in range(len(spread.typed))])

    @classmethod
    def load(cls, path: Any, client: Any = None) -> Self:
        """A saved model with its parts on the workers, who must see the folder."""
        from nearwise.dask.pinning import part_key

        if not Path(path).is_dir():
            raise ModelFileError(f"There is no folder {str(path)!r}: expected the model that save(folder) wrote.")
        client, found = client_of(client), load_folder(Path(path))
        if found.predicts_numbers != cls.predicts_numbers:
            other = "KNNRegressor" if found.predicts_numbers else "KNNClassifier"
            raise InputError(f"{str(path)!r} holds another sort of model: read it with {other}.load.")
        held: Any = found.searches
        made = object.__new__(cls)
        vars(made).update(found.plain.get_params(deep=False), **vars(found))
        made.client, k = client, found.chosen_k
        typed = [
            client.submit(_read, held.shards, i, told, key=part_key("typed"), pure=False)
            for i, told in enumerate(held.parts)
        ]
        made.searches = SearchesWithWorkers(
            client, typed, [told["rows"] for told in held.parts], made.known, made.plain.engine, 1
        )
        made.chosen_k = k
        return made


class KNNClassifier(_Voting, ClassifierOverParts):
    """The class of the nearest cases of a Dask frame or array, as `nearwise.KNNClassifier` says it, bit by bit.

    Parameters are those of the plain one; what is left open becomes "gr", symbols by "shares", a vote and no local
    scaling. ``client`` is Dask's; None takes the one in use. k is chosen by leaving out ``loo_sample`` cases,
    and weights that look at all cases at once are learned from so many.
    """

    plain_class = PlainClassifier
    _estimator_type = "classifier"

    def __init__(
        self,
        n_neighbors: Any = "auto",
        feature_weights: Any = None,
        *,
        client: Any = None,
        loo_sample: int = LOO_SAMPLE,
        **parameters: Any,
    ) -> None:
        given = {"n_neighbors": n_neighbors, "feature_weights": feature_weights, **parameters}
        self._keep(given, client=client, loo_sample=loo_sample)

    def _resolve(self) -> None:
        ClassifierOverParts.__init__(self, *asked_classifier(self._given()), self.loo_sample)
        self._sent = None

    def predict(self, X: Any) -> Any:
        """Predictions: lazy for Dask's frames and arrays, at once for others."""
        if not is_lazy(X):
            return super().predict(X)
        return self._of_blocks(X, _predicted, self.classes_[:0])

    def predict_proba(self, X: Any) -> Any:
        """(m, c) shares of the votes: lazy for Dask's frames and arrays, at once for others."""
        if not is_lazy(X):
            return super().predict_proba(X)
        return self._of_blocks(X, _shares, np.zeros((0, len(self.classes_))))


class KNNRegressor(_Voting, RegressorOverParts):
    """The mean of the nearest cases of a Dask frame or array, as `nearwise.KNNRegressor` says it, bit by bit.

    Parameters are those of the plain one; what is left open becomes "gr" on five intervals of the target, a vote and no
    local scaling. ``client`` is Dask's; None takes the one in use. k is chosen by leaving out ``loo_sample`` cases,
    and weights that look at all cases at once are learned from so many.
    """

    plain_class = PlainRegressor
    _estimator_type = "regressor"

    def __init__(
        self,
        n_neighbors: Any = "auto",
        feature_weights: Any = None,
        *,
        client: Any = None,
        loo_sample: int = LOO_SAMPLE,
        **parameters: Any,
    ) -> None:
        given = {"n_neighbors": n_neighbors, "feature_weights": feature_weights, **parameters}
        self._keep(given, client=client, loo_sample=loo_sample)

    def _resolve(self) -> None:
        RegressorOverParts.__init__(self, *asked_regressor(self._given()), self.loo_sample)
        self._sent = None

    def predict(self, X: Any) -> Any:
        """Predictions: lazy for Dask's frames and arrays, at once for others."""
        return self._of_blocks(X, _predicted, np.zeros(0)) if is_lazy(X) else super().predict(X)


def _delayed(function: Any) -> Any:
    from dask import delayed

    return delayed(function, pure=False)


def _measured(model: OverParts, block: Any) -> Measured:
    if not len(block):
        return model.known.metric.measure(model.known.summary.empty_table)
    return model._asked(block.reset_index(drop=True) if hasattr(block, "reset_index") else block)[1]


def _nearest(parts: Sequence[Searched], queries: Measured, k: int) -> Answered:
    found: Answered = applied_along(Nearest(queries, k, None), parts)
    return found


def _around(parts: Sequence[Searched], queries: Measured, found: Answered, before: Group | None = None) -> Group:
    """The second round, for the queries that need it."""
    rows = found.again
    group: Group = applied_along(Around(queries.take(rows), found.last[rows], None), parts, before)
    return group


def _settled(found: Answered, group: Group) -> Answered:
    return found.settled(found.again, group)


def _predicted(model: VotingOverParts, found: Answered) -> Any:
    return model.decided(*model.voted(found))


def _shares(model: ClassifierOverParts, found: Answered) -> Any:
    return model.voted(found)[0]


def _read(shards: Shards, part: int, told: dict[str, Any]) -> TypedPart:
    return shards.read(part, told)
