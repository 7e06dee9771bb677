"""Blocks under quadratic forms: differences are taken first and mapped then, so what cancels, cancels exactly."""

from __future__ import annotations

import numpy as np

from nearwise.arithmetic import weighted
from nearwise.differences.metric import Measured
from nearwise.search.base import Distance, Floats
from nearwise.search.fallback.blocks import BLOCK_BYTES, BlockEngine
from nearwise.weights import Weights
from nearwise.weights.forms import signed_gaps

__all__ = ["FormBlocks", "cannot_form"]


def cannot_form(distance: Distance) -> str:
    """Why quadratic forms cannot be used with this metric; empty where they can."""
    if distance.weights.shape != "forms":
        return "only for quadratic forms"
    if distance.metric.p not in (1, 2):
        return f"a quadratic form needs p=2, or p=1 for the sum without its root, got p={distance.metric.p:g}"
    return ""


class FormBlocks(BlockEngine):
    """s(x, q) = sum over rows of (A_q u(x, q))^2, see `nearwise.weights.Forms`."""

    @np.errstate(over="ignore", invalid="ignore")
    def block(self, queries: Measured, weights: Weights) -> Floats:
        m, n, rows = len(queries), len(self.distance.stored), weights.values.shape[1]
        total, step = np.zeros((m, n)), max(1, BLOCK_BYTES // (8 * 4 * max(1, n * rows)))
        for start in range(0, m, step):
            some = slice(start, min(m, start + step))
            maps = weights.of_queries(some, m).values
            mapped = np.zeros((rows, len(total[some]), n))
            for f, gaps in enumerate(signed_gaps(self.distance.stored, queries.take(some))):
                for row, each in enumerate(mapped):
                    each += weighted(maps[:, row, f][:, None], gaps)
            for each in mapped:
                total[some] += np.square(each)
        return total
