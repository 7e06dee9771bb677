"""The native scan for weights that come with the case or the query, and for every policy of missing values."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from nearwise.arithmetic import power, weighted
from nearwise.differences.metric import Measured
from nearwise.native import core
from nearwise.search.base import TIE, Distance, Floats, Ints, Neighbours, Payload
from nearwise.search.index.base import Index, in_chunks
from nearwise.search.layout.columns import NOT_BUILT, packed
from nearwise.search.layout.segments import Segments
from nearwise.search.selection.smallest import empty_neighbours
from nearwise.weights import Global, PerCase, PerClass, PerQuery, PerValue, Weights

__all__ = ["WeighedEngine"]

FIXED, MEAN, IGNORE = 0, 1, 2


class WeighedEngine(Index):
    """Numbers and symbols in double precision."""

    name = "weighed"

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        self._segments, self._scales = Segments.of(distance), distance.metric.scales()

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        if core() is None:
            return NOT_BUILT
        if not isinstance(distance.weights, Global | PerClass | PerCase | PerQuery | PerValue):
            return f"{distance.weights.shape} weights are not in the core"
        for measure in distance.metric.measures:
            if measure.fitted.form not in ("line", "overlap"):
                return f"feature {measure.name!r} ({measure.difference}) is not in the core"
            if measure.ignores and isinstance(distance.weights, PerCase | PerValue):
                return f"feature {measure.name!r} is left out where it is missing, which wants weights of features"
        return ""

    @cached_property
    def _index(self) -> Any:
        native, metric, stored, weights = core(), self.distance.metric, self.distance.stored, self.distance.weights
        assert native is not None  # refused otherwise
        segments, n, p = self._segments, len(stored), len(metric.names)
        values = np.zeros((len(segments.bounds) - 1, p))
        if isinstance(weights, Global | PerClass):
            values = np.atleast_2d(np.asarray(weights.values))
        by_case = np.zeros((0, 0))
        if isinstance(weights, PerCase) and not isinstance(weights, PerQuery):
            by_case = np.stack([(weights.pairs(f, stored, stored.cases) * self._scales[f])[0] for f in range(p)])
        scales = np.zeros(0)
        if isinstance(weights, PerValue):
            scales = self._scales
            of_stored = [weights.of_stored(f, stored) for f in range(p)]
            by_case = np.stack([np.zeros(n) if each is None else each for each in of_stored])
        largest = np.array([power(m.fitted.maximum, metric.p) for m in metric.measures])
        worst = np.zeros(len(values))
        for f in range(p):  # in the order of features, as every sum
            with np.errstate(over="ignore"):
                worst = worst + weighted(values[:, f] * self._scales[f], largest[f])
        return native.WeighedCases(
            segments.arranged(packed(stored.cases)),
            metric.is_overlap,
            segments.bounds,
            np.ascontiguousarray(values * self._scales),
            metric.one,
            metric.both,
            np.array([IGNORE if m.ignores else MEAN if m.takes_means else FIXED for m in metric.measures], np.uint8),
            segments.arranged(_expected(stored.cases)),
            segments.arranged(by_case) if len(by_case) else by_case,
            np.ascontiguousarray(values, dtype=np.float64),
            worst,
            segments.order,
            scales,
            isinstance(weights, PerQuery | PerValue),
            float(metric.p),
        )

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        m = len(queries)
        if not m:
            return empty_neighbours(m, k, payload)
        asked = self._asked(queries, self.distance.weights.of_queries(slice(0, m), m))
        skip, given = self._segments.skipped(leave_out, m), self._segments.payload(payload)

        def ask(rows: slice) -> tuple[Any, ...]:
            found: tuple[Any, ...] = self._index.nearest(asked[rows], skip[rows], k, TIE, *given, self.threads)
            return found

        return in_chunks(self, m, k, payload, len(self.distance.stored) * len(queries.columns), ask)

    def _asked(self, queries: Measured, weights: Weights) -> Floats:
        """(m, 2p or more) the values, what is expected where the case has none, and coefficients by query."""
        parts = [packed(queries).T, _expected(queries).T]
        if isinstance(weights, PerQuery):
            parts.append(np.broadcast_to(weights.values * self._scales, (len(queries), len(queries.columns))))
        if isinstance(weights, PerValue):
            by_class = np.zeros((len(queries), max(1, len(weights.classes)), len(queries.columns)))
            for f in range(len(queries.columns)):
                asked = weights.of_asked(f, queries)
                if asked is not None:
                    by_class[:, :, f] = asked
            parts.append(by_class.reshape(len(queries), -1))
        return np.ascontiguousarray(np.hstack(parts))


def _expected(cases: Measured) -> Floats:
    """(p, n) the mean difference of each value from the training values, where the policy asks for it."""
    out = np.zeros((len(cases.columns), len(cases)))
    for row, column in zip(out, cases.columns, strict=True):
        if column.expected is not None:
            row[:] = column.expected
    return out
