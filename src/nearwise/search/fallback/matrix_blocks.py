"""Blocks under a matrix of weights: what is mapped are differences, so what cancels in A (x - q) cancels exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import weighted
from nearwise.differences.metric import Encoded, Measured
from nearwise.search.base import Distance, Floats
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.terms import stored_mean
from nearwise.weights import Matrix, Weights
from nearwise.weights.values import places, symbols

__all__ = ["MatrixBlocks", "cannot_map"]


def cannot_map(distance: Distance) -> str:
    """Why a matrix of weights cannot be used with this metric; empty where it can."""
    weights = distance.weights
    if not isinstance(weights, Matrix):
        return "only for a matrix of weights"
    if distance.metric.p not in (1, 2):
        return f"a matrix of weights needs p=2, or p=1 for the sum without its root, got p={distance.metric.p:g}"
    for measure, levels in zip(distance.metric.measures, weights.levels, strict=True):
        if levels and measure.fitted.form not in ("overlap", "table"):
            return f"feature {measure.name!r} is not compared by its levels, which the matrix has columns for"
        if not levels and measure.fitted.form != "line" and measure.fitted.levels != ():
            return f"feature {measure.name!r} is not on a line, and the matrix has no columns for its levels"
    return ""


class MatrixBlocks(BlockEngine):
    r"""s(x, q) = sum over new features of (A (x - q))^2, with x and q in units of their scale.

    A missing value stands at the mean of the stored cases.
    """

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        weights = distance.weights
        assert isinstance(weights, Matrix)
        self.blocks, self._levels = weights.blocks, weights.levels
        self._means: dict[int, float] = {}
        self.tables = [weights.table(f, distance.stored) if level else None for f, level in enumerate(self._levels)]
        self.units = [m.scale(1) for m in distance.metric.measures]
        self.stored = self.placed(distance.stored.cases)

    def placed(self, cases: Measured) -> list[NDArray[Any]]:
        """Per feature (n,) numbers without holes, or the place of each level."""
        return [
            places(column, symbols(levels)) if levels else self._filled(f, column)
            for f, (column, levels) in enumerate(zip(cases.columns, self._levels, strict=True))
        ]

    def _filled(self, f: int, column: Encoded) -> Floats:
        known = np.isfinite(column.values)
        if known.all():
            return np.asarray(column.values)
        if f not in self._means:
            self._means[f] = stored_mean(self.distance.stored, f)
        return np.where(known, column.values, self._means[f])

    @np.errstate(over="ignore", invalid="ignore")
    def gaps(self, queries: Measured, cases: list[NDArray[Any]]) -> Floats:
        """(new features, m, n) A (x - q)"""
        asked = self.placed(queries)
        out = np.zeros((len(self.distance.weights.values), len(queries), len(cases[0]) if cases else 0))
        for f, (q, x, table) in enumerate(zip(asked, cases, self.tables, strict=True)):
            gap = weighted(self.units[f], x[None, :] - q[:, None]) if table is None else None
            for new, total in enumerate(out):
                if table is None:
                    total += weighted(self.blocks[f][new, 0], gap)
                else:
                    total += table[new][x][None, :] - table[new][q][:, None]
        return out

    @np.errstate(over="ignore", invalid="ignore")
    def block(self, queries: Measured, weights: Weights) -> Floats:
        total = np.zeros((len(queries), len(self.distance.stored)))
        for gap in self.gaps(queries, self.stored):
            total += np.square(gap)
        return total
