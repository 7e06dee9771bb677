"""The engine for a matrix of weights: project once, then compare in the new features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Encoded, Measured
from nearwise.engines.base import Distance, Floats
from nearwise.engines.blocks import BlockEngine
from nearwise.weights import Matrix, Weights
from nearwise.weights.values import places, symbols

__all__ = ["MappedEngine", "cannot_map", "mean_of"]


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


def mean_of(column: Encoded) -> float:
    """The mean of the known numbers, where a missing one stands; 0 where there is none."""
    known = np.isfinite(column.values)
    return float(np.where(known, column.values, 0.0).sum() / max(1, known.sum()))


class MappedEngine(BlockEngine):
    r"""s(x, q) = sum over new features of (A (x - q))^2, with x and q in units of their scale.

    The differences are mapped, not the cases: what cancels in A (x - q) cancels exactly, so ties stay ties. A
    missing value stands at the mean of the stored cases.
    """

    name = "mapped"

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        weights = distance.weights
        assert isinstance(weights, Matrix)
        columns = distance.stored.cases.columns
        self._blocks, self._levels = weights.blocks, weights.levels
        self._means = [0.0 if levels else mean_of(column) for levels, column in zip(self._levels, columns)]
        self._tables = [weights.table(f, columns[f]) if level else None for f, level in enumerate(self._levels)]
        self._units = [m.scale(1) for m in distance.metric.measures]
        self._stored = self._placed(distance.stored.cases)
        root = "the root of " if distance.metric.p == 2 else ""
        self.note = f"{root}the sum of the squares of {len(weights.values)} new features"

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        return cannot_map(distance)

    def _placed(self, cases: Measured) -> list[NDArray[Any]]:
        """Per feature (n,) numbers without holes, or the place of each level."""
        return [
            places(column, symbols(levels)) if levels else np.where(np.isfinite(column.values), column.values, mean)
            for column, levels, mean in zip(cases.columns, self._levels, self._means, strict=True)
        ]

    def gaps(self, queries: Measured, cases: list[NDArray[Any]]) -> Floats:
        """(new features, m, n) A (x - q)"""
        asked = self._placed(queries)
        out = np.zeros((len(self.distance.weights.values), len(queries), len(cases[0]) if cases else 0))
        for f, (q, x, table) in enumerate(zip(asked, cases, self._tables, strict=True)):
            gap = (x[None, :] - q[:, None]) * self._units[f] if table is None else None
            for new, total in enumerate(out):
                if table is None:
                    total += self._blocks[f][new, 0] * gap
                else:
                    total += table[new][x][None, :] - table[new][q][:, None]
        return out

    def parts(self, queries: Measured, j: int, i: int) -> Floats:
        """(new features,) what each adds to the sum of stored case i and query j"""
        case = [column[i : i + 1] for column in self._stored]
        return np.asarray(np.square(self.gaps(queries.take(np.array([j])), case)[:, 0, 0]))

    def block(self, queries: Measured, weights: Weights) -> Floats:
        total = np.zeros((len(queries), len(self.distance.stored)))
        for gap in self.gaps(queries, self._stored):
            total += np.square(gap)
        return total
