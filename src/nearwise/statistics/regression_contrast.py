"""Contrasts where the target is a number: what Relief-like weightings count, as RReliefF does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.target import Target
from nearwise.statistics.contrast import Contrast, Near

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
        p = len(contrast.measures)
        self.unlike, self.differs, self.both = 0.0, np.zeros(p), np.zeros(p)

    def add_listed(self, rows: Ints, near: Near, influence: Floats) -> None:
        """Pairs as a list: the influence (e,) of each near case."""
        gaps = target_gaps(self.target, np.repeat(rows, np.diff(near.ends[:: self.contrast.n_groups])), near.cases)
        self.unlike += float(influence @ gaps)
        self.differs += self.contrast.listed(rows, near, influence)
        self.both += self.contrast.listed(rows, near, influence * gaps)

    def add_block(self, rows: Ints, influence: Floats) -> None:
        """Pairs of some cases with all: their influence (m, n)."""
        gaps = target_gaps(self.target, rows[:, None], np.arange(len(self.target))[None, :])
        self.unlike += float((influence * gaps).sum())
        self.differs += self.contrast.blocked(rows, influence)
        self.both += self.contrast.blocked(rows, influence * gaps)

    def scores(self, total: float) -> Floats:
        """(p,) w, where all influence adds up to ``total``."""
        same = total - self.unlike
        unlike = self.both / self.unlike if self.unlike > 0 else np.zeros(len(self.both))
        return np.asarray(unlike - ((self.differs - self.both) / same if same > 0 else 0.0))


def target_gaps(target: Target, i: NDArray[np.integer], j: NDArray[np.integer]) -> Floats:
    """Differences of the targets of cases i and j, in their common shape: over their range, or 0 and 1 for classes."""
    if target.classes is not None:
        return np.asarray(target.values[i] != target.values[j], dtype=np.float64)
    low, high = float(target.values.min()), float(target.values.max())
    if not high > low:
        return np.zeros(np.broadcast_shapes(i.shape, j.shape))
    return np.asarray(np.abs(target.values[i] / 2 - target.values[j] / 2) / (high / 2 - low / 2))
