"""DIET: a search through a few values of each weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import check_whole
from nearwise.progress import stage
from nearwise.statistics.trials.changes import Changes
from nearwise.weighting.base import Problem, with_parameters
from nearwise.weighting.budget import Budget
from nearwise.weighting.place import FEEDBACK_GLOBAL
from nearwise.weighting.sample import MAX_CASES
from nearwise.weighting.selecting import Found, Scorer, Searching, check_choice

__all__ = ["Diet"]

Levels = NDArray[np.int64]
Key = tuple[float, int, int, tuple[int, ...]]

ROUNDS = 100_000
"""more steps than any search takes: each one must find something better within ``patience``"""


@with_parameters
class Diet(Searching):
    r"""Weights from a few values, searched for by how well the cases classify each other.

    .. math:: w_f \in \{0, \tfrac1k, \tfrac2k, \dots, 1\}, \qquad w = \arg\max_w a(w)

    a(w) is the accuracy of the nearest neighbours under the weights w, by ten-fold cross-validation; k is ``levels``.
    A step tries every vector in which one weight is one value higher or lower. ``search="best-first"`` goes on from
    the best vector that was not yet expanded, wherever that is, and ends after ``patience`` steps without a better one;
    ``"hill-climbing"`` goes on from the best neighbour and ends at the first step that finds no better one. With
    ``levels=1`` it selects features. Equal accuracies go to fewer features, then to the smaller sum of weights, then
    to larger weights of features that are first in canonical order; all weights 0 is never tried.

    Reading: the search starts at equal weights of 1 (``start="full"``), plain nearest neighbours, which it can
    only improve on. The distance is the sum of w * delta^2 (K12). The folds are the same for all vectors; ranges and
    tables are those of all cases (K6, V7).

    Parameters
    ----------
    levels : int
        k, the number of values above 0.
    search : "best-first" or "hill-climbing"
        How the search goes on.
    start : "full", "middle" or "empty"
        Weights at the start: 1, the value in the middle, or 0.
    patience : int
        Steps of the best-first search without a better vector after which it ends.
    folds : None, int or array
        Stratified folds, or the fold of each case; None leaves one out.
    n_neighbors, vote, max_time, random_state, n_jobs, max_cases
        As of `Forward`.

    Notes
    -----
    Attributes: ``weights_`` (Global), ``score_``, ``history_`` (every better vector, with its ``values``),
    ``stopped_``, ``sampled_``.

    References: kohavi1997.

    >>> X = [[i, 7 * i % 11] for i in range(10)]
    >>> Diet(levels=2, folds=None).fit(X, list("uuuuuvvvvv")).weights_
    Global(2 features; x0: 0.5, x1: 0)
    """

    id = "diet"
    place = FEEDBACK_GLOBAL
    how_long = "at least about"
    reference = "kohavi1997, wettschereck1997"
    check_parameters = {"levels": 1, "folds": 5, "search": "hill-climbing"}  # noqa: RUF012 - a constant of the class

    levels: int = 2
    search: str = "best-first"
    start: str = "full"
    patience: int = 5
    folds: Any = 10
    n_neighbors: Any = 1
    vote: str = "majority"
    max_time: float | None = None
    random_state: Any = None
    n_jobs: int | None = None
    max_cases: int | None = MAX_CASES

    def _check(self, problem: Problem) -> None:
        check_whole("levels", self.levels, 1)
        check_whole("patience", self.patience, 1)
        check_choice("search", self.search, ("best-first", "hill-climbing"))
        check_choice("start", self.start, ("full", "middle", "empty"))

    def _search(self, scorer: Scorer, found: Found, budget: Budget, problem: Problem) -> None:
        p = len(found.names)
        at = {"full": self.levels, "middle": (self.levels + 1) // 2, "empty": 0}[self.start]
        first = np.full(p, at, dtype=np.int64)
        with stage(1.0, self.patience * p):
            score = scorer.one(first / self.levels) if at else -np.inf
        best = _key(score, first)
        waiting: dict[bytes, Key] = {first.tobytes(): best}
        known = set(waiting)
        if at:
            self._better(best, "start", found, budget)
        stale = 0
        for _ in budget.rounds(ROUNDS, expected=self.patience):
            if not waiting:
                return
            expanded = min(waiting, key=lambda name: waiting[name])
            del waiting[expanded]
            for key in self._successors(np.frombuffer(expanded, dtype=np.int64), scorer, known):
                waiting[_levels(key).tobytes()] = key
            if self.search == "hill-climbing":
                waiting = {name: key for name, key in waiting.items() if key < best}
            leader = min(waiting.values(), default=best)
            if leader < best:
                best, stale = leader, 0
                self._better(best, "better", found, budget)
            else:
                stale += 1
            if stale >= (self.patience if self.search == "best-first" else 1):
                return

    def _successors(self, levels: Levels, scorer: Scorer, known: set[bytes]) -> list[Key]:
        """The vectors, not seen before, in which one weight is one value lower or higher."""
        features, values = [], []
        for step in (-1, 1):
            for f in np.flatnonzero((levels + step >= 0) & (levels + step <= self.levels)):
                moved = levels.copy()
                moved[f] += step
                if moved.any() and moved.tobytes() not in known:
                    known.add(moved.tobytes())
                    features.append(int(f))
                    values.append(moved[f] / self.levels)
        if not features:
            return []
        changes = Changes.of(levels / self.levels, features, values)
        vectors = np.rint(changes.vectors() * self.levels).astype(np.int64)
        return [_key(score, vector) for score, vector in zip(scorer(changes), vectors, strict=True)]

    def _better(self, key: Key, change: str, found: Found, budget: Budget) -> None:
        weights = _levels(key) / self.levels
        found.tell(change, weights, -key[0], values=found.problem.to_users(weights).tolist())
        found.keep(weights, -key[0])
        budget.has_result = True


def _key(score: float, levels: Levels) -> Key:
    """Smaller is better: accuracy, then fewer features, then the smaller sum, then large weights first."""
    return -float(score), int((levels > 0).sum()), int(levels.sum()), tuple((-levels).tolist())


def _levels(key: Key) -> Levels:
    return -np.array(key[-1], dtype=np.int64)
