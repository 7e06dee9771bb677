"""Permutation importance: what the classifier loses when the values of a feature are mixed up."""

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
from nearwise.weighting.selecting import DIGITS, Found, Scorer, Searching, case_order

__all__ = ["Permutation"]

Array = NDArray[np.float64]

DEARER = 6.0
"""what a permutation of every feature costs over the plain accuracy, about"""


@with_parameters
class Permutation(Searching):
    r"""The accuracy that nearest neighbours lose when a query comes with another case's value of the feature.

    .. math:: s_f = \frac1R \sum_{r=1}^R \bigl(a - a_{f, \pi_r}\bigr), \qquad w_f = \max(0, s_f)

    a is the leave-one-out (or fold) accuracy of k nearest neighbours with equal weights, a with f and pi the same where
    every query i has the value of case pi(i) in feature f; the stored cases keep theirs. ``repeats`` random
    permutations R. A feature that says nothing, or hurts, has s around or below 0 and weight 0. Works for every
    kind of feature.

    Reading: the permutations are drawn from the content of the cases and the seed, so the order of rows does not
    matter. Ranges and tables are those of all cases (K6, V7).

    Parameters
    ----------
    n_neighbors : int or "loo"
        k; "loo" takes the k that is best with equal weights and all values in place.
    repeats : int
        Permutations a feature.
    folds, vote, max_time, random_state, n_jobs, max_cases
        As of `Forward`; time is looked at after every permutation.

    Notes
    -----
    Attributes: ``weights_`` (Global), ``scores_`` (p,) mean losses, negative ones too, ``spread_`` (p,) their standard
    deviation over the permutations, ``score_`` (accuracy with all values in place), ``history_`` (empty),
    ``stopped_``, ``sampled_``.

    References: breiman2001, sect. 10; fisher2019.

    >>> X = [[i, 7 * i % 11] for i in range(30)]
    >>> Permutation().fit(X, [i > 14 for i in range(30)]).scores_.round(1)
    array([ 0.4, -0.1])
    """

    id = "permutation"
    place = FEEDBACK_GLOBAL
    reference = "breiman2001, fisher2019"
    how_long = "about"

    n_neighbors: Any = 1
    repeats: int = 5
    folds: Any = None
    vote: str = "majority"
    max_time: float | None = None
    random_state: Any = None
    n_jobs: int | None = None
    max_cases: int | None = MAX_CASES

    def _check(self, problem: Problem) -> None:
        check_whole("repeats", self.repeats, 1)
        self.scores_ = self.spread_ = np.full(len(problem.features), np.nan)

    def _search(self, scorer: Scorer, found: Found, budget: Budget, problem: Problem) -> None:
        n, p = len(problem.table), len(found.names)
        with stage(1.0, 1.0 + DEARER * self.repeats):
            plain = np.round(scorer.changes.accuracies(Changes.none(np.ones(p)), scorer.k)[0], DIGITS)
        k = int(plain.argmax()) + 1 if scorer.is_open else scorer.k
        found.score = plain[k - 1]
        order = case_order(problem, scorer.seed)
        changes = Changes.of(np.ones(p), np.arange(p), 1.0)
        losses = []
        for step in budget.rounds(self.repeats, costs=[DEARER] * self.repeats, before=1.0):
            stand_in = np.empty(n, dtype=np.intp)
            stand_in[order] = order[np.random.default_rng([scorer.seed, step]).permutation(n)]
            mixed = scorer.changes.accuracies(changes, k, np.broadcast_to(stand_in, (p, n)))[:, -1]
            losses.append(np.round(plain[k - 1] - mixed, DIGITS))
            self._keep(losses, found)
            budget.has_result = True

    def _keep(self, losses: list[Array], found: Found) -> None:
        self.scores_, self.spread_ = np.mean(losses, axis=0), np.std(losses, axis=0)
        found.keep(np.maximum(self.scores_, 0.0), found.score)

    def _salvage(self, scorer: Scorer, found: Found) -> bool:
        """Of the first permutation, what the cases asked so far have lost."""
        partial = scorer.changes.partial
        if partial is None or not partial.has_any or not np.isfinite(found.score):
            return False
        self._keep([np.round(found.score - partial.accuracies[:, -1], DIGITS)], found)
        return True
