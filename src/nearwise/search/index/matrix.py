"""The index for a matrix of weights: project once, compare in the new features, decide in the given ones.

The cases are projected once and single precision proposes among them, as in the dense engine. Double precision maps the
differences, not the cases: what cancels in A (x - q) cancels exactly, so ties stay ties.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearwise.arithmetic import weighted
from nearwise.differences.metric import Measured
from nearwise.native import core
from nearwise.search.base import Distance, Floats, Ints, Neighbours, Payload
from nearwise.search.fallback.matrix_blocks import MatrixBlocks, cannot_map
from nearwise.search.index.base import Index
from nearwise.search.index.proposals import PRODUCT, Question, by_singles
from nearwise.search.layout.contrasts import DECIDES, PROPOSES
from nearwise.search.selection.smallest import empty_neighbours

__all__ = ["MatrixIndex"]

PIECE = 65_536
"""cases projected at a time"""


class MatrixIndex(Index):
    """Proposes among projected cases; what it leaves, and all without the core, goes to the blocks."""

    name = "matrix"
    nanoseconds = 0.1
    rest: MatrixBlocks
    rest_made = MatrixBlocks

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        root = "the root of " if distance.metric.p == 2 else ""
        self.note = f"{root}the sum of the squares of {len(distance.weights.values)} new features"

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        return cannot_map(distance)

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        index = self._index
        if index is None or not len(queries):
            return self.rest.nearest(queries, k, payload, leave_out)
        out = empty_neighbours(len(queries), k, payload)
        placed = self.rest.placed(queries)
        new, slips = self._projected(placed)
        blur = slips + self._slip
        rows = np.arange(len(queries))
        if np.isfinite(blur).all() and blur.max() < 1e100:
            question = Question.of(np.vstack([*placed, new]).T.copy(), k, payload, leave_out, blur=blur)
            rows = by_singles(index, question, PRODUCT, rows, out, self.threads)
        if len(rows):
            skip = None if leave_out is None else leave_out[rows]
            out.put(rows, self.rest.nearest(queries.take(rows), k, payload, skip))
        return out

    @cached_property
    def _index(self) -> Any:
        """The projected cases in the core, beside the given ones that decide; None where the core cannot serve."""
        native, new_features = core(), len(self.distance.weights.values)
        if native is None or not new_features or not len(self.distance.stored):
            return None
        new, slips = self._projected(self.rest.stored)
        self._slip = float(slips.max())
        is_symbol = np.array([table is not None for table in self.rest.tables] + [False] * new_features)
        given, wide = len(self.rest.tables), len(is_symbol)
        columns = [
            np.ascontiguousarray(x, dtype=np.float64 if t is None else np.int32)
            for x, t in zip(self.rest.stored, self.rest.tables)
        ]
        tables = [self.rest.blocks[f] if table is None else table for f, table in enumerate(self.rest.tables)]
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
            units=np.array([*self.rest.units, *[0.0] * new_features]),
        )
        return index if index.is_usable else None

    @cached_property
    def _centre(self) -> list[float]:
        """A middle of each number, so that an offset of all cases costs no digits."""
        return [
            0.0 if t is not None else float(np.median(x[:: max(1, len(x) // 4096)]))
            for x, t in zip(self.rest.stored, self.rest.tables)
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
            for f, (column, table) in enumerate(zip(placed, self.rest.tables, strict=True)):
                each = (
                    weighted(self.rest.blocks[f], weighted(self.rest.units[f], column[part] - self._centre[f]))
                    if table is None
                    else table[:, column[part]]
                )
                sums += each
                sizes += np.abs(each)
            slips[part] = np.sqrt(np.square(sizes).sum(axis=0))
        return out, slips * (4 * (len(placed) + 4) * 2.0**-53)
