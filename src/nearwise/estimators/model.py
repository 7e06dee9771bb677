"""What an estimator has learned, in one immutable piece: cases, metric, weights and the engine over them.

Adding or forgetting cases makes a new model; readers on other threads keep the one they hold.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.engines import Distance, Payload, Plan, plan
from nearwise.engines.base import Engine
from nearwise.errors import warn
from nearwise.weighting import Mergeable, Problem, Weighting, get
from nearwise.weighting.user import UserWeights
from nearwise.weights import Global, PerQuery, Weights

__all__ = ["Model", "as_weighting", "threads"]


@dataclass(frozen=True)
class Model:
    problem: Problem
    weights: Weights
    plan: Plan
    ids: NDArray[np.int64]
    """(n,) stable, never reused"""
    next_id: int

    @property
    def table(self) -> CaseTable:
        return self.problem.table

    @property
    def target(self) -> Target:
        return self.problem.target

    @property
    def engine(self) -> Engine:
        return self.plan.engine

    @property
    def distance(self) -> Distance:
        return self.plan.engine.distance

    @classmethod
    def of(
        cls,
        problem: Problem,
        weights: Weights,
        ids: NDArray[np.int64],
        next_id: int,
        n_jobs: int | None,
        engine: str = "auto",
    ) -> Model:
        weights = _useful(weights)
        distance = Distance(problem.metric, weights, problem.stored)
        return cls(problem, weights, plan(distance, engine, threads(n_jobs)), ids, next_id)

    def under(self, weights: Any, n_jobs: int | None) -> Engine:
        """The engine of these cases under other weights, for one call: an array, a dict, or weights of any shape."""
        if weights is None:
            return self.engine
        if isinstance(weights, Weights):
            weights = UserWeights(weights).learn(self.problem)
        else:
            array = None if isinstance(weights, dict) else np.asarray(weights, dtype=np.float64)
            if array is not None and array.ndim == 2:
                weights = PerQuery(array, self.problem.features)
            else:
                weights = UserWeights(weights).learn(self.problem)
        return plan(Distance(self.problem.metric, weights, self.problem.stored), "auto", threads(n_jobs)).engine

    def payload(self, vote_weights: NDArray[np.float64]) -> Payload:
        """What a case brings to the vote: its weight into its class, or weight and weight * number."""
        target = self.target
        if target.classes is not None:
            return Payload(target.values, vote_weights[:, None], target.n_classes)
        values = np.stack([vote_weights, vote_weights * target.values], axis=1)
        return Payload(np.zeros(len(target), dtype=np.intp), values, 1)


def _useful(weights: Weights) -> Weights:
    """Weights that are 0 for every feature would put every case at distance 0: they fall back to 1 each."""
    if not isinstance(weights, Global) or weights.values.any():
        return weights
    warn("The weights of all features are 0, so no feature counts: all get the same weight.")
    return Global(np.ones(len(weights.features)), weights.features)


def as_weighting(given: Any) -> Weighting:
    """A fresh weighting from an id, a weighting, an array, a dict or weights."""
    if isinstance(given, str):
        return get(given)
    if isinstance(given, Weighting):
        return type(given)(**given.get_params(deep=False))
    return UserWeights(given)


def threads(n_jobs: int | None) -> int:
    """Threads from n_jobs: None and -1 mean all cores; workers of joblib keep to their share."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        share = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, int(share)) if share.isdigit() and int(share) > 0 else cores
    return max(1, min(cores, n_jobs if n_jobs > 0 else cores + 1 + n_jobs))


def stays_exact(weighting: Weighting) -> bool:
    """Whether weights after adding or forgetting cases equal those of a batch fit."""
    return isinstance(weighting, Mergeable) or weighting.id in ("none", "user")
