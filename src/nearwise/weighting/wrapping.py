"""What methods share that try weights on the cases: parameters checked, folds drawn, and warnings."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import warn
from nearwise.search.threads import threads
from nearwise.statistics.draws.folds import given_folds
from nearwise.statistics.draws.seeds import seed_of
from nearwise.statistics.trials.classes import Evaluator
from nearwise.statistics.trials.numbers import NumberEvaluator
from nearwise.weighting.base import Problem, Weighting
from nearwise.weighting.place import FEEDBACK_GLOBAL
from nearwise.weights import Global, Weights

__all__ = ["CASES_A_FEATURE", "Wrapper", "cannot_learn", "evaluator", "warn_of_chance"]

CASES_A_FEATURE = 5
"""with fewer cases a feature, a search finds weights that suit the cases by chance"""


LEARNED = ("population_", "accuracies_", "history_", "accuracy_", "n_generations_", "seed_", "stopped_")


class Wrapper(Weighting):
    """A search that tries whole weight vectors on folds; a method writes `_search`."""

    numbers = "own"
    place = FEEDBACK_GLOBAL

    folds: Any
    random_state: Any
    n_jobs: int | None

    def _check(self, problem: Problem) -> None:
        """Parameters of the method."""

    @abstractmethod
    def _search(self, scorer: Evaluator, problem: Problem) -> NDArray[np.float64]:
        """(p,) the weights."""

    def _learn(self, problem: Problem) -> Weights:
        self._check(problem)
        why = cannot_learn(problem)
        if why:  # nothing is searched, and nothing of an earlier fit may stay behind
            for name in LEARNED:
                vars(self).pop(name, None)
            return Global(self._even(problem, why), problem.features)
        warn_of_chance(problem, self.id)
        self.seed_ = self._seed()
        scorer = evaluator(problem, self.folds, self.seed_, self.n_jobs)
        return Global(self._search(scorer, problem), problem.features)

    def _seed(self) -> int:
        return seed_of(self.random_state)

    def _even(self, problem: Problem, why: str) -> NDArray[np.float64]:
        """(p,) equal weights that sum to 1, and a warning unless a single feature is the reason."""
        p = len(problem.features)
        if p > 1:
            warn(f"{why}: all features get the same weight.")
        return np.full(p, 1.0 / p)


def evaluator(problem: Problem, folds: Any, seed: int, n_jobs: int | None, by_distance: bool = False) -> Evaluator:
    """Counts right answers by folds, or how near predicted numbers are; None leaves one out. Majority votes (K11)."""
    folds = problem.by_case(folds)
    if folds is not None:
        folds = given_folds(folds, problem.metric, problem.cases, problem.target, seed)
    made = NumberEvaluator if problem.target.classes is None else Evaluator
    return made(problem.metric, problem.cases, problem.target, folds, by_distance, threads(n_jobs))


def cannot_learn(problem: Problem, needed: int = 2) -> str:
    """Why no weights can be told apart on these cases; empty where they can."""
    if len(problem.table) < needed:
        return f"There is {len(problem.table)} case only, and it cannot be classified by others"
    if problem.target.classes is None:
        if problem.target.variance <= 0:
            return "The target is the same number in every case, which any weights get right"
    elif (problem.target.class_weights > 0).sum() < 2:
        return "There is one class only, which any weights get right"
    if len(problem.features) < 2:
        return "There is one feature only, whose weight changes nothing"
    return ""


def warn_of_chance(problem: Problem, method: str) -> None:
    n, p = len(problem.table), len(problem.features)
    if n < CASES_A_FEATURE * p:
        warn(
            f"{n} cases for {p} features: {method!r} picks weights by how well they do on these cases, and with fewer "
            f"than {CASES_A_FEATURE} cases a feature much of that is chance. Compare with 'mdw' or 'none' on cases "
            "it has not seen."
        )
