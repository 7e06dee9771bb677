"""NearestCases: retrieval without a target."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from nearwise.cases.target import Target
from nearwise.contract.validation import sample_weights
from nearwise.estimators.base import Neighbors
from nearwise.explain import Explanation, Explanations
from nearwise.search.overflow import warn_of_infinite

__all__ = ["NearestCases"]


@dataclass(eq=False, repr=False, kw_only=True)
class NearestCases(Neighbors):
    """The most similar past cases of a query, and why.

    Parameters are those of `KNNClassifier` without a vote; ``feature_weights`` must not need classes ("none", your
    own array or dict). ``n_neighbors="loo"`` has nothing to choose by and means 5. ``local_scale=7`` measures
    distances in units of how far the seventh neighbour of either case is; None, the default, does not.

    >>> cases = [{"age": 20, "job": "cook"}, {"age": 60, "job": "judge"}, {"age": 30, "job": "judge"}]
    >>> found = NearestCases(n_neighbors=1).fit(cases)
    >>> found.kneighbors([{"age": 58, "job": "judge"}])
    (array([[0.05]]), array([[1]]))

    `novelty` says how unlike anything stored a query is, `why_novel` why; `map` and `plot` draw the cases as points.
    """

    n_neighbors: Any = field(default=5, kw_only=False)
    feature_weights: Any = field(default="none", kw_only=False)
    scale: str = "range"
    missing: Any = "max"
    local_scale: int | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags

    def _target(self, y: Any, n: int, sample_weight: Any, classes: Any = None) -> Target:
        return Target(np.zeros(n), None, sample_weights(sample_weight, n), is_given=False)

    def _targets(self, model: Any) -> Any:
        return None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Store cases; ``y`` is not used."""
        return self._fit(X, None)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Store further cases."""
        return self._add(X, None, None)

    def explain(
        self, X: Any = None, n_neighbors: int | None = None, *, feature_weights: Any = None, where: Any = None
    ) -> Explanations:
        """The nearest cases and what each feature adds to their distance; ``where`` as for `kneighbors`."""
        model = self._fitted()
        asked, queries, leave_out = self._asked(X, model)
        among = self._among(model, feature_weights, where)
        k = min(self._asked_k(n_neighbors), among.most(leave_out))
        engine = among.engine.settled(queries, leave_out)
        each = self._queries(model, engine, asked, queries, leave_out)
        if k < 1:
            return Explanations([Explanation(query.label, None, {}, [], self.p_) for query in each])
        found = among.nearest(queries, k, leave_out)
        warn_of_infinite(engine.distance, queries, found)
        out = []
        for j, query in enumerate(each):
            near = [(int(i), float(s), 0.0) for i, s in zip(found.indices[j], found.sums[j], strict=True) if i >= 0]
            neighbours = self._explained(model, engine, query, near)
            left = int(found.tied[j] - (len(near) - found.inside[j]))
            tied = int(found.tied[j]) if left > 0 else 0
            out.append(Explanation(query.label, None, {}, neighbours, self.p_, tied))
        return Explanations(out)
