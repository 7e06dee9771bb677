"""Weights given by a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nearwise.errors import WeightShapeError, did_you_mean
from nearwise.weighting.base import Place, Problem, Weighting
from nearwise.weights import Global, Weights

__all__ = ["UserWeights"]


class UserWeights(Weighting):
    """The weights you give, by position or by name."""

    id = "user"
    place = Place(knowledge="intensive")
    reference = "wettschereck1997"
    needs_classes = False

    def __init__(self, weights: Any = None) -> None:
        self.weights = weights

    def _learn(self, problem: Problem) -> Weights:
        given, features = self.weights, problem.features
        if given is None:
            return Global(np.ones(len(features)), features)
        if isinstance(given, Weights):
            return given
        if isinstance(given, Mapping):
            for name in given:
                if name not in features:
                    raise WeightShapeError(f"feature_weights names {name!r}, no such feature. {did_you_mean(name, features)}")
            return Global([given.get(name, 1.0) for name in features], features)
        return Global(given, features)
