"""What an estimator has learned, in one immutable piece: cases, metric, weights and the engine over them.

Adding or forgetting cases makes a new model; readers on other threads keep the one they hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.differences.metric import Measured, power
from nearwise.errors import InputError, warn
from nearwise.estimators.local_scale import LocalScale
from nearwise.search import Distance, Plan, plan
from nearwise.search.base import Engine, Floats
from nearwise.search.index.added import with_added
from nearwise.search.threads import threads
from nearwise.vote import Vote
from nearwise.weighting import Mergeable, Problem, Weighting, get
from nearwise.weighting.user import UserWeights
from nearwise.weights import Global, PerQuery, Weights
from nearwise.weights.labels import has_rows

__all__ = [
    "Model",
    "as_weighting",
    "gone_and_kept",
    "relearned",
    "stays_exact",
    "tell_that_weights_stay",
    "together_factors",
    "trusting",
    "useful",
]


@dataclass(frozen=True)
class Model:
    problem: Problem
    weights: Weights
    plan: Plan
    ids: NDArray[np.int64]
    """(n,) stable, never reused"""
    next_id: int
    case_factors: Floats | None = None
    """(n,) what the distance of each stored case is multiplied by; None where all are trusted alike"""
    local: LocalScale | None = None
    """the scales of local scaling, whose factors come on top"""
    learned: Weights | None = None
    """the weights as they were learned, where a critique has changed them"""

    @property
    def learned_weights(self) -> Weights:
        return self.weights if self.learned is None else self.learned

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
        return self.plan.distance

    @classmethod
    def of(
        cls,
        problem: Problem,
        weights: Weights,
        ids: NDArray[np.int64],
        next_id: int,
        n_jobs: int | None,
        engine: str = "auto",
        case_factors: Floats | None = None,
        local: LocalScale | None = None,
        planned: Callable[[Distance, str, int], Plan] | None = None,
    ) -> Model:
        _check_classes(weights, problem)
        factors = together_factors(case_factors, local)
        distance = Distance(problem.metric, trusting(weights, factors, problem), problem.stored)
        made = (planned or plan)(distance, engine, threads(n_jobs))
        return cls(problem, weights, made, ids, next_id, case_factors, local)

    def changed(
        self, problem: Problem, weights: Weights, ids: NDArray[np.int64], next_id: int, kept: NDArray[np.intp],
        n_jobs: int | None, engine: str,
    ) -> Model:  # fmt: skip
        """The model after cases were added or forgotten; ``kept`` are the cases that stayed, which come first."""
        distance = Distance(problem.metric, weights, problem.stored)
        reused = with_added(self.engine, distance, kept, threads(n_jobs))
        chosen = plan(distance, engine, threads(n_jobs)) if reused is None else Plan(reused, self.plan.rejected)
        return Model(problem, weights, chosen, ids, next_id, None)

    def is_scaled(self, engine: Engine) -> bool:
        """Whether the sums of an engine are locally scaled: those under weights tried for one call are not."""
        return self.local is not None and engine is self.engine

    def query_factors(self, engine: Engine, queries: Measured, leave_out: NDArray[np.intp] | None) -> Floats:
        """(m,) what distances from each query are multiplied by; 1 where nothing is scaled."""
        if self.local is None or not self.is_scaled(engine):
            return np.ones(len(queries))
        return self.local.query_factors(queries, leave_out)

    def root_for(
        self, rule: Vote | None, queries: Measured, rows: Any, leave_out: Any, engine: Engine | None = None
    ) -> Callable[[Floats], Floats]:
        """What gives the vote distances of some of the queries: scaled, where it matters to the vote."""
        root = self.problem.metric.root
        if not self.is_scaled(engine or self.engine) or rule is None or not rule.absolute:
            return root
        skip = None if leave_out is None else leave_out[rows]
        factors = self.query_factors(self.engine, queries.take(rows), skip)
        return lambda sums: np.asarray(root(sums) * factors[:, None])

    def under(self, weights: Any, n_jobs: int | None) -> Engine:
        """The engine of these cases under other weights, for one call: an array, a dict, or weights of any shape."""
        if weights is None:
            return self.engine
        weights = self._tried(weights)
        _check_classes(weights, self.problem)
        weights = trusting(weights, self.case_factors, self.problem)  # scales are those of the learned weights
        return plan(Distance(self.problem.metric, weights, self.problem.stored), "auto", threads(n_jobs)).engine

    def _tried(self, given: Any) -> Weights:
        """Weights given with a call: one row per query of an array or of a data frame, else one number per feature."""
        if not isinstance(given, Weights) and has_rows(given):
            return PerQuery(given, self.problem.features)
        return UserWeights(given).learn(self.problem)


def useful(weights: Weights) -> Weights:
    """Weights that are 0 for every feature would put every case at distance 0: they fall back to 1 each."""
    if not isinstance(weights, Global) or weights.values.any():
        return weights
    warn("The weights of all features are 0, so no feature counts: all get the same weight.")
    return Global(np.ones(len(weights.features)), weights.features)


def _check_classes(weights: Weights, problem: Problem) -> None:
    """Refuse weights by class where cases have none: a number of the target is not the row of a class."""
    if getattr(weights, "classes", ()) and problem.target.classes is None:
        raise InputError(
            f"Weights of the shape {weights.shape!r} with a row per class need cases with classes, and there are none "
            "here: use KNNClassifier, or weights that do not depend on the class."
        )


def together_factors(case_factors: Floats | None, local: LocalScale | None) -> Floats | None:
    if local is None:
        return case_factors
    return local.case_factors if case_factors is None else local.case_factors * case_factors


def trusting(weights: Weights, factors: Floats | None, problem: Problem) -> Weights:
    """A distance multiplied by a factor is a sum whose terms are multiplied by its p-th power."""
    return weights if factors is None else weights.times(power(factors, problem.metric.p), problem.stored.classes)


def as_weighting(given: Any, random_state: Any = None, n_jobs: int | None = None) -> Weighting:
    """A fresh weighting from an id, a weighting, an array, a dict or weights.

    A method given by its id takes the estimator's random state and threads, where it has use for them.
    """
    if isinstance(given, str):
        made = get(given)
        own = made.get_params(deep=False)
        shared = {"random_state": random_state, "n_jobs": n_jobs}
        return made.set_params(**{name: value for name, value in shared.items() if name in own and value is not None})
    if isinstance(given, Weighting):
        return type(given)(**given.get_params(deep=False))
    return UserWeights(given)


def stays_exact(weighting: Weighting) -> bool:
    """Whether weights after adding or forgetting cases equal those of a batch fit."""
    return isinstance(weighting, Mergeable) or weighting.learns_again or weighting.id in ("none", "user")


def relearned(
    weighting: Weighting, problem: Problem, *, added: Problem | None = None, removed: Problem | None = None
) -> Weights:
    """The weights after cases came or went; where only a fit gives new ones, those of before, with a warning."""
    if isinstance(weighting, Mergeable):
        return weighting.relearn(problem, added=added, removed=removed)
    if stays_exact(weighting):
        return weighting.learn(problem)
    tell_that_weights_stay(weighting)
    return weighting.weights_.aligned(None, problem.metric.levels)


def tell_that_weights_stay(weighting: Weighting) -> None:
    warn(f"The weights of {weighting.id!r} stay as they were before cases were added or forgotten: fit again.")


def gone_and_kept(ids: NDArray[np.int64], case_ids: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows of the cases to forget, by their ids, and those of the cases that stay; ids are ascending."""
    asked = np.unique(np.atleast_1d(np.asarray(case_ids)))
    are_numbers = asked.dtype.kind in "iufb"
    at = np.minimum(np.searchsorted(ids, asked), len(ids) - 1) if are_numbers else np.zeros(0, dtype=np.intp)
    absent = asked[ids[at] != asked] if are_numbers else asked
    if len(absent):
        raise InputError(f"There is no stored case with the id {absent[0].item()!r}: the ids are in case_ids_.")
    stays = np.ones(len(ids), dtype=bool)
    stays[at] = False
    gone, kept = np.flatnonzero(~stays), np.flatnonzero(stays)
    if not len(kept):
        raise InputError("All cases would be forgotten: at least one must stay.")
    return gone, kept
