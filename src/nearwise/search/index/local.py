"""Weights that are worked out for each query: one search finds what they depend on, a second one goes by them.

Both indexes are built once, over the stored cases, and serve every call: weights that come with the queries are no part
of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from nearwise.differences.metric import Measured
from nearwise.search.base import Distance, Engine, Floats, Ints, Levels, Neighbours, Payload
from nearwise.search.selection.smallest import empty_levels, empty_neighbours
from nearwise.weights import Global
from nearwise.weights.local import Local, Near

__all__ = ["LocalEngine"]

CHUNK_BYTES = 32 << 20
"""memory for what is worked out at a time: the neighbours of each query, pair by pair, and its form"""


class LocalEngine(Engine):
    """Serves `nearwise.weights.local.Local`; a query that leaves a case out has weights worked out without it."""

    name = "local"
    nanoseconds = 1.0

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        self.note = f"weights worked out for each query, then searched by {self._under.name!r}"

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        weights = distance.weights
        if not isinstance(weights, Local):
            return "only for weights that are worked out for each query"
        if weights.gives == "forms" and distance.metric.p not in (1, 2):
            return f"a quadratic form needs p=2, or p=1 for the sum without its root, got p={distance.metric.p:g}"
        return ""

    @property
    def _weights(self) -> Local:
        assert isinstance(self.distance.weights, Local)  # refused otherwise
        return self.distance.weights

    @cached_property
    def _first(self) -> Engine:
        """The search for neighbours under equal weights."""
        from nearwise.search.plan import plan  # which knows this engine too

        power = self._weights.power
        metric = self.distance.metric if power is None else replace(self.distance.metric, p=power)
        even = Global(np.ones(len(metric.names)), metric.names)
        return plan(Distance(metric, even, self.distance.stored), "auto", self.threads).engine

    @cached_property
    def _under(self) -> Engine:
        """The search by what was worked out."""
        from nearwise.search.plan import plan

        distance = Distance(self.distance.metric, self._weights.even, self.distance.stored)
        return plan(distance, "auto", self.threads).engine

    def settled(self, queries: Measured, leave_out: Ints | None = None) -> Engine:
        weights, engine = self._weights, self._under
        nobody = np.zeros((len(queries), 0), dtype=np.intp), np.zeros((len(queries), 0))
        for done in range(weights.rounds):
            near = Near(*nobody, leave_out)
            if weights.asks:
                near = self._near(engine if done else self._first, queries, leave_out)
            engine = self._under.under(weights.worked_out(self.distance.stored, queries, near))
        return engine

    def _near(self, engine: Engine, queries: Measured, leave_out: Ints | None) -> Near:
        n = len(self.distance.stored)
        k = max(1, min(self._weights.asks, n - (leave_out is not None)))
        found = engine.nearest(queries, k, Payload.nothing(n), leave_out)
        root = np.sqrt if self._weights.power == 2 else self.distance.metric.root
        return Near(found.indices, np.asarray(root(found.sums)), leave_out)

    def _settled_in_parts(
        self, queries: Measured, leave_out: Ints | None
    ) -> Iterator[tuple[slice, Engine, Measured, Ints | None]]:
        """Some of the queries at a time, with the engine for them."""
        asks, p = self._weights.asks, len(self.distance.metric.names)
        step = max(1, CHUNK_BYTES // (8 * (8 * asks * (p + 4) + 8 * p * p + 1)))
        for start in range(0, len(queries), step):
            rows = slice(start, min(len(queries), start + step))
            some, skip = queries.take(rows), None if leave_out is None else leave_out[rows]
            yield rows, self.settled(some, skip), some, skip

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        out = empty_neighbours(len(queries), k, payload)
        for rows, engine, some, skip in self._settled_in_parts(queries, leave_out):
            out.put(rows, engine.nearest(some, k, payload, skip))
        return out

    def levels(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Levels:
        out = empty_levels(len(queries), k, payload)
        for rows, engine, some, skip in self._settled_in_parts(queries, leave_out):
            found = engine.levels(some, k, payload, skip)
            out.sums[rows], out.counts[rows], out.payload[rows] = found.sums, found.counts, found.payload
        return out

    def within(self, queries: Measured, limits: Floats, leave_out: Ints | None = None) -> list[tuple[Floats, Ints]]:
        out: list[tuple[Floats, Ints]] = []
        for rows, engine, some, skip in self._settled_in_parts(queries, leave_out):
            out += engine.within(some, limits[rows], skip)
        return out

    def sums(self, queries: Measured) -> Floats:
        return self.settled(queries).sums(queries)
