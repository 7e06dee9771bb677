"""The tree: a kd-tree per class over numbers, for tables of few dimensions or of few that matter."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured
from nearwise.native import core
from nearwise.progress import progress
from nearwise.search.base import TIE, Cost, Distance, Engine, Floats, Ints, Neighbours, Payload
from nearwise.search.index.base import Index
from nearwise.search.index.dense import DenseIndex
from nearwise.search.index.scan import ScanIndex
from nearwise.search.layout.columns import Layout, packed
from nearwise.search.layout.segments import Segments, skipped
from nearwise.search.layout.serves import Serves
from nearwise.search.orders import Order, made_by
from nearwise.search.selection.smallest import empty_neighbours
from nearwise.weights import Stored

__all__ = ["TreeIndex"]

FEWEST = 4_000
"""stored cases below which the probe and the tree (3 ms) cost more than they save on the first few hundred queries"""
PROBES = 64
"""stored cases that are searched to see how much of a tree a search visits"""
PROBE_K = 10
SAMPLES = (2_000, 16_000)
"""sizes of the two trees by whose visits those of the whole tree are foretold"""
LARGEST_SHARE = 0.05
"""foretold share of visited cases beyond which the dense index is faster: a visit costs as much as 20 cases there

Measured on 100,000 cases of d normal features, k = 10, two threads (`benchmarks/planner.py`): the dense engine takes 31
times as long as the tree with d = 2, 8.6 times with 4, 3 times with 6, where 2% are visited, as long with 8, where 8%
are, and a quarter of its time with 12.
"""
LARGEST_VALUE = 1e150
"""a number beyond it has no square; such a query is left to the scan"""
GRAIN = 16
"""queries of the first call"""
CHUNK_SECONDS = 0.04
"""aim of one call, so that Ctrl-C answers"""


class TreeIndex(Index):
    """`nearest` and `within` search the tree; queries with missing values are scanned.

    ``note`` says which share of the cases the search for a few of them visits.
    """

    name = "tree"
    serves = Serves(forms=("line",), powers=(1, 2), every_policy=True)
    nanoseconds = DenseIndex.nanoseconds / LARGEST_SHARE

    def __init__(self, distance: Distance, threads: int = 1, order: Order | None = None) -> None:
        super().__init__(distance, threads)
        native = core()
        assert native is not None  # refused otherwise
        bounds, index = _segments(distance)
        n = len(distance.stored)
        layout = Layout.of(distance.metric)
        columns = layout.columns(distance.stored.cases)
        coefficients = layout.coefficients(distance.weights.values)
        cases = columns, bounds, coefficients, index, int(distance.metric.p), self.threads
        self._tree: Any = made_by(lambda known: native.KdTree(*cases, known), order)
        self.visits = self._probed(columns, index)
        self.note = f"a search visits {self.visits / max(1, n):.2%} of the cases (tried on {min(PROBES, n)})"

    @classmethod
    def by(cls, distance: Distance, threads: int, orders: Mapping[str, Order]) -> Self:
        return cls(distance, threads, orders.get("leaves"))

    def orders(self) -> dict[str, Order]:
        return {"leaves": self._tree.order()}

    @cached_property
    def _scan(self) -> Engine:
        """What searches for queries with holes: the scan knows some policies of missing values, the rest all."""
        return self.rest if ScanIndex.refuses(self.distance) else ScanIndex(self.distance, self.threads)

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        why = super().refuses(distance)
        if why:
            return why
        for measure, column in zip(distance.metric.measures, distance.stored.cases.columns, strict=True):
            if column.missing is not None and column.missing.any():
                return f"feature {measure.name!r} is missing in stored cases"
            if max(column.values.max(initial=0.0), -column.values.min(initial=0.0)) > LARGEST_VALUE:
                return f"feature {measure.name!r} has values whose squares are infinite"
        return ""

    @classmethod
    def cost(cls, distance: Distance) -> Cost:
        n, p = len(distance.stored), len(distance.metric.measures)
        if n < FEWEST:
            return Cost(n * p * cls.nanoseconds, f"fewer than {FEWEST} cases are not worth a tree")
        visits = min(float(n), _foretold(distance))
        return Cost(visits * p * cls.nanoseconds, f"a search would visit about {visits / n:.0%} of the cases")

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        return self._nearest(queries, k, payload, leave_out, None)

    def nearest_up_to(
        self, queries: Measured, k: int, payload: Payload, reach: Floats, leave_out: Ints | None = None
    ) -> Neighbours:
        return self._nearest(queries, k, payload, leave_out, reach)

    def _nearest(
        self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None, reach: Floats | None
    ) -> Neighbours:
        out = empty_neighbours(len(queries), k, payload)
        values, skip, plain, odd = self._sorted_out(queries, leave_out)
        for rows in _chunks(self._in_tree_order(values, plain)):
            least = None if reach is None else reach[rows]
            found = self._tree.nearest(values[rows], skip[rows], k, TIE, *payload.packed, self.threads, least)
            out.put(rows, Neighbours(*found[:5]))
        if len(odd):
            left_out = None if leave_out is None else leave_out[odd]
            out.put(odd, self._scan.nearest(queries.take(odd), k, payload, left_out))
        return out

    def within(self, queries: Measured, limits: Floats, leave_out: Ints | None = None) -> list[tuple[Floats, Ints]]:
        values, skip, plain, odd = self._sorted_out(queries, leave_out)
        limits = np.asarray(limits, dtype=np.float64)
        found: list[Any] = [None] * len(queries)
        for rows in _chunks(self._in_tree_order(values, plain)):
            ends, sums, indices = self._tree.within(values[rows], limits[rows], skip[rows], self.threads)
            for at, row in enumerate(rows):
                own = slice(ends[at], ends[at + 1])
                found[row] = sums[own], indices[own]
        if len(odd):
            left_out = None if leave_out is None else leave_out[odd]
            for row, near in zip(odd, self.rest.within(queries.take(odd), limits[odd], left_out), strict=True):
                found[row] = near
        return found

    def _sorted_out(self, queries: Measured, leave_out: Ints | None) -> tuple[Floats, NDArray[np.int64], Ints, Ints]:
        """(m, p) values, (m,) cases to skip, the queries for the tree and those with holes or endless squares."""
        values = np.ascontiguousarray(packed(queries).T)
        fit = (np.abs(values) <= LARGEST_VALUE).all(axis=1)
        return values, skipped(leave_out, len(queries)), np.flatnonzero(fit), np.flatnonzero(~fit)

    def _probed(self, columns: list[Floats], index: NDArray[np.int64] | None) -> float:
        """Mean number of cases that a search for the neighbours of a few stored cases looks at."""
        n = len(self.distance.stored)
        if n == 0:
            return 0.0
        rows = np.sort(np.random.default_rng(0).choice(n, min(PROBES, n), replace=False))
        rows = rows if index is None else index[rows]
        values, nothing = np.stack([column[rows] for column in columns], axis=1), Payload.nothing(n)
        found = self._tree.nearest(values, rows, PROBE_K, TIE, *nothing.packed, self.threads)
        return float(found[5].mean())

    def _in_tree_order(self, values: Floats, rows: Ints) -> Ints:
        """Queries that fall near each other one after the other: what one has read is in the cache for the next."""
        return np.asarray(rows[np.argsort(self._tree.places(values[rows], self.threads))])


def _chunks(rows: Ints) -> Iterator[Ints]:
    """Rows in order, as many at a time as take about CHUNK_SECONDS, by the time that those before took."""
    start, wanted = 0, GRAIN
    grains = range(GRAIN, len(rows) + GRAIN, GRAIN)
    for end in progress(grains, len(grains), "searching"):
        if end - start < wanted and end < len(rows):
            continue
        begun = time.perf_counter()
        yield rows[start:end]
        took = max(1e-6, time.perf_counter() - begun)
        wanted = int((end - start) * min(16.0, CHUNK_SECONDS / took))
        start = end


def _segments(distance: Distance) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Where the cases of each row of weights begin, and the case at each place; None where all are in order."""
    found = Segments.of(distance)
    return found.bounds, None if len(found.bounds) == 2 else found.order


def _foretold(distance: Distance) -> float:
    r"""How many of the n cases a search will visit, from the visits v of trees over samples of two sizes.

    .. math:: v(n) = v_2 (n / n_2)^a, \quad a = \log(v_2 / v_1) / \log(n_2 / n_1)

    In few dimensions a is near 0, in many near 1. A search visits no fewer of more cases, so where even the visits of
    the smaller sample are too many the larger one is not asked, and a is taken for 1.
    """
    n = len(distance.stored)
    order = np.random.default_rng(0).choice(n, min(n, SAMPLES[1]), replace=False)
    sizes = [min(n, size) for size in SAMPLES]
    visits: list[float] = []
    for size in sizes:
        visits.append(TreeIndex(_some(distance, np.sort(order[:size])), threads=1).visits)
        if visits[0] > LARGEST_SHARE * n:
            return visits[0] * n / sizes[0]
    if sizes[0] == sizes[1]:
        return visits[1]
    exponent = np.clip(np.log(visits[1] / visits[0]) / np.log(sizes[1] / sizes[0]), 0.0, 1.0)
    return float(visits[1] * (n / sizes[1]) ** exponent)


def _some(distance: Distance, rows: Ints) -> Distance:
    """The same distance over some of the stored cases."""
    cases, classes = distance.stored.cases, distance.stored.classes
    return Distance(
        distance.metric, distance.weights, Stored(cases.take(rows), None if classes is None else classes[rows])
    )
