r"""Local scaling: distances in units of how far apart cases are around the two that are compared.

.. math:: d'(x, q) = \frac{d(x, q)}{\sqrt{s(x)\, s(q)}}

with s the distance to the k-th nearest stored case, itself left out (Zelnik-Manor & Perona; it removes hubs, cases that
are near to everything). s(q) is one factor for a query and 1 / sqrt(s(x)) one for each stored case, so the search stays
exact through weights of cases and contributions still add up. Where s is 0 (k copies of a case), it is the smallest
positive one, or 1 if there is none. Above `MOST` cases s is measured among so many of them, drawn by their content.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nearwise.differences.metric import Measured
from nearwise.errors import InputError, is_whole
from nearwise.search import Distance, Payload, plan
from nearwise.search.base import Engine, Floats, Ints
from nearwise.statistics.draws.folds import drawn_cases
from nearwise.weighting import Problem
from nearwise.weights import Stored, Weights

__all__ = ["MOST", "USUAL", "LocalScale", "checked_local_scale", "last_sums"]

USUAL = 7
"""the neighbour whose distance is the scale"""
MOST = 5_000
"""cases among which scales are measured; of more, so many are drawn by their content"""
ASKED = 16_384
"""cases whose scales are measured at a time"""


def checked_local_scale(given: Any) -> None:
    """Refuse what is neither "auto", None nor a number of neighbours."""
    if not (given is None or is_whole(given, 1) or (isinstance(given, str) and given == "auto")):
        raise InputError(
            f"local_scale={given!r}: expected None, 'auto', or the number of the neighbour whose distance is the scale."
        )


def last_sums(engine: Engine, queries: Measured, k: int, leave_out: Ints | None) -> Floats:
    """(m,) the sum at the k-th nearest case, or at the last there is."""
    n = len(engine.distance.stored)
    found = engine.nearest(queries, max(1, min(k, n - (leave_out is not None))), Payload.nothing(n), leave_out)
    return np.asarray(np.where(np.isfinite(found.sums), found.sums, -np.inf).max(axis=1))


class LocalScale:
    """The scale of every stored case, and of queries."""

    def __init__(
        self, problem: Problem, weights: Weights, k: int, threads: int, scales: Floats | None = None,
        rows: Ints | None = None,
    ) -> None:  # fmt: skip
        self.k, self.threads = k, threads
        self.metric = problem.metric
        n = len(problem.table)
        self.rows = drawn_cases(problem.metric, problem.cases, problem.target, MOST) if rows is None else rows
        """the cases among which scales are measured"""
        stored = problem.stored
        if len(self.rows) < n:
            classes = None if stored.classes is None else stored.classes[self.rows]
            stored = Stored(stored.cases.take(self.rows), classes)
        self.engine = plan(Distance(problem.metric, weights.of_cases(self.rows), stored), "auto", threads).engine
        self.smallest = 1.0
        if scales is not None:
            self.of_cases = scales
            self.smallest = float(scales.min())
            return
        found = self._raw(problem.cases, np.arange(n))
        positive = found[found > 0]
        self.smallest = float(positive.min()) if len(positive) else 1.0
        self.of_cases = np.where(found > 0, found, self.smallest)
        """(n,) s of each stored case"""

    def _raw(self, queries: Measured, leave_out: Ints | None) -> Floats:
        """(m,) the distance to the k-th nearest case; 0 where there is none."""
        skip = None
        if leave_out is not None:
            place = np.full(int(max(self.rows.max(), leave_out.max(initial=0))) + 1, -1, dtype=np.intp)
            place[self.rows] = np.arange(len(self.rows))
            skip = np.where(leave_out >= 0, place[leave_out], -1)
        m = len(queries)
        sums = np.empty(m)
        for start in range(0, m, ASKED):  # an engine lays out what it is asked as it does the table
            rows = np.arange(start, min(m, start + ASKED))
            some = queries if len(rows) == m else queries.take(rows)
            sums[rows] = last_sums(self.engine, some, self.k, None if skip is None else skip[rows])
        return np.asarray(self.metric.root(np.maximum(sums, 0.0)))

    def of_queries(self, queries: Measured) -> Floats:
        """(m,) s of each query."""
        found = self._raw(queries, None)
        return np.where(found > 0, found, self.smallest)

    @property
    def case_factors(self) -> Floats:
        """(n,) what the distance of each stored case is multiplied by."""
        made = np.sqrt(self.of_cases)
        np.divide(1.0, made, out=made)
        made.setflags(write=False)  # so that weights keep it as it is
        return made

    def query_factors(self, queries: Measured, leave_out: Ints | None) -> Floats:
        """(m,) what distances from each query are multiplied by; a stored case keeps its scale."""
        scales = self.of_queries(queries) if leave_out is None else self.of_cases[leave_out]
        return np.asarray(1.0 / np.sqrt(scales))
