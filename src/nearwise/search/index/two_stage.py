"""Two-stage search: cheap features say which cases can still be near, costly ones are compared for those only.

The sum over the cheap features, plus a lower bound of each costly difference where one is cheap, is at most the whole
sum, because no term is negative. Cases are visited in the order of that bound, in growing batches; the search ends when
the next bound lies beyond the k-th sum found and its ties. What remains is exact, ties included.

Rounding: bound and sum add the same non-negative numbers in different order, so each is off by a relative p * 2^-53 at
most. A case is left out only where its bound exceeds the cut-off by `SLACK`, far more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nearwise.arithmetic import power, weighted
from nearwise.differences.metric import Encoded, Measure, Measured
from nearwise.differences.prepared import Prepared
from nearwise.differences.text import Strings
from nearwise.native import core
from nearwise.progress import progress
from nearwise.search.base import Cost, Distance, Floats, Ints, Levels, Neighbours, Payload
from nearwise.search.fallback.blocks import BLOCK_BYTES, BlockEngine, needs_own_index
from nearwise.search.fallback.functions import warn_of_functions
from nearwise.search.index.base import Index
from nearwise.search.index.texts import TextStages
from nearwise.search.layout.serves import LARGEST
from nearwise.search.selection.rows import Row, levels_of, nearest_of, within_of
from nearwise.search.selection.smallest import tie_bounds
from nearwise.weights import Weights

__all__ = ["TwoStageIndex"]

SLACK = 1e-11
"""relative; covers the rounding of sums over 10,000 features"""
FIRST = 4
"""the first batch holds this many cases for each neighbour asked for"""
GROWTH = 4
"""each batch is this many times the one before"""
LEAST = 64
"""cases in the second batch at least"""
CACHED = 1 << 16
"""sums of cheap features worked out at a time: half a megabyte an array, which stays in the cache"""
FEW, FEW_TEXTS = 2000, 100
"""up to so many stored cases the planner prefers a block of every pair. Measured with 5 numbers and k = 10: sets break
even at 1,500 to 2,500 cases; the kernel for texts is 4 times faster from 100 cases on"""

CutOff = Callable[[int, Floats], float]
"""(query, some of its sums) -> a sum that the last wanted case cannot exceed"""


@dataclass(frozen=True)
class Costly:
    """A costly feature of one query: what it adds to the sums of some stored cases."""

    coefficient: Any
    """a number, or (n,)"""
    some: Callable[[Ints], Floats]

    @np.errstate(over="ignore")
    def add(self, total: Floats, rows: Ints, p: float) -> None:
        coefficient = self.coefficient if np.ndim(self.coefficient) == 0 else self.coefficient[rows]
        total += weighted(coefficient, power(self.some(rows), p))


@dataclass(frozen=True)
class Stage:
    """One query after the cheap features."""

    start: Floats
    """(n,) sums over the cheap features that come before the first costly one"""
    rest: tuple[Floats | Costly, ...]
    """the other features in their order: (n,) terms of a cheap one"""
    lower: Floats
    """(n,) at most the whole sum, but for rounding; NaN for a case that is left out"""
    p: float

    @np.errstate(over="ignore")
    def sums(self, rows: Ints) -> Floats:
        """The whole sums of some cases, added in the order of the features as every engine does."""
        total = self.start[rows]
        for part in self.rest:
            if isinstance(part, Costly):
                part.add(total, rows, self.p)
            else:
                total += part[rows]
        return total


class TwoStageIndex(Index):
    """Serves tables with cheap features (numbers, symbols) beside costly ones (text, sets, vectors, functions)."""

    name = "two-stage"
    nanoseconds = BlockEngine.nanoseconds

    def __init__(self, distance: Distance, threads: int = 1) -> None:
        super().__init__(distance, threads)
        warn_of_functions(distance, "one call for every pair of cases that the other features leave near")
        measures, self._scales = distance.metric.measures, distance.metric.scales()
        self._prepared: dict[int, Prepared] = {
            f: m.fitted.prepare(x.values)
            for f, (m, x) in enumerate(zip(measures, distance.stored.cases.columns, strict=True))
            if m.fitted.form == "pair"
        }
        # A text costs 3 times less in a block of queries: beyond a third of the cases the block is faster. A Python
        # function costs the same and outweighs it.
        slow = any(not m.fitted.vectorised for m in measures)
        self._blocks_gain = 1.0 if slow else max(held.blocks_gain for held in self._prepared.values())
        costly = ", ".join(repr(measures[f].name) for f in self._prepared)
        self.note = f"two stages: {costly} compared only for cases that the other features leave near enough"
        why = TextStages.refuses(distance)
        self._texts = None if why else TextStages(distance, threads)
        self.note += f"; in NumPy: {why}" if why else "; in the C++ core"

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        if distance.weights.served_by:
            return needs_own_index(distance)
        if not distance.metric.adds:
            return LARGEST
        costly = [m.fitted.form == "pair" for m in distance.metric.measures]
        if not any(costly):
            return "no feature is costly to compare"
        if all(costly):
            return "every feature is costly to compare"
        ignoring = [m.name for m in distance.metric.measures if m.ignores]
        return f"feature {ignoring[0]!r} has the missing policy 'ignore', which rescales sums" if ignoring else ""

    @classmethod
    def cost(cls, distance: Distance) -> Cost:
        """Whatever the number of cases, about as many are compared in full: ``FEW`` is what that takes in blocks."""
        n, fitted = len(distance.stored), [m.fitted for m in distance.metric.measures]
        each = len(fitted) * cls.nanoseconds
        if any(not f.vectorised for f in fitted):
            return Cost(each)
        if not any(isinstance(f, Strings) for f in fitted):
            return Cost((FEW + 1) * each, f"{n} cases are few: every pair is faster up to {FEW}")
        why = TextStages.refuses(distance)
        if why:  # rapidfuzz is 3 times faster in blocks, which random texts do not make up for
            return Cost(3 * n * each, f"texts outside the C++ core are faster in blocks ({why})")
        return Cost((FEW_TEXTS + 1) * each, f"{n} cases are few: every pair is faster up to {FEW_TEXTS}")

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        if self._texts is not None and core() is not None and self._texts.fits(queries).all():
            return self._texts.nearest(queries, k, payload, leave_out)

        def cut_off(j: int, sums: Floats) -> float:
            return tie_bounds(float(np.partition(sums, k - 1)[k - 1]))[1] if len(sums) >= k else np.inf

        rows = self._search(queries, leave_out, FIRST * k, cut_off)
        return nearest_of(rows, len(queries), k, payload, leave_out)

    def levels(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Levels:
        def cut_off(j: int, sums: Floats) -> float:
            # more cases can only lower the k-th level: its anchor is the smallest sum beyond the level before
            ranked = np.sort(sums)
            start, upper = 0, np.inf
            for _ in range(k):
                if start >= len(ranked):
                    return np.inf
                upper = tie_bounds(float(ranked[start]))[1]
                start = int(np.searchsorted(ranked, upper, side="right"))
            return upper

        rows = self._search(queries, leave_out, FIRST * k, cut_off)
        return levels_of(rows, len(queries), k, payload, leave_out)

    def within(self, queries: Measured, limits: Floats, leave_out: Ints | None = None) -> list[tuple[Floats, Ints]]:
        return within_of(self._search(queries, leave_out, 0, lambda j, _: float(limits[j])), limits, leave_out)

    def _search(self, queries: Measured, leave_out: Ints | None, first: int, cut_off: CutOff) -> Iterator[Row]:
        """Each query once, in any order, with the sums of all cases up to its cut-off."""
        m, n = len(queries), len(self.distance.stored)
        step, few = max(1, BLOCK_BYTES // (8 * 4 * max(1, n))), max(1, CACHED // max(1, n))
        starts = range(0, m, step)
        for start in progress(starts, len(starts), "searching"):
            crowded = []
            for begin in range(start, min(m, start + step), few):
                rows = slice(begin, min(m, start + step, begin + few))
                stages = self._stages(queries.take(rows), self.distance.weights.of_queries(rows, m))
                for j, stage in enumerate(stages, begin):
                    if leave_out is not None and leave_out[j] >= 0:
                        stage.lower[leave_out[j]] = np.nan
                    found = self._visit(stage, first, lambda sums, j=j: cut_off(j, sums))  # type: ignore[misc]
                    if found is None:
                        crowded.append(j)
                    else:
                        yield (j, *found)
            if crowded:
                at = np.array(crowded)
                sums = self.rest.block(queries.take(at), self.distance.weights.of_queries(at, m))
                for j, row in zip(crowded, sums, strict=True):
                    yield j, row, None

    def _visit(self, stage: Stage, first: int, cut_off: Callable[[Floats], float]) -> tuple[Floats, Ints] | None:
        """Sums and cases, by case, of all cases up to the cut-off; None where a block of every pair is cheaper."""
        lower, n = stage.lower, len(stage.lower)
        rows = np.argpartition(lower, first - 1)[:first] if 0 < first < n else np.arange(min(first, n))
        rows = rows[~np.isnan(lower[rows])]
        sums = stage.sums(rows)
        limit = cut_off(sums)
        lower[rows] = np.nan  # visited
        left = np.flatnonzero(lower <= _widened(limit))
        if len(left) * self._blocks_gain > n + first:
            return None
        batch = max(GROWTH * first, LEAST)
        if len(left) > batch:
            left = left[np.argsort(lower[left], kind="stable")]
        while len(left):
            sums, rows = np.append(sums, stage.sums(left[:batch])), np.append(rows, left[:batch])
            limit = cut_off(sums)
            near = sums <= limit
            sums, rows = sums[near], rows[near]
            left = left[batch:]
            left = left[lower[left] <= _widened(limit)]
            batch *= GROWTH
        order = np.argsort(rows)
        return sums[order], rows[order]

    def _stages(self, queries: Measured, weights: Weights) -> Iterator[Stage]:
        """The cheap features of some queries, and one `Stage` a query."""
        metric, stored = self.distance.metric, self.distance.stored
        shape = (len(queries), len(stored))
        start, lower = np.zeros(shape), np.zeros(shape)
        rest: list[Floats | tuple[int, Any]] = []
        for f, (measure, x, q) in enumerate(zip(metric.measures, stored.cases.columns, queries.columns, strict=True)):
            coefficient = weights.pairs(f, stored, queries) * self._scales[f]
            if np.ndim(coefficient) == 0 and coefficient == 0:
                continue
            if f in self._prepared:
                rest.append((f, coefficient if np.ndim(coefficient) == 0 else np.broadcast_to(coefficient, shape)))
                continue
            term = weighted(coefficient, measure.terms(x, q, metric.p))
            if rest:
                rest.append(term)
            total = lower if rest else start
            with np.errstate(over="ignore"):
                total += term
        with np.errstate(over="ignore"):
            lower += start
        for j in range(len(queries)):
            parts: list[Floats | Costly] = []
            for part in rest:
                if not isinstance(part, tuple):
                    parts.append(part[j])
                    continue
                f, coefficient = part
                own = coefficient if np.ndim(coefficient) == 0 else coefficient[j]
                at_least, some = self._ask(metric.measures[f], f, queries.columns[f].take(slice(j, j + 1)))
                parts.append(Costly(own, some))
                if at_least is not None:
                    with np.errstate(over="ignore"):
                        lower[j] += weighted(own, power(at_least, metric.p))
            yield Stage(start[j], tuple(parts), lower[j], metric.p)

    def _ask(self, measure: Measure, f: int, q: Encoded) -> tuple[Floats | None, Callable[[Ints], Floats]]:
        """A lower bound of the raw differences of one query value, and a function for those of some cases."""
        x = self.distance.stored.cases.columns[f]
        if q.missing is not None and q.missing[0]:  # the policy says it all
            row = measure.under_policy(np.zeros((1, len(x.values))), x, q)[0]
            return row, lambda rows: row[rows]
        asked = self._prepared[f].ask(q.values)
        if x.missing is None:
            return asked.lower, asked.some
        at_least = np.zeros(len(x.values)) if asked.lower is None else asked.lower.copy()

        def some(rows: Ints) -> Floats:
            return np.asarray(measure.under_policy(asked.some(rows)[None], x.take(rows), q)[0])

        return measure.under_policy(at_least[None], x, q)[0], some


def _widened(limit: float) -> float:
    return limit * (1 + SLACK) if limit < np.inf else np.inf
