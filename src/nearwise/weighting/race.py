"""Races between sets of features: cases are asked one after the other, and who is surely worse drops out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.errors import InputError, check_whole, check_whole_or_none
from nearwise.progress import counted
from nearwise.statistics.trials.changes import Changes
from nearwise.weighting.base import Problem, with_parameters
from nearwise.weighting.budget import Budget
from nearwise.weighting.place import FEEDBACK_SELECTION
from nearwise.weighting.sample import MAX_CASES
from nearwise.weighting.selecting import (
    DIGITS,
    Array,
    Found,
    Scorer,
    Searching,
    case_order,
    check_amount,
    check_choice,
)

__all__ = ["Race"]

Ints = NDArray[np.intp]

ENOUGH = 30
"""cases after which the normal bound may be used"""


@dataclass(frozen=True)
class Outcome:
    """The winner of a race and how it was found."""

    winner: int
    score: float
    """on the cases asked before the race was decided"""
    cases: int
    left: Ints
    """who was never rejected"""
    asked: int
    """classifications of one case under one set"""


@with_parameters
class Race(Searching):
    r"""Stepwise selection in which sets race: after every few cases those that are surely worse drop out.

    .. math:: S \text{ drops out if } \bar d_t(S) - h_t > -\gamma, \qquad
              \bar d_t(S) = \frac1t \sum_{i \le t} \bigl(e_i(S) - e_i(S^*)\bigr)

    e_i(S) is 1 where the k nearest neighbours with the features S alone classify case i wrong, leaving it out; cases
    come in random order; S* is the best set so far on the t cases asked, and gamma is ``indifference``. The half width
    h_t holds for all sets and all looks of a race together with probability 1 - ``delta``. Each step is one race of
    the set at hand and all sets that differ from it in one feature; the winner is the next set, and the search
    ends when the set at hand wins. With ``delta=0`` nothing is ever rejected: plain hill climbing.

    ``bound="hoeffding"``: h = 2 sqrt(ln(1/delta') / (2t)), as the difference of two errors lies in [-1, 1]; it assumes
    nothing. ``bound="normal"``: h = z s_d / sqrt(t) with the standard deviation s_d of the paired differences, from 30
    cases on; much narrower, since sets that differ in one feature mostly err on the same cases. delta' is delta over
    sets times looks. Where the target is a number, e is the squared error over the variance of the target, of which
    Hoeffding's bound takes the largest that there can be.

    Reading: a race per step ("stepwise"), not Moore and Lee's schemata, which race single features while the others
    are drawn at random. A race ends with one set left or with all cases asked; then the lowest error wins, equals going
    to fewer features, then to the first in canonical order. The order of cases is drawn from their content and the
    seed, not from their place. Ranges and tables are those of all cases (K6, V7).

    Parameters
    ----------
    delta : float
        Probability that a race rejects its best set.
    bound : "normal" or "hoeffding"
        What the half width rests on.
    indifference : float
        An advantage in accuracy that is not worth asking more cases for.
    block : int
        Cases between two looks.
    direction : "both", "forward" or "backward"
        Whether features are taken in, left out or both; only "backward" starts with all of them.
    n_neighbors : int
        k of the classifier.
    vote, max_features, max_time, random_state, n_jobs, max_cases
        As of `Forward`.

    Notes
    -----
    Attributes: ``weights_`` (Global of 0 and 1), ``score_`` (on the cases asked in the last race), ``history_``
    (with ``cases`` asked and sets ``left`` of each race), ``n_classified_`` (cases classified, over all sets),
    ``stopped_``, ``sampled_``.

    References: moore1994; maron1997; hoeffding1963.

    >>> X = [[i % 7, i] for i in range(40)]
    >>> Race(delta=0.05).fit(X, [i > 19 for i in range(40)]).weights_
    Global(2 features; x1: 1, x0: 0)
    """

    id = "race"
    place = FEEDBACK_SELECTION
    reference = "moore1994, maron1997, hoeffding1963, wettschereck1997"
    caution = "right in 78.2% where none is in 80.9% and default in 84.1% (12 tables of at most 500 cases)"

    delta: float = 0.05
    bound: str = "normal"
    indifference: float = 0.0
    block: int = 16
    direction: str = "both"
    n_neighbors: int = 1
    vote: str = "majority"
    max_features: int | None = None
    max_time: float | None = None
    random_state: Any = None
    n_jobs: int | None = None
    max_cases: int | None = MAX_CASES

    def _check(self, problem: Problem) -> None:
        check_whole("n_neighbors", self.n_neighbors, 1)
        check_whole("block", self.block, 1)
        check_whole_or_none("max_features", self.max_features, 1)
        check_choice("bound", self.bound, ("normal", "hoeffding"))
        check_choice("direction", self.direction, ("both", "forward", "backward"))
        check_amount("indifference", self.indifference)
        check_amount("delta", self.delta)
        if self.delta >= 1:
            raise InputError(f"delta={self.delta!r}: expected a probability below 1; 0 rejects nothing.")
        self.n_classified_ = 0

    def _search(self, scorer: Scorer, found: Found, budget: Budget, problem: Problem) -> None:
        p = len(found.names)
        chosen = np.ones(p) if self.direction == "backward" else np.zeros(p)
        order = case_order(problem, scorer.seed)
        seen = {chosen.tobytes()}
        if chosen.any():
            found.keep(chosen, float("nan"))
            budget.has_result = True
        for _ in budget.rounds(2**p if p < 20 else 2**20, expected=p):
            changes = self._entrants(chosen)
            outcome = self.race(scorer, changes, order, problem.target.weights)
            self.n_classified_ += outcome.asked
            feature, value = int(changes.features[outcome.winner]), changes.values[outcome.winner]
            stays = chosen[feature] == value
            before, chosen = chosen, changes.vectors()[outcome.winner]
            change = "stays" if stays else f"{'+' if value else '-'} {found.names[feature]}"
            found.tell(change, chosen, outcome.score, cases=outcome.cases, left=len(outcome.left))
            found.keep(chosen, outcome.score)
            budget.has_result = True
            if stays or chosen.tobytes() in seen or np.array_equal(before, chosen):
                return
            seen.add(chosen.tobytes())

    def _entrants(self, chosen: Array) -> Changes:
        """The set at hand, if it has features, and its neighbours; fewer features first, for ties."""
        size, limit = int(chosen.sum()), self.max_features or len(chosen)
        out = np.flatnonzero(chosen)[::-1] if self.direction != "forward" and size > 1 else np.zeros(0, dtype=np.intp)
        into = np.flatnonzero(chosen == 0) if self.direction != "backward" and size < limit else out[:0]
        stays = np.zeros(1 if size and size <= limit else 0, dtype=np.intp)
        features = np.concatenate([out, stays, into])
        values = np.concatenate([np.zeros(len(out)), chosen[stays], np.ones(len(into))])
        return Changes.of(chosen, features, values)

    def race(self, scorer: Scorer, changes: Changes, order: Ints, weights: Array) -> Outcome:
        """Ask cases in this order until one set is left or all cases were asked."""
        share = weights / weights.mean() if weights.sum() > 0 else np.ones(len(weights))
        looks = math.ceil(len(order) / self.block)
        chance = self.delta / (len(changes) * looks)
        left = np.arange(len(changes))
        wrong = np.zeros((len(changes), len(order)))
        asked = cases = 0
        for start in counted(range(0, len(order), self.block), looks):
            rows = order[start : start + self.block]
            right = scorer.changes.right(changes.take(left), scorer.k, rows)[:, :, -1]
            wrong[left, start : start + len(rows)] = (1.0 - right) * share[rows]
            cases, asked = start + len(rows), asked + len(rows) * len(left)
            errors = np.round(wrong[left, :cases].sum(axis=1), DIGITS)
            best = left[int(errors.argmin())]  # the first of equals: fewer features, then the earlier one
            gaps = wrong[left, :cases] - wrong[best, :cases]
            surely = (
                gaps.mean(axis=1) - self._half_width(gaps, chance, share.max() * scorer.largest_error)
                > -self.indifference
            )
            left = left[~surely | (left == best)]
            if len(left) == 1:
                break
        errors = np.round(wrong[left, :cases].sum(axis=1), DIGITS)
        winner = int(left[int(errors.argmin())])
        score = 1.0 - float(errors.min()) / max(float(share[order[:cases]].sum()), 1e-300)
        return Outcome(winner, round(score, DIGITS), cases, left, asked)

    def _half_width(self, gaps: Array, chance: float, largest: float) -> Array:
        """(c,) by how much the mean difference of the errors may be off."""
        c, t = gaps.shape
        if chance <= 0 or (self.bound == "normal" and t < ENOUGH):
            return np.full(c, np.inf)
        if self.bound == "hoeffding":
            return np.full(c, 2.0 * largest * math.sqrt(math.log(1.0 / chance) / (2.0 * t)))
        return np.asarray(NormalDist().inv_cdf(1.0 - chance) * gaps.std(axis=1, ddof=1) / math.sqrt(t))
