"""Features taken in or left out one at a time, by how well the cases classify each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearwise.errors import check_whole, check_whole_or_none
from nearwise.progress import stage
from nearwise.statistics.trials.changes import Changes
from nearwise.weighting.base import Problem, with_parameters
from nearwise.weighting.budget import Budget
from nearwise.weighting.place import FEEDBACK_SELECTION
from nearwise.weighting.sample import MAX_CASES
from nearwise.weighting.selecting import Found, Scorer, Searching, check_amount

__all__ = ["Backward", "Forward", "eliminate"]


@with_parameters
class Stepwise(Searching):
    """The parameters of both directions."""

    n_neighbors: Any = 1
    folds: Any = None
    vote: str = "majority"
    max_features: int | None = None
    tol: float = 0.0
    patience: int = 1
    max_time: float | None = None
    random_state: Any = None
    n_jobs: int | None = None
    max_cases: int | None = MAX_CASES

    def _check(self, problem: Problem) -> None:
        check_whole_or_none("max_features", self.max_features, 1)
        check_whole("patience", self.patience, 1)
        check_amount("tol", self.tol)

    def _limit(self, p: int) -> int:
        return p if self.max_features is None else min(p, self.max_features)


class Forward(Stepwise):
    r"""Features taken in one at a time, always the one that helps the classifier most.

    .. math:: S_{t+1} = S_t \cup \{\arg\max_{f \notin S_t} a(S_t \cup \{f\})\}, \qquad w_f = [f \in S_{t^*}]

    a(S) is the accuracy of k nearest neighbours with the features S alone, leaving one case out or over folds. The
    search starts without features, takes at least one, and ends when ``patience`` steps in a row have not raised
    the accuracy by more than ``tol``; the best set on the way counts. Equal accuracies go to fewer features, then to
    the first in canonical order. Where the target is a number, neighbours predict their mean and R squared stands for
    the accuracy, here and in all searches.

    Reading: ranges of numbers and tables of symbols are those of all cases (K6, V7); the vote is a majority with fair
    ties. The accuracy that chose the features flatters them: measure on other cases.

    Parameters
    ----------
    n_neighbors : int or "loo"
        k of the classifier; "loo" judges each set by its best k (up to 50).
    folds : None, int or array
        None leaves one out; a number of stratified folds, or the fold of each case.
    vote : "majority" or "distance"
        How neighbours vote.
    max_features : int or None
        The largest set tried.
    tol : float
        An accuracy has risen if it is larger by more than this.
    patience : int
        Steps without a rise after which the search ends.
    max_time : float or None
        Seconds; the best set so far is kept.
    random_state : int or None
        Seed of the folds; None is a fixed seed.
    n_jobs : int or None
        Threads.
    max_cases : int or None
        Where there are more cases, so many learn: of each class its share, drawn by their content and the seed. None
        learns from all.

    Attributes
    ----------
    weights_ : Global
        1 for the features kept, 0 for the others.
    score_ : float
        Accuracy of the set.
    history_ : list
        Of every step the change, the features and the score.
    stopped_ : str
        Why the search ended early: "time", "interrupt" or nothing.
    sampled_ : dict or None
        How many "cases" were drawn, "of" how many, and the "error" that their accuracy keeps to with the "confidence".

    Notes
    -----
    References: aha1996; john1994.

    >>> X = [[i, 7 * i % 11] for i in range(10)]
    >>> Forward().fit(X, list("uuuuuvvvvv")).weights_
    Global(2 features; x0: 1, x1: 0)
    """

    id = "forward"
    place = FEEDBACK_SELECTION
    reference = "aha1996, john1994, wettschereck1997"
    caution = "right in 78.3% where none is in 80.9% and default in 84.1% (12 tables of at most 500 cases)"

    def _search(self, scorer: Scorer, found: Found, budget: Budget, problem: Problem) -> None:
        chosen = np.zeros(len(found.names))
        stale, p = 0, len(chosen)
        limit = self._limit(p)
        for _ in budget.rounds(limit, costs=[2.0 * p - taken for taken in range(limit)]):
            free = np.flatnonzero(chosen == 0)
            scores = scorer(Changes.of(chosen, free, 1.0))
            best = int(scores.argmax())  # the first of equals
            chosen[free[best]] = 1.0
            found.tell(f"+ {found.names[free[best]]}", chosen, scores[best])
            if scores[best] > found.score + self.tol:
                found.keep(chosen, scores[best])
                budget.has_result, stale = True, 0
            else:
                stale += 1
            if stale >= self.patience or found.score >= 1.0:
                return


class Backward(Stepwise):
    r"""Features left out one at a time, always the one that the classifier misses least.

    .. math:: S_{t+1} = S_t \setminus \{\arg\max_{f \in S_t} a(S_t \setminus \{f\})\}, \qquad w_f = [f \in S_{t^*}]

    a(S) is the accuracy of k nearest neighbours with the features S alone. The search starts with all features, keeps
    at least one, and ends when ``patience`` steps in a row have lost more than ``tol`` against the best accuracy seen;
    of the sets within ``tol`` of it the smallest counts. Equal accuracies leave out the last in canonical order.
    With ``max_features`` it goes on until so few are left, whatever that costs.

    Unlike `Forward` it sees features that matter only together, since it starts with all of them.

    Parameters and attributes: those of `Forward`, except that ``tol`` is what may be lost.

    Reading: ranges of numbers and tables of symbols are those of all cases (K6, V7).

    References: aha1996; john1994.

    >>> X = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in range(5)]
    >>> Backward().fit(X, [a != b for a, b, _ in X]).weights_
    Global(3 features; x0: 1, x1: 1, x2: 0)
    """

    id = "backward"
    place = FEEDBACK_SELECTION
    reference = "aha1996, john1994, wettschereck1997"
    caution = (
        "no better than plain neighbours, and slower: right in 80.6% where none is in 80.9% and default in 84.1% "
        "(12 tables of at most 500 cases)"
    )

    def _search(self, scorer: Scorer, found: Found, budget: Budget, problem: Problem) -> None:
        eliminate(scorer, found, budget, self._limit(len(found.names)), self.tol, self.patience)


def eliminate(scorer: Scorer, found: Found, budget: Budget, limit: int, tol: float, patience: int) -> None:
    """Leave out one feature after the other, down to ``limit`` in any case, then while no more than tol is lost."""
    chosen = np.ones(len(found.names))
    p = len(chosen)
    costs = [2.0 * p - left_out for left_out in range(p - 1)]  # of the features that stay and the sets that are tried
    with stage(p, p + sum(costs)):
        top = scorer.one(chosen)
    found.tell("all", chosen, top)
    found.keep(chosen, top)
    budget.has_result = True
    stale = 0
    for _ in budget.rounds(p - 1, costs=costs, before=p):
        held = np.flatnonzero(chosen)[::-1]  # of equals the last feature goes
        scores = scorer(Changes.of(chosen, held, 0.0))
        best = int(scores.argmax())
        chosen[held[best]] = 0.0
        found.tell(f"- {found.names[held[best]]}", chosen, scores[best])
        must = len(held) > limit  # the set before was too large
        if must or scores[best] >= top - tol:
            top = scores[best] if must else max(top, scores[best])
            found.keep(chosen, scores[best])
            stale = 0
        else:
            stale += 1
        if stale >= patience:
            return
