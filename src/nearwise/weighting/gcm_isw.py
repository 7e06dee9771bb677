"""GCM-ISW: weights of every stored case, blended with common ones by how like it the query is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import BINS
from nearwise.errors import InputError
from nearwise.statistics.trials.online import Pool, first_smallest
from nearwise.weighting.base import Problem, Weighting
from nearwise.weighting.one_pass import OnePass
from nearwise.weighting.place import FEEDBACK_LOCAL
from nearwise.weights import Blended, Weights

__all__ = ["InstanceWeights"]

Array = NDArray[np.float64]

START = 0.5
"""what a pair that says nothing of a feature teaches (Reading G4)"""


class InstanceWeights(Weighting):
    r"""GCM-ISW: every stored case has weights of its own, which count near it; far from it common ones do.

    .. math:: d(x, q) = \sqrt{\sum_f w_f(x, q)\,\delta_f^2}, \qquad
       w_f(x, q) = w_f(x) \sqrt{1 - \delta_f} + w_f \bigl(1 - \sqrt{1 - \delta_f}\bigr)

    For each case q in the given order, x is the nearest case before it of its own class, and then the nearest one of
    another class, both found under the weights at hand. With :math:`a_f = 1 - \delta_f` for the first and
    :math:`a_f = \delta_f` for the second,

    .. math:: w_f(x) \mathrel{+}= \eta \sqrt{1 - \delta_f}\,\bigl(a_f - w_f(x)\bigr), \qquad
       w_f \mathrel{+}= \eta\,\bigl(a_f - w_f\bigr)

    so that the weights of a case learn the more, the more alike the two are. Weights start at 1/2, those of a new case
    at the common ones. All stay between 0 and 1. Symbols differ by 0 or 1. A feature that the missing policy leaves
    out of the pair does not change.

    Reading: beyond a difference of 1 only the common weights count (G1); WAM has the distance and says that updates of
    a case's own weights count more where the two cases are alike; all else of the rule is ours (G2, G4).
    A case of sample weight 0 is skipped; other sample weights do not count.

    Parameters
    ----------
    step : float
        eta, from 0 to 1.
    target_bins : int
        Intervals of about equally many cases into which a target that is a number is cut: they are its classes.

    Attributes
    ----------
    weights_ : Blended
        (n, p) of the cases and (p,) the common ones, which are ``feature_importances_``.
    stopped_ : str
        "interrupt" where Ctrl-C ended the pass, else nothing.

    Notes
    -----
    References: goldstone1992; wettschereck1997, eqs. 26-27.

    >>> learned = InstanceWeights().fit([[0.0], [1.0], [4.0]], ["a", "a", "b"]).weights_
    >>> learned.values.round(4).tolist(), learned.common.round(4).tolist()
    ([[0.5433], [0.57], [0.59]], [0.59])
    """

    id = "gcm-isw"
    numbers = "binned"
    place = FEEDBACK_LOCAL
    reference = "goldstone1992, wettschereck1997"
    shape = "blended"
    status = "from description"
    weighs_cases = False
    by_order = True
    learns_again = True

    stopped_: str

    def __init__(self, step: float = 0.2, target_bins: int = BINS) -> None:
        self.step = step
        self.target_bins = target_bins

    def _learn(self, problem: Problem) -> Weights:
        if not (isinstance(self.step, int | float | np.number) and 0 <= self.step <= 1):
            raise InputError(f"step={self.step!r}: expected a number from 0 to 1.")
        names, target = problem.features, problem.target
        own, common = np.full((len(target), len(names)), START), np.full(len(names), START)
        pool = Pool(problem.metric, problem.cases, asking=problem.asking)
        with OnePass(self.id) as once:
            for case in once.over(np.flatnonzero(target.weights > 0).tolist()):
                for other, is_hit in _neighbours(pool, case, target.values, Blended(own, names, common)):
                    self._update(own[other], common, pool.differences(case, other), is_hit)
                own[case] = common
                pool.add(case)
        self.stopped_ = once.stopped
        return Blended(own, names, common)

    def _update(self, own: Array, common: Array, gaps: Array, is_hit: bool) -> None:
        """Change the weights of one case, and the common ones, in place."""
        known = ~np.isnan(gaps)
        gaps = np.where(known, gaps, 0.0)
        agree = 1.0 - gaps if is_hit else gaps
        own += np.where(known, self.step * np.sqrt(1.0 - gaps) * (agree - own), 0.0)
        common += np.where(known, self.step * (agree - common), 0.0)


def _neighbours(pool: Pool, case: int, classes: NDArray[np.intp], weights: Weights) -> list[tuple[int, bool]]:
    """The nearest case of the same class and the nearest of another, where there are such; True for the first."""
    if not len(pool):
        return []
    ids, sums = pool.ids, pool.sums(case, weights)
    found = []
    for is_hit in (True, False):
        some = np.flatnonzero((classes[ids] == classes[case]) == is_hit)
        if len(some):
            found.append((int(ids[some[first_smallest(sums[some], ids[some])]]), is_hit))
    return found
