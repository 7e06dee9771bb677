"""The engine for a matrix of weights: project once, then compare in the new features."""

from __future__ import annotations

import numpy as np

from nearwise.differences.metric import Measured
from nearwise.engines.base import Distance, Floats
from nearwise.engines.blocks import BlockEngine
from nearwise.weights import Matrix, Weights

__all__ = ["MappedEngine"]


class MappedEngine(BlockEngine):
    r"""s(x, q) = sum over new features of (z_x - z_q)^2, z = A x with x in units of its scale.

    A missing value stands at the mean of the stored cases.
    """

    name = "mapped"

    def __init__(self, distance: Distance) -> None:
        super().__init__(distance)
        stored = _plain(distance.stored.cases)
        known = np.isfinite(stored)
        self._means = np.where(known, stored, 0.0).sum(axis=0) / np.maximum(1, known.sum(axis=0))
        self._units = np.sqrt(self._scales)
        self._stored = self.project(distance.stored.cases)

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        if not isinstance(distance.weights, Matrix):
            return "only for a matrix of weights"
        if distance.metric.p != 2:
            return f"a matrix of weights needs p=2, got p={distance.metric.p:g}"
        crooked = [m.name for m in distance.metric.measures if m.fitted.form != "line"]
        return f"feature {crooked[0]!r} is not on a line" if crooked else ""

    def project(self, cases: Measured) -> Floats:
        """(n, new features)"""
        plain = _plain(cases)
        centred = (np.where(np.isfinite(plain), plain, self._means) - self._means) * self._units
        return np.asarray(centred @ np.asarray(self.distance.weights.values).T)

    def block(self, queries: Measured, weights: Weights) -> Floats:
        total = np.zeros((len(queries), len(self._stored)))
        for z, x in zip(self.project(queries).T, self._stored.T, strict=True):
            total += np.square(z[:, None] - x[None, :])
        return total


def _plain(cases: Measured) -> Floats:
    return np.stack([column.values for column in cases.columns], axis=1)
