"""Directed weights: every stored case learns from feedback how far it reaches to either side of each feature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import BINS
from nearwise.errors import InputError, check_whole
from nearwise.statistics.trials.online import Pool, first_smallest
from nearwise.weighting.base import Problem, Weighting
from nearwise.weighting.one_pass import OnePass
from nearwise.weighting.place import FEEDBACK_LOCAL
from nearwise.weights import DirectedCases, Weights

__all__ = ["DirectedWeights"]

Array = NDArray[np.float64]

SMALLEST, LARGEST = 1e-6, 1e6
"""between these a weight stays, however often a case is rewarded or punished (Reading G7)"""


class DirectedWeights(Weighting):
    r"""Weights of every stored case, one for queries below its value and one for queries above it, by feedback.

    .. math:: w_f(x, q) = \begin{cases} w_f^>(x) & \text{if } x_f \geq q_f \\ w_f^<(x) & \text{otherwise} \end{cases}
       \qquad w_f \leftarrow \begin{cases} w_f\,(1 - \alpha\,\delta_f) & \text{if } x_c = q_c \\
       w_f\,(1 + \beta\,\delta_f) & \text{otherwise} \end{cases}

    Each case q asks the nearest of the others under the weights at hand. Where that one is right, it comes nearer: the
    weights on the side of q fall, most where the two differ most. Where it is wrong, it is pushed away, and the nearest
    case of q's own class comes nearer. All weights start at 1. Symbols, other values that are on no line, and missing
    ones have no side: both weights change. A feature that the missing policy leaves out of the pair does not.

    The fewer cases are stored, the more they have to learn: with ``cases="ib2"`` or ``"ib3"`` the cases that are kept
    learn once more from all training cases, and come close to the accuracy of all cases stored.

    Reading: the distance around eq. 28 is that of eq. 26 (G3); WAM has no rule of learning, this one is ours (G2, G5 to
    G7). A case of sample weight 0 is skipped; other sample weights do not count.

    Parameters
    ----------
    reward, punish : float
        alpha, from 0 to below 1, and beta, from 0.
    passes : int
        How often each case asks, in the given order.
    target_bins : int
        Intervals of about equally many cases into which a target that is a number is cut: they are its classes.

    Attributes
    ----------
    weights_ : DirectedCases
        (2, n, p): for queries below each case, and above.
    stopped_ : str
        "interrupt" where Ctrl-C ended the passes, else nothing.

    Notes
    -----
    References: ricci1995; wettschereck1997, eq. 28.

    >>> learned = DirectedWeights(passes=1).fit([[0.0], [1.0], [4.0]], ["a", "a", "b"]).weights_
    >>> learned.values.round(4).tolist()  # below and above 0, 1 and 4
    [[[1.0], [0.975], [1.0]], [[0.975], [1.15], [1.0]]]
    """

    id = "directed"
    numbers = "binned"
    place = FEEDBACK_LOCAL
    reference = "ricci1995, wettschereck1997"
    shape = "directed-cases"
    status = "from description"
    weighs_cases = False
    by_order = True
    learns_again = True

    stopped_: str

    def __init__(self, reward: float = 0.1, punish: float = 0.2, passes: int = 5, target_bins: int = BINS) -> None:
        self.reward = reward
        self.punish = punish
        self.passes = passes
        self.target_bins = target_bins

    def _learn(self, problem: Problem) -> Weights:
        self._check()
        return self._taught(problem, np.flatnonzero(problem.target.weights > 0))

    def for_kept(self, problem: Problem, learned: Weights, kept: NDArray[np.intp]) -> Weights:
        """The cases that are kept learn from all."""
        moved = problem.in_canonical_order()
        return self._taught(moved, kept).in_order(problem.features).of_cases(kept)

    def _check(self) -> None:
        if not (isinstance(self.reward, int | float | np.number) and 0 <= self.reward < 1):
            raise InputError(f"reward={self.reward!r}: expected a number from 0 to below 1.")
        if not (isinstance(self.punish, int | float | np.number) and 0 <= self.punish < np.inf):
            raise InputError(f"punish={self.punish!r}: expected a number from 0.")
        check_whole("passes", self.passes, 1)

    def _taught(self, problem: Problem, stored: NDArray[np.intp]) -> Weights:
        """Weights of all cases, of which only the stored ones answer and learn."""
        target, names = problem.target, problem.features
        own = np.ones((2, len(target), len(names)))
        pool, sides = Pool(problem.metric, problem.cases, asking=problem.asking), _Sides(problem)
        for case in stored.tolist():
            pool.add(case)
        rows = np.flatnonzero(target.weights > 0).tolist()
        with OnePass(self.id) as once:
            for case in once.over(rows * self.passes, grows=False):
                for other in _asked(pool, case, target.values, DirectedCases(own, names)):
                    is_right = bool(target.values[other] == target.values[case])
                    gaps = np.nan_to_num(pool.differences(case, other))
                    factors = 1.0 - self.reward * gaps if is_right else 1.0 + self.punish * gaps
                    changed = np.clip(own[:, other] * factors, SMALLEST, LARGEST)
                    own[:, other] = np.where(sides.of(case, other), changed, own[:, other])
        self.stopped_ = once.stopped
        return DirectedCases(own, names)


def _asked(pool: Pool, case: int, classes: NDArray[np.intp], weights: Weights) -> list[int]:
    """The nearest other case and, where that is of another class, the nearest of the same class."""
    others = np.flatnonzero(pool.ids != case)
    if not len(others):
        return []
    ids, sums = pool.ids[others], pool.sums(case, weights)[others]
    first = int(ids[first_smallest(sums, ids)])
    alike = np.flatnonzero(classes[ids] == classes[case])
    if classes[first] == classes[case] or not len(alike):
        return [first]
    return [first, int(ids[alike[first_smallest(sums[alike], ids[alike])]])]


class _Sides:
    """On which sides of a stored case another lies, feature by feature."""

    def __init__(self, problem: Problem) -> None:
        on_line = [m.fitted.form == "line" for m in problem.metric.measures]
        columns = zip(problem.cases.columns, on_line, strict=True)
        nothing = np.full(len(problem.cases), np.nan)
        values = [column.values if is_line else nothing for column, is_line in columns]
        holes = [np.zeros(len(nothing), bool) if c.missing is None else c.missing for c in problem.cases.columns]
        self.numbers = np.where(np.stack(holes), np.nan, np.stack(values)).T

    def of(self, case: int, other: int) -> NDArray[np.bool_]:
        """(2, p) whether the weight for queries below, and the one for queries above, is that of this pair."""
        q, x = self.numbers[case], self.numbers[other]
        return np.stack([~(q > x), ~(q < x)])
