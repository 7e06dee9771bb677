"""Contrasts where the target is a number: what Relief-like weightings count, as RReliefF does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import dot
from nearwise.cases.target import Target
from nearwise.statistics.contrasts.classes import Contrast, NearByGroup
from nearwise.statistics.scattered import Collected

__all__ = ["RegressionContrast", "target_gaps"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class RegressionContrast:
    r"""Sums over pairs of a case that asks and a near case, each with its influence.

    .. math:: w_f = \frac{N_{dC \wedge dA}}{N_{dC}} - \frac{N_{dA} - N_{dC \wedge dA}}{m - N_{dC}}

    N_dC sums the differences of the targets, N_dA those of the feature, N_dC∧dA their products, and m the influence
    itself.
    """

    def __init__(self, contrast: Contrast, target: Target) -> None:
        self.contrast, self.target = contrast, target
        self.sums = Collected(1 + 2 * len(contrast.measures))
        """N_dC, then N_dA and N_dC∧dA of each feature"""

    def add_listed(self, at: int, rows: Ints, near: NearByGroup, influence: Floats) -> None:
        """Pairs as a list, of the piece number ``at``: the influence (e,) of each near case."""
        gaps = target_gaps(self.target, np.repeat(rows, np.diff(near.ends[:: self.contrast.n_groups])), near.cases)
        differs, both = (self.contrast.listed(rows, near, c) for c in (influence, influence * gaps))
        self.sums.add(at, rows, np.concatenate([[float(dot(influence, gaps))], differs, both]))

    def add_block(self, at: int, rows: Ints, influence: Floats) -> None:
        """Pairs of some cases with all, of the piece number ``at``: their influence (m, n)."""
        gaps = target_gaps(self.target, rows[:, None], np.arange(len(self.target))[None, :])
        differs, both = (self.contrast.blocked(rows, c) for c in (influence, influence * gaps))
        self.sums.add(at, rows, np.concatenate([[float((influence * gaps).sum())], differs, both]))

    @property
    def unlike(self) -> float:
        """N_dC"""
        return float(self.sums.total[0])

    def scores(self, total: float) -> Floats:
        """(p,) w, where all influence adds up to ``total``."""
        unlike, (differs, both) = self.unlike, np.split(self.sums.total[1:], 2)
        same = total - unlike
        shares = both / unlike if unlike > 0 else np.zeros(len(both))
        return np.asarray(shares - ((differs - both) / same if same > 0 else 0.0))


def target_gaps(target: Target, i: NDArray[np.integer], j: NDArray[np.integer]) -> Floats:
    """Differences of the targets of cases i and j, in their common shape: over their range, or 0 and 1 for classes."""
    if target.classes is not None:
        return np.asarray(target.values[i] != target.values[j], dtype=np.float64)
    low, high = float(target.values.min()), float(target.values.max())
    if not high > low:
        return np.zeros(np.broadcast_shapes(i.shape, j.shape))
    return np.asarray(np.abs(target.values[i] / 2 - target.values[j] / 2) / (high / 2 - low / 2))
