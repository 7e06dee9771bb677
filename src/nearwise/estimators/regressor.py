"""KNNRegressor: the weighted mean of the nearest cases' numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise import vote as votes
from nearwise.answers.answering import Root
from nearwise.answers.measures import measure_of
from nearwise.cases.target import Target
from nearwise.contract.validation import number_target, sample_weights
from nearwise.estimators.model import Model
from nearwise.estimators.scoring import r_squared
from nearwise.estimators.voting import Voting
from nearwise.search.base import Floats

__all__ = ["KNNRegressor"]


class KNNRegressor(Voting):
    r"""Predict a number as the mean of the nearest past cases, weighted by their votes, and say why.

    Parameters and attributes are those of `KNNClassifier` without classes. ``n_neighbors="loo"`` takes the k with the
    smallest squared leave-one-out error. ``feature_weights`` must not need classes.

    >>> KNNRegressor(n_neighbors=2, vote="majority").fit([[1], [2], [9]], [10.0, 20.0, 90.0]).predict([[1.4]])
    array([15.])
    """

    _estimator_type = "regressor"

    def _target(self, y: Any, n: int, sample_weight: Any, classes: Any = None) -> Target:
        return number_target(y, n, self, sample_weight)

    def _weighting_asked(self, target: Target) -> Any:
        return "corr" if self._settings.by_recipe else self._settings.feature_weights

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add cases."""
        return self._add(X, y, sample_weight)

    def _from_votes(self, model: Model, total: Floats) -> Floats:
        return measure_of(model.target, self._vote_weights(model)).of_votes(total, 1)

    def _decided(self, model: Model, answers: Floats, near: Floats) -> NDArray[Any]:
        return np.asarray(answers[:, 0])

    def _errors(
        self, model: Model, ballots: votes.Ballots, largest: int, rows: slice, rule: votes.Vote, root: Root
    ) -> Floats:
        truth = model.target.values[rows]
        columns = []
        for k in range(1, largest + 1):
            total, _, _ = votes.tally(*ballots.at(k), rule, root)
            columns.append(np.square(self._from_votes(model, total)[:, 0] - truth))
        return np.stack(columns, axis=1)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R squared: 1 is perfect, 0 is as good as the mean."""
        truth = np.asarray(y, dtype=np.float64).ravel()
        return self._score(truth, self.predict(X), sample_weights(sample_weight, len(truth)))

    def _score(self, truth: NDArray[Any], predicted: NDArray[Any], weights: NDArray[np.float64]) -> float:
        return r_squared(truth, predicted, weights)
