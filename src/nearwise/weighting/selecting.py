"""What methods share that search for features, or for a few weights, by how well the cases classify each other.

A step asks about many weight vectors that differ from a base in one feature, in one call. Equal scores go to fewer
features, then to the first in canonical order, which does not depend on the columns: see `Problem.in_canonical_order`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.errors import InputError, check_choice, check_whole, warn
from nearwise.statistics.draws.folds import shuffled_folds
from nearwise.statistics.draws.seeds import seed_of
from nearwise.statistics.trials.changes import ChangeEvaluator, Changes
from nearwise.statistics.trials.numbers import NumberChanges, NumberEvaluator
from nearwise.weighting.base import Problem, Weighting
from nearwise.weighting.budget import Budget
from nearwise.weighting.sample import MAX_CASES
from nearwise.weighting.wrapping import cannot_learn, evaluator, warn_of_chance
from nearwise.weights import Global, Weights

__all__ = ["Found", "Scorer", "Searching", "case_order", "check_amount", "check_choice"]

Array = NDArray[np.float64]

LARGEST_K = 50
"""of the k tried under n_neighbors="loo" (Reading K4)"""
FEWER = "max_time= ends it at a time, max_cases= learns from fewer cases"
"""the way out of a long search"""
DIGITS = 12
"""scores that agree in so many decimals are equal"""


class Scorer:
    """The accuracy of weight vectors on the folds, or R squared; of the best k where k is left open (Reading K5)."""

    def __init__(
        self, problem: Problem, n_neighbors: Any, folds: Any, vote: str, seed: int, n_jobs: int | None
    ) -> None:
        judge = evaluator(problem, folds, seed, n_jobs, vote == "distance")
        is_number = isinstance(judge, NumberEvaluator)
        self.changes = NumberChanges(judge) if is_number else ChangeEvaluator(judge)
        self.largest_error = judge.largest_error if isinstance(judge, NumberEvaluator) else 1.0
        """the most by which the score of one case can be below 1"""
        self.seed = seed
        self.is_open = n_neighbors == "loo"
        self.k = min(LARGEST_K, max(1, len(problem.table) - 1)) if self.is_open else int(n_neighbors)
        self.asked = 0
        """weight vectors asked about so far"""

    def __call__(self, changes: Changes) -> Array:
        """(c,) scores."""
        self.asked += len(changes)
        return self.of(self.changes.accuracies(changes, self.k))

    def of(self, accuracies: Array) -> Array:
        """(c,) scores from the accuracies (c, k) with 1 .. k neighbours."""
        found = np.round(accuracies, DIGITS)
        return np.asarray(found.max(axis=1) if self.is_open else found[:, -1])

    def one(self, weights: Any) -> float:
        return float(self(Changes.none(weights))[0])


class Found:
    """The best weights of a search so far, and the steps on the way."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.names = problem, problem.features
        self.weights: Array | None = None
        self.score = -np.inf
        self.history: list[dict[str, Any]] = []

    def keep(self, weights: Array, score: float) -> None:
        self.weights, self.score = weights.copy(), float(score)

    def tell(self, change: str, weights: Array, score: float, **more: Any) -> None:
        features = [self.names[f] for f in self.problem.to_users(np.arange(len(self.names))) if weights[f] > 0]
        self.history.append({"change": change, "features": features, "score": float(score), **more})


class Searching(Weighting):
    """A search for weights by feedback: checks, folds, time and what is kept; a method writes `_search`."""

    numbers = "own"
    """a target that is a number is predicted by the mean of the neighbours, and R squared stands for the accuracy"""

    how_long: ClassVar[str] = "up to about"
    """how sure the time is that a search foretells"""

    n_neighbors: Any = 1
    folds: Any = None
    vote: str = "majority"
    max_cases: int | None = MAX_CASES
    max_time: float | None = None
    random_state: Any = None
    n_jobs: int | None = None

    def _search(self, scorer: Scorer, found: Found, budget: Budget, problem: Problem) -> None:
        """Keep the best weights in ``found``, and say so to the budget as soon as there are any."""
        raise NotImplementedError

    def _salvage(self, scorer: Scorer, found: Found) -> bool:
        """Keep the best vector by the cases asked so far, if any; Ctrl-C came before a first step was done."""
        partial = scorer.changes.partial
        if partial is None or not partial.has_any:
            return False
        scores = scorer.of(partial.accuracies)
        best = int(scores.argmax())
        found.keep(partial.changes.vectors()[best], scores[best])
        return True

    def _check(self, problem: Problem) -> None:
        """Parameters of the method."""

    def _learn(self, problem: Problem) -> Weights:
        if not (isinstance(self.n_neighbors, str) and self.n_neighbors == "loo"):
            check_whole("n_neighbors", self.n_neighbors, 1)
        check_choice("vote", self.vote, ("majority", "distance"))
        self._check(problem)
        seed = seed_of(self.random_state)
        found: Found = Found(problem)
        scorer: Scorer | None = None

        def start() -> str:
            if scorer is not None and self._salvage(scorer, found):
                return f"{self.id!r} goes by the cases asked so far"
            found.keep(np.ones(len(found.names)), float("nan"))
            return f"{self.id!r} keeps every feature"

        with Budget(f"search of {self.id!r}", self.max_time, start, FEWER, self.how_long) as budget:
            why = cannot_learn(problem)
            if why:
                self._without_search(found, why)
            else:
                warn_of_chance(problem, self.id)
                scorer = Scorer(problem, self.n_neighbors, self.folds, self.vote, seed, self.n_jobs)
                self._search(scorer, found, budget, problem)
        self.history_, self.score_, self.stopped_ = found.history, found.score, budget.stopped
        if found.weights is None:
            raise InputError("The search found no weights.")
        return Global(found.weights, problem.features)

    def _without_search(self, found: Found, why: str) -> None:
        p = len(found.names)
        if p > 1:
            warn(f"{why}: {self.id!r} keeps every feature.")
        found.keep(np.ones(p), float("nan"))


def check_amount(name: str, given: Any, least: float = 0.0) -> None:
    if isinstance(given, bool | str) or not isinstance(given, int | float | np.number) or not least <= given < np.inf:
        raise InputError(f"{name}={given!r}: expected a number from {least:g}.")


def case_order(problem: Problem, seed: int) -> NDArray[np.intp]:
    """A random order of the cases that depends on what they are and on the seed, not on where they stand."""
    target = Target(problem.target.values, None, problem.target.weights)
    rank = shuffled_folds(problem.metric, problem.cases, target, len(problem.table), seed)
    return np.argsort(rank, kind="stable")
