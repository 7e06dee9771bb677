"""The engine for a matrix of weights: project once, compare in the new features, decide in the given ones.

The cases are projected once and single precision proposes among them, as in the dense engine. Double precision maps the
differences, not the cases: what cancels in A (x - q) cancels exactly, so ties stay ties.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import weighted
from nearwise.differences.metric import Encoded, Measured
from nearwise.native import core
from nearwise.search.base import Distance, Floats, Ints, Neighbours, Payload
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.index.proposals import PRODUCT, Question, by_singles
from nearwise.search.layout.contrasts import DECIDES, PROPOSES
from nearwise.search.selection.smallest import empty_neighbours
from nearwise.weights import Matrix, Weights
from nearwise.weights.values import places, symbols

__all__ = ["MappedEngine", "cannot_map", "mean_of"]

PIECE = 65_536
"""cases projected at a time"""


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


@np.errstate(over="ignore", invalid="ignore")
def mean_of(column: Encoded) -> float:
    """The mean of the known numbers, where a missing one stands; 0 where there is none.

    The sum is exact before it is rounded, so the mean does not depend on the order of the cases.
    """
    known = column.values[np.isfinite(column.values)]
    if not len(known):
        return 0.0
    size = math.frexp(float(np.abs(known).max()))[1]  # a power of two is exact, and the sum of huge numbers is finite
    return math.ldexp(math.fsum(np.ldexp(known, -size).tolist()) / len(known), size)


class MappedEngine(BlockEngine):
    r"""s(x, q) = sum over new features of (A (x - q))^2, with x and q in units of their scale.

    A missing value stands at the mean of the stored cases. The rarer questions, and all without the core, go to the
    blocks.
    """

    name = "mapped"

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        weights = distance.weights
        assert isinstance(weights, Matrix)
        columns = distance.stored.cases.columns
        self._blocks, self._levels = weights.blocks, weights.levels
        self._means: dict[int, float] = {}
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
            places(column, symbols(levels)) if levels else self._filled(f, column)
            for f, (column, levels) in enumerate(zip(cases.columns, self._levels, strict=True))
        ]

    def _filled(self, f: int, column: Encoded) -> Floats:
        known = np.isfinite(column.values)
        if known.all():
            return np.asarray(column.values)
        if f not in self._means:
            self._means[f] = mean_of(self.distance.stored.cases.columns[f])
        return np.where(known, column.values, self._means[f])

    @np.errstate(over="ignore", invalid="ignore")
    def gaps(self, queries: Measured, cases: list[NDArray[Any]]) -> Floats:
        """(new features, m, n) A (x - q)"""
        asked = self._placed(queries)
        out = np.zeros((len(self.distance.weights.values), len(queries), len(cases[0]) if cases else 0))
        for f, (q, x, table) in enumerate(zip(asked, cases, self._tables, strict=True)):
            gap = weighted(self._units[f], x[None, :] - q[:, None]) if table is None else None
            for new, total in enumerate(out):
                if table is None:
                    total += weighted(self._blocks[f][new, 0], gap)
                else:
                    total += table[new][x][None, :] - table[new][q][:, None]
        return out

    @np.errstate(over="ignore", invalid="ignore")
    def block(self, queries: Measured, weights: Weights) -> Floats:
        total = np.zeros((len(queries), len(self.distance.stored)))
        for gap in self.gaps(queries, self._stored):
            total += np.square(gap)
        return total

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        index = self._index
        if index is None or not len(queries):
            return super().nearest(queries, k, payload, leave_out)
        out = empty_neighbours(len(queries), k, payload)
        placed = self._placed(queries)
        new, slips = self._projected(placed)
        blur = slips + self._slip
        rows = np.arange(len(queries))
        if np.isfinite(blur).all() and blur.max() < 1e100:
            question = Question.of(np.vstack([*placed, new]).T.copy(), k, payload, leave_out, blur=blur)
            rows = by_singles(index, question, PRODUCT, rows, out, self.threads)
        if len(rows):
            skip = None if leave_out is None else leave_out[rows]
            out.put(rows, super().nearest(queries.take(rows), k, payload, skip))
        return out

    @cached_property
    def _index(self) -> Any:
        """The projected cases in the core, beside the given ones that decide; None where the core cannot serve."""
        native, new_features = core(), len(self.distance.weights.values)
        if native is None or not new_features or not len(self.distance.stored):
            return None
        new, slips = self._projected(self._stored)
        self._slip = float(slips.max())
        is_symbol = np.array([table is not None for table in self._tables] + [False] * new_features)
        given, wide = len(self._tables), len(is_symbol)
        columns = [
            np.ascontiguousarray(x, dtype=np.float64 if t is None else np.int32)
            for x, t in zip(self._stored, self._tables)
        ]
        tables = [self._blocks[f] if table is None else table for f, table in enumerate(self._tables)]
        index = native.DenseIndex(
            [*columns, *new],
            is_symbol.astype(np.uint8),
            np.zeros(len(self.distance.stored), dtype=np.int32),
            np.ones((1, wide)),
            np.zeros(wide),
            np.zeros(wide),
            2.0,
            role=np.repeat([DECIDES, PROPOSES], [given, new_features]).astype(np.uint8),
            tables=[*map(np.ascontiguousarray, tables), *[np.zeros((0, 1))] * new_features],
            units=np.array([*self._units, *[0.0] * new_features]),
        )
        return index if index.is_usable else None

    @cached_property
    def _centre(self) -> list[float]:
        """A middle of each number, so that an offset of all cases costs no digits."""
        return [
            0.0 if t is not None else float(np.median(x[:: max(1, len(x) // 4096)]))
            for x, t in zip(self._stored, self._tables)
        ]

    @np.errstate(over="ignore", invalid="ignore")
    def _projected(self, placed: list[NDArray[Any]]) -> tuple[Floats, Floats]:
        """(new features, n) A (x - centre), and (n,) what rounding may do to lengths here and in the decision."""
        n, width = len(placed[0]), len(self.distance.weights.values)
        out, slips = np.empty((width, n)), np.empty(n)
        for start in range(0, n, PIECE):
            part = slice(start, start + PIECE)
            sums, sizes = out[:, part], np.zeros((width, len(placed[0][part])))
            sums[:] = 0.0
            for f, (column, table) in enumerate(zip(placed, self._tables, strict=True)):
                each = (
                    weighted(self._blocks[f], weighted(self._units[f], column[part] - self._centre[f]))
                    if table is None
                    else table[:, column[part]]
                )
                sums += each
                sizes += np.abs(each)
            slips[part] = np.sqrt(np.square(sizes).sum(axis=0))
        return out, slips * (4 * (len(placed) + 4) * 2.0**-53)
