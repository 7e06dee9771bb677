"""RC: context-sensitive selection, which leaves out of each stored case the features that do not matter around it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import BINS
from nearwise.errors import InputError, check_whole
from nearwise.search.base import TIE, Distance
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.weighting.base import Problem, Weighting
from nearwise.weighting.one_pass import OnePass
from nearwise.weighting.place import Place
from nearwise.weights import Global, PerCase, Weights

__all__ = ["ContextSelection"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


class ContextSelection(Weighting):
    r"""RC: a feature counts for a stored case only where leaving it out of that case would cost accuracy.

    .. math:: w_f(x) = \begin{cases} 0 & \text{if } f \text{ was left out of } x \\ 1 & \text{otherwise} \end{cases}

    Each case in the given order looks at its nearest case of the same class, by the features it still has, and tries to
    do without the features in which the two differ. It keeps to that where the leave-one-out accuracy of the nearest
    neighbour over all cases does not fall. This is repeated until no case changes. So each case ends up with the
    features that tell its class apart around it, and the distance is not symmetric.

    Two values of a feature differ where their difference exceeds ``tolerance`` of the largest one. A case that has
    only features left that agree with its neighbour is done; the last feature of a case is never left out.

    Reading: built from its description as a selection for lazy learners that depends on the context (RC1 to RC5): of
    equally near cases the first answers; features are tried all at once; sample weights count in the accuracy.

    Parameters
    ----------
    tolerance : float
        What does not count as differing, as a share of the feature's largest difference.
    rounds : int
        How often every case is tried at the most.
    target_bins : int
        Intervals of about equally many cases into which a target that is a number is cut: they are its classes.

    Attributes
    ----------
    weights_ : PerCase
        (n, p) of 0 and 1; ``feature_importances_`` is the share of the cases that count each feature.
    stopped_ : str
        "interrupt" where Ctrl-C ended the search, else nothing.

    Notes
    -----
    References: domingos1997.

    >>> cases = [[0.0, 0.0], [0.1, 0.9], [0.9, 0.1], [1.0, 1.0]]
    >>> ContextSelection().fit(cases, ["a", "a", "b", "b"]).weights_.values.tolist()
    [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]
    """

    id = "rc"
    numbers = "binned"
    place = Place(bias="feedback", weight_space="binary", generality="local")
    reference = "domingos1997"
    shape = "per-case"
    status = "from description"
    by_order = True
    learns_again = True

    stopped_: str

    def __init__(self, tolerance: float = 0.1, rounds: int = 10, target_bins: int = BINS) -> None:
        self.tolerance = tolerance
        self.rounds = rounds
        self.target_bins = target_bins

    def _learn(self, problem: Problem) -> Weights:
        if not (isinstance(self.tolerance, int | float | np.number) and 0 <= self.tolerance < 1):
            raise InputError(f"tolerance={self.tolerance!r}: expected a number from 0 to below 1.")
        check_whole("rounds", self.rounds, 1)
        search = _Search(problem, float(self.tolerance))
        waiting = np.flatnonzero(problem.target.weights > 0)
        with OnePass(self.id) as once:
            for case in once.over(waiting.tolist() * self.rounds, grows=False):
                if search.open[case]:
                    search.attempt(case)
        self.stopped_ = once.stopped
        return PerCase(search.kept.astype(np.float64), problem.features)


class _Search:
    """Which features each case has, and the nearest case of every other under them."""

    def __init__(self, problem: Problem, tolerance: float) -> None:
        self.problem, self.tolerance = problem, tolerance
        self.labels, self.amounts = problem.target.values, problem.target.weights
        n, p = len(problem.cases), len(problem.features)
        self.kept: Flags = np.ones((n, p), dtype=bool)
        self.open: Flags = np.ones(n, dtype=bool)
        self.engine = BlockEngine(Distance(problem.metric, Global(np.ones(p), problem.features), problem.stored))
        self.largest = np.array([m.fitted.maximum for m in problem.metric.measures], dtype=np.float64)
        self.asking = problem.asking
        self.sums, self.nearest = np.full(n, np.inf), np.full(n, -1, dtype=np.intp)
        for case in np.flatnonzero(self.amounts > 0).tolist():
            self._offer(case, self._to_all(case))

    def _to_all(self, case: int) -> Array:
        """(n,) the sum of a stored case, by the features it has, and every case that asks; infinite for itself."""
        stored = self.problem.stored
        one = Distance(
            self.problem.metric,
            Global(self.kept[case].astype(np.float64), self.problem.features),
            type(stored)(stored.cases.take(slice(case, case + 1))),
        )
        found = BlockEngine(one).block(self.asking, one.weights)[:, 0]
        found = np.where(np.isnan(found), np.inf, found)
        found[case] = np.inf
        return np.asarray(found)

    def _nearer(self, case: int, sums: Array) -> Flags:
        """(n,) whose nearest case this one is, given its sums; of cases that tie the first."""
        margin = TIE * np.where(np.isfinite(self.sums), self.sums, 0.0)
        ties = (sums >= self.sums - margin) & (sums <= self.sums + margin)
        nearer = np.where(ties, case <= self.nearest, sums < self.sums)
        return np.asarray((np.isfinite(sums) & nearer) | (self.nearest == case))

    def _offer(self, case: int, sums: Array) -> None:
        mine = self._nearer(case, sums)
        self.sums[mine], self.nearest[mine] = sums[mine], case

    def attempt(self, case: int) -> None:
        """Try to do without the features in which a case differs from the nearest of its class."""
        differing = self._differing(case)
        if not differing.any():
            self.open[case] = False
            return
        before = self.kept[case].copy()
        self.kept[case] = before & ~differing
        sums = self._to_all(case)
        now = self._nearer(case, sums) & (self.amounts > 0)
        right = self.labels == self.labels[case]
        was = (self.nearest >= 0) & (self.labels == self.labels[np.maximum(self.nearest, 0)])
        gain = float((self.amounts * (right.astype(float) - was))[now].sum())
        if gain >= -1e-12 * float(self.amounts.sum()):
            self._offer(case, sums)
        else:
            self.kept[case], self.open[case] = before, False

    def _differing(self, case: int) -> Flags:
        """(p,) features that a case has and in which it differs from its nearest like; not all that it has."""
        alike = np.flatnonzero((self.labels == self.labels[case]) & (self.amounts > 0))
        alike = alike[alike != case]
        nothing = np.zeros(self.kept.shape[1], dtype=bool)
        if not len(alike):
            return nothing
        sums = self._to_all(case)[alike]
        least = float(sums.min())
        other = int(alike[np.flatnonzero(sums <= least + (TIE * least if np.isfinite(least) else 0.0))[0]])
        gaps = []
        for measure, x, q in zip(
            self.problem.metric.measures, self.problem.cases.columns, self.asking.columns, strict=True
        ):
            gaps.append(measure.pair(x, case, q, other) or 0.0)
        found = self.kept[case] & (np.array(gaps) > self.tolerance * self.largest)
        return nothing if (found == self.kept[case]).all() else found
