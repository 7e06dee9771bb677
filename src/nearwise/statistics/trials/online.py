"""Cases that are stored one by one, and the nearest of them under weights that change with every case."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearwise.differences.metric import Measured, Metric
from nearwise.native import core
from nearwise.search.base import TIE, Distance, Engine, Floats
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.fallback.matrix_blocks import MatrixBlocks
from nearwise.search.layout.columns import Layout, packed
from nearwise.search.layout.serves import not_in_core
from nearwise.search.plan import plan
from nearwise.weights import Global, Stored, Weights
from nearwise.weights.local import Local

__all__ = ["Pool"]


class Pool:
    """Some of the cases of a table, in the order in which they were stored.

    Numbers and symbols under one weight a feature are scanned in the native core, everything else (any kind, any
    shape of weights, no core) row by row in NumPy, to the same last bit.

    >>> from nearwise import NearestCases
    >>> problem = NearestCases(1).fit([[0.0, 1.0], [4.0, 1.0], [1.0, 5.0]])._model.problem
    >>> pool = Pool(problem.metric, problem.cases)
    >>> pool.add(0)
    >>> pool.add(1)
    >>> pool.nearest(2, Global([1.0, 1.0], problem.features)), pool.differences(2, 0).tolist()
    (0, [0.25, 1.0])
    """

    def __init__(self, metric: Metric, cases: Measured, classes: Any = None, asking: Measured | None = None) -> None:
        n, p = len(cases), len(metric.names)
        self.metric, self.cases, self.stored = metric, cases, Stored(cases, classes)
        self.asking = cases if asking is None else asking
        self._ids = np.zeros(n, dtype=np.intp)
        self._count = 0
        self._scales = metric.scales()
        self._largest = np.array([float(m.fitted.maximum) for m in metric.measures])
        even = Distance(metric, Global(np.ones(p), metric.names), self.stored)
        self._engine: BlockEngine | None = None
        self._local: Engine | None = None
        embeds = any(m.fitted.embeds for m in metric.measures)  # such a feature is several columns of the core
        self._native = None if embeds or not_in_core(even) else core()
        if self._native is not None:
            layout = Layout.of(metric)
            self._is_symbol, self._one, self._both = layout.is_symbol, layout.one, layout.both
            self._rows = np.ascontiguousarray(packed(cases).T)
            self._columns = np.zeros((p, n))
            self._sums = np.zeros(n)

    def __len__(self) -> int:
        return self._count

    @property
    def ids(self) -> Any:
        """(len,) the stored cases, in the order in which they were stored."""
        return self._ids[: self._count]

    def add(self, case: int) -> None:
        self._ids[self._count] = case
        if self._native is not None:
            self._columns[:, self._count] = self._rows[case]
        self._count += 1

    def sums(self, case: int, weights: Weights) -> Floats:
        """(len,) the distance before the root of a case to each stored one; valid until the next call."""
        if self._native is None or not isinstance(weights, Global):
            return np.asarray(self._row(case, weights)[self.ids])
        self._native.online_sums(
            self._columns, self._is_symbol, weights.values * self._scales, self._one, self._both,
            float(self.metric.p), self._rows[case], self._count, self._sums,
        )  # fmt: skip
        found = self._sums[: self._count]
        found[np.isnan(found)] = np.inf
        return found

    def _row(self, case: int, weights: Weights) -> Floats:
        """(n,) the same to every case of the table."""
        if isinstance(weights, Local):
            if self._local is None:
                self._local = plan(Distance(self.metric, weights, self.stored)).engine
            query = self.asking.take(slice(case, case + 1))
            return np.asarray(self._local.settled(query, np.array([case])).sums(query)[0])
        if self._engine is None:
            made = MatrixBlocks if weights.is_mapped else BlockEngine
            self._engine = made(Distance(self.metric, weights, self.stored))
        found = self._engine.block(self.asking.take(slice(case, case + 1)), weights)[0]
        return np.where(np.isnan(found), np.inf, found)

    def nearest(self, case: int, weights: Weights) -> int:
        """The nearest stored case but itself, of several equally near ones the lowest (Reading O5); -1 for none."""
        others = self.ids != case
        if not others.any():
            return -1
        ids = self.ids[others]
        return int(ids[first_smallest(self.sums(case, weights)[others], ids)])

    def differences(self, case: int, other: int) -> Floats:
        """(p,) differences of a query and a stored case over the largest one of their feature, so in 0 .. 1.

        NaN where the missing policy leaves a feature out.
        """
        if self._native is not None:
            q, x = self._rows[case], self._rows[other]
            raw = np.where(self._is_symbol == 1, q != x, np.abs(q - x))
            holes = np.isnan(raw) | np.isnan(q) | np.isnan(x)
            raw = np.where(holes, np.where(np.isnan(q) & np.isnan(x), self._both, self._one), raw)
        else:
            pairs = zip(self.metric.measures, self.cases.columns, strict=True)
            asked = self.asking.columns
            found = [m.pair(column, other, asked[f], case) for f, (m, column) in enumerate(pairs)]
            raw = np.array([np.nan if value is None else value for value in found])
        shares = np.divide(raw, self._largest, out=np.where(np.isnan(raw), np.nan, 0.0), where=self._largest > 0)
        return np.asarray(np.minimum(shares, 1.0))


def first_smallest(sums: Floats, ids: Any) -> int:
    """The place of the smallest sum; of those that equal it to rounding, the one with the lowest id."""
    least = sums.min()
    if not np.isfinite(least):
        return int(np.argmin(ids))
    tied = np.flatnonzero(sums <= least + TIE * least)
    return int(tied[np.argmin(ids[tied])])
