"""Cases added and forgotten without building the engine anew.

The index asks the one that was built before, over the cases of then, and scans the cases that came since. It is
used while few cases came or went and nothing that measures them changed (ranges, levels, weights); then everything is
built again. So adding n cases one by one builds the large engine about log n times.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nearwise.differences.metric import Measured
from nearwise.errors import InputError
from nearwise.search.base import Distance, Engine, Ints, Neighbours, Payload
from nearwise.search.index.base import Index
from nearwise.search.plan import plan
from nearwise.search.selection.merge import Listed
from nearwise.search.selection.smallest import empty_neighbours
from nearwise.weights import Stored

__all__ = ["AddedIndex", "with_added"]

SLOW_TO_BUILD = ("dense", "tree")
"""engines worth keeping"""
LARGEST_SHARE = 0.1
"""added cases, of those in the engine built before, beyond which it is built again"""
MOST_FORGOTTEN = 32
"""forgotten cases that are searched in vain before the engine is built again"""
SPARE = 8
"""neighbours asked for beyond k, so that ties at the k-th place are seen whole"""


def with_added(before: Engine, distance: Distance, kept: Ints, threads: int) -> AddedIndex | None:
    """An engine for a distance whose first cases are those at ``kept`` of the engine before; None: build anew."""
    base, at = before, np.arange(len(before.distance.stored))
    if isinstance(before, AddedIndex):
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
    return AddedIndex(distance, threads, base, base_at)


def _same(old: Distance, new: Distance, kept: Ints) -> bool:
    """Whether the cases that stayed are measured and weighed as before."""
    if type(old.weights) is not type(new.weights) or new.weights.shape not in ("global", "per-class"):
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


class AddedIndex(Index):
    """An engine over most of the cases, and one over the others."""

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
        raise InputError("An index of added cases comes from the one before it, not from the planner.")

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        if not len(queries):
            return empty_neighbours(0, k, payload)
        listed = self._listed(self.base, self.base_at, queries, k + self.forgotten + SPARE, leave_out)
        if self._recent is not None:
            listed = listed.merged(self._listed(self._recent, self.recent_at, queries, k + SPARE, leave_out))
        out, unsure = listed.nearest(k, payload)
        if len(unsure):  # also where sums are infinite
            skip = None if leave_out is None else leave_out[unsure]
            out.put(unsure, self.rest.nearest(queries.take(unsure), k, payload, skip))
        return out

    def _listed(self, engine: Engine, at: Ints, queries: Measured, k: int, leave_out: Ints | None) -> Listed:
        """What one part lists, by the numbers of all cases."""
        skip = None
        if leave_out is not None:
            place = np.full(len(self.distance.stored), -1, dtype=np.intp)
            place[at[at >= 0]] = np.flatnonzero(at >= 0)
            skip = np.where(leave_out < 0, -1, place[leave_out])
        return Listed.of(engine.nearest(queries, min(k, len(at)), Payload.nothing(len(at)), skip), at)


def _built(distance: Distance, threads: int) -> Engine:
    return plan(distance, "auto", threads).engine
