"""Online methods: one pass over the cases, each judged by its nearest neighbour. The order of the cases counts."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import BINS
from nearwise.errors import InputError, did_you_mean
from nearwise.statistics.trials.online import Pool
from nearwise.weighting.base import Problem, Weighting, with_parameters
from nearwise.weighting.one_pass import MAX_PASSED, OnePass
from nearwise.weighting.place import FEEDBACK_GLOBAL
from nearwise.weighting.selecting import check_amount
from nearwise.weights import Global, Weights

__all__ = ["EachWeights", "WeightedOverlap"]

Array = NDArray[np.float64]

POOLS = ("all", "earlier")
"""where `wom` looks for the neighbour of a case"""


class _Rewarded(Weighting):
    """One pass; after each case matching features gain where its nearest neighbour was right, and lose where it was
    wrong, and mismatching features the other way round."""

    weighs_cases = False
    by_order = True
    pool: str = "earlier"
    """who may be the neighbour: the cases "earlier" in the pass, or "all" others"""
    step: float
    tolerance: float

    @abstractmethod
    def _changed(self, scores: Array, signs: Array) -> Array:
        """The scores after one case; ``signs`` (p,) is 1 for a gain, -1 for a loss, 0 for no change."""

    def _check(self) -> None:
        check_amount("step", self.step)
        check_amount("tolerance", self.tolerance)

    def _learn(self, problem: Problem) -> Weights:
        self._check()
        pool = Pool(problem.metric, problem.cases, asking=problem.asking)
        classes, names = problem.target.values, problem.features
        scores = np.ones(len(names))
        rows = np.flatnonzero(problem.target.weights > 0).tolist()
        if self.pool == "all":
            for case in rows:
                pool.add(case)
        with OnePass(self.id) as once:
            for case in once.over(rows, grows=self.pool == "earlier"):
                other = pool.nearest(case, Global(np.maximum(scores, 0.0), names))
                if other >= 0:
                    gaps = pool.differences(case, other)
                    matches = np.where(gaps <= self.tolerance, 1.0, np.where(np.isnan(gaps), 0.0, -1.0))
                    scores = self._changed(scores, matches if classes[case] == classes[other] else -matches)
                if self.pool == "earlier":
                    pool.add(case)
        self.scores_, self.stopped_ = scores, once.stopped
        return Global(np.maximum(scores, 0.0), names)


@with_parameters
class EachWeights(_Rewarded):
    r"""EACH: the weights of matching features rise by a step after a right answer and fall after a wrong one.

    .. math:: w_f \leftarrow w_f \pm \Delta, \quad + \text{ where } [x_f \text{ matches } y_f] = [x_c = y_c]

    For each case x in the given order, y is the nearest of the cases before it under the weights at hand. A right
    answer raises the weights of matching features and lowers those of the others, a wrong answer the reverse. All
    weights start at 1. A feature that the missing policy leaves out of the pair does not change.

    Reading: a feature matches where its difference is 0, or at most ``tolerance`` of the largest one (E1); the step is
    added (E2; ``update="multiply"`` takes w (1 ± step), as Salzberg); negative weights are kept in ``scores_`` and
    count as 0 in the distance (E3); the pool are the cases before (E4), the neighbour is that of the current weights
    (E5), of equally near ones the first. The size of the step is not in WAM. A case of sample weight 0 is skipped;
    other sample weights do not count.

    Parameters
    ----------
    step : float
        Delta.
    update : "add" or "multiply"
    tolerance : float
        What still matches, as a share of the feature's largest difference.
    target_bins : int
        Intervals of about equally many cases into which a target that is a number is cut: an answer from the same
        interval is right.
    max_cases : int or None
        Where there are more cases, the pass takes so many of them, of each class its share, drawn by their content, in
        the given order. None takes all.

    Attributes
    ----------
    weights_ : Global
    scores_ : array
        (p,) the weights before clipping at 0.
    stopped_ : str
        "interrupt" where Ctrl-C ended the pass, else nothing.
    sampled_ : dict or None
        How many "cases" were drawn, "of" how many, and the "error" of a share counted over them, with its "confidence".

    Notes
    -----
    References: salzberg1991; wettschereck1997, eq. 11.

    >>> cases = [{"hue": "red", "shape": "round"}, {"hue": "red", "shape": "long"}, {"hue": "blue", "shape": "long"}]
    >>> EachWeights(step=0.1).fit(cases, ["ripe", "ripe", "raw"]).scores_.round(3).tolist()
    [1.2, 0.8]
    """

    id = "each"
    numbers = "binned"
    place = FEEDBACK_GLOBAL
    reference = "salzberg1991, wettschereck1997"
    caution = "right in 74.4% where none is in 80.9% and default in 84.1% (12 tables of at most 500 cases)"
    check_parameters = {"step": 0.1, "tolerance": 0.12}  # noqa: RUF012 - a constant of the class

    step: float = 0.02
    update: str = "add"
    tolerance: float = 0.0
    target_bins: int = BINS
    max_cases: int | None = MAX_PASSED

    def _check(self) -> None:
        super()._check()
        if self.update not in ("add", "multiply"):
            raise InputError(f"update={self.update!r}: expected 'add' or 'multiply'.")
        if self.update == "multiply" and self.step > 1:
            raise InputError(f"step={self.step!r}: a factor of 1 - step must not be negative, so expected 0 to 1.")

    def _changed(self, scores: Array, signs: Array) -> Array:
        return scores + self.step * signs if self.update == "add" else scores * (1.0 + self.step * signs)


@with_parameters
class WeightedOverlap(_Rewarded):
    r"""The weighted overlap metric: matching features gain or lose a share of their weight.

    .. math:: \omega_a \leftarrow \begin{cases} \omega_a (1 + \mu) & \text{if } i_a = j_a \\
       \omega_a (1 - \mu) & \text{if } i_a \neq j_a \end{cases}

    :math:`\mu` is ``step`` where j, the nearest of the other cases to i, has the class of i, else it is ``-step``.

    Reading: the distance is the sum of w * overlap, p = 1 (O1); weights start at 1 (O2); the neighbour is that of the
    current weights (O3); one pass in the given order (O4); of equally near cases the first (O5); weights are not
    renormalised (O6); the neighbour is sought among all other cases, as in the paper's leaving-one-out (O7). Numbers
    keep their difference in the distance and match where it is at most ``tolerance`` of the largest one. A case of
    sample weight 0 is skipped; other sample weights do not count.

    Parameters: ``step``, mu; ``tolerance``, what still matches; ``pool``, where the neighbour is sought: among "all"
    other cases, or among those "earlier" in the pass, as `EachWeights` does; ``target_bins`` and ``max_cases`` as in
    `EachWeights`.

    Attributes: ``weights_`` (Global), ``scores_`` (p,) the same numbers, ``stopped_`` and ``sampled_``.

    References: payne1998, sect. 3 and eq. 7.

    >>> cases = [{"hue": "red", "shape": "round"}, {"hue": "red", "shape": "long"}, {"hue": "blue", "shape": "long"}]
    >>> WeightedOverlap(step=0.1).fit(cases, ["ripe", "ripe", "raw"]).scores_.round(3).tolist()
    [1.331, 0.729]
    >>> WeightedOverlap(step=0.1, pool="earlier").fit(cases, ["ripe", "ripe", "raw"]).scores_.round(3).tolist()
    [1.21, 0.81]
    """

    id = "wom"
    numbers = "binned"
    place = FEEDBACK_GLOBAL
    reference = "payne1998"
    p = 1
    check_parameters = {"tolerance": 0.1}  # noqa: RUF012 - a constant of the class

    step: float = 0.02
    tolerance: float = 0.0
    pool: str = "all"
    target_bins: int = BINS
    max_cases: int | None = MAX_PASSED

    def _check(self) -> None:
        super()._check()
        if self.pool not in POOLS:
            raise InputError(f"pool={self.pool!r}: expected the cases to look among. {did_you_mean(self.pool, POOLS)}")
        if self.step > 1:
            raise InputError(f"step={self.step!r}: a factor of 1 - step must not be negative, so expected 0 to 1.")

    def _changed(self, scores: Array, signs: Array) -> Array:
        return scores * (1.0 + self.step * signs)
