"""The native scan: numbers and symbols, with global or per-class weights, in one pass of the C++ core."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearwise.cases.kinds import CONSTANT
from nearwise.differences.base import Fitted
from nearwise.differences.metric import Measured
from nearwise.differences.profiles import Rooted
from nearwise.native import core
from nearwise.progress import progress
from nearwise.search.base import TIE, Distance, Ints, Neighbours, Payload
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.layout.columns import Layout, asks_left_out, by_class
from nearwise.search.selection.smallest import empty_neighbours
from nearwise.weights import Global, PerCase, PerClass, PerQuery, Weights

__all__ = ["SLOWER", "NativeEngine", "chunk"]

CHUNK_TERMS = 50_000_000
"""feature differences a call: well under 100 ms a thread, so that Ctrl-C answers"""
SLOWER = 20
"""how much longer a difference takes where it is raised to a power other than 1 and 2"""


class NativeEngine(BlockEngine):
    """`nearest` runs in the core; the rarer questions go to the blocks."""

    name = "native"
    shapes: tuple[type[Weights], ...] = (Global, PerClass)
    """of weights that the scan knows"""

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        weights, stored = distance.weights, distance.stored
        if isinstance(weights, PerClass) and stored.classes is not None:
            bounds = np.searchsorted(np.sort(stored.classes), np.arange(len(weights.values) + 1))
            coefficients = np.asarray(weights.values) * self._scales
        else:
            bounds = np.array([0, len(stored)])
            # weights of cases and queries come with them
            coefficients = self._scales[None, :]
            if not isinstance(weights, PerCase):
                coefficients = (np.asarray(weights.values) * self._scales)[None, :]
        self._segments = bounds.astype(np.int64)
        self._layout = Layout.of(distance.metric)
        feature, first = self._layout.feature, self._layout.joined == 0
        self._coefficients = np.ascontiguousarray(coefficients[:, feature])
        measures = distance.metric.measures
        self._is_symbol = np.array([m.fitted.form == "overlap" for m in measures], dtype=np.uint8)[feature]
        # of columns that are joined, the first says what a missing value adds
        self._one = np.where(first, np.array([m.fitted.maximum for m in measures])[feature], 0.0)
        self._both = np.where(np.array([m.policy == "value" for m in measures])[feature], 0.0, self._one)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return by_class(self.distance)

    @cached_property
    def _packed(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The cases by segment, packed when first searched, and the place of each case among them."""
        place = np.empty(len(self._order), dtype=np.int64)
        place[self._order] = np.arange(len(self._order))
        columns = self._layout.packed(self.distance.stored.cases)
        is_in_order = bool((place[1:] > place[:-1]).all())  # then a copy less
        return np.ascontiguousarray(columns if is_in_order else columns[:, self._order]), place

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        if core() is None:
            return "the C++ core is not built (or NEARWISE_NATIVE=0)"
        if not isinstance(distance.weights, cls.shapes):
            return f"{distance.weights.shape} weights are not in this scan"
        for measure in distance.metric.measures:
            embeds = _embeds(measure.fitted, distance)
            if measure.fitted.form not in ("line", "overlap") and not embeds:
                return f"feature {measure.name!r} ({measure.difference}) is not in the core"
            if measure.policy not in CONSTANT:
                return f"feature {measure.name!r} has the missing policy {measure.policy!r}"
        for measure, column in zip(distance.metric.measures, distance.stored.cases.columns, strict=True):
            if isinstance(measure.fitted, Rooted):
                known = column.values if column.missing is None else column.values[~column.missing]
                if measure.fitted.strange[known].any():
                    return f"feature {measure.name!r} has stored symbols that are compared by overlap"
        return ""

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        native = core()
        if native is None or len(queries) == 0 or asks_left_out(self.distance.metric, queries):
            return super().nearest(queries, k, payload, leave_out)
        out = empty_neighbours(len(queries), k, payload)
        columns, place = self._packed
        asked = np.ascontiguousarray(self._layout.packed(queries).T)
        skip = np.full(len(queries), -1, dtype=np.int64)
        if leave_out is not None:
            skip = np.where(leave_out < 0, -1, place[leave_out])
        codes = np.ascontiguousarray(payload.codes[self._order], dtype=np.int32)
        values = np.ascontiguousarray(payload.values[self._order], dtype=np.float64)
        step = chunk(self.distance.metric.p, columns.size, self.threads)
        starts = range(0, len(queries), step)
        for start in progress(starts, len(starts), "searching"):
            rows = slice(start, start + step)
            found = native.scan(
                columns, self._is_symbol, self._segments, self._coefficients, self._one, self._both,
                float(self.distance.metric.p), asked[rows], skip[rows], self._order, k, TIE, codes, values,
                payload.n_groups, self.threads, self._layout.joined,
            )  # fmt: skip
            out.sums[rows], out.indices[rows], out.inside[rows], out.tied[rows], out.tie_sums[rows] = found
        return out


def _embeds(fitted: Fitted, distance: Distance) -> bool:
    """Whether a feature becomes numbers of the core; squares that are added up first know no weights of cases."""
    if not fitted.embeds or distance.metric.p != fitted.embeds_at or isinstance(distance.weights, PerQuery):
        return False
    return fitted.embeds_at == 1 or not isinstance(distance.weights, PerCase)


def chunk(p: float, terms: int, threads: int) -> int:
    """How many queries, of so many terms each, a call of the plain scan takes."""
    return max(threads, CHUNK_TERMS // (1 if p in (1, 2) else SLOWER) * threads // max(1, terms))
