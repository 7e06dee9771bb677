"""Answers from parts of the cases, put together: an index and what was added since, or the shards of a large table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nearwise.search.base import TIE, Floats, Ints, Neighbours, Payload
from nearwise.search.selection.smallest import empty_neighbours

__all__ = ["Listed"]


@dataclass(frozen=True)
class Listed:
    """The nearest of m queries among some of the cases, by (sum, case), and how far the lists are complete.

    Merging is associative and has no order: what is listed of a and b is what would be listed of both together.
    """

    sums: Floats
    """(m, l) ascending, inf where there is none"""
    cases: Ints
    """(m, l) -1 where there is none"""
    complete: Floats
    """(m,) every case of the part with a sum of at most this is listed"""

    @classmethod
    def of(cls, found: Neighbours, at: Ints) -> Listed:
        """What an engine found whose cases are those at ``at``; -1 for a case that does not count."""
        last = found.sums[:, -1]
        all_listed = np.isinf(last) | (found.sums.shape[1] >= len(at))
        # one that ties with the last may be missing
        complete = np.where(all_listed, np.inf, last * (1 - 2 * TIE))
        cases = np.where(found.indices >= 0, at[found.indices], -1)
        return cls(np.where(cases >= 0, found.sums, np.inf), cases, complete)

    def merged(self, other: Listed) -> Listed:
        """The cases of both parts, which have none in common."""
        sums, cases = np.hstack([self.sums, other.sums]), np.hstack([self.cases, other.cases])
        return Listed(sums, cases, np.minimum(self.complete, other.complete))._in_order()

    def _in_order(self) -> Listed:
        behind = np.where(self.cases < 0, np.iinfo(np.intp).max, self.cases)
        order = np.lexsort((behind, self.sums), axis=1)
        return Listed(
            np.take_along_axis(self.sums, order, axis=1), np.take_along_axis(self.cases, order, axis=1), self.complete
        )

    def nearest(self, k: int, payload: Payload) -> tuple[Neighbours, Ints]:
        """The k nearest, and the queries whose tie group may go on behind the lists: these must be asked otherwise."""
        ranked = self._in_order()
        sums, cases = ranked.sums, ranked.cases
        out, width = empty_neighbours(len(sums), k, payload), min(k, sums.shape[1])
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
        unsure = (last[:, 0] + margin[:, 0] >= self.complete) | np.isinf(last[:, 0])
        return out, np.flatnonzero(unsure)
