"""Cases added and forgotten without building the engine anew.

A grown engine asks the one that was built before, over the cases of then, and scans the cases that came since. It is
used while few cases came or went and nothing that measures them changed (ranges, levels, weights); then everything is
built again. So adding n cases one by one builds the large engine about log n times.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nearwise.differences.metric import Measured
from nearwise.errors import InputError
from nearwise.search.base import TIE, Distance, Engine, Floats, Ints, Neighbours, Payload
from nearwise.search.fallback.blocks import BlockEngine
from nearwise.search.plan import plan
from nearwise.search.selection.smallest import empty_neighbours
from nearwise.weights import Global, PerClass, Stored

__all__ = ["GrownEngine", "grown"]

SLOW_TO_BUILD = ("dense", "kd")
"""engines worth keeping"""
LARGEST_SHARE = 0.1
"""added cases, of those in the engine built before, beyond which it is built again"""
MOST_FORGOTTEN = 32
"""forgotten cases that are searched in vain before the engine is built again"""
SPARE = 8
"""neighbours asked for beyond k, so that ties at the k-th place are seen whole"""


def grown(before: Engine, distance: Distance, kept: Ints, threads: int) -> GrownEngine | None:
    """An engine for a distance whose first cases are those at ``kept`` of the engine before; None: build anew."""
    base, at = before, np.arange(len(before.distance.stored))
    if isinstance(before, GrownEngine):
        base, at = before.base, before.base_at
    if base.name not in SLOW_TO_BUILD or not _same(before.distance, distance, kept):
        return None
    place = np.full(len(before.distance.stored), -1, dtype=np.intp)
    place[kept] = np.arange(len(kept))
    base_at = np.where(at >= 0, place[at], -1)
    left = int((base_at >= 0).sum())
    added, forgotten = len(distance.stored) - left, len(base_at) - left
    if added > LARGEST_SHARE * left or forgotten > MOST_FORGOTTEN:
        return None
    return GrownEngine(distance, threads, base, base_at)


def _same(old: Distance, new: Distance, kept: Ints) -> bool:
    """Whether the cases that stayed are measured and weighed as before."""
    if type(old.weights) is not type(new.weights) or not isinstance(new.weights, Global | PerClass):
        return False
    if old.metric.p != new.metric.p or not np.array_equal(old.weights.values, new.weights.values):
        return False
    for before, now in zip(old.metric.measures, new.metric.measures, strict=True):
        if now.fitted.form not in ("line", "overlap"):  # what compares by classes changes with every case
            return False
        if before.policy != now.policy or (before.fitted.unit, before.fitted.maximum) != (
            now.fitted.unit,
            now.fitted.maximum,
        ):
            return False
        if now.difference.needs_classes:  # the classes of the new cases change what values differ by
            return False
        if getattr(before.fitted, "levels", None) != getattr(now.fitted, "levels", None):
            return False
    for was, column in zip(old.stored.cases.columns, new.stored.cases.columns, strict=True):
        values = was.values[kept]
        if not np.array_equal(values, column.values[: len(kept)], equal_nan=values.dtype.kind == "f"):
            return False
    return True


class GrownEngine(BlockEngine):
    """An engine over most of the cases, and a scan of the others; the rarer questions go to the blocks."""

    def __init__(self, distance: Distance, threads: int, base: Engine, base_at: Ints) -> None:
        super().__init__(distance, threads)
        self.base, self.base_at = base, base_at
        self.name = base.name  # type: ignore[misc]  # what searches most of the cases
        there = np.zeros(len(distance.stored), dtype=bool)
        there[base_at[base_at >= 0]] = True
        self.recent_at = np.flatnonzero(~there)
        self.forgotten = int((base_at < 0).sum())
        stored = distance.stored
        classes = None if stored.classes is None else stored.classes[self.recent_at]
        recent = Distance(distance.metric, distance.weights, Stored(stored.cases.take(self.recent_at), classes))
        self._recent = plan(recent, "auto", threads).engine if len(self.recent_at) else None
        self.note = f"built before {len(self.recent_at)} cases were added and {self.forgotten} forgotten"

    def __reduce__(self) -> tuple[Any, ...]:
        return _built, (self.distance, self.threads)

    @classmethod
    def refuses(cls, distance: Distance) -> str:
        raise InputError("A grown engine comes from the one before it, not from the planner.")

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        if not len(queries):
            return empty_neighbours(0, k, payload)
        parts = [self._part(self.base, self.base_at, queries, k + self.forgotten + SPARE, leave_out)]
        if self._recent is not None:
            parts.append(self._part(self._recent, self.recent_at, queries, k + SPARE, leave_out))
        sums = np.hstack([part[0] for part in parts])
        cases = np.hstack([part[1] for part in parts])
        complete = np.min([part[2] for part in parts], axis=0)
        return self._merged(queries, sums, cases, complete, k, payload, leave_out)

    def _part(
        self, engine: Engine, at: Ints, queries: Measured, k: int, leave_out: Ints | None
    ) -> tuple[Floats, Ints, Floats]:
        """Sums and cases of one part, inf and -1 where there is none, and (m,) up to which sum they are all there."""
        n = len(at)
        skip = None
        if leave_out is not None:
            place = np.full(len(self.distance.stored), -1, dtype=np.intp)
            place[at[at >= 0]] = np.flatnonzero(at >= 0)
            skip = np.where(leave_out < 0, -1, place[leave_out])
        nothing = Payload(np.zeros(n, dtype=np.intp), np.zeros((n, 1)), 1)
        found = engine.nearest(queries, min(k, n), nothing, skip)
        complete = np.where(np.isinf(found.sums[:, -1]) | (k >= n), np.inf, found.sums[:, -1] * (1 - 2 * TIE))
        cases = np.where(found.indices >= 0, at[found.indices], -1)
        return np.where(cases >= 0, found.sums, np.inf), cases, complete

    def _merged(
        self,
        queries: Measured,
        sums: Floats,
        cases: Ints,
        complete: Floats,
        k: int,
        payload: Payload,
        leave_out: Ints | None,
    ) -> Neighbours:
        out = empty_neighbours(len(queries), k, payload)
        order = np.lexsort((np.where(cases < 0, len(self.distance.stored), cases), sums), axis=1)
        sums, cases = np.take_along_axis(sums, order, axis=1), np.take_along_axis(cases, order, axis=1)
        width = min(k, sums.shape[1])
        out.sums[:, :width], out.indices[:, :width] = sums[:, :width], cases[:, :width]
        filled = (cases[:, :width] >= 0).sum(axis=1)
        last = np.take_along_axis(sums, np.maximum(filled - 1, 0)[:, None], axis=1)
        margin = np.where(np.isinf(last), 0.0, TIE * last)
        there = (cases >= 0) & (filled > 0)[:, None]
        inside = there & (sums < last - margin)
        tied = there & ~inside & (sums <= last + margin)
        out.inside[:], out.tied[:] = inside.sum(axis=1), tied.sum(axis=1)
        rows, columns = np.nonzero(tied)
        np.add.at(out.tie_sums, (rows, payload.codes[cases[rows, columns]]), payload.values[cases[rows, columns]])
        # a tie group that may go on behind the lists, or infinite sums, are looked at one by one
        unsure = np.flatnonzero((last[:, 0] + margin[:, 0] >= complete) | np.isinf(last[:, 0]))
        if len(unsure):
            skip = None if leave_out is None else leave_out[unsure]
            out.put(unsure, super().nearest(queries.take(unsure), k, payload, skip))
        return out


def _built(distance: Distance, threads: int) -> Engine:
    return plan(distance, "auto", threads).engine
