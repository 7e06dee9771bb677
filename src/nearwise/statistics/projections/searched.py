"""Votes of a feature by an exact search on it alone: any kind of values, and every rule for ties."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Encoded, Measure, Measured, Metric
from nearwise.search.base import Distance, Engine, Floats, Ints, Payload
from nearwise.search.plan import plan
from nearwise.vote import Majority, collect, tally
from nearwise.weights import Global, Stored

__all__ = ["Searched"]

CELLS = 4_000_000
"""votes held at once"""


@dataclass(frozen=True)
class Searched:
    """One feature of the stored cases, those that miss the value left out unless that counts as a value."""

    measure: Measure
    column: Encoded
    payload: Payload
    threads: int

    @cached_property
    def known(self) -> Ints:
        return _known(self.measure, self.column)

    @cached_property
    def engine(self) -> Engine:
        column = self.column if len(self.known) == len(self.column.values) else self.column.take(self.known)
        stored = Stored(Measured((column,), len(self.known)))
        metric = Metric((self.measure,), 1)
        return plan(Distance(metric, Global(np.ones(1), metric.names), stored), "auto", self.threads).engine

    def votes(
        self, asked: Encoded, k: int, ties: str, leave_out: Ints | None, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """(m, g, v) votes and (m, g) the smallest difference at which a group votes; none where a value is missing."""
        g, v = self.payload.shape
        total, near = np.zeros((len(asked.values), g, v)), np.full((len(asked.values), g), np.inf)
        rows = _known(self.measure, asked)
        place = np.full(len(self.column.values), -1, dtype=np.intp)
        place[self.known] = np.arange(len(self.known))
        skip = None if leave_out is None else place[leave_out[rows]]
        if len(self.known) < 1 + (skip is not None):
            return total, near
        k = min(k, len(self.known) - (skip is not None))
        chosen = Payload(self.payload.codes[self.known], self.payload.values[self.known], g)
        step = max(1, CELLS // (k * g * v))
        for start in range(0, len(rows), step):
            part = slice(start, min(len(rows), start + step))
            queries = Measured((asked.take(rows[part]),), len(rows[part]))
            ballots = collect(self.engine, queries, k, chosen, ties, None if skip is None else skip[part], rng)
            total[rows[part]], near[rows[part]], _ = tally(*ballots.at(k), Majority(), lambda sums: sums)
        if self.measure.scale(1) == 0:
            near[:] = np.inf  # all cases are at 0, which tells nobody's nearness
        return total, near


def _known(measure: Measure, column: Encoded) -> NDArray[np.intp]:
    """The cases that have a value."""
    if column.missing is None or measure.as_value:
        return np.arange(len(column.values))
    return np.flatnonzero(~column.missing)
