"""The NumPy engine: a block of queries against all stored cases, feature by feature, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import power, weighted
from nearwise.differences.metric import Measured
from nearwise.progress import progress
from nearwise.search.base import Distance, Floats
from nearwise.search.fallback.rows import RowEngine
from nearwise.search.selection.rows import Row
from nearwise.stopping import heed
from nearwise.weights import Weights

__all__ = ["BlockEngine", "needs_own_index"]

BLOCK_BYTES = 64 << 20
"""memory for one block of sums and its temporaries; about four arrays of the block's size live at once"""


def needs_own_index(distance: Distance) -> str:
    """Why weights cannot be looked at pair by pair."""
    weights = distance.weights
    return f"{weights.shape} weights want the engine {weights.served_by!r}"


class BlockEngine(RowEngine):
    """Serves every difference and every shape of weights that says what a pair weighs; exact in double precision."""

    name = "blocks"
    nanoseconds = 3.0

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        self._scales = distance.metric.scales()

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        if distance.weights.served_by:
            return needs_own_index(distance)
        slow = [m.name for m in distance.metric.measures if not m.fitted.vectorised]
        return f"feature {slow[0]!r} is compared by a Python function" if slow else ""

    @np.errstate(over="ignore", invalid="ignore")
    def block(self, queries: Measured, weights: Weights) -> Floats:
        """(m, n) sums of some queries and all stored cases."""
        heed()
        metric, stored = self.distance.metric, self.distance.stored
        columns = list(zip(metric.measures, stored.cases.columns, queries.columns, strict=True))
        total, gather = np.zeros((len(queries), len(stored))), np.add if metric.adds else np.maximum
        left_out = [measure.left_out(x, q) for measure, x, q in columns]
        for f, (measure, x, q) in enumerate(columns):
            coefficient = weights.pairs(f, stored, queries) * self._scales[f]
            if np.ndim(coefficient) == 0 and coefficient == 0:
                continue
            gather(total, weighted(coefficient, measure.terms(x, q, metric.p)), out=total)
        if any(out is not None for out in left_out):
            self._rescale(total, queries, weights, left_out)
        return total

    def _rescale(
        self, total: Floats, queries: Measured, weights: Weights, left_out: list[NDArray[np.bool_] | None]
    ) -> None:
        """The policy "ignore": sums over the known features, rescaled to all of them; a largest term stays as it is."""
        stored, metric = self.distance.stored, self.distance.metric
        gather = np.add if metric.adds else np.maximum
        every, known, worst = np.zeros_like(total), np.zeros_like(total), np.zeros_like(total)
        for f, (measure, out) in enumerate(zip(metric.measures, left_out, strict=True)):
            weight = weights.pairs(f, stored, queries)
            every += weight
            known += weight if out is None else np.where(out, 0.0, weight)
            gather(worst, weighted(weight * self._scales[f], power(measure.fitted.maximum, metric.p)), out=worst)
        partial = np.logical_or.reduce([out for out in left_out if out is not None])
        if metric.adds:
            np.multiply(total, np.divide(every, known, out=np.ones_like(every), where=partial & (known > 0)), out=total)
        nothing = partial & (known <= 0)
        total[nothing] = worst[nothing]

    def rows(self, queries: Measured) -> Iterator[Row]:
        m, n = len(queries), len(self.distance.stored)
        step = max(1, BLOCK_BYTES // (8 * 4 * max(1, n)))
        starts = range(0, m, step)
        for start in progress(starts, len(starts), "searching"):
            rows = slice(start, min(m, start + step))
            sums = self.block(queries.take(rows), self.distance.weights.of_queries(rows, m))
            for j, row in enumerate(sums, start):
                yield j, row, None

    def sums(self, queries: Measured) -> Floats:
        return self.block(queries, self.distance.weights.of_queries(slice(0, len(queries)), len(queries)))
