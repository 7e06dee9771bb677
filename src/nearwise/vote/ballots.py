"""Who votes from each place, and what cases share that tie at the k-th."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from nearwise.differences.metric import Measured
from nearwise.errors import check_choice
from nearwise.search.base import TIE, Engine, Floats, Ints, Levels, Neighbours, Payload
from nearwise.search.overflow import warn_of_infinite

__all__ = ["TIES", "Ballots", "ByLevels", "Fair", "Single", "collect"]

TIES = ("fair", "distances", "random", "index")


class Ballots(ABC):
    """Who votes among the k nearest, for every k up to the one that was searched."""

    def __init__(self, found: Any, payload: Payload) -> None:
        self.found, self.payload = found, payload

    @abstractmethod
    def at(self, k: int) -> tuple[Floats, Floats]:
        """(m, k) sums of the places and (m, k, g, v) what votes from each place."""

    def tell_of_infinite(self, engine: Engine, queries: Measured) -> bool:
        """Warn where cases that vote are infinitely far; gives whether there are any."""
        return warn_of_infinite(engine.distance, queries, self.found)

    def _slots(self, indices: Ints) -> Floats:
        """(m, k, g, v) the payload of single cases, one a place."""
        m, k = indices.shape
        out = np.zeros((m, k, *self.payload.shape))
        row, place = np.nonzero(indices >= 0)
        cases = indices[row, place]
        out[row, place, self.payload.codes[cases]] = self.payload.values[cases]
        return out


class Single(Ballots):
    """Each of the k cases votes from its own place: ties "index" and "random"."""

    found: Neighbours

    def at(self, k: int) -> tuple[Floats, Floats]:
        return self.found.sums[:, :k], self._slots(self.found.indices[:, :k])


class Fair(Single):
    """Cases nearer than the k-th place vote; the t cases tied there share the r places that remain, r/t each."""

    def at(self, k: int) -> tuple[Floats, Floats]:
        found, searched = self.found, self.found.sums.shape[1]
        sums, exists = found.sums[:, :k], found.indices >= 0
        filled = exists[:, :k].sum(axis=1)
        last = np.where(filled > 0, np.take_along_axis(sums, np.maximum(filled - 1, 0)[:, None], axis=1)[:, 0], 0.0)
        margin = TIE * np.where(np.isfinite(last), last, 0.0)  # an infinite sum ties with its like only
        lower, upper = last - margin, last + margin
        inside = (sums < lower[:, None]).sum(axis=1)
        listed = (exists & (found.sums <= upper[:, None])).sum(axis=1)  # cases of the list that are inside or tied
        slots = self._slots(found.indices)
        place = np.arange(searched)[None, :]
        in_group = (place >= inside[:, None]) & (place < listed[:, None])
        group = np.einsum("mkgv,mk->mgv", slots, in_group.astype(np.float64))
        tied = listed - inside
        beyond = listed >= exists.sum(axis=1)  # the group may go on behind the list
        group[beyond] = found.tie_sums[beyond]
        tied = np.where(beyond, found.tied, tied)
        amounts = slots[:, :k] * (place[:, :k] < inside[:, None])[:, :, None, None]
        rows = np.flatnonzero((filled > 0) & (tied > 0))
        share = (filled[rows] - inside[rows]) / tied[rows]
        amounts[rows, filled[rows] - 1] += group[rows] * share[:, None, None]
        return sums, amounts


class ByLevels(Ballots):
    """All cases at the k smallest distinct distances vote (TiMBL)."""

    found: Levels

    def at(self, k: int) -> tuple[Floats, Floats]:
        return self.found.sums[:, :k], self.found.payload[:, :k]


def collect(
    engine: Engine,
    queries: Measured,
    k: int,
    payload: Payload,
    ties: str,
    leave_out: Ints | None = None,
    seed: Any = None,
) -> Ballots:
    """Search and return who votes under a tie rule."""
    check_choice("ties", ties, TIES)
    if ties == "distances":
        return ByLevels(engine.levels(queries, k, payload, leave_out), payload)
    found = engine.nearest(queries, k, payload, leave_out)
    if ties == "fair":
        return Fair(found, payload)
    if ties == "random":
        found = _shuffled(engine, queries, found, leave_out, np.random.default_rng(seed))
    return Single(found, payload)


def _shuffled(
    engine: Engine, queries: Measured, found: Neighbours, leave_out: Ints | None, rng: np.random.Generator
) -> Neighbours:
    """Tied cases in random order, those at the last place drawn from the whole tie group."""
    sums, indices = found.sums.copy(), found.indices.copy()
    filled = np.isfinite(sums).sum(axis=1)
    for j in range(len(sums)):
        if filled[j] == 0:
            continue
        near_sums, near = sums[j, : filled[j]], indices[j, : filled[j]]
        if found.tied[j] > filled[j] - found.inside[j]:
            one = np.array([j])
            limit = near_sums[-1] + TIE * near_sums[-1]
            skip = None if leave_out is None else leave_out[one]
            near_sums, near = engine.within(queries.take(one), np.array([limit]), skip)[0]
        gaps = np.diff(near_sums) > TIE * near_sums[1:]
        run = np.concatenate([[0], np.cumsum(gaps)])
        order = np.lexsort((rng.random(len(run)), run))[: filled[j]]
        sums[j, : filled[j]], indices[j, : filled[j]] = near_sums[order], near[order]
    return Neighbours(sums, indices, found.inside, found.tied, found.tie_sums)
