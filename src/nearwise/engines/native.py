"""The native scan: numbers and symbols, with global or per-class weights, in one pass of the C++ core."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured
from nearwise.engines.base import TIE, Distance, Ints, Neighbours, Payload
from nearwise.engines.blocks import BlockEngine
from nearwise.engines.select import empty_neighbours
from nearwise.native import core
from nearwise.progress import progress
from nearwise.weights import Global, PerClass

__all__ = ["NativeEngine", "core", "packed"]

CHUNK_TERMS = 50_000_000
"""feature differences a call: well under 100 ms a thread, so that Ctrl-C answers"""


class NativeEngine(BlockEngine):
    """`nearest` runs in the core; the rarer questions go to the blocks."""

    name = "native"

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        weights, stored = distance.weights, distance.stored
        if isinstance(weights, PerClass) and stored.classes is not None:
            self._order = np.argsort(stored.classes, kind="stable").astype(np.int64)
            bounds = np.searchsorted(stored.classes[self._order], np.arange(len(weights.values) + 1))
            coefficients = weights.values * self._scales
        else:
            self._order = np.arange(len(stored), dtype=np.int64)
            bounds = np.array([0, len(stored)])
            coefficients = (np.asarray(weights.values) * self._scales)[None, :]
        self._segments = bounds.astype(np.int64)
        self._coefficients = np.ascontiguousarray(coefficients)
        measures = distance.metric.measures
        self._is_symbol = np.array([m.fitted.form == "overlap" for m in measures], dtype=np.uint8)
        self._one = np.array([m.fitted.maximum for m in measures])
        self._both = np.where([m.policy == "value" for m in measures], 0.0, self._one)

    @cached_property
    def _packed(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The cases by segment, packed when first searched, and the place of each case among them."""
        place = np.empty(len(self._order), dtype=np.int64)
        place[self._order] = np.arange(len(self._order))
        return np.ascontiguousarray(packed(self.distance.stored.cases)[:, self._order]), place

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        if core() is None:
            return "the C++ core is not built (or NEARWISE_NATIVE=0)"
        if not isinstance(distance.weights, Global | PerClass):
            return f"{distance.weights.shape} weights are not in the core"
        if distance.metric.p not in (1, 2):
            return f"p={distance.metric.p:g} is not in the core"
        for measure in distance.metric.measures:
            if measure.fitted.form not in ("line", "overlap"):
                return f"feature {measure.name!r} ({measure.difference}) is not in the core"
            if measure.policy not in ("max", "value", "error"):
                return f"feature {measure.name!r} has the missing policy {measure.policy!r}"
        return ""

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        native = core()
        if native is None or len(queries) == 0:
            return super().nearest(queries, k, payload, leave_out)
        out = empty_neighbours(len(queries), k, payload)
        columns, place = self._packed
        asked = np.ascontiguousarray(packed(queries).T)
        skip = np.full(len(queries), -1, dtype=np.int64)
        if leave_out is not None:
            skip = np.where(leave_out < 0, -1, place[leave_out])
        codes = np.ascontiguousarray(payload.codes[self._order], dtype=np.int32)
        values = np.ascontiguousarray(payload.values[self._order], dtype=np.float64)
        step = max(self.threads, CHUNK_TERMS * self.threads // max(1, columns.size))
        starts = range(0, len(queries), step)
        for start in progress(starts, len(starts), "searching"):
            rows = slice(start, start + step)
            found = native.scan(
                columns, self._is_symbol, self._segments, self._coefficients, self._one, self._both,
                int(self.distance.metric.p), asked[rows], skip[rows], self._order, k, TIE, codes, values,
                payload.n_groups, self.threads,
            )  # fmt: skip
            out.sums[rows], out.indices[rows], out.inside[rows], out.tied[rows], out.tie_sums[rows] = found
        return out


def packed(cases: Measured) -> NDArray[np.float64]:
    """(p, n) numbers and symbol codes alike as doubles, NaN where missing."""
    out = np.empty((len(cases.columns), len(cases)))
    for row, column in zip(out, cases.columns, strict=True):
        row[:] = column.values
        if column.missing is not None:
            row[column.missing] = np.nan
    return out
