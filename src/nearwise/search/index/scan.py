"""The native scan: numbers and symbols, with global or per-class weights, in one pass of the C++ core."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from nearwise.differences.metric import Measured
from nearwise.native import core
from nearwise.search.base import TIE, Distance, Ints, Neighbours, Payload
from nearwise.search.index.base import Index, in_chunks
from nearwise.search.layout.columns import Layout, asks_left_out, not_in_core
from nearwise.search.layout.segments import Segments
from nearwise.weights import Global, PerClass

__all__ = ["NativeEngine"]


class NativeEngine(Index):
    """The plain scan in double precision."""

    name = "native"

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        self._layout, self._segments = Layout.of(distance.metric), Segments.of(distance)
        self._coefficients = self._layout.coefficients(distance.weights.values)

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        if not isinstance(distance.weights, Global | PerClass):
            return f"{distance.weights.shape} weights are not in this scan"
        return not_in_core(distance)

    @cached_property
    def _cases(self) -> Any:
        """The cases by segment in the core, packed when first searched."""
        native, layout, segments = core(), self._layout, self._segments
        assert native is not None  # refused otherwise
        return native.ScanCases(
            segments.arranged(layout.packed(self.distance.stored.cases)), layout.is_symbol, segments.bounds,
            self._coefficients, layout.one, layout.both, float(self.distance.metric.p), segments.order, layout.joined,
        )  # fmt: skip

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        m, layout = len(queries), self._layout
        if core() is None or m == 0 or asks_left_out(self.distance.metric, queries):
            return self.rest.nearest(queries, k, payload, leave_out)
        asked, skip = np.ascontiguousarray(layout.packed(queries).T), self._segments.skipped(leave_out, m)
        given = self._segments.payload(payload)

        def ask(rows: slice) -> tuple[Any, ...]:
            found: tuple[Any, ...] = self._cases.nearest(asked[rows], skip[rows], k, TIE, *given, self.threads)
            return found

        return in_chunks(self, m, k, payload, len(self.distance.stored) * len(layout.feature), ask)
