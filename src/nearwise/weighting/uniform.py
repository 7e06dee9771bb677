"""No weighting: every feature counts the same."""

from __future__ import annotations

import numpy as np

from nearwise.weighting.base import PRESET_GLOBAL, Problem, Weighting
from nearwise.weights import Global, Weights

__all__ = ["Uniform"]


class Uniform(Weighting):
    r"""The same weight for every feature: plain k-nearest-neighbours.

    .. math:: w_f = 1

    It needs no target, so it also serves regression and retrieval.

    Attributes: ``weights_`` (Global), ``feature_importances_`` (p,).

    References: wettschereck1997, eq. 6 with equal weights.

    >>> Uniform().fit([{"age": 31, "job": "cook"}, {"age": 44, "job": "judge"}]).weights_
    Global(2 features; age: 1, job: 1)
    """

    id = "none"
    place = PRESET_GLOBAL
    reference = "wettschereck1997"
    needs_classes = False

    def _learn(self, problem: Problem) -> Weights:
        return Global(np.ones(len(problem.features)), problem.features)
