"""Weights by recursive partitioning around a query: it zooms in along the feature that matters most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import power
from nearwise.differences.metric import Measured
from nearwise.errors import WeightShapeError
from nearwise.stopping import heed
from nearwise.weights.base import Array, Stored, Weights
from nearwise.weights.forms import signed_gaps
from nearwise.weights.local import Local, Near
from nearwise.weights.plain import PerQuery

__all__ = ["Scythe"]

BLOCK_BYTES = 16 << 20
"""memory for the differences of some queries and all cases"""
NARROWEST = 1e-6
"""no range is narrower, in units of the difference (SC4)"""


SAME = 1e-12
"""gains that differ by less are equal, and below it there is none"""


class Scythe(Local):
    """Weights per query: 1 over the half width, to the power p, of the range to which each feature was cut."""

    shape = "scythe"

    def __init__(
        self, values: Any, features: Sequence[str], labels: Any, amounts: Any, left: int = 20, fraction: float = 0.3
    ) -> None:
        super().__init__(values, features, labels, amounts)
        if type(left) is not int or left < 1 or not (isinstance(fraction, float) and 0 < fraction < 1):
            raise WeightShapeError("A scythe leaves a whole number of cases and cuts off a share between 0 and 1.")
        if len(self.labels) and self.labels.min() < 0:
            raise WeightShapeError("The classes of local weights are codes from 0.")
        self.left, self.fraction = left, fraction
        self._codes = np.unique(self.labels, return_inverse=True)[1]

    @property
    def settings(self) -> dict[str, Any]:
        return {"left": self.left, "fraction": self.fraction}

    def worked_out(self, stored: Stored, queries: Measured, near: Near) -> Weights:
        m, n, p = len(queries), len(stored), len(self.features)
        widths = np.empty((m, p))
        step = max(1, BLOCK_BYTES // (8 * max(1, n * p)))
        for start in range(0, m, step):
            rows = range(start, min(m, start + step))
            gaps = [np.abs(each) for each in signed_gaps(stored, queries.take(slice(rows.start, rows.stop)))]
            for j in rows:
                heed()
                counts = self.amounts > 0
                if near.leave_out is not None and near.leave_out[j] >= 0:
                    counts[near.leave_out[j]] = False
                widths[j] = self._zoomed(np.stack([each[j - start][counts] for each in gaps], axis=1), counts)
        weights = np.where(widths > 0, power(1.0 / np.where(widths > 0, widths, 1.0), stored.compared.p), 0.0)
        means = weights.mean(axis=1, keepdims=True)
        return PerQuery(np.where(means > 0, weights / np.where(means > 0, means, 1.0), 1.0), self.features)

    def _zoomed(self, gaps: Array, counts: NDArray[np.bool_]) -> Array:
        """(p,) half widths around one query, which differs by gaps (r, p) from the cases that count."""
        codes, amounts = self._codes[counts], self.amounts[counts]
        whole = gaps.max(axis=0, initial=0.0)
        widths = whole.copy()
        while len(gaps) > self.left:
            kept = max(self.left, min(len(gaps) - 1, int(np.ceil((1.0 - self.fraction) * len(gaps)))))
            reach = np.partition(gaps, kept - 1, axis=0)[kept - 1]
            inside = gaps <= reach
            for even in np.flatnonzero(inside.all(axis=0)):  # cases that tie go together: in, or else out
                nearer = gaps[:, even] < reach[even]
                reach[even], inside[:, even] = gaps[nearer, even].max(initial=0.0), nearer
            gains = self._gains(inside, codes, amounts)
            best = gains.max(initial=-np.inf)
            if not best > SAME:
                break
            tied = np.flatnonzero(gains >= best - SAME)  # the deepest cut then, so that the order of features is none
            f = int(tied[np.lexsort((-inside[:, tied].sum(axis=0), reach[tied] / whole[tied]))[0]])
            cut = gaps[gaps[:, f] > 0, f].min() / 2 if reach[f] == 0 else reach[f]
            widths[f] = max(float(cut), NARROWEST)
            gaps, codes, amounts = (each[inside[:, f]] for each in (gaps, codes, amounts))
        return np.asarray(widths)

    def _gains(self, inside: NDArray[np.bool_], codes: NDArray[np.intp], amounts: Array) -> Array:
        """(p,) by how much knowing each feature would move the class shares, squared, less what chance does.

        Minus infinity where a cut would leave too few cases, or all.
        """
        r, p = inside.shape
        whole = np.bincount(codes, weights=amounts) / amounts.sum()
        chance = float((whole * (1.0 - whole)).sum()) * r / max(1, r - 1)
        out = np.full(p, -np.inf)
        for f in range(p):
            count = int(np.count_nonzero(inside[:, f]))
            if not self.left <= count < r:
                continue
            part = np.bincount(codes[inside[:, f]], weights=amounts[inside[:, f]], minlength=len(whole))
            out[f] = np.square(part / part.sum() - whole).sum() - chance * (1.0 / count - 1.0 / r)
        return out
