"""No weighting: every feature counts the same."""

from __future__ import annotations

import numpy as np

from nearwise.weighting.base import PRESET_GLOBAL, Problem, Weighting
from nearwise.weights import Global, Weights

__all__ = ["Uniform"]


class Uniform(Weighting):
    """Every feature counts 1."""

    id = "none"
    place = PRESET_GLOBAL
    reference = "wettschereck1997"
    needs_classes = False

    def _learn(self, problem: Problem) -> Weights:
        return Global(np.ones(len(problem.features)), problem.features)
