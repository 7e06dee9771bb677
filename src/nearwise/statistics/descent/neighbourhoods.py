"""The k nearest others of every case as lists, with fair shares where cases tie at the last place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearwise.differences.metric import Measured
from nearwise.progress import counted
from nearwise.search.base import TIE, Engine, Floats, Ints, Neighbours, Payload

__all__ = ["Neighbourhoods", "neighbourhoods"]


@dataclass(frozen=True)
class Neighbourhoods:
    """The neighbours of m cases as one list: those of case ``rows[i]`` from ``starts[i]`` on, nearest first."""

    rows: Ints
    """(m,)"""
    cases: Ints
    """(l,)"""
    shares: Floats
    """(l,) of a place that each fills: below 1 where several tie at the last one"""
    starts: Ints
    """(m,)"""

    @cached_property
    def owner(self) -> Ints:
        """(l,) whose neighbour each is, 0 .. m - 1"""
        sizes = np.diff(np.append(self.starts, len(self.cases)))
        return np.repeat(np.arange(len(self.rows)), sizes)

    def added(self, values: Floats) -> Floats:
        """(m,) sums over the neighbours of each case."""
        return np.asarray(np.add.reduceat(values, self.starts))

    def smallest(self, values: Floats) -> Floats:
        """(l,) the smallest value of each neighbourhood."""
        return np.asarray(np.minimum.reduceat(values, self.starts)[self.owner])


def neighbourhoods(engine: Engine, cases: Measured, k: int, payload: Payload, most: int) -> Iterator[Neighbourhoods]:
    """The neighbours of all stored cases, each without itself, about ``most`` neighbours at a time."""
    n = len(cases)
    step = max(1, most // k)
    for start in counted(range(0, n, step), -(-n // step)):
        rows = np.arange(start, min(n, start + step))
        found = engine.nearest(cases.take(rows), k, payload, rows)
        crowded = found.inside + found.tied > k  # more cases tie at the last place than there are places
        sizes = np.where(crowded, found.inside + found.tied, k)
        piece = (np.cumsum(sizes) - 1) // max(1, most)
        for at in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(piece)) + 1):
            yield _lists(engine, cases, rows[at], _rows_of(found, at), crowded[at])


def _lists(
    engine: Engine, cases: Measured, rows: Ints, found: Neighbours, crowded: NDArray[np.bool_]
) -> Neighbourhoods:
    k = found.indices.shape[1]
    if not crowded.any():
        return Neighbourhoods(rows, found.indices.ravel(), np.ones(found.indices.size), np.arange(len(rows)) * k)
    limits = found.sums[:, -1] * (1.0 + TIE)
    asked = np.flatnonzero(crowded)
    more = engine.within(cases.take(rows[asked]), limits[asked], rows[asked])
    lists, shares = list(found.indices), [np.ones(k)] * len(rows)
    for row, (sums, near) in zip(asked, more, strict=True):
        last = found.sums[row, -1]
        tied = sums >= last - TIE * last
        lists[row] = near
        shares[row] = np.where(tied, (k - (~tied).sum()) / tied.sum(), 1.0)
    starts = np.cumsum([0, *(len(near) for near in lists[:-1])])
    return Neighbourhoods(rows, np.concatenate(lists), np.concatenate(shares), starts)


def _rows_of(found: Neighbours, at: Ints) -> Neighbours:
    return Neighbours(found.sums[at], found.indices[at], found.inside[at], found.tied[at], found.tie_sums[at])
