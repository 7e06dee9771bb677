"""The engine for a matrix of weights: project once, then compare in the new features."""

from __future__ import annotations

import numpy as np

from nearwise.differences.metric import Measured
from nearwise.engines.base import Distance, Floats
from nearwise.engines.blocks import BlockEngine
from nearwise.weights import Matrix, Weights

__all__ = ["MappedEngine"]


class MappedEngine(BlockEngine):
    r"""s(x, q) = sum over new features of (A (x - q))^2, with x and q in units of their scale.

    The differences are mapped, not the cases: what cancels in A (x - q) cancels exactly, so ties stay ties. A
    missing value stands at the mean of the stored cases.
    """

    name = "mapped"

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        stored = _plain(distance.stored.cases)
        known = np.isfinite(stored)
        self._means = np.where(known, stored, 0.0).sum(axis=0) / np.maximum(1, known.sum(axis=0))
        self._units = np.sqrt(self._scales)
        self._stored = self._filled(distance.stored.cases)

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        if not isinstance(distance.weights, Matrix):
            return "only for a matrix of weights"
        if distance.metric.p != 2:
            return f"a matrix of weights needs p=2, got p={distance.metric.p:g}"
        crooked = [m.name for m in distance.metric.measures if m.fitted.form != "line"]
        return f"feature {crooked[0]!r} is not on a line" if crooked else ""

    def _filled(self, cases: Measured) -> Floats:
        """(n, p) without holes"""
        plain = _plain(cases)
        return np.where(np.isfinite(plain), plain, self._means)

    def gaps(self, queries: Measured, cases: Floats) -> Floats:
        """(new features, m, n) A (x - q)"""
        asked, matrix = self._filled(queries), np.asarray(self.distance.weights.values)
        out = np.zeros((len(matrix), len(asked), len(cases)))
        for f, (q, x) in enumerate(zip(asked.T, cases.T, strict=True)):
            gap = (x[None, :] - q[:, None]) * self._units[f]
            for new, row in enumerate(matrix):
                out[new] += row[f] * gap
        return out

    def parts(self, queries: Measured, j: int, i: int) -> Floats:
        """(new features,) what each adds to the sum of stored case i and query j"""
        return np.asarray(np.square(self.gaps(queries.take(np.array([j])), self._stored[i : i + 1])[:, 0, 0]))

    def block(self, queries: Measured, weights: Weights) -> Floats:
        total = np.zeros((len(queries), len(self._stored)))
        for gap in self.gaps(queries, self._stored):
            total += np.square(gap)
        return total


def _plain(cases: Measured) -> Floats:
    return np.stack([column.values for column in cases.columns], axis=1)
