"""The nearest among some of the stored cases: an index over these alone, under the distance that was fitted.

Ranges, tables, weights and scales stay those of all cases, so a distance is the same with and without a filter. An
index is built once for each choice of cases; the last few are kept as long as the engine that they were taken from.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from nearwise.differences.metric import Measured
from nearwise.search import Distance, Payload, plan
from nearwise.search.base import Engine, Ints, Neighbours
from nearwise.weights import Stored

__all__ = ["Among", "part_of_engine"]

KEPT = 4
"""indexes that are kept for an engine"""
_kept: WeakKeyDictionary[Engine, OrderedDict[bytes, Engine]] = WeakKeyDictionary()
_lock = Lock()


@dataclass(frozen=True)
class Among:
    """Searches ``rows`` (r,) of the cases of an engine, ascending; None searches all of them."""

    engine: Engine
    rows: Ints | None

    def most(self, leave_out: Ints | None) -> int:
        """How many neighbours every query has."""
        n = len(self.engine.distance.stored)
        if self.rows is None or leave_out is None:
            return (n if self.rows is None else len(self.rows)) - (leave_out is not None)
        return len(self.rows) - bool(np.isin(leave_out, self.rows).any())

    def nearest(self, queries: Measured, k: int, leave_out: Ints | None) -> Neighbours:
        """The k nearest, by their places among all stored cases."""
        n = len(self.engine.distance.stored)
        if self.rows is None:
            return self.engine.nearest(queries, k, Payload.nothing(n), leave_out)
        settled = self.engine.settled(queries, leave_out)  # weights of a query are worked out from all cases
        part = self._index() if settled is self.engine else part_of_engine(settled, self.rows)
        skip = None
        if leave_out is not None:
            place = np.full(n + 1, -1, dtype=np.intp)  # the last is that of -1, who leaves no one out
            place[self.rows] = np.arange(len(self.rows))
            skip = place[leave_out]
        found = part.nearest(queries, k, Payload.nothing(len(self.rows)), skip)
        where = np.append(self.rows, -1)
        return replace(found, indices=where[found.indices])

    def _index(self) -> Engine:
        assert self.rows is not None
        key = self.rows.tobytes()
        with _lock:
            held = _kept.setdefault(self.engine, OrderedDict())
            if key in held:
                held.move_to_end(key)
                return held[key]
        made = part_of_engine(self.engine, self.rows)
        with _lock:
            held[key] = made
            while len(held) > KEPT:
                held.popitem(last=False)
        return made


def part_of_engine(engine: Engine, rows: Ints) -> Engine:
    """The cheapest engine over some of the cases."""
    whole = engine.distance
    classes = None if whole.stored.classes is None else whole.stored.classes[rows]
    stored = Stored(whole.stored.cases.take(rows), classes)
    return plan(Distance(whole.metric, whole.weights.of_cases(rows), stored), "auto", engine.threads).engine
