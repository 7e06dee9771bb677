"""No weighting: every feature counts the same."""

from __future__ import annotations

import numpy as np

from nearwise.weighting.base import Problem, Weighting, with_parameters
from nearwise.weights import Global, Weights

__all__ = ["Uniform"]


@with_parameters
class Uniform(Weighting):
    r"""The same weight for every feature: plain k-nearest-neighbours.

    .. math:: w_f = 1

    It needs no target, so it also serves regression and retrieval.

    Parameters: ``mean=True`` makes it 1 / p, so that the sum over the p features is their mean.

    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: wettschereck1997, eq. 6 with equal weights.

    >>> Uniform().fit([{"age": 31, "job": "cook"}, {"age": 44, "job": "judge"}]).weights_
    Global(2 features; age: 1, job: 1)
    """

    id = "none"
    reference = "wettschereck1997"
    numbers = "unseen"

    mean: bool = False

    def _learn(self, problem: Problem) -> Weights:
        p = len(problem.features)
        return Global(np.full(p, 1.0 / p if self.mean else 1.0), problem.features)
