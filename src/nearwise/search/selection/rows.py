"""Answers from sums, one query after the other: the k nearest, the k nearest levels, all within a limit."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nearwise.search.base import Floats, Ints, Levels, Neighbours, Payload
from nearwise.search.selection.smallest import empty_levels, empty_neighbours, fill_levels, fill_nearest

__all__ = ["Row", "levels_of", "nearest_of", "within_of"]

Row = tuple[int, Floats, Ints | None]
"""query, sums, and the cases they belong to; None where they are the sums of all cases, the left out one too"""


def nearest_of(rows: Iterable[Row], m: int, k: int, payload: Payload, leave_out: Ints | None) -> Neighbours:
    """The k nearest of m queries, each of which comes once."""
    out = empty_neighbours(m, k, payload)
    for j, sums, cases in rows:
        if cases is None:
            fill_nearest(out, j, sums, _left_out(leave_out, j), payload)
            continue
        fill_nearest(out, j, sums, -1, payload.of(cases))
        filled = out.indices[j] >= 0
        out.indices[j, filled] = cases[out.indices[j, filled]]
    return out


def levels_of(rows: Iterable[Row], m: int, k: int, payload: Payload, leave_out: Ints | None) -> Levels:
    """The k smallest distinct sums of m queries."""
    out = empty_levels(m, k, payload)
    for j, sums, cases in rows:
        if cases is None:
            fill_levels(out, j, sums, _left_out(leave_out, j), payload)
        else:
            fill_levels(out, j, sums, -1, payload.of(cases))
    return out


def within_of(rows: Iterable[Row], limits: Floats, leave_out: Ints | None) -> list[tuple[Floats, Ints]]:
    """Per query, sums and cases up to its limit, by (sum, case)."""
    found: list[tuple[Floats, Ints]] = [(np.zeros(0), np.zeros(0, dtype=np.intp))] * len(limits)
    for j, sums, cases in rows:
        sums = np.where(np.isnan(sums), np.inf, sums)
        near = np.flatnonzero(sums <= limits[j])
        if cases is None:
            near = near[near != _left_out(leave_out, j)]  # also where the limit is infinite
        near = near[np.argsort(sums[near], kind="stable")]
        found[j] = sums[near], near if cases is None else cases[near]
    return found


def _left_out(leave_out: Ints | None, j: int) -> int:
    return -1 if leave_out is None else int(leave_out[j])
