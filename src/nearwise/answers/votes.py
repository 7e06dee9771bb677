"""Votes of the nearest cases for several k at once, with fair ties.

`nearwise.vote` says what a vote is; here the same votes are added up without an array of (queries, places, classes).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from nearwise.search.base import TIE, Floats, Ints, Neighbours, Payload
from nearwise.vote import Fair, Vote, tally

__all__ = ["Listed"]


class Listed:
    """The nearest cases of some queries, and what each brings to a vote."""

    def __init__(self, found: Neighbours, payload: Payload, root: Callable[[Floats], Floats]) -> None:
        self.found, self.payload, self.root = found, payload, root
        self.there = np.isfinite(found.sums)
        self.finite = self.there.sum(axis=1)
        self.distances = root(found.sums)

    @cached_property
    def _groups(self) -> Ints:
        """(m, l) where each listed case votes, counted over all queries."""
        codes = np.asarray(self.payload.codes)[self.found.indices].astype(np.intp)
        return codes + (np.arange(len(codes)) * self.payload.n_groups)[:, None]

    @cached_property
    def _amounts(self) -> list[Floats]:
        """(m, l) what each listed case brings, number by number."""
        return [np.where(self.there, column[self.found.indices], 0.0) for column in self.payload.values.T]

    @cached_property
    def _ends(self) -> Floats:
        """(m,) the last sum of each list."""
        return np.where(self.finite > 0, self.found.sums[np.arange(len(self.finite)), self.finite - 1], np.inf)

    def shares(self, k: int, rule: Vote) -> Floats:
        """(m, l) the vote of each listed case with k neighbours; ties at the k-th place share what is left there."""
        sums, filled = self.found.sums, np.minimum(self.finite, k)
        last = np.where(filled > 0, sums[np.arange(len(sums)), np.maximum(filled - 1, 0)], 0.0)[:, None]
        inside = (sums[:, :k] < last - TIE * last).sum(axis=1)
        within = sums <= last + TIE * last
        listed = (within & self.there).sum(axis=1)
        kernel = np.where(self.there[:, :k], rule.kernel(self.distances[:, :k]), 0.0)
        width = max(k, int(listed.max(initial=0)))
        place = np.arange(width)[None, :]
        out = np.zeros((len(sums), width))
        out[:, :k] = kernel
        tied = np.flatnonzero((listed != filled) | (inside < filled - 1))  # others have one case at the k-th place
        if len(tied):
            share = (filled[tied] - inside[tied]) / np.maximum(listed[tied] - inside[tied], 1)
            at_last = kernel[tied, np.maximum(filled[tied] - 1, 0)]
            group = (place >= inside[tied, None]) & (place < listed[tied, None])
            inner = np.where(place < inside[tied, None], out[tied], 0.0)
            out[tied] = inner + np.where(group, (at_last * share)[:, None], 0.0)
        empty = np.flatnonzero(~(out.sum(axis=1) > 0))
        if len(empty):  # a kernel that gives every vote 0 leaves no answer: all count alike
            share = (filled[empty] - inside[empty]) / np.maximum(listed[empty] - inside[empty], 1)
            group = (place >= inside[empty, None]) & (place < listed[empty, None])
            out[empty] = np.where(place < inside[empty, None], 1.0, np.where(group, share[:, None], 0.0))
        return out

    def totals(self, k: int, rule: Vote) -> Floats:
        """(m, g, v) votes with k neighbours."""
        m, (g, v) = len(self.finite), self.payload.shape
        shares = self.shares(k, rule)
        width = shares.shape[1]
        groups = self._groups[:, :width].ravel()
        total = np.empty((m, g, v))
        for at, amounts in enumerate(self._amounts):
            weights = (shares * amounts[:, :width]).ravel()
            total[:, :, at] = np.bincount(groups, weights=weights, minlength=m * g).reshape(m, g)
        rows = self._unsure(k)
        if len(rows):
            total[rows], _, _ = self._slowly(rows, k, rule)
        return total

    def nearest_sums(self, k: int, rule: Vote) -> Floats:
        """(m, g) the smallest sum at which each group votes."""
        m, g = len(self.finite), self.payload.n_groups
        shares = self.shares(k, rule)
        row, place = np.nonzero(shares * self._amounts[0][:, : shares.shape[1]] > 0)
        near = np.full(m * g, np.inf)
        np.minimum.at(near, self._groups[row, place], self.found.sums[row, place])
        out = near.reshape(m, g)
        rows = self._unsure(k)
        if len(rows):
            _, out[rows], _ = self._slowly(rows, k, rule)
        return out

    def _unsure(self, k: int) -> Ints:
        """Queries whose tie group at the k-th place goes on behind the list."""
        filled = np.minimum(self.finite, k)
        last = np.where(filled > 0, self.found.sums[np.arange(len(filled)), np.maximum(filled - 1, 0)], np.inf)
        listed = self.finite - self.found.inside
        return np.flatnonzero((self._ends <= last + TIE * last) & (self.found.tied > listed))

    def _slowly(self, rows: Ints, k: int, rule: Vote) -> tuple[Floats, Floats, Floats]:
        """Votes of some queries from what the search says of the whole tie group."""
        part = self.found.take(rows)
        return tally(*Fair(part, self.payload).at(k), rule, _of_rows(self.distances[rows], part.sums, self.root))


def _of_rows(distances: Floats, sums: Floats, root: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """The distances of some queries, whatever their own scale is."""
    return lambda asked: (
        distances[:, : asked.shape[1]] if asked.shape == sums[:, : asked.shape[1]].shape else root(asked)
    )
