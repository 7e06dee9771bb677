"""Engines that work out the sums of all cases, one query after the other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from nearwise.differences.metric import Measured
from nearwise.search.base import Engine, Floats, Ints, Levels, Neighbours, Payload
from nearwise.search.selection.rows import Row, levels_of, nearest_of, within_of

__all__ = ["RowEngine"]


class RowEngine(Engine):
    """Answers every question from rows of sums."""

    @abstractmethod
    def rows(self, queries: Measured) -> Iterator[Row]:
        """Every query with the sums of all cases."""

    def nearest(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Neighbours:
        return nearest_of(self.rows(queries), len(queries), k, payload, leave_out)

    def levels(self, queries: Measured, k: int, payload: Payload, leave_out: Ints | None = None) -> Levels:
        return levels_of(self.rows(queries), len(queries), k, payload, leave_out)

    def within(self, queries: Measured, limits: Floats, leave_out: Ints | None = None) -> list[tuple[Floats, Ints]]:
        return within_of(self.rows(queries), limits, leave_out)
