"""RELIEF-F as the review ran it: k is chosen before the weights are learned, and again after."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.contract.parameters import Parameters, with_parameters
from nearwise.estimators.classifier import KNNClassifier
from nearwise.weighting import ReliefF, TopN

__all__ = ["TunedRelief"]


@with_parameters
class TunedRelief(Parameters):
    """Nearest neighbours under the weights of RELIEF-F, which asks as many neighbours of each class as k-NN does best.

    "The optimal value of k was estimated ... for all performance feedback methods before and after learning feature
    weights": before, by the leave-one-out error of plain neighbours, for the near cases of RELIEF-F; after, by that of
    weighted ones, for the vote. Both are in 1 .. 50.

    Parameters
    ----------
    kept : int or None
        How many features stay, those of the largest weights (figure 4); None keeps all.
    binary : bool
        Whether those that stay get 1 in place of their weight.
    schema
        Kinds by feature name.

    Attributes
    ----------
    near_ : int
        k before.
    n_neighbors_ : int
        k after.
    model_ : KNNClassifier
        The weighted neighbours.

    Notes
    -----
    References: wettschereck1997, sect. 4.3; kononenko1994.

    >>> X = [[i % 7, i // 10] for i in range(40)]
    >>> model = TunedRelief().fit(X, ["low"] * 20 + ["high"] * 20)
    >>> model.near_, model.predict([[3, 0]]).tolist()
    (1, ['low'])
    """

    _estimator_type = "classifier"

    kept: int | None = None
    binary: bool = False
    schema: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Choose k, learn the weights, choose k again."""
        self.near_ = self._neighbours("none").fit(X, y).n_neighbors_
        relief: Any = ReliefF(n_neighbors=self.near_)
        if self.kept is not None:
            relief = TopN(relief, self.kept, keep_weights=not self.binary)
        self.model_ = self._neighbours(relief).fit(X, y)
        self.n_neighbors_, self.classes_ = self.model_.n_neighbors_, self.model_.classes_
        return self

    def predict(self, X: Any) -> NDArray[np.generic]:
        """(m,) classes."""
        return np.asarray(self.model_.predict(X))

    def _neighbours(self, weights: Any) -> KNNClassifier:
        return KNNClassifier(feature_weights=weights, p=2, schema=self.schema)
