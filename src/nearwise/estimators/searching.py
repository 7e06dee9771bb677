"""Searching the stored cases: the nearest of each query, all within a radius, and both as graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import power
from nearwise.cases.table import CaseTable
from nearwise.contract.validation import query_table
from nearwise.differences.metric import Measured
from nearwise.errors import InputError, is_whole, not_fitted
from nearwise.estimators.choosing_cases import chosen_cases
from nearwise.estimators.filtered import Among
from nearwise.estimators.model import Model
from nearwise.estimators.parameters import SharedParameters
from nearwise.estimators.recipe import Settings
from nearwise.explain import Query
from nearwise.representation import Represented
from nearwise.search.base import Engine
from nearwise.search.overflow import warn_of_infinite

__all__ = ["Searching", "StoredCases"]


@dataclass(frozen=True)
class StoredCases:
    """Stored cases that ask in place of queries, each without itself; ``X=None`` asks for all of them."""

    rows: Sequence[int]
    """places among the stored cases"""

    def within(self, n: int) -> NDArray[np.intp]:
        """The places as an array; refused where there is no such case."""
        found = np.asarray(self.rows, dtype=np.intp)
        strange = found[(found < 0) | (found >= n)]
        if len(strange):
            raise InputError(f"There is no stored case {int(strange[0])}: cases are numbered from 0 to {n - 1}.")
        return found


class Searching(SharedParameters):
    """Finds cases in a model that was fitted; how it is fitted, subclasses say."""

    _model: Model
    _settings: Settings
    _represented: Represented | None = None
    """what made the features, where they are not those given"""

    def _fitted(self) -> Model:
        if not hasattr(self, "_model"):
            raise not_fitted(self)
        return self._model

    def _choose_k(self) -> int:
        k = self._settings.n_neighbors
        return int(k) if isinstance(k, int | np.integer) else 5

    @property
    def n_neighbors_(self) -> int:
        """The k in use; chosen anew when cases were added or forgotten."""
        self._fitted()
        k: int | None = getattr(self, "_chosen_k", None)
        if k is None:
            k = self._chosen_k = self._choose_k()
        return k

    def _asked(self, X: Any, model: Model) -> tuple[CaseTable, Measured, NDArray[np.intp] | None]:
        """Queries, measured; None and `StoredCases` ask for the stored cases themselves, each without itself."""
        if X is None:
            return model.table, model.problem.asking, np.arange(len(model.table))
        if isinstance(X, StoredCases):
            rows = X.within(len(model.table))
            return model.table.keep(rows), model.problem.asking.take(rows), rows
        table = self._typed(X, model)
        return table, model.problem.metric.measure(table), None

    def _queries(self, model: Model, engine: Engine, table: CaseTable, cases: Measured, leave_out: Any) -> list[Query]:
        """What is asked, one by one, as it is explained."""
        itself = np.full(len(cases), -1) if leave_out is None else leave_out
        factors = model.query_factors(engine, cases, leave_out)
        return [Query(table, cases, j, int(itself[j]), float(factors[j])) for j in range(len(cases))]

    def _typed(self, X: Any, model: Model) -> CaseTable:
        """Queries or further cases under the features of the model."""
        if self._represented is None:
            return query_table(self, X, model.table.schema)
        return self._represented.apply(query_table(self, X, self._represented.schema))

    def _asked_k(self, n_neighbors: int | None) -> int:
        k = self.n_neighbors_ if n_neighbors is None else n_neighbors
        if not is_whole(k):
            raise TypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
        if k <= 0:
            raise InputError(f"Expected n_neighbors > 0. Got {k}.")
        return int(k)

    def _searched_k(self, n_neighbors: int | None, among: Among, leave_out: NDArray[np.intp] | None) -> int:
        k = self._asked_k(n_neighbors)
        if k > among.most(leave_out):
            n = len(among.engine.distance.stored)
            left = "" if among.rows is None else f", of which where= leaves {len(among.rows)}"
            raise InputError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = {n}{left}"
                f"{'' if leave_out is None else ', and a case is not its own neighbour'}."
            )
        return k

    def _among(self, model: Model, feature_weights: Any, where: Any) -> Among:
        """What searches: all stored cases, or those that are asked about."""
        rows = None if where is None else chosen_cases(model.table, where)
        return Among(model.under(feature_weights, self.n_jobs), rows)

    def kneighbors(
        self,
        X: Any = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,
        *,
        feature_weights: Any = None,
        where: Any = None,
    ) -> Any:
        """(distances, indices) of the nearest cases, by (distance, index).

        ``X=None`` asks for the neighbours of the stored cases, each without itself. ``feature_weights`` tries other
        weights for this call: one row for all queries, or one row a query. ``where`` asks among some of the stored
        cases only, before anything is searched: one truth value for each, a dict of conditions by feature (a value,
        ``(from, to)``, or a set of values), or a function of a case's dict. Distances are those without it.

        >>> from nearwise import NearestCases
        >>> cases = [{"age": 20, "job": "cook"}, {"age": 60, "job": "judge"}, {"age": 30, "job": "judge"}]
        >>> near = NearestCases(1).fit(cases)
        >>> near.kneighbors({"age": 20, "job": "judge"}, where={"age": (40, None)})
        (array([[1.]]), array([[1]]))
        """
        model = self._fitted()
        _, queries, leave_out = self._asked(X, model)
        among = self._among(model, feature_weights, where)
        k = self._searched_k(n_neighbors, among, leave_out)
        found = among.nearest(queries, k, leave_out)
        warn_of_infinite(among.engine.distance, queries, found)
        if not return_distance:
            return found.indices
        factors = model.query_factors(among.engine, queries, leave_out)
        return model.problem.metric.root(found.sums) * factors[:, None], found.indices

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity", *, where: Any = None
    ) -> Any:
        """A sparse (m, n) matrix with 1 or the distance at each neighbour."""
        distances, indices = self.kneighbors(X, n_neighbors, where=where)
        return self._graph(list(distances), list(indices), mode)

    def radius_neighbors(self, X: Any = None, radius: float = 1.0, return_distance: bool = True) -> Any:
        """(distances, indices) of all cases within a radius, as object arrays with one array a query."""
        model = self._fitted()
        if not (isinstance(radius, int | float | np.number) and radius >= 0):
            raise InputError(f"radius={radius!r}: expected a number from 0.")
        _, queries, leave_out = self._asked(X, model)
        metric = model.problem.metric
        factors = model.query_factors(model.engine, queries, leave_out)
        found = model.engine.within(queries, power(float(radius) / factors, metric.p), leave_out)
        distances, indices = np.empty(len(found), dtype=object), np.empty(len(found), dtype=object)
        for j, (sums, near) in enumerate(found):
            distances[j], indices[j] = metric.root(sums) * factors[j], near
        return (distances, indices) if return_distance else indices

    def radius_neighbors_graph(self, X: Any = None, radius: float = 1.0, mode: str = "connectivity") -> Any:
        distances, indices = self.radius_neighbors(X, radius)
        return self._graph(list(distances), list(indices), mode)

    def _graph(self, distances: list[Any], indices: list[Any], mode: str) -> Any:
        """A row for each query, with its cases and their distances."""
        from scipy.sparse import csr_matrix

        if mode not in ("connectivity", "distance"):
            raise InputError(f'Unsupported mode, must be one of "connectivity" or "distance" but got "{mode}" instead')
        ends = np.concatenate([[0], np.cumsum([len(i) for i in indices])])
        flat = np.concatenate([*indices, np.zeros(0, dtype=np.intp)])
        data = np.ones(len(flat)) if mode == "connectivity" else np.concatenate([*distances, np.zeros(0)])
        return csr_matrix((data, flat, ends), shape=(len(indices), len(self._fitted().table)))
