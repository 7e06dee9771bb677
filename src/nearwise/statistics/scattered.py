"""Pieces of work in an order that covers the whole early, with sums that do not depend on that order.

Who is interrupted then has seen pieces from all over the table, and not the cases of its first class alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Collected", "scattered"]

GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


def scattered(count: int) -> list[int]:
    """0 .. count - 1 in an order whose beginnings are spread evenly over the whole.

    >>> scattered(8)
    [0, 5, 2, 7, 4, 1, 6, 3]
    """
    return np.argsort(np.argsort(np.arange(count) * GOLDEN % 1.0)).tolist() if count > 2 else list(range(count))


class Collected:
    """What pieces of cases add to some sums; added up in the order of the pieces, in whatever order they came.

    >>> sums = Collected(2)
    >>> sums.add(1, np.array([7, 8]), np.array([0.5, 1.0]))
    >>> sums.add(0, np.array([3]), np.array([2.0, 0.0]))
    >>> sums.total.tolist(), sums.rows.tolist()
    ([2.5, 1.0], [3, 7, 8])
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._parts: dict[int, tuple[NDArray[Any], NDArray[np.float64]]] = {}

    def __len__(self) -> int:
        return len(self._parts)

    def add(self, at: int, rows: NDArray[Any], part: NDArray[np.float64]) -> None:
        """What the piece number ``at`` of the cases ``rows`` adds, (size,)."""
        self._parts[at] = (rows, part)

    @property
    def total(self) -> NDArray[np.float64]:
        """(size,)"""
        out = np.zeros(self.size)
        for at in sorted(self._parts):
            out += self._parts[at][1]
        return out

    @property
    def rows(self) -> NDArray[np.int64]:
        """The cases of all pieces that came."""
        rows = [self._parts[at][0] for at in sorted(self._parts)]
        return np.concatenate(rows).astype(np.int64) if rows else np.zeros(0, dtype=np.int64)
