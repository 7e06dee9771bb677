"""RReliefF: Relief for a target that is a number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import exp
from nearwise.cases.target import Target
from nearwise.contract.validation import class_target, number_target
from nearwise.errors import InputError
from nearwise.search.base import TIE
from nearwise.statistics.contrasts.classes import Contrast, NearByGroup
from nearwise.statistics.contrasts.numbers import RegressionContrast
from nearwise.weighting.asking import AUTO, Asked, Asking
from nearwise.weighting.base import Problem, with_parameters
from nearwise.weighting.relief import ReliefLike

__all__ = ["RReliefF"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@with_parameters
class RReliefF(ReliefLike):
    r"""How often a feature differs where near cases have different targets, less how often where they have equal ones.

    .. math::
        w_f = \frac{N_{dC \wedge dA}}{N_{dC}} - \frac{N_{dA} - N_{dC \wedge dA}}{m - N_{dC}}, \qquad
        N_{dA} = \sum_i \sum_{j \in near(i)} \delta_f(i, j)\, \tau(i, j)

    and N_dC the same with the difference of the targets over their range instead of delta_f, N_dC∧dA with the
    product of both. The influence tau of the k near cases of a case adds up to 1: equal, or exp(-(rank / sigma)^2).
    Cases at equal distance share their influence. A feature with a negative score counts 0.

    Reading: near by the plain sum of differences (F2), ties shared (F9); a missing value differs as in `ReliefF` from
    values of all cases alike, numbers in eight intervals of equal width (F13); negative scores count 0 (F7); numbers
    over their range (F8). Where the target is constant every score is 0 or less. Classes as target differ by 0 or 1. A
    sample weight multiplies what a case adds (F10).

    Parameters
    ----------
    n_neighbors : int
        k.
    sigma : float or None
        How fast influence falls with rank; None for equal influence. The paper used sigma=20 with n_neighbors=70.
    n_samples, drop, keep, unknown, ramp, n_jobs, random_state
        As in `ReliefF`.

    Notes
    -----
    Attributes: ``weights_`` (Global), ``scores_`` (p,), ``stopped_`` and ``sampled_`` as in `ReliefF`.

    References: robnik1997, fig. 2; robnik2003, fig. 3; moore2007.

    >>> X = [[0.0, 3.0], [1.0, 1.0], [2.0, 4.0], [3.0, 0.0], [4.0, 2.0]]
    >>> RReliefF(n_neighbors=2).fit(X, [0.0, 1.1, 2.0, 3.2, 4.0]).scores_.round(3).tolist()
    [0.093, -0.074]
    """

    id = "rrelief-f"
    reference = "robnik1997, robnik2003, moore2007"

    n_neighbors: int = 10
    sigma: float | None = None
    n_samples: int | str | None = AUTO
    drop: float | None = None
    keep: float = 0.5
    unknown: str = "probabilities"
    ramp: tuple[float, float] | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def _target(self, y: Any, n: int, sample_weight: Any) -> Target:
        """Numbers are numbers here, whole ones too."""
        kind = np.asarray(y).dtype.kind
        make = number_target if kind in "iufb" else class_target
        return make(y, n, self, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _contrast(self, problem: Problem, features: NDArray[Any]) -> Contrast:
        """All cases are one group: neighbours are sought among all of them."""
        numbers = Target(np.zeros(len(problem.target)), None, problem.target.weights)
        return super()._contrast(replace(problem, target=numbers), features)

    def _scores(self, asking: Asking) -> Asked | None:
        contrast, target = asking.contrast, asking.target
        found = RegressionContrast(contrast, target)
        with asking.budget:
            for at, piece, near in contrast.near(asking.rows, self.n_neighbors, with_sums=self.sigma is not None):
                asks = near.spread(np.arange(len(piece)))
                influence = self._influence(near)
                totals = np.bincount(asks, weights=influence, minlength=len(piece))
                influence *= target.weights[piece][asks] / np.where(totals > 0, totals, 1.0)[asks]
                found.add_listed(at, piece, near, influence)
                asking.note(piece)
        return asking.regression(found)

    _number_scores = _scores

    def _influence(self, near: NearByGroup) -> Floats:
        """(e,) before it is made to add up to 1: cases at equal distance share that of their ranks."""
        if self.sigma is None:
            return near.shares
        by_rank = exp(-np.square(np.arange(1, self.n_neighbors + 1) / self.sigma))
        upto = np.concatenate([[0.0], np.cumsum(by_rank)])
        ranks, last = near.ranks, np.append(near.sums[:-1], 0.0)
        last[1:] = near.sums[:-1]
        starts = (ranks == 0) | (near.sums > last * (1.0 + TIE))
        group = np.cumsum(starts) - 1  # runs of equal distance
        first, size = ranks[starts][group], np.bincount(group)[group] if len(group) else ranks
        low, high = np.minimum(first, self.n_neighbors), np.minimum(first + size, self.n_neighbors)
        return np.asarray((upto[high] - upto[low]) / np.maximum(size, 1))

    def _check(self, problem: Problem) -> None:
        super()._check(problem)
        if self.sigma is not None and not (np.isfinite(self.sigma) and self.sigma > 0):
            raise InputError(f"sigma={self.sigma!r}: expected a number above 0, or None for equal influence.")
